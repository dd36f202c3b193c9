/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* For the table of options: what --uprobe and its like, --if, --args and --exact-address do with their values. */
#ifndef TRACER_OPTION_PROBES_H
#define TRACER_OPTION_PROBES_H

#include "options_settle.h"

/* As option_rule.set: 0, -ENOMEM, or -EINVAL after a message. */
int option_add_uprobe(struct option_parse *parse, const char *value);
int option_add_uretprobe(struct option_parse *parse, const char *value);
int option_add_latency(struct option_parse *parse, const char *value);
int option_add_usdt(struct option_parse *parse, const char *value);
int option_add_breakpoint(struct option_parse *parse, const char *value);
int option_set_if(struct option_parse *parse, const char *value);
int option_set_args(struct option_parse *parse, const char *value);
int option_set_max_string(struct option_parse *parse, const char *value);
int option_set_exact_address(struct option_parse *parse, const char *value);

#endif

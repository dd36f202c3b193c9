// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Values of the options that are about probes and breakpoints. */
#include "option_probes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aim/probe_spec.h"
#include "base/log.h"
#include "expression/expression.h"

static const char *const probe_examples[] = {
	[PROBE_UPROBE] =
		"./app:handle, ./app:handle+0x10, ./app:0x1234, libc:'mem*' or ./app:/^handle_/",
	[PROBE_URETPROBE] = "./app:handle or ./app:0x1234",
	[PROBE_LATENCY] = "./app:handle, libc:'pthread_*' or ./app:/^handle_/",
	[PROBE_BREAKPOINT] = "./app:counter:w, counter/4:rw or 0x4010/8:w",
};

static int add_probe(struct option_parse *parse, enum probe_kind kind, const char *value)
{
	struct options *options = parse->options;
	struct probe_option *grown;
	const char *why;
	int err;

	grown = reallocarray(options->probes, options->probe_count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	options->probes = grown;
	err = probe_spec_parse(kind, value, &grown[options->probe_count], &why);
	if (err == -EINVAL)
		log_error("%s: \"%s\": %s (say %s)", parse->spelling, value, why,
			  probe_examples[kind]);
	if (!err)
		options->probe_count++;
	parse->source_is_probe = true;
	return err;
}

int option_add_uprobe(struct option_parse *parse, const char *value)
{
	return add_probe(parse, PROBE_UPROBE, value);
}

int option_add_uretprobe(struct option_parse *parse, const char *value)
{
	return add_probe(parse, PROBE_URETPROBE, value);
}

int option_add_latency(struct option_parse *parse, const char *value)
{
	return add_probe(parse, PROBE_LATENCY, value);
}

int option_add_breakpoint(struct option_parse *parse, const char *value)
{
	return add_probe(parse, PROBE_BREAKPOINT, value);
}

/* About the probe before it. Only how it is written is looked at here. */
int option_set_if(struct option_parse *parse, const char *value)
{
	struct options *options = parse->options;
	struct expression_error error = {};
	struct expression *expression = NULL;
	struct probe_option *probe;
	int err;

	if (!parse->source_is_probe) {
		log_error(
			"--if: stands behind the probe that it is about (--uprobe BIN:FUNC --if EXPR)");
		return -EINVAL;
	}
	probe = &options->probes[options->probe_count - 1];
	if (probe->condition) {
		log_error("--if: %s has one already: join the two with &&", probe->text);
		return -EINVAL;
	}
	err = expression_parse(value, &expression, &error);
	if (err == -EINVAL)
		expression_error_print(stderr, "--if", value, &error);
	expression_error_free(&error);
	expression_free(expression);
	if (err)
		return err;
	probe->condition = strdup(value);
	return probe->condition ? 0 : -ENOMEM;
}

int option_set_exact_address(struct option_parse *parse, const char *value)
{
	(void)value;
	parse->options->exact_address = true;
	return 0;
}

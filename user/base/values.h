/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Values of options: numbers, sizes, times and lists of ids, as people write them. All take the
 * whole text or refuse it, never wrap around and do not depend on the locale. Nothing is printed.
 */
#ifndef TRACER_VALUES_H
#define TRACER_VALUES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* length characters, all digits of base 10 or 16. 0 or -EINVAL. */
int digits_parse(const char *text, size_t length, unsigned base, uint64_t *value);
/* "99". 0 or -EINVAL. */
int number_parse(const char *text, uint64_t *value);
/* Bytes: "4096", "4K", "1M", "2G"; either case. 0 or -EINVAL. */
int size_parse(const char *text, uint64_t *bytes);
/*
 * Nanoseconds: "10", "0.5", "500ms"; the units are ns, us, ms, s and m (minutes), without one it
 * is unit_ns. At most INT64_MAX, so that a time can be added to a clock. 0 or -EINVAL.
 */
int time_parse(const char *text, uint64_t unit_ns, uint64_t *ns);
/*
 * "812,813": appends those that are not in the list yet to *pids (the caller's, may be NULL), which
 * has *count entries. 0, -EINVAL or -ENOMEM; after an error some may have been appended.
 */
int pid_list_append(const char *text, pid_t **pids, size_t *count);

#endif

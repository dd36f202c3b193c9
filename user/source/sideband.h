/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Side-band: who maps, execs, forks and exits, from one dummy perf event a CPU. Always system-wide: a
 * process that joins the target later has then been seen from its first mapping on.
 */
#ifndef TRACER_SIDEBAND_H
#define TRACER_SIDEBAND_H

#include <stdbool.h>

#include "../ring/perf_ring.h"

struct sideband;

/*
 * Opens and starts it on all online CPUs. is_prompt: its descriptors wake for each record, for those who must
 * act on it. Says what is wrong. 0 or -errno.
 */
int sideband_open(struct sideband **sideband, bool is_prompt);
/* Records handed over, or a negative callback result. */
int sideband_consume(struct sideband *sideband, perf_record_fn callback, void *context);
/* Descriptors to poll, one a CPU. */
size_t sideband_fd_count(const struct sideband *sideband);
int sideband_fd(const struct sideband *sideband, size_t index);
void sideband_close(struct sideband *sideband);

#endif

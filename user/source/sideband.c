// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Side-band events on every CPU, and their rings. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "../base/cpulist.h"
#include "../base/log.h"
#include "../record/from_perf.h"
#include "perf_open.h"
#include "sideband.h"

#define SIDEBAND_RING_BYTES (512 * 1024)

struct sideband {
	size_t count;
	int *fds;
	struct perf_ring **rings;
};

static int open_on_cpu(struct sideband *sideband, size_t index, int cpu, bool is_prompt)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = SIDEBAND_SAMPLE_TYPE,
		.sample_id_all = 1,
		.disabled = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.ksymbol = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = is_prompt ? 1 : SIDEBAND_RING_BYTES / 4,
	};
	int err;

	sideband->fds[index] = perf_open(&attr, -1, cpu, -1);
	if (sideband->fds[index] < 0)
		return sideband->fds[index];
	err = perf_ring_open(sideband->fds[index], SIDEBAND_RING_BYTES, &sideband->rings[index]);
	if (err)
		return err;
	return ioctl(sideband->fds[index], PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

int sideband_open(struct sideband **sideband_out, bool is_prompt)
{
	struct sideband *sideband = calloc(1, sizeof(*sideband));
	struct cpulist cpus = {};
	int err;

	if (!sideband)
		return -ENOMEM;
	err = cpulist_online(&cpus);
	if (err)
		goto out;
	sideband->fds = calloc(cpus.count, sizeof(*sideband->fds));
	sideband->rings = calloc(cpus.count, sizeof(*sideband->rings));
	if (!sideband->fds || !sideband->rings) {
		err = -ENOMEM;
		goto out;
	}
	for (size_t i = 0; !err && i < cpus.count; i++) {
		sideband->fds[i] = -1;
		sideband->count = i + 1;
		err = open_on_cpu(sideband, i, cpus.cpus[i], is_prompt);
		if (err)
			log_error("side-band events (mappings, exec, fork) on CPU %d: %s",
				  cpus.cpus[i], strerror(-err));
	}
out:
	cpulist_free(&cpus);
	if (err) {
		sideband_close(sideband);
		return err;
	}
	*sideband_out = sideband;
	return 0;
}

int sideband_consume(struct sideband *sideband, perf_record_fn callback, void *context)
{
	int total = 0;

	for (size_t i = 0; i < sideband->count; i++) {
		int count = perf_ring_consume(sideband->rings[i], callback, context);

		if (count < 0)
			return count;
		total += count;
	}
	return total;
}

size_t sideband_fd_count(const struct sideband *sideband)
{
	return sideband->count;
}

int sideband_fd(const struct sideband *sideband, size_t index)
{
	return sideband->fds[index];
}

void sideband_close(struct sideband *sideband)
{
	if (!sideband)
		return;
	for (size_t i = 0; i < sideband->count; i++) {
		if (sideband->rings)
			perf_ring_close(sideband->rings[i]);
		if (sideband->fds[i] >= 0)
			close(sideband->fds[i]);
	}
	free(sideband->fds);
	free(sideband->rings);
	free(sideband);
}

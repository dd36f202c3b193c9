// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --profile and --wall: one sampling event a CPU, cycles where they count, else the CPU clock. */
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/clock.h"
#include "../base/log.h"
#include "../base/values.h"
#include "perf_open.h"
#include "self_test.h"
#include "source.h"
#include "tracer.skel.h"

struct sample_source {
	bool use_cycles;
	size_t count;
	struct bpf_link **links;
};

static int sample_prepare(struct source *source, struct source_context *context)
{
	struct sample_source *sample = calloc(1, sizeof(*sample));

	if (!sample)
		return -ENOMEM;
	source->private = sample;
	sample->use_cycles = self_test_cycles() == 0;
	source->info.kind = REC_SAMPLE;
	source->info.name = strdup(sample->use_cycles ? "cycles" : "cpu-clock");
	/* cycles are sampled by frequency: their period varies, and one sample counts as one */
	source->info.period = sample->use_cycles ? 1 : NSEC_PER_SEC / context->frequency;
	source->info.has_perf_event = true;
	source->info.perf_type = sample->use_cycles ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
	source->info.perf_config = sample->use_cycles ? PERF_COUNT_HW_CPU_CYCLES :
							PERF_COUNT_SW_CPU_CLOCK;
	bpf_program__set_autoload(context->bpf->skeleton->progs.on_sample, true);
	return source->info.name ? 0 : -ENOMEM;
}

static int attach_on_cpu(struct source *source, struct source_context *context, int cpu)
{
	const struct source_info *info = &source->info;
	struct sample_source *sample = source->private;
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = info->perf_type,
		.config = info->perf_config,
		.freq = 1,
		.sample_freq = context->frequency,
	};
	struct bpf_link *link;
	int fd, err;

	fd = perf_open(&attr, -1, cpu, -1);
	if (fd < 0)
		return fd;
	link = bpf_program__attach_perf_event(context->bpf->skeleton->progs.on_sample, fd);
	if (!link) {
		err = -errno;
		close(fd);
		return err;
	}
	sample->links[sample->count++] = link;
	return 0;
}

/* The kernel lowers it by itself where samples take it too long. UINT32_MAX: unknown. */
static uint32_t frequency_allowed(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "re");
	char text[16] = "";
	uint64_t hz;

	if (file) {
		if (fgets(text, sizeof(text), file))
			text[strcspn(text, "\n")] = 0;
		fclose(file);
	}
	return number_parse(text, &hz) || hz > UINT32_MAX ? UINT32_MAX : (uint32_t)hz;
}

static void report_attach_failure(const struct source *source, uint32_t hz, int cpu, int err)
{
	uint32_t allowed = frequency_allowed();

	if (err == -EINVAL && hz > allowed)
		log_error(
			"%s at %u Hz: the kernel allows %u Hz now (kernel.perf_event_max_sample_rate, which it lowers where samples take it too long)",
			source->info.name, hz, allowed);
	else
		log_error("%s on CPU %d: %s", source->info.name, cpu, strerror(-err));
}

static int sample_attach(struct source *source, struct source_context *context)
{
	struct sample_source *sample = source->private;

	sample->links = calloc(context->cpus->count, sizeof(struct bpf_link *));
	if (!sample->links)
		return -ENOMEM;
	for (size_t i = 0; i < context->cpus->count; i++) {
		int cpu = context->cpus->cpus[i];
		int err = attach_on_cpu(source, context, cpu);

		if (err) {
			report_attach_failure(source, context->frequency, cpu, err);
			return err;
		}
	}
	return 0;
}

static void sample_detach(struct source *source)
{
	struct sample_source *sample = source->private;

	if (!sample)
		return;
	for (size_t i = 0; i < sample->count; i++)
		bpf_link__destroy(sample->links[i]); /* closes the event as well */
	sample->count = 0;
}

static void sample_close(struct source *source)
{
	struct sample_source *sample = source->private;

	if (!sample)
		return;
	sample_detach(source);
	free(sample->links);
	free(sample);
	source->private = NULL;
}

const struct source_ops source_sample = {
	.name = "sample",
	.prepare = sample_prepare,
	.attach = sample_attach,
	.detach = sample_detach,
	.close = sample_close,
};

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A recording for perf's own tools and for --replay. Stacks are written as call chains, walked already, with the
 * mappings and names of processes beside them as they became known. Frames are (object, offset) by now: their
 * addresses are looked up in the process's mappings of that moment.
 *
 * perf looks an address of a chain up where it stands. So that a call which is its function's last instruction is
 * not taken for the function behind it, return addresses are written one less, as perf writes those that it
 * walked itself.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "../base/clock.h"
#include "../base/log.h"
#include "../object/kernel_image.h"
#include "../perf_data/encode.h"
#include "../perf_data/own_sample.h"
#include "../perf_data/writer.h"
#include "file_ids.h"
#include "frames.h"
#include "output.h"

/* A killed recording can be read up to there. */
#define ROUND_NS NSEC_PER_SEC

/*
 * Type of the events that are not the kernel's. No PMU has it; of software events perf script leaves out dummies,
 * and dumps the bytes of what BPF puts out.
 */
#define OWN_EVENT_TYPE 0x74726163

struct recording {
	struct perf_data_writer *writer;
	bool has_begun;
	struct file_ids ids;
	uint64_t round;	   /* when the last one ended, ns */
	uint64_t unplaced; /* frames that no mapping was found for */
	uint64_t user[TRACER_MAX_STACK], kernel[TRACER_MAX_STACK];
	uint64_t chain[2 * TRACER_MAX_STACK + 2];
	uint8_t raw[OWN_SAMPLE_MOST];
};

/* ---- events -------------------------------------------------------------------------------------- */

/* perf cannot read tracepoints and PMUs that it has no description of: only what all kernels know keeps its type. */
static void describe(const struct output *output, const struct source_info *source,
		     struct perf_event_attr *attr)
{
	const struct perf_data_info *recorded = output->config.recorded;

	*attr = (struct perf_event_attr){
		.type = OWN_EVENT_TYPE,
		.config = source->kind,
		.sample_period = source->period,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
			       PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
	};
	if (source->lacks_cpu)
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_CPU;
	if (source->is_trace)
		attr->sample_type &= ~(uint64_t)(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW);
	if (source->is_trace || (source->has_perf_event && source->perf_type <= PERF_TYPE_RAW &&
				 source->perf_type != PERF_TYPE_TRACEPOINT)) {
		attr->type = source->perf_type;
		attr->config = source->perf_config;
	}
	if (!recorded || recorded->has_clock) {
		attr->use_clockid = 1;
		attr->clockid = recorded ? (int)recorded->clock : CLOCK_MONOTONIC;
	}
}

static const char *event_name(const struct source_info *source)
{
	return source->kind == REC_OFFCPU ? "offcpu-time" : source->name;
}

static int add_events(const struct output *output)
{
	const struct recording *recording = output->private;
	struct perf_event_attr attr;
	int err = 0;

	for (size_t i = 0; !err && i < output->config.source_count; i++) {
		const struct source_info *source = output->config.sources[i];
		uint64_t id = i + 1;

		describe(output, source, &attr);
		err = perf_data_writer_add_event(recording->writer, &attr, event_name(source), &id,
						 1);
	}
	return err;
}

/* ---- the kernel ---------------------------------------------------------------------------------- */

static int put_kernel_mapping(struct recording *recording, uint64_t start, uint64_t length,
			      uint64_t offset, const char *path)
{
	const struct record record = {
		.kind = RECORD_MMAP,
		.cpu = UINT32_MAX,
		.pid = UINT32_MAX,
		.mmap = { .start = start,
			  .length = length,
			  .file_offset = offset,
			  .protection = PROT_READ | PROT_EXEC,
			  .misc = PERF_RECORD_MISC_KERNEL,
			  .path = path },
	};

	return perf_data_writer_put(recording->writer, 0, &record);
}

static int put_module(void *context, const char *name, uint64_t address, uint64_t size)
{
	char path[80];

	snprintf(path, sizeof(path), "[%s]", name);
	return put_kernel_mapping(context, address, size, 0, path);
}

/* Of a kernel that hides its addresses nothing can be said, and no frame is there either. */
static int put_kernel(struct recording *recording)
{
	uint64_t begin, end;
	int err = kernel_image_text(&begin, &end);

	if (err)
		return err == -ENOMEM ? err : 0;
	err = put_kernel_mapping(recording, begin, end - begin, begin, "[kernel.kallsyms]_text");
	return err ? err : kernel_image_each_module(put_module, recording);
}

/* With the first record: of a piped recording events are known only then. */
static int begin(const struct output *output)
{
	struct recording *recording = output->private;
	int err;

	if (recording->has_begun)
		return 0;
	recording->has_begun = true;
	err = add_events(output);
	if (!err && !output->config.recorded)
		err = put_kernel(recording);
	return err;
}

/* ---- records --------------------------------------------------------------------------------------- */

static int put(const struct output *output, size_t index, const struct record *record)
{
	struct recording *recording = output->private;
	int err = perf_data_writer_put(recording->writer, index, record);

	/* perf may take a round's end for a promise that nothing older comes */
	if (!err && !output->config.is_late && record->time > recording->round + ROUND_NS) {
		recording->round = record->time;
		err = perf_data_writer_end_round(recording->writer);
	}
	return err;
}

/* An error of writing comes back with the next event. */
static void tell(void *context, const struct record *record, const struct object *object)
{
	struct output *output = context;
	struct recording *recording = output->private;
	const struct file_id *id = object ? file_ids_get(&recording->ids, object) : NULL;
	struct record copy = *record;

	if (begin(output))
		return;
	if (id && id->size && !copy.mmap.build_id_size) {
		copy.mmap.build_id_size = id->size;
		memcpy(copy.mmap.build_id, id->bytes, sizeof(copy.mmap.build_id));
	}
	put(output, 0, &copy);
}

static uint64_t address_of(const struct output *output, const struct event *event,
			   const struct stack *stack, uint32_t index)
{
	struct recording *recording = output->private;
	const struct frame *frame = &stack->frame[index];
	struct file_id *id = file_ids_get(&recording->ids, frame->object);
	uint64_t ip;

	if (id)
		id->is_hit = true;
	if (!tasks_locate(output->tasks, (pid_t)event->pid, event->time, frame, &ip))
		recording->unplaced++;
	return ip - (ip && frame_is_return(event->record->kind, stack, index));
}

static size_t addresses_of(const struct output *output, const struct event *event,
			   const struct stack *stack, uint64_t *ip)
{
	uint32_t depth = !stack				 ? 0 :
			 stack->depth < TRACER_MAX_STACK ? stack->depth :
							   TRACER_MAX_STACK;

	for (uint32_t i = 0; i < depth; i++)
		ip[i] = address_of(output, event, stack, i);
	return depth;
}

static void note_ends(struct own_sample *own, const struct stack *user, const struct stack *kernel)
{
	own->user = user ? user->end : 0;
	own->kernel = kernel ? kernel->end : 0;
	for (uint32_t i = 0; user && i < user->depth && own->exact_count < OWN_SAMPLE_EXACT; i++) {
		if (user->frame[i].exact)
			own->exact[own->exact_count++] = (uint16_t)i;
	}
}

static void make_sample(const struct output *output, const struct event *event,
			struct record *record)
{
	const struct stack *user = stack_if_wanted(output, event->user);
	const struct stack *kernel = stack_if_wanted(output, event->kernel);
	struct recording *recording = output->private;
	size_t user_count = addresses_of(output, event, user, recording->user);
	size_t kernel_count = addresses_of(output, event, kernel, recording->kernel);
	struct record_sample *sample = &record->sample;
	struct own_sample own;

	recording->ids.kernel_is_hit |= kernel_count;
	own_sample_of(event->record, event->source, &own);
	note_ends(&own, user, kernel);
	own.has_values = event->values;
	if (event->values)
		own.value_bytes = leaves_encoded(event->values, OWN_SAMPLE_VALUES, &own.values);
	sample->misc = kernel_count ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	sample->ip = kernel_count ? recording->kernel[0] : user_count ? recording->user[0] : 0;
	sample->period = event_period(event);
	sample->chain = recording->chain;
	sample->chain_count = perf_encode_chain(recording->chain, recording->kernel, kernel_count,
						recording->user, user_count);
	sample->raw = recording->raw;
	sample->raw_size = own_sample_encode(&own, recording->raw);
}

static int perf_data_event(struct output *output, const struct event *event)
{
	struct record record = {
		.time = event->time,
		.kind = RECORD_SAMPLE,
		.cpu = event->cpu,
		.pid = event->pid,
		.tid = event->tid,
	};
	int err = begin(output);

	if (err)
		return err;
	make_sample(output, event, &record);
	return put(output, event->source->number, &record);
}

static int perf_data_trace(struct output *output, const struct record *record)
{
	size_t index = record->kind == RECORD_AUX ? record->aux.event_id : 0;
	int err = begin(output);

	return err ? err : put(output, index, record);
}

static int perf_data_trace_bytes(struct output *output, const struct perf_data_aux *bytes)
{
	struct recording *recording = output->private;
	int err = begin(output);

	return err ? err : perf_data_writer_put_aux(recording->writer, bytes);
}

/* ---- from beginning to end ------------------------------------------------------------------------- */

static int perf_data_open(struct output *output)
{
	const struct tasks_listener listener = { .tell = tell, .context = output };
	struct recording *recording = calloc(1, sizeof(*recording));
	int err;

	output->private = recording;
	if (!recording)
		return -ENOMEM;
	recording->ids.recorded = output->config.recorded;
	err = perf_data_writer_new(output->file, &recording->writer);
	if (err == -ESPIPE)
		log_error("perf.data: is written to a file, not to a pipe or a terminal");
	if (!err && output->tasks)
		tasks_set_listener(output->tasks, &listener);
	return err;
}

static int put_losses(struct recording *recording, const struct run_summary *summary)
{
	const struct record record = {
		.kind = RECORD_LOST,
		.cpu = UINT32_MAX,
		.pid = UINT32_MAX,
		.tid = UINT32_MAX,
		.lost = { .count = summary->lost, .event_id = 1 },
	};

	return summary->lost ? perf_data_writer_put(recording->writer, 0, &record) : 0;
}

static int finish_with(struct recording *recording, const struct output *output,
		       const struct run_summary *summary)
{
	char *words[] = { (char *)summary->title };
	struct perf_data_info here = {}, info;
	int err = output->config.recorded ? 0 : perf_data_info_of_machine(&here);

	if (!err) {
		info = output->config.recorded ? *output->config.recorded : here;
		if (!output->config.recorded) {
			info.version = "tracer " TRACER_VERSION;
			info.command = words;
			info.word_count = 1;
		}
		err = perf_data_writer_finish(recording->writer, &info);
	}
	perf_data_info_free(&here);
	return err;
}

static int perf_data_finish(struct output *output, struct counts *counts,
			    const struct run_summary *summary)
{
	struct recording *recording = output->private;
	int err = begin(output);

	(void)counts;
	if (!err)
		err = put_losses(recording, summary);
	if (!err)
		err = file_ids_put(&recording->ids, recording->writer);
	if (!err)
		err = finish_with(recording, output, summary);
	if (recording->unplaced)
		log_warn("%llu frames lay in no mapping that is known: perf shows them as unknown",
			 (unsigned long long)recording->unplaced);
	return err;
}

static void perf_data_close(struct output *output)
{
	static const struct tasks_listener nobody;
	struct recording *recording = output->private;

	if (!recording)
		return;
	if (output->tasks)
		tasks_set_listener(output->tasks, &nobody);
	perf_data_writer_free(recording->writer);
	file_ids_free(&recording->ids);
	free(recording);
	output->private = NULL;
}

const struct output_ops output_perf_data = {
	.name = "perf.data",
	.endings = ".data",
	.is_binary = true,
	.open = perf_data_open,
	.event = perf_data_event,
	.trace = perf_data_trace,
	.trace_bytes = perf_data_trace_bytes,
	.finish = perf_data_finish,
	.close = perf_data_close,
};

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Samples, field by field in the order in which the kernel's perf_output_sample() writes them. */
#include <errno.h>

#include "perf_identity.h"
#include "perf_sample.h"

/* count values of 8 bytes. */
static const uint64_t *take_words(struct bytes *bytes, uint64_t count)
{
	return bytes_take(bytes, count > UINT16_MAX ? UINT64_MAX : count * sizeof(uint64_t));
}

/* Bytes whose size the kernel rounds up, so that what follows is aligned again. */
static const void *take_padded(struct bytes *bytes, uint64_t size, uint64_t aligned)
{
	if ((size + aligned) % sizeof(uint64_t))
		bytes->failed = true;
	return bytes_take(bytes, size);
}

static unsigned counter_words(uint64_t read_format)
{
	return 1 + !!(read_format & PERF_FORMAT_ID) + !!(read_format & PERF_FORMAT_LOST);
}

static void take_group(struct bytes *bytes, uint64_t format, struct record_sample *sample)
{
	sample->counter_count = bytes_take64(bytes);
	sample->enabled = bytes_take64_if(bytes, format & PERF_FORMAT_TOTAL_TIME_ENABLED);
	sample->running = bytes_take64_if(bytes, format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	if (sample->counter_count > UINT16_MAX)
		bytes->failed = true;
	else
		sample->counters = take_words(bytes, sample->counter_count * counter_words(format));
}

/* The times stand between the value and its id. */
static void take_single(struct bytes *bytes, uint64_t format, struct record_sample *sample)
{
	sample->counters = take_words(bytes, 1);
	sample->counter_count = 1;
	sample->enabled = bytes_take64_if(bytes, format & PERF_FORMAT_TOTAL_TIME_ENABLED);
	sample->running = bytes_take64_if(bytes, format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	bytes_take64_if(bytes, format & PERF_FORMAT_ID);
	bytes_take64_if(bytes, format & PERF_FORMAT_LOST);
}

static void take_counters(struct bytes *bytes, uint64_t format, struct record_sample *sample)
{
	sample->read_format = (uint32_t)format;
	if (format & PERF_FORMAT_GROUP)
		take_group(bytes, format, sample);
	else
		take_single(bytes, format, sample);
}

struct record_counter record_sample_counter(const struct record_sample *sample, uint64_t index)
{
	unsigned format = sample->read_format;
	const uint64_t *at = sample->counters;
	struct record_counter counter;

	if (format & PERF_FORMAT_GROUP)
		at += index * counter_words(format);
	counter = (struct record_counter){ .value = *at++ };
	if (!(format & PERF_FORMAT_GROUP)) {
		at += !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED);
		at += !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	}
	if (format & PERF_FORMAT_ID)
		counter.id = *at++;
	if (format & PERF_FORMAT_LOST)
		counter.lost = *at;
	return counter;
}

static void take_chain(struct bytes *bytes, struct record_sample *sample)
{
	sample->chain_count = bytes_take64(bytes);
	sample->chain = take_words(bytes, sample->chain_count);
}

static void take_raw(struct bytes *bytes, struct record_sample *sample)
{
	sample->raw_size = bytes_take32(bytes);
	sample->raw = take_padded(bytes, sample->raw_size, sizeof(uint32_t));
}

#ifndef PERF_SAMPLE_BRANCH_COUNTERS /* Linux 6.8 */
#define PERF_SAMPLE_BRANCH_COUNTERS (1U << 19)
#endif

static void pass_branches(struct bytes *bytes, uint64_t branch_sample_type)
{
	uint64_t count = bytes_take64(bytes);

	if (count > UINT16_MAX) {
		bytes->failed = true;
		return;
	}
	bytes_take64_if(bytes, branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX);
	bytes_take(bytes, count * sizeof(struct perf_branch_entry));
	if (branch_sample_type & PERF_SAMPLE_BRANCH_COUNTERS)
		take_words(bytes, count);
}

static void take_regs(struct bytes *bytes, uint64_t mask, struct record_sample *sample)
{
	sample->regs_abi = bytes_take64(bytes);
	if (sample->regs_abi == PERF_SAMPLE_REGS_ABI_NONE)
		return;
	sample->regs_mask = mask;
	sample->regs = take_words(bytes, (uint64_t)__builtin_popcountll(mask));
}

/* The size that is really there stands behind the bytes, and only where there was any room for them. */
static void take_stack(struct bytes *bytes, struct record_sample *sample)
{
	sample->stack_asked = bytes_take64(bytes);
	if (!sample->stack_asked)
		return;
	sample->stack = take_padded(bytes, sample->stack_asked, 0);
	sample->stack_size = bytes_take64(bytes);
	if (sample->stack_size > sample->stack_asked)
		bytes->failed = true;
}

/* All up to the stack, which is as far as we use it, but for the cgroup. */
static void take_first_part(struct bytes *bytes, uint64_t type, struct record *record)
{
	struct record_sample *sample = &record->sample;
	struct perf_identity identity = {};

	identity.identifier = bytes_take64_if(bytes, type & PERF_SAMPLE_IDENTIFIER);
	sample->ip = bytes_take64_if(bytes, type & PERF_SAMPLE_IP);
	perf_identity_take_tid(bytes, type, &identity);
	record->time = bytes_take64_if(bytes, type & PERF_SAMPLE_TIME);
	sample->address = bytes_take64_if(bytes, type & PERF_SAMPLE_ADDR);
	identity.id = bytes_take64_if(bytes, type & PERF_SAMPLE_ID);
	bytes_take64_if(bytes, type & PERF_SAMPLE_STREAM_ID);
	perf_identity_take_cpu(bytes, type, &identity);
	sample->period = bytes_take64_if(bytes, type & PERF_SAMPLE_PERIOD);
	sample->event_id = perf_identity_event(&identity);
	record->pid = identity.pid;
	record->tid = identity.tid;
	record->cpu = identity.cpu;
}

static void take_middle_part(struct bytes *bytes, const struct perf_layout *layout,
			     struct record_sample *sample)
{
	uint64_t type = layout->sample_type;

	if (type & PERF_SAMPLE_READ)
		take_counters(bytes, layout->read_format, sample);
	if (type & PERF_SAMPLE_CALLCHAIN)
		take_chain(bytes, sample);
	if (type & PERF_SAMPLE_RAW)
		take_raw(bytes, sample);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		pass_branches(bytes, layout->branch_sample_type);
	if (type & PERF_SAMPLE_REGS_USER)
		take_regs(bytes, layout->sample_regs_user, sample);
	if (type & PERF_SAMPLE_STACK_USER)
		take_stack(bytes, sample);
}

/* The kernel writes these in another order than that of their bits. Behind them is nothing we use. */
static void take_last_part(struct bytes *bytes, const struct perf_layout *layout,
			   struct record_sample *sample)
{
	uint64_t type = layout->sample_type;

	bytes_take64_if(bytes, type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT));
	bytes_take64_if(bytes, type & PERF_SAMPLE_DATA_SRC);
	bytes_take64_if(bytes, type & PERF_SAMPLE_TRANSACTION);
	if (type & PERF_SAMPLE_REGS_INTR && bytes_take64(bytes) != PERF_SAMPLE_REGS_ABI_NONE)
		take_words(bytes, (uint64_t)__builtin_popcountll(layout->sample_regs_intr));
	bytes_take64_if(bytes, type & PERF_SAMPLE_PHYS_ADDR);
	sample->cgroup = bytes_take64_if(bytes, type & PERF_SAMPLE_CGROUP);
	bytes_take64_if(bytes, type & PERF_SAMPLE_DATA_PAGE_SIZE);
	bytes_take64_if(bytes, type & PERF_SAMPLE_CODE_PAGE_SIZE);
	if (type & PERF_SAMPLE_AUX)
		bytes_take(bytes, bytes_take64(bytes));
}

int perf_sample_decode(const struct perf_layout *layout, const struct perf_event_header *header,
		       struct record *record)
{
	struct record_sample *sample = &record->sample;
	struct bytes bytes = {
		.at = (const uint8_t *)(header + 1),
		.end = (const uint8_t *)header + header->size,
	};

	record->kind = RECORD_SAMPLE;
	sample->misc = header->misc;
	sample->wire = (const uint8_t *)header;
	sample->wire_size = header->size;
	take_first_part(&bytes, layout->sample_type, record);
	take_middle_part(&bytes, layout, sample);
	take_last_part(&bytes, layout, sample);
	return bytes.failed ? -EBADMSG : 0;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Records of perf, as include/uapi/linux/perf_event.h lays them out and the kernel's perf_output_sample()
 * writes them. They are read front to back by a cursor, which knows where they end: what lies beyond
 * reads as 0 and makes the whole malformed.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "perf_layout.h"

struct cursor {
	const uint8_t *at, *end;
	bool failed;
};

/* The next bytes, and past them; NULL when there are not as many. */
static const void *take(struct cursor *cursor, uint64_t size)
{
	const uint8_t *at = cursor->at;

	if (cursor->failed || size > (uint64_t)(cursor->end - at)) {
		cursor->failed = true;
		return NULL;
	}
	cursor->at += size;
	return at;
}

/* count values of 8 bytes. */
static const uint64_t *take_words(struct cursor *cursor, uint64_t count)
{
	return take(cursor, count > UINT16_MAX ? UINT64_MAX : count * sizeof(uint64_t));
}

static uint64_t take64(struct cursor *cursor)
{
	const void *at = take(cursor, sizeof(uint64_t));
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

static uint32_t take32(struct cursor *cursor)
{
	const void *at = take(cursor, sizeof(uint32_t));
	uint32_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

static uint16_t take16(struct cursor *cursor)
{
	const void *at = take(cursor, sizeof(uint16_t));
	uint16_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

/* All that is left: a string and what pads it. */
static const char *take_string(struct cursor *cursor)
{
	const char *string = (const char *)cursor->at;
	size_t left = (size_t)(cursor->end - cursor->at);

	if (cursor->failed || !memchr(string, 0, left))
		cursor->failed = true;
	cursor->at = cursor->end;
	return string;
}

/* Bytes whose size the kernel rounds up, so that what follows is aligned again. */
static const void *take_padded(struct cursor *cursor, uint64_t size, uint64_t aligned)
{
	if ((size + aligned) % sizeof(uint64_t))
		cursor->failed = true;
	return take(cursor, size);
}

void perf_layout_of(const struct perf_event_attr *attr, struct perf_layout *layout)
{
	*layout = (struct perf_layout){
		.sample_type = attr->sample_type,
		.read_format = attr->read_format,
		.branch_sample_type = attr->branch_sample_type,
		.sample_regs_user = attr->sample_regs_user,
		.sample_regs_intr = attr->sample_regs_intr,
		.sample_id_all = attr->sample_id_all,
	};
}

#define ID_FIELDS                                                                      \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

static size_t words_of(uint64_t sample_type)
{
	return (size_t)__builtin_popcountll(sample_type) * sizeof(uint64_t);
}

size_t perf_layout_id_size(const struct perf_layout *layout)
{
	return layout->sample_id_all ? words_of(layout->sample_type & ID_FIELDS) : 0;
}

/* Where a sample has its id, in bytes behind the header. */
static size_t sample_id_offset(uint64_t sample_type)
{
	if (sample_type & PERF_SAMPLE_IDENTIFIER)
		return 0;
	return words_of(sample_type &
			(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR));
}

/* Where the others have it, in bytes before their end. */
static size_t trailing_id_offset(uint64_t sample_type)
{
	if (sample_type & PERF_SAMPLE_IDENTIFIER)
		return sizeof(uint64_t);
	return words_of(sample_type & (PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU));
}

bool perf_layout_event_id(const struct perf_layout *layout, const struct perf_event_header *header,
			  uint64_t *id)
{
	size_t at;

	if (!(layout->sample_type & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER)))
		return false;
	if (header->type == PERF_RECORD_SAMPLE) {
		at = sizeof(*header) + sample_id_offset(layout->sample_type);
		if (at + sizeof(*id) > header->size)
			return false;
	} else {
		size_t before_end = trailing_id_offset(layout->sample_type);

		if (!layout->sample_id_all || sizeof(*header) + before_end > header->size)
			return false;
		at = header->size - before_end;
	}
	memcpy(id, (const uint8_t *)header + at, sizeof(*id));
	return true;
}

/* The fields of a sample id, which stand in a sample, too, between others. */
struct identity {
	uint32_t pid, tid, cpu;
	uint64_t time, id, identifier;
};

static void take_tid(struct cursor *cursor, uint64_t sample_type, struct identity *identity)
{
	identity->pid = identity->tid = UINT32_MAX;
	if (!(sample_type & PERF_SAMPLE_TID))
		return;
	identity->pid = take32(cursor);
	identity->tid = take32(cursor);
}

static void take_cpu(struct cursor *cursor, uint64_t sample_type, struct identity *identity)
{
	identity->cpu = UINT32_MAX;
	if (!(sample_type & PERF_SAMPLE_CPU))
		return;
	identity->cpu = take32(cursor);
	take32(cursor); /* reserved */
}

static uint64_t take_if(struct cursor *cursor, uint64_t asked)
{
	return asked ? take64(cursor) : 0;
}

static void take_trailer(struct cursor *cursor, uint64_t sample_type, struct identity *identity)
{
	take_tid(cursor, sample_type, identity);
	identity->time = take_if(cursor, sample_type & PERF_SAMPLE_TIME);
	identity->id = take_if(cursor, sample_type & PERF_SAMPLE_ID);
	take_if(cursor, sample_type & PERF_SAMPLE_STREAM_ID);
	take_cpu(cursor, sample_type, identity);
	identity->identifier = take_if(cursor, sample_type & PERF_SAMPLE_IDENTIFIER);
}

static uint64_t event_id_of(const struct identity *identity)
{
	return identity->identifier ? identity->identifier : identity->id;
}

/* ---- samples -------------------------------------------------------------------------------- */

static unsigned counter_words(uint64_t read_format)
{
	return 1 + !!(read_format & PERF_FORMAT_ID) + !!(read_format & PERF_FORMAT_LOST);
}

static void take_group(struct cursor *cursor, uint64_t format, struct record_sample *sample)
{
	sample->counter_count = take64(cursor);
	sample->enabled = take_if(cursor, format & PERF_FORMAT_TOTAL_TIME_ENABLED);
	sample->running = take_if(cursor, format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	if (sample->counter_count > UINT16_MAX)
		cursor->failed = true;
	else
		sample->counters =
			take_words(cursor, sample->counter_count * counter_words(format));
}

/* The times stand between the value and its id. */
static void take_single(struct cursor *cursor, uint64_t format, struct record_sample *sample)
{
	sample->counters = take_words(cursor, 1);
	sample->counter_count = 1;
	sample->enabled = take_if(cursor, format & PERF_FORMAT_TOTAL_TIME_ENABLED);
	sample->running = take_if(cursor, format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	take_if(cursor, format & PERF_FORMAT_ID);
	take_if(cursor, format & PERF_FORMAT_LOST);
}

static void take_counters(struct cursor *cursor, uint64_t format, struct record_sample *sample)
{
	sample->read_format = (uint32_t)format;
	if (format & PERF_FORMAT_GROUP)
		take_group(cursor, format, sample);
	else
		take_single(cursor, format, sample);
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

static void take_chain(struct cursor *cursor, struct record_sample *sample)
{
	sample->chain_count = take64(cursor);
	sample->chain = take_words(cursor, sample->chain_count);
}

static void take_raw(struct cursor *cursor, struct record_sample *sample)
{
	sample->raw_size = take32(cursor);
	sample->raw = take_padded(cursor, sample->raw_size, sizeof(uint32_t));
}

#ifndef PERF_SAMPLE_BRANCH_COUNTERS /* Linux 6.8 */
#define PERF_SAMPLE_BRANCH_COUNTERS (1U << 19)
#endif

static void pass_branches(struct cursor *cursor, uint64_t branch_sample_type)
{
	uint64_t count = take64(cursor);

	if (count > UINT16_MAX) {
		cursor->failed = true;
		return;
	}
	take_if(cursor, branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX);
	take(cursor, count * sizeof(struct perf_branch_entry));
	if (branch_sample_type & PERF_SAMPLE_BRANCH_COUNTERS)
		take_words(cursor, count);
}

static void take_regs(struct cursor *cursor, uint64_t mask, struct record_sample *sample)
{
	sample->regs_abi = take64(cursor);
	if (sample->regs_abi == PERF_SAMPLE_REGS_ABI_NONE)
		return;
	sample->regs_mask = mask;
	sample->regs = take_words(cursor, (uint64_t)__builtin_popcountll(mask));
}

/* The size that is really there stands behind the bytes, and only where there was any room for them. */
static void take_stack(struct cursor *cursor, struct record_sample *sample)
{
	sample->stack_asked = take64(cursor);
	if (!sample->stack_asked)
		return;
	sample->stack = take_padded(cursor, sample->stack_asked, 0);
	sample->stack_size = take64(cursor);
	if (sample->stack_size > sample->stack_asked)
		cursor->failed = true;
}

/* All up to the stack, which is as far as we use it, but for the cgroup. */
static void take_first_part(struct cursor *cursor, uint64_t type, struct record *record)
{
	struct record_sample *sample = &record->sample;
	struct identity identity = {};

	identity.identifier = take_if(cursor, type & PERF_SAMPLE_IDENTIFIER);
	sample->ip = take_if(cursor, type & PERF_SAMPLE_IP);
	take_tid(cursor, type, &identity);
	record->time = take_if(cursor, type & PERF_SAMPLE_TIME);
	sample->address = take_if(cursor, type & PERF_SAMPLE_ADDR);
	identity.id = take_if(cursor, type & PERF_SAMPLE_ID);
	take_if(cursor, type & PERF_SAMPLE_STREAM_ID);
	take_cpu(cursor, type, &identity);
	sample->period = take_if(cursor, type & PERF_SAMPLE_PERIOD);
	sample->event_id = event_id_of(&identity);
	record->pid = identity.pid;
	record->tid = identity.tid;
	record->cpu = identity.cpu;
}

static void take_middle_part(struct cursor *cursor, const struct perf_layout *layout,
			     struct record_sample *sample)
{
	uint64_t type = layout->sample_type;

	if (type & PERF_SAMPLE_READ)
		take_counters(cursor, layout->read_format, sample);
	if (type & PERF_SAMPLE_CALLCHAIN)
		take_chain(cursor, sample);
	if (type & PERF_SAMPLE_RAW)
		take_raw(cursor, sample);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		pass_branches(cursor, layout->branch_sample_type);
	if (type & PERF_SAMPLE_REGS_USER)
		take_regs(cursor, layout->sample_regs_user, sample);
	if (type & PERF_SAMPLE_STACK_USER)
		take_stack(cursor, sample);
}

/* The kernel writes these in another order than that of their bits. Behind them is nothing we use. */
static void take_last_part(struct cursor *cursor, const struct perf_layout *layout,
			   struct record_sample *sample)
{
	uint64_t type = layout->sample_type;

	take_if(cursor, type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT));
	take_if(cursor, type & PERF_SAMPLE_DATA_SRC);
	take_if(cursor, type & PERF_SAMPLE_TRANSACTION);
	if (type & PERF_SAMPLE_REGS_INTR && take64(cursor) != PERF_SAMPLE_REGS_ABI_NONE)
		take_words(cursor, (uint64_t)__builtin_popcountll(layout->sample_regs_intr));
	take_if(cursor, type & PERF_SAMPLE_PHYS_ADDR);
	sample->cgroup = take_if(cursor, type & PERF_SAMPLE_CGROUP);
	take_if(cursor, type & PERF_SAMPLE_DATA_PAGE_SIZE);
	take_if(cursor, type & PERF_SAMPLE_CODE_PAGE_SIZE);
	if (type & PERF_SAMPLE_AUX)
		take(cursor, take64(cursor));
}

static int decode_sample(const struct perf_layout *layout, const struct perf_event_header *header,
			 struct record *record)
{
	struct record_sample *sample = &record->sample;
	struct cursor cursor = {
		.at = (const uint8_t *)(header + 1),
		.end = (const uint8_t *)header + header->size,
	};

	record->kind = RECORD_SAMPLE;
	sample->misc = header->misc;
	sample->wire = (const uint8_t *)header;
	sample->wire_size = header->size;
	take_first_part(&cursor, layout->sample_type, record);
	take_middle_part(&cursor, layout, sample);
	take_last_part(&cursor, layout, sample);
	return cursor.failed ? -EBADMSG : 0;
}

/* ---- the others ----------------------------------------------------------------------------- */

static void decode_mmap(struct cursor *cursor, uint16_t misc, struct record *record)
{
	struct record_mmap *map = &record->mmap;

	record->kind = RECORD_MMAP;
	record->pid = take32(cursor);
	record->tid = take32(cursor);
	map->start = take64(cursor);
	map->length = take64(cursor);
	map->file_offset = take64(cursor);
	map->protection = misc & PERF_RECORD_MISC_MMAP_DATA ? PROT_READ : PROT_EXEC;
	map->misc = misc;
	map->path = take_string(cursor);
}

static void take_build_id(struct cursor *cursor, struct record_mmap *map)
{
	const uint8_t *bytes = take(cursor, 4 + RECORD_BUILD_ID); /* the size is the first of 4 */

	if (!bytes || bytes[0] > RECORD_BUILD_ID) {
		cursor->failed = true;
		return;
	}
	map->build_id_size = bytes[0];
	memcpy(map->build_id, bytes + 4, map->build_id_size);
}

static void take_inode(struct cursor *cursor, struct record_mmap *map)
{
	map->major = take32(cursor);
	map->minor = take32(cursor);
	map->inode = take64(cursor);
	take64(cursor); /* generation */
}

static void decode_mmap2(struct cursor *cursor, uint16_t misc, struct record *record)
{
	struct record_mmap *map = &record->mmap;

	record->kind = RECORD_MMAP;
	record->pid = take32(cursor);
	record->tid = take32(cursor);
	map->start = take64(cursor);
	map->length = take64(cursor);
	map->file_offset = take64(cursor);
	if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
		take_build_id(cursor, map);
	else
		take_inode(cursor, map);
	map->protection = take32(cursor);
	take32(cursor); /* MAP_* */
	map->misc = misc;
	map->path = take_string(cursor);
}

static void decode_comm(struct cursor *cursor, uint16_t misc, struct record *record)
{
	record->kind = RECORD_COMM;
	record->pid = take32(cursor);
	record->tid = take32(cursor);
	record->comm.comm = take_string(cursor);
	record->comm.is_exec = misc & PERF_RECORD_MISC_COMM_EXEC;
}

static void decode_task(struct cursor *cursor, uint32_t type, struct record *record)
{
	uint64_t time;

	record->kind = type == PERF_RECORD_FORK ? RECORD_FORK : RECORD_EXIT;
	record->pid = take32(cursor);
	record->fork.parent_pid = take32(cursor);
	record->tid = take32(cursor);
	record->fork.parent_tid = take32(cursor);
	time = take64(cursor);
	if (!record->time)
		record->time = time;
}

static void decode_ksymbol(struct cursor *cursor, struct record *record)
{
	record->kind = RECORD_KSYMBOL;
	record->ksymbol.address = take64(cursor);
	record->ksymbol.length = take32(cursor);
	take16(cursor); /* PERF_RECORD_KSYMBOL_TYPE_* */
	record->ksymbol.is_unregister = take16(cursor) & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
	record->ksymbol.name = take_string(cursor);
}

static void decode_lost(struct cursor *cursor, struct record *record)
{
	record->kind = RECORD_LOST;
	record->lost.event_id = take64(cursor);
	record->lost.count = take64(cursor);
}

static void decode_lost_samples(struct cursor *cursor, const struct identity *identity,
				struct record *record)
{
	record->kind = RECORD_LOST_SAMPLES;
	record->lost.count = take64(cursor);
	record->lost.event_id = event_id_of(identity);
}

static void decode_throttle(struct cursor *cursor, uint32_t type, struct record *record)
{
	uint64_t time = take64(cursor);

	record->kind = RECORD_THROTTLE;
	if (!record->time)
		record->time = time;
	record->throttle.event_id = take64(cursor);
	record->throttle.is_end = type == PERF_RECORD_UNTHROTTLE;
	take64(cursor); /* stream id */
}

static void decode_cgroup(struct cursor *cursor, struct record *record)
{
	record->kind = RECORD_CGROUP;
	record->cgroup.id = take64(cursor);
	record->cgroup.path = take_string(cursor);
}

static void decode_aux(struct cursor *cursor, const struct identity *identity,
		       struct record *record)
{
	record->kind = RECORD_AUX;
	record->pid = identity->pid;
	record->tid = identity->tid;
	record->aux.offset = take64(cursor);
	record->aux.size = take64(cursor);
	record->aux.flags = take64(cursor);
}

static void decode_itrace_start(struct cursor *cursor, struct record *record)
{
	record->kind = RECORD_ITRACE_START;
	record->pid = take32(cursor);
	record->tid = take32(cursor);
}

static void decode_switch(struct cursor *cursor, const struct perf_event_header *header,
			  const struct identity *identity, struct record *record)
{
	struct record_switch *switched = &record->switched;

	record->kind = RECORD_SWITCH;
	record->pid = identity->pid;
	record->tid = identity->tid;
	switched->other_pid = switched->other_tid = UINT32_MAX;
	switched->is_out = header->misc & PERF_RECORD_MISC_SWITCH_OUT;
	switched->is_preempted = header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	if (header->type == PERF_RECORD_SWITCH)
		return;
	switched->other_pid = take32(cursor);
	switched->other_tid = take32(cursor);
}

static int decode_body(const struct perf_event_header *header, struct cursor *cursor,
		       const struct identity *identity, struct record *record)
{
	switch (header->type) {
	case PERF_RECORD_MMAP:
		decode_mmap(cursor, header->misc, record);
		break;
	case PERF_RECORD_MMAP2:
		decode_mmap2(cursor, header->misc, record);
		break;
	case PERF_RECORD_COMM:
		decode_comm(cursor, header->misc, record);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		decode_task(cursor, header->type, record);
		break;
	case PERF_RECORD_KSYMBOL:
		decode_ksymbol(cursor, record);
		break;
	case PERF_RECORD_LOST:
		decode_lost(cursor, record);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		decode_lost_samples(cursor, identity, record);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		decode_throttle(cursor, header->type, record);
		break;
	case PERF_RECORD_CGROUP:
		decode_cgroup(cursor, record);
		break;
	case PERF_RECORD_AUX:
		decode_aux(cursor, identity, record);
		break;
	case PERF_RECORD_ITRACE_START:
		decode_itrace_start(cursor, record);
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		decode_switch(cursor, header, identity, record);
		break;
	default:
		return -ENOMSG;
	}
	return cursor->failed ? -EBADMSG : 0;
}

/* What stands before the sample id, and so cannot run into it. */
static int decode_other(const struct perf_layout *layout, const struct perf_event_header *header,
			struct record *record)
{
	size_t id_size = perf_layout_id_size(layout);
	const uint8_t *end = (const uint8_t *)header + header->size;
	struct cursor trailer = { .at = end - id_size, .end = end };
	struct cursor body = { .at = (const uint8_t *)(header + 1), .end = trailer.at };
	struct identity identity;

	if (header->size < sizeof(*header) + id_size)
		return -EBADMSG;
	take_trailer(&trailer, id_size ? layout->sample_type : 0, &identity);
	record->time = identity.time;
	record->cpu = identity.cpu;
	return decode_body(header, &body, &identity, record);
}

int record_from_perf_layout(const struct perf_layout *layout,
			    const struct perf_event_header *header, struct record *record)
{
	memset(record, 0, sizeof(*record));
	if (header->size % 8 || header->size < sizeof(*header))
		return -EBADMSG;
	if (header->type == PERF_RECORD_SAMPLE)
		return decode_sample(layout, header, record);
	return decode_other(layout, header, record);
}

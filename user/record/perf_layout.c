// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Records of perf but samples, as include/uapi/linux/perf_event.h lays them out. What they lack reads as 0,
 * and makes them malformed.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "perf_identity.h"
#include "perf_layout.h"
#include "perf_sample.h"

/* All that is left: a string and what pads it. */
static const char *take_string(struct bytes *bytes)
{
	const char *string = (const char *)bytes->at;
	size_t left = (size_t)(bytes->end - bytes->at);

	if (bytes->failed || !memchr(string, 0, left))
		bytes->failed = true;
	bytes->at = bytes->end;
	return string;
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

static void take_trailer(struct bytes *bytes, uint64_t sample_type, struct perf_identity *identity)
{
	perf_identity_take_tid(bytes, sample_type, identity);
	identity->time = bytes_take64_if(bytes, sample_type & PERF_SAMPLE_TIME);
	identity->id = bytes_take64_if(bytes, sample_type & PERF_SAMPLE_ID);
	bytes_take64_if(bytes, sample_type & PERF_SAMPLE_STREAM_ID);
	perf_identity_take_cpu(bytes, sample_type, identity);
	identity->identifier = bytes_take64_if(bytes, sample_type & PERF_SAMPLE_IDENTIFIER);
}

static void decode_mmap(struct bytes *bytes, uint16_t misc, struct record *record)
{
	struct record_mmap *map = &record->mmap;

	record->kind = RECORD_MMAP;
	record->pid = bytes_take32(bytes);
	record->tid = bytes_take32(bytes);
	map->start = bytes_take64(bytes);
	map->length = bytes_take64(bytes);
	map->file_offset = bytes_take64(bytes);
	map->protection = misc & PERF_RECORD_MISC_MMAP_DATA ? PROT_READ : PROT_EXEC;
	map->misc = misc;
	map->path = take_string(bytes);
}

static void take_build_id(struct bytes *bytes, struct record_mmap *map)
{
	const uint8_t *id = bytes_take(bytes, 4 + RECORD_BUILD_ID); /* the size is the first of 4 */

	if (!id || id[0] > RECORD_BUILD_ID) {
		bytes->failed = true;
		return;
	}
	map->build_id_size = id[0];
	memcpy(map->build_id, id + 4, map->build_id_size);
}

static void take_inode(struct bytes *bytes, struct record_mmap *map)
{
	map->major = bytes_take32(bytes);
	map->minor = bytes_take32(bytes);
	map->inode = bytes_take64(bytes);
	bytes_take64(bytes); /* generation */
}

static void decode_mmap2(struct bytes *bytes, uint16_t misc, struct record *record)
{
	struct record_mmap *map = &record->mmap;

	record->kind = RECORD_MMAP;
	record->pid = bytes_take32(bytes);
	record->tid = bytes_take32(bytes);
	map->start = bytes_take64(bytes);
	map->length = bytes_take64(bytes);
	map->file_offset = bytes_take64(bytes);
	if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
		take_build_id(bytes, map);
	else
		take_inode(bytes, map);
	map->protection = bytes_take32(bytes);
	bytes_take32(bytes); /* MAP_* */
	map->misc = misc;
	map->path = take_string(bytes);
}

static void decode_comm(struct bytes *bytes, uint16_t misc, struct record *record)
{
	record->kind = RECORD_COMM;
	record->pid = bytes_take32(bytes);
	record->tid = bytes_take32(bytes);
	record->comm.comm = take_string(bytes);
	record->comm.is_exec = misc & PERF_RECORD_MISC_COMM_EXEC;
}

static void decode_task(struct bytes *bytes, uint32_t type, struct record *record)
{
	uint64_t time;

	record->kind = type == PERF_RECORD_FORK ? RECORD_FORK : RECORD_EXIT;
	record->pid = bytes_take32(bytes);
	record->fork.parent_pid = bytes_take32(bytes);
	record->tid = bytes_take32(bytes);
	record->fork.parent_tid = bytes_take32(bytes);
	time = bytes_take64(bytes);
	if (!record->time)
		record->time = time;
}

static void decode_ksymbol(struct bytes *bytes, struct record *record)
{
	record->kind = RECORD_KSYMBOL;
	record->ksymbol.address = bytes_take64(bytes);
	record->ksymbol.length = bytes_take32(bytes);
	bytes_take16(bytes); /* PERF_RECORD_KSYMBOL_TYPE_* */
	record->ksymbol.is_unregister = bytes_take16(bytes) & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
	record->ksymbol.name = take_string(bytes);
}

static void decode_lost(struct bytes *bytes, struct record *record)
{
	record->kind = RECORD_LOST;
	record->lost.event_id = bytes_take64(bytes);
	record->lost.count = bytes_take64(bytes);
}

static void decode_lost_samples(struct bytes *bytes, const struct perf_identity *identity,
				struct record *record)
{
	record->kind = RECORD_LOST_SAMPLES;
	record->lost.count = bytes_take64(bytes);
	record->lost.event_id = perf_identity_event(identity);
}

static void decode_throttle(struct bytes *bytes, uint32_t type, struct record *record)
{
	uint64_t time = bytes_take64(bytes);

	record->kind = RECORD_THROTTLE;
	if (!record->time)
		record->time = time;
	record->throttle.event_id = bytes_take64(bytes);
	record->throttle.is_end = type == PERF_RECORD_UNTHROTTLE;
	bytes_take64(bytes); /* stream id */
}

static void decode_cgroup(struct bytes *bytes, struct record *record)
{
	record->kind = RECORD_CGROUP;
	record->cgroup.id = bytes_take64(bytes);
	record->cgroup.path = take_string(bytes);
}

static void decode_aux(struct bytes *bytes, const struct perf_identity *identity,
		       struct record *record)
{
	record->kind = RECORD_AUX;
	record->pid = identity->pid;
	record->tid = identity->tid;
	record->aux.offset = bytes_take64(bytes);
	record->aux.size = bytes_take64(bytes);
	record->aux.flags = bytes_take64(bytes);
}

static void decode_itrace_start(struct bytes *bytes, struct record *record)
{
	record->kind = RECORD_ITRACE_START;
	record->pid = bytes_take32(bytes);
	record->tid = bytes_take32(bytes);
}

static void decode_switch(struct bytes *bytes, const struct perf_event_header *header,
			  const struct perf_identity *identity, struct record *record)
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
	switched->other_pid = bytes_take32(bytes);
	switched->other_tid = bytes_take32(bytes);
}

static int decode_body(const struct perf_event_header *header, struct bytes *bytes,
		       const struct perf_identity *identity, struct record *record)
{
	switch (header->type) {
	case PERF_RECORD_MMAP:
		decode_mmap(bytes, header->misc, record);
		break;
	case PERF_RECORD_MMAP2:
		decode_mmap2(bytes, header->misc, record);
		break;
	case PERF_RECORD_COMM:
		decode_comm(bytes, header->misc, record);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		decode_task(bytes, header->type, record);
		break;
	case PERF_RECORD_KSYMBOL:
		decode_ksymbol(bytes, record);
		break;
	case PERF_RECORD_LOST:
		decode_lost(bytes, record);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		decode_lost_samples(bytes, identity, record);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		decode_throttle(bytes, header->type, record);
		break;
	case PERF_RECORD_CGROUP:
		decode_cgroup(bytes, record);
		break;
	case PERF_RECORD_AUX:
		decode_aux(bytes, identity, record);
		break;
	case PERF_RECORD_ITRACE_START:
		decode_itrace_start(bytes, record);
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		decode_switch(bytes, header, identity, record);
		break;
	default:
		return -ENOMSG;
	}
	return bytes->failed ? -EBADMSG : 0;
}

/* What stands before the sample id, and so cannot run into it. */
static int decode_other(const struct perf_layout *layout, const struct perf_event_header *header,
			struct record *record)
{
	size_t id_size = perf_layout_id_size(layout);
	const uint8_t *end = (const uint8_t *)header + header->size;
	struct bytes trailer = { .at = end - id_size, .end = end };
	struct bytes body = { .at = (const uint8_t *)(header + 1), .end = trailer.at };
	struct perf_identity identity;

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
		return perf_sample_decode(layout, header, record);
	return decode_other(layout, header, record);
}

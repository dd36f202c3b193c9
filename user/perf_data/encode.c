// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Field after field behind a header, whose size is known last. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "encode.h"

/* Of a record, whose size is a multiple of 8 in 16 bits. */
#define RECORD_MOST 65528

struct pen {
	uint8_t *at, *end;
	bool failed; /* it did not fit */
};

static void put(struct pen *pen, const void *bytes, size_t size)
{
	if (pen->failed || size > (size_t)(pen->end - pen->at)) {
		pen->failed = true;
		return;
	}
	memcpy(pen->at, bytes, size);
	pen->at += size;
}

static void put64(struct pen *pen, uint64_t value)
{
	put(pen, &value, sizeof(value));
}

static void put32(struct pen *pen, uint32_t value)
{
	put(pen, &value, sizeof(value));
}

static void put16(struct pen *pen, uint16_t value)
{
	put(pen, &value, sizeof(value));
}

static void put_pair(struct pen *pen, uint32_t first, uint32_t second)
{
	put32(pen, first);
	put32(pen, second);
}

/* size bytes, and zeros up to a multiple of 8 of the record. */
static void put_padded(struct pen *pen, const void *bytes, size_t size)
{
	put(pen, bytes, size);
	while ((uintptr_t)pen->at % sizeof(uint64_t) && !pen->failed)
		put(pen, "", 1);
}

static void put_string(struct pen *pen, const char *string)
{
	put_padded(pen, string, strlen(string) + 1);
}

static void put_id(struct pen *pen, const struct perf_layout *layout, uint64_t event_id,
		   const struct record *record)
{
	uint64_t type = layout->sample_id_all ? layout->sample_type : 0;

	if (type & PERF_SAMPLE_TID)
		put_pair(pen, record->pid, record->tid);
	if (type & PERF_SAMPLE_TIME)
		put64(pen, record->time);
	if (type & PERF_SAMPLE_ID)
		put64(pen, event_id);
	if (type & PERF_SAMPLE_STREAM_ID)
		put64(pen, event_id);
	if (type & PERF_SAMPLE_CPU)
		put_pair(pen, record->cpu, 0);
	if (type & PERF_SAMPLE_IDENTIFIER)
		put64(pen, event_id);
}

static void put_file(struct pen *pen, const struct record_mmap *map)
{
	uint8_t head[4] = { map->build_id_size };

	if (map->build_id_size) {
		put(pen, head, sizeof(head));
		put(pen, map->build_id, sizeof(map->build_id));
		return;
	}
	put_pair(pen, map->major, map->minor);
	put64(pen, map->inode);
	put64(pen, 0); /* generation */
}

static void put_mmap(struct pen *pen, const struct record *record)
{
	const struct record_mmap *map = &record->mmap;

	put_pair(pen, record->pid, record->tid);
	put64(pen, map->start);
	put64(pen, map->length);
	put64(pen, map->file_offset);
	put_file(pen, map);
	put_pair(pen, map->protection, MAP_PRIVATE);
	put_string(pen, map->path);
}

static uint16_t mmap_misc(const struct record_mmap *map)
{
	uint16_t misc = map->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	if (!misc)
		misc = PERF_RECORD_MISC_USER;
	if (!(map->protection & PROT_EXEC))
		misc |= PERF_RECORD_MISC_MMAP_DATA;
	return map->build_id_size ? misc | PERF_RECORD_MISC_MMAP_BUILD_ID : misc;
}

static void put_task(struct pen *pen, const struct record *record)
{
	put_pair(pen, record->pid, record->fork.parent_pid);
	put_pair(pen, record->tid, record->fork.parent_tid);
	put64(pen, record->time);
}

static void put_ksymbol(struct pen *pen, const struct record_ksymbol *symbol)
{
	put64(pen, symbol->address);
	put32(pen, symbol->length);
	put16(pen, PERF_RECORD_KSYMBOL_TYPE_BPF);
	put16(pen, symbol->is_unregister ? PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER : 0);
	put_string(pen, symbol->name);
}

/* ---- samples -------------------------------------------------------------------------------- */

#define SAMPLE_FIELDS                                                                   \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |  \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_CGROUP)

static void put_if(struct pen *pen, uint64_t asked, uint64_t value)
{
	if (asked)
		put64(pen, value);
}

/* Behind it room must be left for the raw bytes and the cgroup. */
static void put_chain(struct pen *pen, const struct record_sample *sample, size_t behind)
{
	size_t left = (size_t)(pen->end - pen->at), most;
	uint64_t count = sample->chain_count;

	if (left < behind + sizeof(uint64_t)) {
		pen->failed = true;
		return;
	}
	most = (left - behind) / sizeof(uint64_t) - 1;
	if (count > most)
		count = most;
	put64(pen, count);
	if (count)
		put(pen, sample->chain, count * sizeof(uint64_t));
}

static size_t raw_room(uint64_t size)
{
	return (sizeof(uint32_t) + size + 7) & ~7ull;
}

static void put_raw(struct pen *pen, const struct record_sample *sample)
{
	put32(pen, (uint32_t)(raw_room(sample->raw_size) - sizeof(uint32_t)));
	if (sample->raw_size)
		put_padded(pen, sample->raw, sample->raw_size);
	else
		put32(pen, 0);
}

static void put_sample(struct pen *pen, const struct perf_layout *layout, uint64_t event_id,
		       const struct record *record)
{
	const struct record_sample *sample = &record->sample;
	uint64_t type = layout->sample_type;
	size_t behind = sizeof(uint64_t) + raw_room(sample->raw_size);

	put_if(pen, type & PERF_SAMPLE_IDENTIFIER, event_id);
	put_if(pen, type & PERF_SAMPLE_IP, sample->ip);
	if (type & PERF_SAMPLE_TID)
		put_pair(pen, record->pid, record->tid);
	put_if(pen, type & PERF_SAMPLE_TIME, record->time);
	put_if(pen, type & PERF_SAMPLE_ADDR, sample->address);
	put_if(pen, type & PERF_SAMPLE_ID, event_id);
	put_if(pen, type & PERF_SAMPLE_STREAM_ID, event_id);
	if (type & PERF_SAMPLE_CPU)
		put_pair(pen, record->cpu, 0);
	put_if(pen, type & PERF_SAMPLE_PERIOD, sample->period);
	if (type & PERF_SAMPLE_CALLCHAIN)
		put_chain(pen, sample, behind);
	if (type & PERF_SAMPLE_RAW)
		put_raw(pen, sample);
	put_if(pen, type & PERF_SAMPLE_CGROUP, sample->cgroup);
}

/* ---- all ------------------------------------------------------------------------------------- */

/* What stands before the sample id: the type of the record, or 0. */
static uint32_t put_body(struct pen *pen, const struct record *record, uint16_t *misc)
{
	switch (record->kind) {
	case RECORD_MMAP:
		*misc = mmap_misc(&record->mmap);
		put_mmap(pen, record);
		return PERF_RECORD_MMAP2;
	case RECORD_COMM:
		*misc = record->comm.is_exec ? PERF_RECORD_MISC_COMM_EXEC : 0;
		put_pair(pen, record->pid, record->tid);
		put_string(pen, record->comm.comm);
		return PERF_RECORD_COMM;
	case RECORD_FORK:
		put_task(pen, record);
		return PERF_RECORD_FORK;
	case RECORD_EXIT:
		put_task(pen, record);
		return PERF_RECORD_EXIT;
	case RECORD_KSYMBOL:
		put_ksymbol(pen, &record->ksymbol);
		return PERF_RECORD_KSYMBOL;
	case RECORD_AUX:
		put64(pen, record->aux.offset);
		put64(pen, record->aux.size);
		put64(pen, record->aux.flags);
		return PERF_RECORD_AUX;
	case RECORD_ITRACE_START:
		put_pair(pen, record->pid, record->tid);
		return PERF_RECORD_ITRACE_START;
	case RECORD_LOST:
		put64(pen, record->lost.event_id);
		put64(pen, record->lost.count);
		return PERF_RECORD_LOST;
	case RECORD_LOST_SAMPLES:
		put64(pen, record->lost.count);
		return PERF_RECORD_LOST_SAMPLES;
	default:
		return 0;
	}
}

int perf_encode(const struct perf_layout *layout, uint64_t event_id, const struct record *record,
		void *buffer)
{
	struct perf_event_header header = {};
	struct pen pen = {
		.at = (uint8_t *)buffer + sizeof(header),
		.end = (uint8_t *)buffer + RECORD_MOST,
	};

	if (record->kind == RECORD_SAMPLE) {
		if (layout->sample_type & ~(uint64_t)SAMPLE_FIELDS)
			return -EINVAL;
		header.type = PERF_RECORD_SAMPLE;
		header.misc = record->sample.misc;
		put_sample(&pen, layout, event_id, record);
	} else {
		header.type = put_body(&pen, record, &header.misc);
		if (!header.type)
			return -EINVAL;
		put_id(&pen, layout, event_id, record);
	}
	if (pen.failed)
		return -E2BIG;
	header.size = (uint16_t)(pen.at - (uint8_t *)buffer);
	memcpy(buffer, &header, sizeof(header));
	return header.size;
}

static size_t add_part(uint64_t *chain, uint64_t mark, const uint64_t *ip, size_t count)
{
	if (!count)
		return 0;
	chain[0] = mark;
	memcpy(chain + 1, ip, count * sizeof(*ip));
	return count + 1;
}

size_t perf_encode_chain(uint64_t *chain, const uint64_t *kernel, size_t kernel_count,
			 const uint64_t *user, size_t user_count)
{
	size_t count = add_part(chain, PERF_CONTEXT_KERNEL, kernel, kernel_count);

	return count + add_part(chain + count, PERF_CONTEXT_USER, user, user_count);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Side-band records of perf rings, as include/uapi/linux/perf_event.h lays them out. */
#include <errno.h>
#include <string.h>

#include "from_perf.h"

/* What sample_id_all appends under SIDEBAND_SAMPLE_TYPE. */
struct sample_id {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
};

struct wire_mmap2 {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, length, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
	char path[];
};

struct wire_comm {
	struct perf_event_header header;
	uint32_t pid, tid;
	char comm[];
};

struct wire_task {
	struct perf_event_header header;
	uint32_t pid, parent_pid, tid, parent_tid;
	uint64_t time;
};

struct wire_ksymbol {
	struct perf_event_header header;
	uint64_t address;
	uint32_t length;
	uint16_t type, flags;
	char name[];
};

struct wire_lost {
	struct perf_event_header header;
	uint64_t id, count;
};

/* A string that must end before the sample id does. */
static bool string_ends(const struct perf_event_header *header, const char *string)
{
	const char *end = (const char *)header + header->size - sizeof(struct sample_id);

	return string < end && memchr(string, 0, (size_t)(end - string));
}

static int decode_mmap2(const struct perf_event_header *header, struct record *record)
{
	const struct wire_mmap2 *wire = (const void *)header;

	if (header->size < sizeof(*wire) || !string_ends(header, wire->path))
		return -EBADMSG;
	record->kind = RECORD_MMAP;
	record->pid = wire->pid;
	record->tid = wire->tid;
	record->mmap = (struct record_mmap){
		.start = wire->start,
		.length = wire->length,
		.file_offset = wire->offset,
		.inode = wire->inode,
		.major = wire->major,
		.minor = wire->minor,
		.protection = wire->protection,
		.path = wire->path,
	};
	return 0;
}

static int decode_comm(const struct perf_event_header *header, struct record *record)
{
	const struct wire_comm *wire = (const void *)header;

	if (header->size < sizeof(*wire) || !string_ends(header, wire->comm))
		return -EBADMSG;
	record->kind = RECORD_COMM;
	record->pid = wire->pid;
	record->tid = wire->tid;
	record->comm.comm = wire->comm;
	record->comm.is_exec = header->misc & PERF_RECORD_MISC_COMM_EXEC;
	return 0;
}

static int decode_task(const struct perf_event_header *header, struct record *record)
{
	const struct wire_task *wire = (const void *)header;

	if (header->size < sizeof(*wire) + sizeof(struct sample_id))
		return -EBADMSG;
	record->kind = header->type == PERF_RECORD_FORK ? RECORD_FORK : RECORD_EXIT;
	record->pid = wire->pid;
	record->tid = wire->tid;
	record->fork.parent_pid = wire->parent_pid;
	record->fork.parent_tid = wire->parent_tid;
	return 0;
}

static int decode_ksymbol(const struct perf_event_header *header, struct record *record)
{
	const struct wire_ksymbol *wire = (const void *)header;

	if (header->size < sizeof(*wire) || !string_ends(header, wire->name))
		return -EBADMSG;
	record->kind = RECORD_KSYMBOL;
	record->ksymbol = (struct record_ksymbol){
		.address = wire->address,
		.length = wire->length,
		.is_unregister = wire->flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER,
		.name = wire->name,
	};
	return 0;
}

static int decode_lost(const struct perf_event_header *header, struct record *record)
{
	const struct wire_lost *wire = (const void *)header;

	if (header->size < sizeof(*wire) + sizeof(struct sample_id))
		return -EBADMSG;
	record->kind = RECORD_LOST;
	record->lost.count = wire->count;
	return 0;
}

static int decode_body(const struct perf_event_header *header, struct record *record)
{
	switch (header->type) {
	case PERF_RECORD_MMAP2:
		return decode_mmap2(header, record);
	case PERF_RECORD_COMM:
		return decode_comm(header, record);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return decode_task(header, record);
	case PERF_RECORD_KSYMBOL:
		return decode_ksymbol(header, record);
	case PERF_RECORD_LOST:
		return decode_lost(header, record);
	}
	return -ENOMSG;
}

int record_from_perf(const struct perf_event_header *header, struct record *record)
{
	const struct sample_id *id;

	memset(record, 0, sizeof(*record));
	if (header->size % 8 || header->size < sizeof(*header) + sizeof(*id))
		return -EBADMSG;
	id = (const void *)((const char *)header + header->size - sizeof(*id));
	record->time = id->time;
	record->cpu = id->cpu;
	return decode_body(header, record);
}

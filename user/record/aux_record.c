// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* As include/uapi/linux/perf_event.h lays them out. */
#include <errno.h>

#include "aux_record.h"

struct wire_aux {
	struct perf_event_header header;
	uint64_t offset, size, flags;
};

struct wire_itrace_start {
	struct perf_event_header header;
	uint32_t pid, tid;
};

static int decode_aux(const struct perf_event_header *header, struct record *record)
{
	const struct wire_aux *wire = (const void *)header;

	record->kind = RECORD_AUX;
	record->aux = (struct record_aux){
		.offset = wire->offset,
		.size = wire->size,
		.flags = wire->flags,
	};
	return 0;
}

static int decode_itrace_start(const struct perf_event_header *header, struct record *record)
{
	const struct wire_itrace_start *wire = (const void *)header;

	record->kind = RECORD_ITRACE_START;
	record->pid = wire->pid;
	record->tid = wire->tid;
	return 0;
}

static bool has_room(const struct perf_event_header *header, size_t body, size_t trailer)
{
	return header->size >= body && header->size - body >= trailer;
}

int aux_record_decode(const struct perf_event_header *header, size_t trailer, struct record *record)
{
	switch (header->type) {
	case PERF_RECORD_AUX:
		if (!has_room(header, sizeof(struct wire_aux), trailer))
			return -EBADMSG;
		return decode_aux(header, record);
	case PERF_RECORD_ITRACE_START:
		if (!has_room(header, sizeof(struct wire_itrace_start), trailer))
			return -EBADMSG;
		return decode_itrace_start(header, record);
	}
	return -ENOMSG;
}

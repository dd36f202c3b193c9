// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* AUX data in perf.data: its records as bytes. */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "auxtrace.h"

struct wire_auxtrace {
	struct perf_event_header header;
	uint64_t size, offset, reference;
	uint32_t idx, tid, cpu, reserved;
};

struct wire_auxtrace_info {
	struct perf_event_header header;
	uint32_t type, reserved;
};

struct wire_index_entry {
	uint64_t file_offset;
	uint64_t size; /* of the record, without the data */
};

static_assert(sizeof(struct wire_auxtrace) == AUXTRACE_BYTES, "as perf has it");
static_assert(sizeof(struct wire_auxtrace_info) == AUXTRACE_INFO_BYTES, "as perf has it");
static_assert(sizeof(struct wire_index_entry) == AUXTRACE_INDEX_BYTES, "as perf has it");

void auxtrace_build(const struct auxtrace_span *span, uint8_t bytes[AUXTRACE_BYTES])
{
	const struct wire_auxtrace wire = {
		.header = { .type = PERF_RECORD_AUXTRACE, .size = sizeof(wire) },
		.size = span->size + auxtrace_padding(span->size),
		.offset = span->offset,
		.reference = span->reference,
		.idx = span->idx,
		.tid = span->tid,
		.cpu = span->cpu,
	};

	memcpy(bytes, &wire, sizeof(wire));
}

int auxtrace_decode(const struct perf_event_header *header, struct auxtrace_span *span)
{
	struct wire_auxtrace wire;

	if (header->size < sizeof(wire))
		return -EBADMSG;
	memcpy(&wire, header, sizeof(wire));
	if (auxtrace_padding(wire.size))
		return -EBADMSG;
	*span = (struct auxtrace_span){
		.size = wire.size,
		.offset = wire.offset,
		.reference = wire.reference,
		.idx = wire.idx,
		.tid = wire.tid,
		.cpu = wire.cpu,
	};
	return 0;
}

ssize_t auxtrace_info_build(enum auxtrace_type type, const uint64_t *words, size_t count,
			    uint8_t *bytes, size_t room)
{
	struct wire_auxtrace_info wire = {
		.header.type = PERF_RECORD_AUXTRACE_INFO,
		.type = type,
	};
	size_t size;

	if (count > (UINT16_MAX - sizeof(wire)) / sizeof(*words))
		return -E2BIG;
	size = sizeof(wire) + count * sizeof(*words);
	if (size > room)
		return -ENOSPC;
	wire.header.size = (uint16_t)size;
	memcpy(bytes, &wire, sizeof(wire));
	if (count)
		memcpy(bytes + sizeof(wire), words, count * sizeof(*words));
	return (ssize_t)size;
}

void auxtrace_index_build(uint64_t file_offset, uint8_t bytes[AUXTRACE_INDEX_BYTES])
{
	const struct wire_index_entry entry = { file_offset, AUXTRACE_BYTES };

	memcpy(bytes, &entry, sizeof(entry));
}

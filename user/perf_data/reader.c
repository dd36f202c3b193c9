// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The data, record after record, front to back. In the form made for pipes some of them describe events and
 * the recording; compressed ones have others in them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decompress.h"
#include "reader_state.h"

int perf_data_reader_open(const char *path, struct perf_data_reader **reader,
			  struct perf_data_error *error)
{
	struct perf_data_reader *opened = calloc(1, sizeof(*opened));
	int err;

	*reader = NULL;
	*error = (struct perf_data_error){};
	if (!opened)
		return reader_failed(error, -ENOMEM);
	opened->error = error;
	err = input_open(&opened->input, path);
	err = err ? reader_failed(error, err) : reader_read_header(opened);
	if (err) {
		perf_data_reader_close(opened);
		return err;
	}
	*reader = opened;
	return 0;
}

void perf_data_reader_close(struct perf_data_reader *reader)
{
	if (!reader)
		return;
	input_close(&reader->input);
	perf_data_events_free(&reader->events);
	perf_data_info_free(&reader->info);
	decompress_free(reader->decompress);
	free(reader);
}

/* ---- records that describe --------------------------------------------------------------------- */

static int take_attr(struct perf_data_reader *reader, const struct perf_event_header *header)
{
	const struct perf_event_attr *attr = (const void *)(header + 1);
	size_t room = header->size - sizeof(*header);
	size_t attr_size;
	int err;

	if (room < PERF_ATTR_SIZE_VER0)
		return reader_damaged(reader->error, reader->offset, "an attr of %zu bytes", room);
	attr_size = attr->size ? attr->size : PERF_ATTR_SIZE_VER0;
	if (attr_size < PERF_ATTR_SIZE_VER0 || attr_size > room ||
	    (room - attr_size) % sizeof(uint64_t))
		return reader_damaged(reader->error, reader->offset,
				      "an attr of %zu bytes in a record of %u", attr_size,
				      header->size);
	err = perf_data_events_add(&reader->events, attr, attr_size,
				   (const uint8_t *)attr + attr_size,
				   (room - attr_size) / sizeof(uint64_t));
	return err ? reader_failed(reader->error, err) :
		     reader_check_events(reader, reader->offset);
}

/* Only the name matters to us. */
static int take_update(struct perf_data_reader *reader, const struct perf_event_header *header)
{
	const uint64_t *fields = (const void *)(header + 1); /* what, id, and then the name */
	size_t fixed = sizeof(*header) + 2 * sizeof(uint64_t);
	int err;

	if (header->size <= fixed)
		return reader_damaged(reader->error, reader->offset, "an event update of %u bytes",
				      header->size);
	if (fields[0] != PERF_DATA_UPDATE_NAME)
		return 0;
	if (!memchr(fields + 2, 0, header->size - fixed))
		return reader_damaged(reader->error, reader->offset, "an event's name has no end");
	err = perf_data_events_set_name(&reader->events, fields[1], (const char *)(fields + 2));
	return err == -ENOMEM ? reader_failed(reader->error, err) : 0;
}

static int take_feature_record(struct perf_data_reader *reader,
			       const struct perf_event_header *header)
{
	const uint64_t *feature = (const void *)(header + 1);
	size_t fixed = sizeof(*header) + sizeof(*feature);
	int err;

	if (header->size < fixed)
		return reader_damaged(reader->error, reader->offset, "a feature record of %u bytes",
				      header->size);
	if (!reader_uses_feature(*feature))
		return 0;
	err = reader_take_feature(reader, (unsigned)*feature, feature + 1, header->size - fixed);
	if (err == -EBADMSG)
		return reader_damaged(reader->error, reader->offset, "feature %u is malformed",
				      (unsigned)*feature);
	return err ? reader_failed(reader->error, err) : 0;
}

static int take_build_id(struct perf_data_reader *reader, const struct perf_event_header *header)
{
	int err = perf_data_info_add_build_id(&reader->info, header, header->size);

	if (err == -EBADMSG)
		return reader_damaged(reader->error, reader->offset,
				      "a build id record is malformed");
	return err ? reader_failed(reader->error, err) : 0;
}

/* ---- records to be handed over ------------------------------------------------------------------ */

static int hand_over(struct perf_data_reader *reader, const struct perf_event_header *header)
{
	struct perf_data_record record = { .header = header, .offset = reader->offset };
	int err;

	if (header->type < PERF_DATA_FIRST_OWN) {
		if (!reader->events.count)
			return reader_damaged(reader->error, reader->offset,
					      "a record before any event is described");
		record.event = perf_data_events_find(&reader->events, header);
	}
	if (record.event)
		record.event_index = (size_t)(record.event - reader->events.events);
	err = reader->callback(reader->context, &record);
	reader->stopped = err < 0;
	return err < 0 ? err : 0;
}

static int take_compressed(struct perf_data_reader *reader, const struct perf_event_header *header);

/* Whose bytes follow it. */
static bool has_payload(uint32_t type)
{
	return type == PERF_DATA_RECORD_AUXTRACE || type == PERF_DATA_RECORD_TRACING_DATA;
}

static bool is_compressed(uint32_t type)
{
	return type == PERF_DATA_RECORD_COMPRESSED || type == PERF_DATA_RECORD_COMPRESSED2;
}

/* header->size bytes, aligned. */
static int take_record(struct perf_data_reader *reader, const struct perf_event_header *header)
{
	if (is_compressed(header->type))
		return take_compressed(reader, header);
	if (!reader->is_piped)
		return hand_over(reader, header);
	switch (header->type) {
	case PERF_DATA_RECORD_ATTR:
		return take_attr(reader, header);
	case PERF_DATA_RECORD_EVENT_UPDATE:
		return take_update(reader, header);
	case PERF_DATA_RECORD_FEATURE:
		return take_feature_record(reader, header);
	case PERF_DATA_RECORD_BUILD_ID:
		return take_build_id(reader, header);
	case PERF_DATA_RECORD_TRACING_DATA:
		return 0;
	}
	return hand_over(reader, header);
}

/* At an address that is a multiple of 8, where it was not: compressed records are of any size. */
static const struct perf_event_header *aligned(uint64_t *copy, const void *bytes, size_t size)
{
	if ((uintptr_t)bytes % sizeof(uint64_t) == 0)
		return bytes;
	memcpy(copy, bytes, size);
	return (const void *)copy;
}

static int take_decompressed(void *context, const uint8_t *bytes, size_t size)
{
	struct perf_data_reader *reader = context;
	size_t at = 0;

	while (size - at >= sizeof(struct perf_event_header)) {
		struct perf_event_header header;
		int err;

		memcpy(&header, bytes + at, sizeof(header));
		if (header.size < sizeof(header) || is_compressed(header.type) ||
		    has_payload(header.type))
			return reader_damaged(reader->error, reader->offset,
					      "compressed: a record of type %u and %u bytes",
					      header.type, header.size);
		if (header.size > size - at)
			break;
		err = take_record(reader, aligned(reader->aligned[1], bytes + at, header.size));
		if (err)
			return err;
		at += header.size;
	}
	return (int)at;
}

static int take_compressed(struct perf_data_reader *reader, const struct perf_event_header *header)
{
	const uint8_t *bytes = (const uint8_t *)(header + 1);
	uint64_t size = header->size - sizeof(*header);
	struct perf_data_error *error = reader->error;
	int err;

	if (header->type == PERF_DATA_RECORD_COMPRESSED2) { /* says its size, and is padded */
		uint64_t said;

		if (size < sizeof(said))
			return reader_damaged(error, reader->offset,
					      "a compressed record of %u bytes", header->size);
		memcpy(&said, bytes, sizeof(said));
		bytes += sizeof(said);
		size -= sizeof(said);
		if (said > size)
			return reader_damaged(error, reader->offset,
					      "%" PRIu64 " compressed bytes in a record of %u",
					      said, header->size);
		size = said;
	}
	if (!reader->decompress)
		reader->decompress = decompress_new();
	if (!reader->decompress)
		return reader_failed(error, -ENOMEM);
	*error = (struct perf_data_error){};
	err = decompress_add(reader->decompress, bytes, size, take_decompressed, reader);
	if (err == -EBADMSG && !reader->stopped && !error->text[0])
		return reader_damaged(error, reader->offset, "compressed bytes are damaged");
	return err;
}

/* ---- the data ----------------------------------------------------------------------------------- */

/* Bytes that follow a record. */
static int skip_payload(struct perf_data_reader *reader, const struct perf_event_header *header)
{
	uint64_t size = 0;
	int err;

	if (header->type == PERF_DATA_RECORD_AUXTRACE) {
		const struct perf_data_auxtrace_record *record = (const void *)header;

		if (header->size < sizeof(*record))
			return reader_damaged(reader->error, reader->offset,
					      "an AUX record of %u bytes", header->size);
		size = record->size;
	} else {
		const struct perf_data_tracing_record *record = (const void *)header;

		if (header->size < sizeof(*record))
			return reader_damaged(reader->error, reader->offset,
					      "a tracing data record of %u bytes", header->size);
		size = record->size;
	}
	if (size > reader->left)
		return reader_damaged(reader->error, reader->offset,
				      "%" PRIu64 " bytes after a record: %" PRIu64 " are left",
				      size, reader->left);
	if (reader->left != UINT64_MAX)
		reader->left -= size;
	err = input_skip(&reader->input, size);
	if (err == -ENODATA)
		return reader_damaged(reader->error, reader->input.offset,
				      "truncated: %" PRIu64
				      " bytes were to follow the record at 0x%" PRIx64,
				      size, reader->offset);
	return err ? reader_failed(reader->error, err) : 0;
}

/* NULL at the end. Valid until the input is read from again. */
static int next_record(struct perf_data_reader *reader, const struct perf_event_header **record)
{
	struct perf_event_header header;
	const void *bytes;
	int count = input_peek(&reader->input, sizeof(header), &bytes);

	*record = NULL;
	reader->offset = reader->input.offset;
	if (count < 0)
		return reader_failed(reader->error, count);
	if (!count && reader->left == UINT64_MAX)
		return 0;
	if ((size_t)count < sizeof(header) || reader->left < sizeof(header))
		return reader_damaged(reader->error, reader->offset,
				      "truncated: the header of a record, %d bytes of it", count);
	memcpy(&header, bytes, sizeof(header));
	if (header.size < sizeof(header) || header.size > reader->left)
		return reader_damaged(reader->error, reader->offset,
				      "a record of %u bytes, type %u, where %" PRIu64 " are left",
				      header.size, header.type, reader->left);
	count = input_peek(&reader->input, header.size, &bytes);
	if (count < 0)
		return reader_failed(reader->error, count);
	if (count < header.size)
		return reader_damaged(reader->error, reader->offset,
				      "truncated: a record of %u bytes, %d of them", header.size,
				      count);
	*record = aligned(reader->aligned[0], bytes, header.size);
	return 0;
}

static int read_record(struct perf_data_reader *reader, const struct perf_event_header *header)
{
	size_t size = header->size;
	int err = take_record(reader, header);

	if (err)
		return err;
	if (reader->left != UINT64_MAX)
		reader->left -= size;
	err = input_skip(&reader->input, size);
	return err || !has_payload(header->type) ? err : skip_payload(reader, header);
}

static int read_records(struct perf_data_reader *reader)
{
	while (reader->left) {
		const struct perf_event_header *header;
		int err = next_record(reader, &header);

		if (err)
			return err;
		if (!header)
			break;
		err = read_record(reader, header);
		if (err)
			return err;
	}
	return 0;
}

/* What was wrong without stopping us. */
static int judge(struct perf_data_reader *reader)
{
	if (reader->decompress && decompress_pending(reader->decompress))
		return reader_damaged(reader->error, reader->input.offset,
				      "truncated: the last compressed record is not whole");
	if (!reader->damage.text[0])
		return 0;
	*reader->error = reader->damage;
	return -EBADMSG;
}

int perf_data_reader_run(struct perf_data_reader *reader, perf_data_record_fn callback,
			 void *context, struct perf_data_error *error)
{
	int err;

	*error = (struct perf_data_error){};
	reader->error = error;
	reader->callback = callback;
	reader->context = context;
	err = read_records(reader);
	return err ? err : judge(reader);
}

const struct perf_data_events *perf_data_reader_events(const struct perf_data_reader *reader)
{
	return &reader->events;
}

const struct perf_data_info *perf_data_reader_info(const struct perf_data_reader *reader)
{
	return &reader->info;
}

bool perf_data_reader_is_unfinished(const struct perf_data_reader *reader)
{
	return reader->is_unfinished;
}

int perf_data_record_decode(const struct perf_data_record *record, struct record *decoded)
{
	const struct perf_data_event *event = record->event;
	int err;

	if (!event)
		return -ENOMSG;
	err = record_from_perf_layout(&event->layout, record->header, decoded);
	if (!err && decoded->kind == RECORD_SAMPLE && !event->attr.freq &&
	    !(event->layout.sample_type & PERF_SAMPLE_PERIOD))
		decoded->sample.period = event->attr.sample_period;
	return err;
}

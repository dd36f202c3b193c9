// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Header, attrs and feature sections of a regular file are read when it is opened, by their offsets; of a
 * piped one they come as records. Then the data is read front to back.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decompress.h"
#include "input.h"
#include "reader.h"

/* Of attrs, ids, and one feature section: files that say more are damaged, or no use to us. */
#define SECTION_MOST (64u << 20)

struct perf_data_reader {
	struct input input;
	struct perf_data_events events;
	struct perf_data_info info;
	struct decompress *decompress; /* once a record was compressed */
	struct perf_data_header header;
	bool is_piped, is_unfinished;
	uint64_t left;		       /* bytes of data to come; UINT64_MAX: up to the end */
	struct perf_data_error damage; /* of feature sections: told when all else is read */
	/* Copies of records at hand: of one in the file, and of one that was compressed in it. */
	uint64_t aligned[2][(UINT16_MAX + 1) / sizeof(uint64_t)];
	perf_data_record_fn callback;
	void *context;
	uint64_t offset;	       /* of the record at hand */
	bool stopped;		       /* by the callback */
	struct perf_data_error *error; /* the caller's */
};

__attribute__((format(printf, 3, 4))) static int damaged(struct perf_data_error *error,
							 uint64_t offset, const char *format, ...)
{
	va_list arguments;
	size_t used;

	error->offset = offset;
	used = (size_t)snprintf(error->text, sizeof(error->text), "at offset 0x%" PRIx64 ": ",
				offset);
	va_start(arguments, format);
	vsnprintf(error->text + used, sizeof(error->text) - used, format, arguments);
	va_end(arguments);
	return -EBADMSG;
}

/* An error of the system or of memory, which no offset explains. */
static int failed(struct perf_data_error *error, int err)
{
	error->offset = 0;
	snprintf(error->text, sizeof(error->text), "%s", strerror(-err));
	return err;
}

/* ---- a regular file's header ------------------------------------------------------------------ */

/* The whole section, to be freed, or NULL with *err set. */
static void *read_section(struct perf_data_reader *reader, const struct perf_data_section *section,
			  const char *what, struct perf_data_error *error, int *err)
{
	void *bytes;

	if (section->size > SECTION_MOST || section->offset > reader->input.size ||
	    section->size > reader->input.size - section->offset) {
		*err = damaged(error, section->offset,
			       "%s of %" PRIu64 " bytes: the file ends at 0x%" PRIx64, what,
			       section->size, reader->input.size);
		return NULL;
	}
	bytes = malloc(section->size ? section->size : 1);
	if (!bytes) {
		*err = failed(error, -ENOMEM);
		return NULL;
	}
	*err = input_read_at(&reader->input, section->offset, bytes, section->size);
	if (!*err)
		return bytes;
	free(bytes);
	*err = *err == -ENODATA ?
		       damaged(error, section->offset, "%s: the file has become shorter", what) :
		       failed(error, *err);
	return NULL;
}

static int add_event(struct perf_data_reader *reader, const uint8_t *attr, uint64_t offset)
{
	size_t attr_size = reader->header.attr_size - sizeof(struct perf_data_section);
	struct perf_data_section section;
	void *ids;
	int err;

	memcpy(&section, attr + attr_size, sizeof(section));
	if (section.size % sizeof(uint64_t))
		return damaged(reader->error, offset, "ids of %" PRIu64 " bytes", section.size);
	ids = read_section(reader, &section, "an event's ids", reader->error, &err);
	if (!ids)
		return err;
	err = perf_data_events_add(&reader->events, attr, attr_size, ids,
				   section.size / sizeof(uint64_t));
	free(ids);
	return err ? failed(reader->error, err) : 0;
}

static int add_events(struct perf_data_reader *reader, const uint8_t *attrs)
{
	const struct perf_data_header *header = &reader->header;
	int err = 0;

	for (uint64_t at = 0; !err && at < header->attrs.size; at += header->attr_size)
		err = add_event(reader, attrs + at, header->attrs.offset + at);
	return err;
}

static int check_events(struct perf_data_reader *reader, uint64_t offset)
{
	if (!reader->events.count)
		return damaged(reader->error, offset, "no event is described");
	if (!perf_data_events_distinct(&reader->events))
		return damaged(reader->error, offset,
			       "records of different events that cannot be told apart");
	return 0;
}

static int read_attrs(struct perf_data_reader *reader)
{
	const struct perf_data_header *header = &reader->header;
	void *attrs;
	int err;

	if (header->attr_size < PERF_ATTR_SIZE_VER0 + sizeof(struct perf_data_section) ||
	    header->attr_size > UINT16_MAX || header->attrs.size % header->attr_size)
		return damaged(reader->error, offsetof(struct perf_data_header, attr_size),
			       "attrs of %" PRIu64 " bytes, each of %" PRIu64, header->attrs.size,
			       header->attr_size);
	attrs = read_section(reader, &header->attrs, "the attrs", reader->error, &err);
	if (!attrs)
		return err;
	err = add_events(reader, attrs);
	free(attrs);
	return err ? err : check_events(reader, header->attrs.offset);
}

static int take_feature(struct perf_data_reader *reader, unsigned feature, const void *bytes,
			size_t size)
{
	if (feature == PERF_DATA_EVENT_DESC)
		return perf_data_events_describe(&reader->events, bytes, size);
	return perf_data_info_add(&reader->info, feature, bytes, size);
}

/* The format of tracepoints, say, can be megabytes. */
static bool is_of_use(unsigned feature)
{
	switch (feature) {
	case PERF_DATA_BUILD_ID:
	case PERF_DATA_HOSTNAME:
	case PERF_DATA_OSRELEASE:
	case PERF_DATA_VERSION:
	case PERF_DATA_ARCH:
	case PERF_DATA_NRCPUS:
	case PERF_DATA_CPUDESC:
	case PERF_DATA_CPUID:
	case PERF_DATA_TOTAL_MEM:
	case PERF_DATA_CMDLINE:
	case PERF_DATA_EVENT_DESC:
	case PERF_DATA_SAMPLE_TIME:
	case PERF_DATA_CLOCKID:
	case PERF_DATA_CLOCK_DATA:
		return true;
	}
	return false;
}

static int read_feature(struct perf_data_reader *reader, unsigned feature,
			const struct perf_data_section *section)
{
	void *bytes;
	int err;

	if (!is_of_use(feature))
		return 0;
	bytes = read_section(reader, section, "a feature section", &reader->damage, &err);
	if (!bytes)
		return err;
	err = take_feature(reader, feature, bytes, section->size);
	free(bytes);
	return err == -EBADMSG ? damaged(&reader->damage, section->offset,
					 "the section of feature %u is malformed", feature) :
				 err;
}

static bool has_feature(const struct perf_data_header *header, unsigned feature)
{
	return header->features[feature / 64] >> feature % 64 & 1;
}

static bool has_features(const struct perf_data_header *header)
{
	return header->features[0] | header->features[1] | header->features[2] |
	       header->features[3];
}

/* Damage here costs names and the like, not the data: the first is kept for the end. Fails without memory. */
static int read_features(struct perf_data_reader *reader)
{
	uint64_t at = reader->header.data.offset + reader->header.data.size;

	for (unsigned feature = 0; feature < PERF_DATA_FEATURES; feature++) {
		struct perf_data_section section;
		int err;

		if (!has_feature(&reader->header, feature))
			continue;
		err = input_read_at(&reader->input, at, &section, sizeof(section));
		if (err == -ENODATA)
			return damaged(&reader->damage, at,
				       "truncated: the list of feature sections");
		if (!err)
			err = read_feature(reader, feature, &section);
		if (err)
			return err;
		at += sizeof(section);
	}
	return 0;
}

static int read_header(struct perf_data_reader *reader)
{
	struct perf_data_header *header = &reader->header;
	int err;

	if (!reader->input.is_regular)
		return damaged(reader->error, offsetof(struct perf_data_header, size),
			       "not the form made for pipes: it can be read only from a file");
	err = input_read_at(&reader->input, 0, header, sizeof(*header));
	if (err == -ENODATA)
		return damaged(reader->error, reader->input.size, "truncated: the file header");
	if (!err)
		err = input_seek(&reader->input, header->data.offset);
	if (err)
		return err == -EINVAL ?
			       damaged(reader->error, offsetof(struct perf_data_header, data),
				       "data at 0x%" PRIx64, header->data.offset) :
			       failed(reader->error, err);
	err = read_attrs(reader);
	if (err)
		return err;
	reader->left = header->data.size;
	reader->is_unfinished = !header->data.size || !has_features(header);
	if (!header->data.size) {
		reader->left = UINT64_MAX;
		return 0;
	}
	if (header->data.size > INT64_MAX - header->data.offset)
		return damaged(reader->error, offsetof(struct perf_data_header, data),
			       "data of %" PRIu64 " bytes", header->data.size);
	err = read_features(reader);
	return err && err != -EBADMSG ? failed(reader->error, err) : 0;
}

static int read_magic(struct perf_data_reader *reader)
{
	const void *bytes;
	uint64_t size;
	int count = input_peek(&reader->input, PERF_DATA_PIPE_HEADER, &bytes);

	if (count < 0)
		return failed(reader->error, count);
	if (count >= 8 && !memcmp(bytes, PERF_DATA_MAGIC_SWAPPED, 8))
		return damaged(reader->error, 0,
			       "recorded on a machine of the other byte order: not supported");
	if (count >= 8 && !memcmp(bytes, PERF_DATA_MAGIC_OLD, 8))
		return damaged(reader->error, 0, "the format of perf before 2009: not supported");
	if (count < 8 || memcmp(bytes, PERF_DATA_MAGIC, 8))
		return damaged(reader->error, 0, "not a perf.data file");
	if (count < PERF_DATA_PIPE_HEADER)
		return damaged(reader->error, (unsigned)count, "truncated: the file header");
	memcpy(&size, (const uint8_t *)bytes + 8, sizeof(size));
	if (size == sizeof(struct perf_data_header))
		return read_header(reader);
	if (size != PERF_DATA_PIPE_HEADER)
		return damaged(reader->error, 8, "a file header of %" PRIu64 " bytes", size);
	reader->is_piped = true;
	reader->left = UINT64_MAX;
	return input_skip(&reader->input, PERF_DATA_PIPE_HEADER);
}

int perf_data_reader_open(const char *path, struct perf_data_reader **reader,
			  struct perf_data_error *error)
{
	struct perf_data_reader *opened = calloc(1, sizeof(*opened));
	int err;

	*reader = NULL;
	*error = (struct perf_data_error){};
	if (!opened)
		return failed(error, -ENOMEM);
	opened->error = error;
	err = input_open(&opened->input, path);
	err = err ? failed(error, err) : read_magic(opened);
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
		return damaged(reader->error, reader->offset, "an attr of %zu bytes", room);
	attr_size = attr->size ? attr->size : PERF_ATTR_SIZE_VER0;
	if (attr_size < PERF_ATTR_SIZE_VER0 || attr_size > room ||
	    (room - attr_size) % sizeof(uint64_t))
		return damaged(reader->error, reader->offset,
			       "an attr of %zu bytes in a record of %u", attr_size, header->size);
	err = perf_data_events_add(&reader->events, attr, attr_size,
				   (const uint8_t *)attr + attr_size,
				   (room - attr_size) / sizeof(uint64_t));
	return err ? failed(reader->error, err) : check_events(reader, reader->offset);
}

/* Only the name matters to us. */
static int take_update(struct perf_data_reader *reader, const struct perf_event_header *header)
{
	const uint64_t *fields = (const void *)(header + 1); /* what, id, and then the name */
	size_t fixed = sizeof(*header) + 2 * sizeof(uint64_t);
	int err;

	if (header->size <= fixed)
		return damaged(reader->error, reader->offset, "an event update of %u bytes",
			       header->size);
	if (fields[0] != PERF_DATA_UPDATE_NAME)
		return 0;
	if (!memchr(fields + 2, 0, header->size - fixed))
		return damaged(reader->error, reader->offset, "an event's name has no end");
	err = perf_data_events_set_name(&reader->events, fields[1], (const char *)(fields + 2));
	return err == -ENOMEM ? failed(reader->error, err) : 0;
}

static int take_feature_record(struct perf_data_reader *reader,
			       const struct perf_event_header *header)
{
	const uint64_t *feature = (const void *)(header + 1);
	size_t fixed = sizeof(*header) + sizeof(*feature);
	int err;

	if (header->size < fixed)
		return damaged(reader->error, reader->offset, "a feature record of %u bytes",
			       header->size);
	if (*feature >= PERF_DATA_FEATURES || !is_of_use((unsigned)*feature))
		return 0;
	err = take_feature(reader, (unsigned)*feature, feature + 1, header->size - fixed);
	if (err == -EBADMSG)
		return damaged(reader->error, reader->offset, "feature %u is malformed",
			       (unsigned)*feature);
	return err ? failed(reader->error, err) : 0;
}

static int take_build_id(struct perf_data_reader *reader, const struct perf_event_header *header)
{
	int err = perf_data_info_add_build_id(&reader->info, header, header->size);

	if (err == -EBADMSG)
		return damaged(reader->error, reader->offset, "a build id record is malformed");
	return err ? failed(reader->error, err) : 0;
}

/* ---- records to be handed over ------------------------------------------------------------------ */

static int hand_over(struct perf_data_reader *reader, const struct perf_event_header *header)
{
	struct perf_data_record record = { .header = header, .offset = reader->offset };
	int err;

	if (header->type < PERF_DATA_FIRST_OWN) {
		if (!reader->events.count)
			return damaged(reader->error, reader->offset,
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
			return damaged(reader->error, reader->offset,
				       "compressed: a record of type %u and %u bytes", header.type,
				       header.size);
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
			return damaged(error, reader->offset, "a compressed record of %u bytes",
				       header->size);
		memcpy(&said, bytes, sizeof(said));
		bytes += sizeof(said);
		size -= sizeof(said);
		if (said > size)
			return damaged(error, reader->offset,
				       "%" PRIu64 " compressed bytes in a record of %u", said,
				       header->size);
		size = said;
	}
	if (!reader->decompress)
		reader->decompress = decompress_new();
	if (!reader->decompress)
		return failed(error, -ENOMEM);
	*error = (struct perf_data_error){};
	err = decompress_add(reader->decompress, bytes, size, take_decompressed, reader);
	if (err == -EBADMSG && !reader->stopped && !error->text[0])
		return damaged(error, reader->offset, "compressed bytes are damaged");
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
			return damaged(reader->error, reader->offset, "an AUX record of %u bytes",
				       header->size);
		size = record->size;
	} else {
		const struct perf_data_tracing_record *record = (const void *)header;

		if (header->size < sizeof(*record))
			return damaged(reader->error, reader->offset,
				       "a tracing data record of %u bytes", header->size);
		size = record->size;
	}
	if (size > reader->left)
		return damaged(reader->error, reader->offset,
			       "%" PRIu64 " bytes after a record: %" PRIu64 " are left", size,
			       reader->left);
	if (reader->left != UINT64_MAX)
		reader->left -= size;
	err = input_skip(&reader->input, size);
	if (err == -ENODATA)
		return damaged(reader->error, reader->input.offset,
			       "truncated: %" PRIu64
			       " bytes were to follow the record at 0x%" PRIx64,
			       size, reader->offset);
	return err ? failed(reader->error, err) : 0;
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
		return failed(reader->error, count);
	if (!count && reader->left == UINT64_MAX)
		return 0;
	if ((size_t)count < sizeof(header) || reader->left < sizeof(header))
		return damaged(reader->error, reader->offset,
			       "truncated: the header of a record, %d bytes of it", count);
	memcpy(&header, bytes, sizeof(header));
	if (header.size < sizeof(header) || header.size > reader->left)
		return damaged(reader->error, reader->offset,
			       "a record of %u bytes, type %u, where %" PRIu64 " are left",
			       header.size, header.type, reader->left);
	count = input_peek(&reader->input, header.size, &bytes);
	if (count < 0)
		return failed(reader->error, count);
	if (count < header.size)
		return damaged(reader->error, reader->offset,
			       "truncated: a record of %u bytes, %d of them", header.size, count);
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
		return damaged(reader->error, reader->input.offset,
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

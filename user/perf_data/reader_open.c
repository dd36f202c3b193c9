// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Header, attrs and feature sections of a regular file, read by their offsets. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader_state.h"

/* Of attrs, ids, and one feature section: files that say more are damaged, or no use to us. */
#define SECTION_MOST (64u << 20)

int reader_damaged(struct perf_data_error *error, uint64_t offset, const char *format, ...)
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

int reader_failed(struct perf_data_error *error, int err)
{
	error->offset = 0;
	snprintf(error->text, sizeof(error->text), "%s", strerror(-err));
	return err;
}

int reader_check_events(struct perf_data_reader *reader, uint64_t offset)
{
	if (!reader->events.count)
		return reader_damaged(reader->error, offset, "no event is described");
	if (!perf_data_events_distinct(&reader->events))
		return reader_damaged(reader->error, offset,
				      "records of different events that cannot be told apart");
	return 0;
}

int reader_take_feature(struct perf_data_reader *reader, unsigned feature, const void *bytes,
			size_t size)
{
	if (feature == PERF_DATA_EVENT_DESC)
		return perf_data_events_describe(&reader->events, bytes, size);
	return perf_data_info_add(&reader->info, feature, bytes, size);
}

bool reader_uses_feature(uint64_t feature)
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

/* The whole section, to be freed, or NULL with *err set. */
static void *read_section(struct perf_data_reader *reader, const struct perf_data_section *section,
			  const char *what, struct perf_data_error *error, int *err)
{
	void *bytes;

	if (section->size > SECTION_MOST || section->offset > reader->input.size ||
	    section->size > reader->input.size - section->offset) {
		*err = reader_damaged(error, section->offset,
				      "%s of %" PRIu64 " bytes: the file ends at 0x%" PRIx64, what,
				      section->size, reader->input.size);
		return NULL;
	}
	bytes = malloc(section->size ? section->size : 1);
	if (!bytes) {
		*err = reader_failed(error, -ENOMEM);
		return NULL;
	}
	*err = input_read_at(&reader->input, section->offset, bytes, section->size);
	if (!*err)
		return bytes;
	free(bytes);
	*err = *err == -ENODATA ? reader_damaged(error, section->offset,
						 "%s: the file has become shorter", what) :
				  reader_failed(error, *err);
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
		return reader_damaged(reader->error, offset, "ids of %" PRIu64 " bytes",
				      section.size);
	ids = read_section(reader, &section, "an event's ids", reader->error, &err);
	if (!ids)
		return err;
	err = perf_data_events_add(&reader->events, attr, attr_size, ids,
				   section.size / sizeof(uint64_t));
	free(ids);
	return err ? reader_failed(reader->error, err) : 0;
}

static int add_events(struct perf_data_reader *reader, const uint8_t *attrs)
{
	const struct perf_data_header *header = &reader->header;
	int err = 0;

	for (uint64_t at = 0; !err && at < header->attrs.size; at += header->attr_size)
		err = add_event(reader, attrs + at, header->attrs.offset + at);
	return err;
}

static int read_attrs(struct perf_data_reader *reader)
{
	const struct perf_data_header *header = &reader->header;
	void *attrs;
	int err;

	if (header->attr_size < PERF_ATTR_SIZE_VER0 + sizeof(struct perf_data_section) ||
	    header->attr_size > UINT16_MAX || header->attrs.size % header->attr_size)
		return reader_damaged(reader->error, offsetof(struct perf_data_header, attr_size),
				      "attrs of %" PRIu64 " bytes, each of %" PRIu64,
				      header->attrs.size, header->attr_size);
	attrs = read_section(reader, &header->attrs, "the attrs", reader->error, &err);
	if (!attrs)
		return err;
	err = add_events(reader, attrs);
	free(attrs);
	return err ? err : reader_check_events(reader, header->attrs.offset);
}

static int read_feature(struct perf_data_reader *reader, unsigned feature,
			const struct perf_data_section *section)
{
	void *bytes;
	int err;

	if (!reader_uses_feature(feature))
		return 0;
	bytes = read_section(reader, section, "a feature section", &reader->damage, &err);
	if (!bytes)
		return err;
	err = reader_take_feature(reader, feature, bytes, section->size);
	free(bytes);
	return err == -EBADMSG ? reader_damaged(&reader->damage, section->offset,
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
			return reader_damaged(&reader->damage, at,
					      "truncated: the list of feature sections");
		if (!err)
			err = read_feature(reader, feature, &section);
		if (err)
			return err;
		at += sizeof(section);
	}
	return 0;
}

static int read_regular(struct perf_data_reader *reader)
{
	struct perf_data_header *header = &reader->header;
	int err;

	if (!reader->input.is_regular)
		return reader_damaged(reader->error, offsetof(struct perf_data_header, size),
				      "not the form made for pipes: it can be read only from a file");
	err = input_read_at(&reader->input, 0, header, sizeof(*header));
	if (err == -ENODATA)
		return reader_damaged(reader->error, reader->input.size,
				      "truncated: the file header");
	if (!err)
		err = input_seek(&reader->input, header->data.offset);
	if (err)
		return err == -EINVAL ? reader_damaged(reader->error,
						       offsetof(struct perf_data_header, data),
						       "data at 0x%" PRIx64, header->data.offset) :
					reader_failed(reader->error, err);
	err = read_attrs(reader);
	if (err)
		return err;
	reader->left = header->data.size;
	reader->is_unfinished = !header->data.size || !has_features(header);
	/* records to the end: a size that is there all the same was true once, while it was being written */
	if (reader->is_unfinished) {
		reader->left = UINT64_MAX;
		return 0;
	}
	if (header->data.size > INT64_MAX - header->data.offset)
		return reader_damaged(reader->error, offsetof(struct perf_data_header, data),
				      "data of %" PRIu64 " bytes", header->data.size);
	err = read_features(reader);
	return err && err != -EBADMSG ? reader_failed(reader->error, err) : 0;
}

int reader_read_header(struct perf_data_reader *reader)
{
	const void *bytes;
	uint64_t size;
	int count = input_peek(&reader->input, PERF_DATA_PIPE_HEADER, &bytes);

	if (count < 0)
		return reader_failed(reader->error, count);
	if (count >= 8 && !memcmp(bytes, PERF_DATA_MAGIC_SWAPPED, 8))
		return reader_damaged(reader->error, 0,
				      "recorded on a machine of the other byte order: not supported");
	if (count >= 8 && !memcmp(bytes, PERF_DATA_MAGIC_OLD, 8))
		return reader_damaged(reader->error, 0,
				      "the format of perf before 2009: not supported");
	if (count < 8 || memcmp(bytes, PERF_DATA_MAGIC, 8))
		return reader_damaged(reader->error, 0, "not a perf.data file");
	if (count < PERF_DATA_PIPE_HEADER)
		return reader_damaged(reader->error, (unsigned)count, "truncated: the file header");
	memcpy(&size, (const uint8_t *)bytes + 8, sizeof(size));
	if (size == sizeof(struct perf_data_header))
		return read_regular(reader);
	if (size != PERF_DATA_PIPE_HEADER)
		return reader_damaged(reader->error, 8, "a file header of %" PRIu64 " bytes", size);
	reader->is_piped = true;
	reader->left = UINT64_MAX;
	return input_skip(&reader->input, PERF_DATA_PIPE_HEADER);
}

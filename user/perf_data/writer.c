// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The file is: header, ids, attrs, data, the list of feature sections, these sections. Sizes become known
 * as it grows; so header and list are written over in the end.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "encode.h"
#include "format.h"
#include "sections.h"
#include "sink.h"
#include "writer.h"

struct perf_data_writer {
	struct sink sink;
	struct perf_data_events events;
	struct perf_data_header header;
	struct perf_data_info known; /* build ids and times: what the records themselves say */
	bool has_begun;
	uint64_t record[PERF_ENCODE_MOST / sizeof(uint64_t)];
};

int perf_data_writer_new(FILE *file, struct perf_data_writer **writer)
{
	struct perf_data_writer *made = calloc(1, sizeof(*made));
	int err;

	*writer = NULL;
	if (!made)
		return -ENOMEM;
	made->sink.file = file;
	sink_seek(&made->sink, 0);
	err = made->sink.err;
	if (err)
		free(made);
	else
		*writer = made;
	return err;
}

void perf_data_writer_free(struct perf_data_writer *writer)
{
	if (!writer)
		return;
	perf_data_events_free(&writer->events);
	perf_data_info_free(&writer->known);
	free(writer);
}

/* ---- events ------------------------------------------------------------------------------------- */

static bool has_fixed_id(const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_IDENTIFIER && attr->sample_id_all;
}

int perf_data_writer_add_event(struct perf_data_writer *writer, const struct perf_event_attr *attr,
			       const char *name, const uint64_t *ids, size_t count)
{
	struct perf_data_events *events = &writer->events;
	struct perf_event_attr sized = *attr;
	int err;

	if (writer->has_begun || !count)
		return -EINVAL;
	if (events->count && (!has_fixed_id(attr) || !has_fixed_id(&events->events[0].attr)))
		return -EINVAL;
	sized.size = sizeof(sized);
	err = perf_data_events_add(events, &sized, sizeof(sized), ids, count);
	return err ? err : perf_data_events_set_name(events, ids[0], name);
}

static void put_attrs(struct perf_data_writer *writer)
{
	const struct perf_data_events *events = &writer->events;
	uint64_t ids_at = sizeof(struct perf_data_header);

	for (size_t i = 0; i < events->count; i++)
		sink_put(&writer->sink, events->events[i].ids,
			 events->events[i].id_count * sizeof(uint64_t));
	writer->header.attrs.offset = writer->sink.offset;
	for (size_t i = 0; i < events->count; i++) {
		struct perf_data_section ids = {
			.offset = ids_at,
			.size = events->events[i].id_count * sizeof(uint64_t),
		};

		sink_put(&writer->sink, &events->events[i].attr, sizeof(struct perf_event_attr));
		sink_put(&writer->sink, &ids, sizeof(ids));
		ids_at += ids.size;
	}
	writer->header.attrs.size = writer->sink.offset - writer->header.attrs.offset;
}

static void put_header(struct perf_data_writer *writer)
{
	sink_seek(&writer->sink, 0);
	sink_put(&writer->sink, &writer->header, sizeof(writer->header));
}

/* Up to the data. A size of 0 says that it is not finished, and so does that there are no features. */
static int begin(struct perf_data_writer *writer)
{
	struct perf_data_header *header = &writer->header;

	if (writer->has_begun)
		return writer->sink.err;
	if (!writer->events.count)
		return -EINVAL;
	writer->has_begun = true;
	memcpy(header->magic, PERF_DATA_MAGIC, sizeof(header->magic));
	header->size = sizeof(*header);
	header->attr_size = sizeof(struct perf_event_attr) + sizeof(struct perf_data_section);
	put_header(writer);
	put_attrs(writer);
	header->data.offset = writer->sink.offset;
	put_header(writer);
	sink_seek(&writer->sink, header->data.offset);
	return sink_flush(&writer->sink);
}

/* ---- records ------------------------------------------------------------------------------------ */

static void note_time(struct perf_data_info *known, uint64_t time)
{
	if (!known->first_time || time < known->first_time)
		known->first_time = time;
	if (time > known->last_time)
		known->last_time = time;
}

int perf_data_writer_put_raw(struct perf_data_writer *writer,
			     const struct perf_event_header *header)
{
	const struct perf_data_event *event;
	struct record record;
	int err = begin(writer);

	if (err)
		return err;
	event = perf_data_events_find(&writer->events, header);
	if (header->type == PERF_RECORD_SAMPLE && event &&
	    !record_from_perf_layout(&event->layout, header, &record) && record.time)
		note_time(&writer->known, record.time);
	sink_put(&writer->sink, header, header->size);
	return writer->sink.err;
}

int perf_data_writer_put(struct perf_data_writer *writer, size_t index, const struct record *record)
{
	const struct perf_data_event *event;
	int size, err = begin(writer);

	if (err)
		return err;
	if (index >= writer->events.count)
		return -EINVAL;
	event = &writer->events.events[index];
	size = perf_encode(&event->layout, event->ids[0], record, writer->record);
	if (size < 0)
		return size;
	if (record->kind == RECORD_SAMPLE && record->time)
		note_time(&writer->known, record->time);
	sink_put(&writer->sink, writer->record, (size_t)size);
	return writer->sink.err;
}

/* The bytes are padded to a multiple of 8, so that the next record is aligned. */
int perf_data_writer_put_aux(struct perf_data_writer *writer, const struct perf_data_aux *aux)
{
	static const char zeros[8];
	uint64_t size = (uint64_t)aux->first_size + aux->second_size;
	uint64_t padding = -size % sizeof(zeros);
	struct perf_data_auxtrace_record record = {
		.header = { .type = PERF_DATA_RECORD_AUXTRACE, .size = sizeof(record) },
		.size = size + padding,
		.offset = aux->offset,
		.reference = aux->reference,
		.index = aux->index,
		.tid = aux->tid,
		.cpu = aux->cpu,
	};
	int err = begin(writer);

	if (err)
		return err;
	sink_put(&writer->sink, &record, sizeof(record));
	sink_put(&writer->sink, aux->first, aux->first_size);
	sink_put(&writer->sink, aux->second, aux->second_size);
	sink_put(&writer->sink, zeros, padding);
	return writer->sink.err;
}

int perf_data_writer_end_round(struct perf_data_writer *writer)
{
	struct perf_event_header round = {
		.type = PERF_DATA_RECORD_FINISHED_ROUND,
		.size = sizeof(round),
	};
	uint64_t end;
	int err = begin(writer);

	if (err)
		return err;
	sink_put(&writer->sink, &round, sizeof(round));
	err = sink_flush(&writer->sink);
	if (err)
		return err;
	end = writer->sink.offset;
	writer->header.data.size = end - writer->header.data.offset;
	put_header(writer);
	sink_seek(&writer->sink, end);
	return sink_flush(&writer->sink);
}

int perf_data_writer_add_build_id(struct perf_data_writer *writer,
				  const struct perf_data_build_id *id)
{
	struct perf_data_info *known = &writer->known;
	struct perf_data_build_id *ids, copy = *id;

	if (id->size > RECORD_BUILD_ID || strlen(id->path) >= PATH_MAX)
		return -EINVAL;
	ids = reallocarray(known->build_ids, known->build_id_count + 1, sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	known->build_ids = ids;
	copy.path = strdup(id->path);
	if (!copy.path)
		return -ENOMEM;
	ids[known->build_id_count++] = copy;
	return 0;
}

/* ---- the end ------------------------------------------------------------------------------------ */

static size_t count_features(const struct perf_data_header *header)
{
	return (size_t)__builtin_popcountll(header->features[0]);
}

/* The list is written when the sections are: their places are known then. */
static void put_sections(struct perf_data_writer *writer, const struct perf_data_info *info)
{
	struct perf_data_section list[64];
	struct sink *sink = &writer->sink;
	uint64_t list_at = sink->offset;
	size_t list_size = count_features(&writer->header) * sizeof(*list), count = 0;

	memset(list, 0, sizeof(list));
	sink_put(sink, list, list_size);
	for (unsigned feature = 0; feature < 64; feature++) {
		if (!(writer->header.features[0] >> feature & 1))
			continue;
		list[count].offset = sink->offset;
		sections_put(sink, feature, info, &writer->events);
		list[count].size = sink->offset - list[count].offset;
		count++;
	}
	sink_seek(sink, list_at);
	sink_put(sink, list, list_size);
}

int perf_data_writer_finish(struct perf_data_writer *writer, const struct perf_data_info *info)
{
	struct perf_data_info all = *info;
	int err = begin(writer);

	if (err)
		return err;
	all.build_ids = writer->known.build_ids;
	all.build_id_count = writer->known.build_id_count;
	all.first_time = writer->known.first_time;
	all.last_time = writer->known.last_time;
	writer->header.data.size = writer->sink.offset - writer->header.data.offset;
	writer->header.features[0] = sections_of(&all);
	put_sections(writer, &all);
	put_header(writer);
	return sink_flush(&writer->sink);
}

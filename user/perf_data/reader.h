/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads a perf.data file, of `perf record` or of ours: a regular file, or the form made for pipes
 * (`perf record -o -`), also where it was stored in a file. Compressed ones are decompressed. Files are not
 * trusted: whatever is wrong with one ends in an error that says where.
 */
#ifndef TRACER_PERF_DATA_READER_H
#define TRACER_PERF_DATA_READER_H

#include "events.h"
#include "format.h"
#include "info.h"

struct perf_data_reader;

/* What is wrong with a file: for messages. */
struct perf_data_error {
	uint64_t offset; /* in the file, bytes */
	char text[200]; /* "at offset 0x1234: truncated: ..."; starts with the offset where it has one */
};

/* One record; all of it is valid during the callback. */
struct perf_data_record {
	const struct perf_event_header *header; /* header->size bytes, aligned to 8 */
	/*
	 * NULL for records that perf itself adds (header->type from PERF_DATA_FIRST_OWN on) and for those of
	 * an event that the file does not describe.
	 */
	const struct perf_data_event *event;
	size_t event_index; /* of perf_data_reader_events() */
	uint64_t offset;    /* in the file; for a compressed record, of what holds it */
};

/* A negative return ends reading and is passed on. */
typedef int (*perf_data_record_fn)(void *context, const struct perf_data_record *record);

/*
 * Opens and reads all but the data: "-" is stdin. 0 or -errno: -EBADMSG for what is no perf.data file, or
 * damaged before its data. *error is filled after any error.
 */
int perf_data_reader_open(const char *path, struct perf_data_reader **reader,
			  struct perf_data_error *error);
void perf_data_reader_close(struct perf_data_reader *reader);

/*
 * Hands over the records in the order of the file, all but those that only describe it; AUX data is passed
 * over. Once for a reader. 0, what the callback returned, -EBADMSG for a file that is damaged or ends too
 * early, after all that stands before, or another -errno. *error is filled after all but the
 * callback's own errors.
 */
int perf_data_reader_run(struct perf_data_reader *reader, perf_data_record_fn callback,
			 void *context, struct perf_data_error *error);

/*
 * What is known so far: of a piped file more comes with the records. Owned by the reader; event pointers are
 * valid until the next record.
 */
const struct perf_data_events *perf_data_reader_events(const struct perf_data_reader *reader);
const struct perf_data_info *perf_data_reader_info(const struct perf_data_reader *reader);
/* The recording was killed: nothing comes behind the data, whose end may not be known either. */
bool perf_data_reader_is_unfinished(const struct perf_data_reader *reader);

/*
 * record_from_perf_layout() with the event's layout, and its fixed period where the sample has none. -ENOMSG
 * for a record without an event, too.
 */
int perf_data_record_decode(const struct perf_data_record *record, struct record *decoded);

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files of the reader share: reader.c the records, reader_open.c what comes before and behind them. */
#ifndef TRACER_PERF_DATA_READER_STATE_H
#define TRACER_PERF_DATA_READER_STATE_H

#include "input.h"
#include "reader.h"

struct decompress;

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

/* Fills in *error with the offset and what is wrong there. -EBADMSG. */
int reader_damaged(struct perf_data_error *error, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* An error of the system or of memory, which no offset explains. err. */
int reader_failed(struct perf_data_error *error, int err);

/* Reads the file header and, of a regular file, all but the data, at whose beginning it stands then. */
int reader_read_header(struct perf_data_reader *reader);

/* With the events so far, can records be read? Says so when not; offset: of what describes them. */
int reader_check_events(struct perf_data_reader *reader, uint64_t offset);
/* Features that we use. The format of tracepoints, say, can be megabytes. */
bool reader_uses_feature(uint64_t feature);
/* 0, -ENOMEM or -EBADMSG. */
int reader_take_feature(struct perf_data_reader *reader, unsigned feature, const void *bytes,
			size_t size);

#endif

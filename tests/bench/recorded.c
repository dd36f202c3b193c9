// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* recorded FILE: what a perf.data file holds, a line each: records (samples), lost, bytes (of the samples). */
#include <inttypes.h>
#include <stdio.h>

#include "perf_data/reader.h"

struct sums {
	uint64_t records, lost, bytes;
};

struct lost_record {
	struct perf_event_header header;
	uint64_t id, lost;
};

static int add(void *context, const struct perf_data_record *record)
{
	const struct lost_record *lost = (const void *)record->header;
	struct sums *sums = context;

	if (record->header->type == PERF_RECORD_SAMPLE) {
		sums->records++;
		sums->bytes += record->header->size;
	} else if (record->header->type == PERF_RECORD_LOST &&
		   record->header->size >= sizeof(*lost)) {
		sums->lost += lost->lost;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct perf_data_reader *reader = NULL;
	struct perf_data_error error = {};
	struct sums sums = {};
	int err;

	if (argc != 2) {
		fprintf(stderr, "usage: recorded FILE\n");
		return 2;
	}
	err = perf_data_reader_open(argv[1], &reader, &error);
	if (!err)
		err = perf_data_reader_run(reader, add, &sums, &error);
	if (err)
		fprintf(stderr, "recorded: %s: %s\n", argv[1], error.text);
	else
		printf("records %" PRIu64 "\nlost %" PRIu64 "\nbytes %" PRIu64 "\n", sums.records,
		       sums.lost, sums.bytes);
	perf_data_reader_close(reader);
	return err != 0;
}

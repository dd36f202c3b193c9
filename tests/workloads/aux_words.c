// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * aux_words FILE
 *
 * Reads the AUXTRACE records of a perf.data file of the test PMU (tests/vm/pmu), by the format alone and with
 * nothing of the tracer's, and accounts for every word: in each area they go 1, 2, 3, ..., and where some are
 * missing a PERF_RECORD_AUX says TRUNCATED. Of snapshots each must be without a gap in itself.
 *
 * Prints NAME VALUE a line: areas, bytes, words (read), missing, gaps (places where words are missing), unsaid (those
 * that no record speaks of), record_bytes (as the AUX records say), records, truncated, overwrite, last (the last
 * word of all). Exit status 1 for a file that is not so.
 */
#include <linux/perf_event.h>
#include <stdbool.h>

#include "workload.h"

#define AUXTRACE    71
#define MOST_AREAS  64
#define MOST_PLACES 65536

struct auxtrace {
	struct perf_event_header header;
	uint64_t size, offset, reference;
	uint32_t index, tid, cpu, reserved;
};

struct area {
	uint64_t next; /* offset where the next piece should begin */
	uint64_t last; /* word */
	uint64_t bytes;
};

struct sums {
	struct area areas[MOST_AREAS];
	uint64_t bytes, words, missing, gaps, record_bytes, records, truncated, overwrite, last;
	uint64_t gap_at[MOST_PLACES], truncated_at[MOST_PLACES];
};

static void die(const char *why)
{
	fprintf(stderr, "aux_words: %s\n", why);
	exit(1);
}

static void take_word(struct sums *sums, struct area *area, uint64_t offset, uint64_t word,
		      bool is_new)
{
	if (word <= area->last)
		die("a word that is not above the one before");
	/* a snapshot begins anywhere */
	if (!is_new && word != area->last + 1) {
		if (sums->gaps == MOST_PLACES)
			die("more gaps than can be kept");
		sums->gap_at[sums->gaps++] = offset;
		sums->missing += word - area->last - 1;
	}
	area->last = word;
	sums->words++;
	if (word > sums->last)
		sums->last = word;
}

static void take_piece(struct sums *sums, const struct auxtrace *piece, const uint64_t *words)
{
	struct area *area;
	bool is_new;

	if (piece->index >= MOST_AREAS || piece->size % 8)
		die("an AUXTRACE record that cannot be");
	area = &sums->areas[piece->index];
	is_new = area->next != piece->offset;
	for (uint64_t i = 0; i < piece->size / 8; i++)
		take_word(sums, area, piece->offset + i * 8, words[i], is_new && i == 0);
	area->next = piece->offset + piece->size;
	area->bytes += piece->size;
	sums->bytes += piece->size;
}

static void take_aux(struct sums *sums, const uint64_t *fields)
{
	sums->records++;
	sums->record_bytes += fields[1];
	sums->overwrite += !!(fields[2] & PERF_AUX_FLAG_OVERWRITE);
	if (!(fields[2] & PERF_AUX_FLAG_TRUNCATED))
		return;
	if (sums->truncated == MOST_PLACES)
		die("more truncated records than can be kept");
	sums->truncated_at[sums->truncated++] = fields[0] + fields[1];
}

/* Returns its size with what follows it. */
static uint64_t take_record(struct sums *sums, const char *at, uint64_t left)
{
	const struct perf_event_header *header = (const void *)at;
	const struct auxtrace *piece = (const void *)at;
	uint64_t size;

	if (left < sizeof(*header) || header->size < sizeof(*header) || header->size > left)
		die("a record that does not fit");
	size = header->size;
	if (header->type == PERF_RECORD_AUX)
		take_aux(sums, (const uint64_t *)(header + 1));
	if (header->type != AUXTRACE)
		return size;
	if (piece->size > left - size)
		die("an AUXTRACE record whose bytes are not there");
	take_piece(sums, piece, (const void *)(at + size));
	return size + piece->size;
}

static uint64_t count_unsaid(const struct sums *sums)
{
	uint64_t unsaid = 0;

	for (uint64_t i = 0; i < sums->gaps; i++) {
		bool is_said = false;

		for (uint64_t k = 0; k < sums->truncated && !is_said; k++)
			is_said = sums->truncated_at[k] == sums->gap_at[i];
		unsaid += !is_said;
	}
	return unsaid;
}

static void print(const char *name, uint64_t value)
{
	printf("%s %llu\n", name, (unsigned long long)value);
}

int main(int argc, char **argv)
{
	static struct sums sums;
	static char bytes[64 << 20];
	FILE *file = argc > 1 ? fopen(argv[1], "re") : NULL;
	uint64_t size, header[13], at, areas = 0;

	if (!file)
		die("no file");
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	if (size < sizeof(header) || size == sizeof(bytes) || memcmp(bytes, "PERFILE2", 8))
		die("no perf.data file, or too large a one");
	memcpy(header, bytes, sizeof(header));
	/* magic, size, attr size, then offset and size of attrs and of data */
	if (header[5] > size || header[6] > size - header[5])
		die("its data is not in it");
	for (at = header[5]; at < header[5] + header[6];)
		at += take_record(&sums, bytes + at, header[5] + header[6] - at);
	for (int i = 0; i < MOST_AREAS; i++)
		areas += sums.areas[i].bytes > 0;
	print("areas", areas);
	print("bytes", sums.bytes);
	print("words", sums.words);
	print("missing", sums.missing);
	print("gaps", sums.gaps);
	print("unsaid", count_unsaid(&sums));
	print("record_bytes", sums.record_bytes);
	print("records", sums.records);
	print("truncated", sums.truncated);
	print("overwrite", sums.overwrite);
	print("last", sums.last);
	return 0;
}

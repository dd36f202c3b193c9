// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "latency_rows.h"

#include <inttypes.h>
#include <string.h>

#include "../base/escape.h"
#include "frames.h"

#define BAR_WIDTH 40

const char *latency_time(char *text, uint64_t ns)
{
	static const struct {
		double ns;
		const char *name;
	} units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		double value = (double)ns / units[i].ns;

		if (value < 1)
			continue;
		snprintf(text, LATENCY_TIME, "%.*f %s",
			 value < 10  ? 2 :
			 value < 100 ? 1 :
				       0,
			 value, units[i].name);
		return text;
	}
	snprintf(text, LATENCY_TIME, "%" PRIu64 " ns", ns);
	return text;
}

/* Calls of a power of two: [2^octave, 2^(octave + 1)), and 0 to 1 for octave 0. */
static uint64_t octave_count(const struct latency_row *row, unsigned octave)
{
	uint64_t begin = octave ? 1ull << octave : 0;
	uint64_t count = 0;

	for (uint32_t i = 0; i < LATENCY_SLOTS; i++) {
		uint64_t at = latency_slot_begin(i);

		if (at >= begin && (octave == 63 || at < 2ull << octave))
			count += row->slots[i];
	}
	return count;
}

static void print_octaves(FILE *stream, const struct latency_row *row)
{
	static const char bar[] = "****************************************";
	unsigned first = 64, last = 0;
	uint64_t counts[64], most = 0;

	for (unsigned i = 0; i < 64; i++) {
		counts[i] = octave_count(row, i);
		if (!counts[i])
			continue;
		first = first < 64 ? first : i;
		last = i;
		most = counts[i] > most ? counts[i] : most;
	}
	for (unsigned i = first; i < 64 && i <= last; i++) {
		char from[LATENCY_TIME], to[LATENCY_TIME];
		int width = (int)(counts[i] * BAR_WIDTH / most);

		fprintf(stream, "  %10s to %-10s %10" PRIu64 " |%-*.*s|\n",
			latency_time(from, i ? 1ull << i : 0),
			latency_time(to, i < 63 ? 2ull << i : UINT64_MAX), counts[i], BAR_WIDTH,
			width, bar);
	}
}

static uint64_t mean(const struct latency_row *row)
{
	return row->count ? row->total_ns / row->count : 0;
}

void latency_print_text(FILE *stream, const struct latency_row *row)
{
	char name[FRAME_NAME], times[4][LATENCY_TIME];

	escape_terminal(name, sizeof(name), row->source->name);
	/* that it is about the latency need not be said here */
	if (strrchr(name, '%'))
		*strrchr(name, '%') = '\0';
	fprintf(stream, "\n%s: %" PRIu64 " call%s", name, row->count, row->count == 1 ? "" : "s");
	if (row->count)
		fprintf(stream, ", mean %s, p50 %s, p99 %s, max %s",
			latency_time(times[0], mean(row)),
			latency_time(times[1], latency_quantile(row, 0.5)),
			latency_time(times[2], latency_quantile(row, 0.99)),
			latency_time(times[3], row->max_ns));
	fputc('\n', stream);
	print_octaves(stream, row);
	if (row->unreturned)
		fprintf(stream,
			"  %" PRIu64
			" more did not return (longjmp, an exception, or the thread's end)\n",
			row->unreturned);
	if (row->running)
		fprintf(stream, "  %" PRIu64 " more had not returned when the recording ended\n",
			row->running);
}

void latency_print_json(FILE *stream, const struct latency_row *row)
{
	char name[FRAME_NAME];
	const char *comma = "";

	fprintf(stream, "{\"type\":\"latency\",\"source\":\"%s\",\"calls\":%" PRIu64,
		escape_json(name, sizeof(name), row->source->name), row->count);
	fprintf(stream, ",\"total_ns\":%" PRIu64 ",\"mean_ns\":%" PRIu64 ",\"p50_ns\":%" PRIu64,
		row->total_ns, mean(row), latency_quantile(row, 0.5));
	fprintf(stream, ",\"p99_ns\":%" PRIu64 ",\"max_ns\":%" PRIu64, latency_quantile(row, 0.99),
		row->max_ns);
	fprintf(stream, ",\"unreturned\":%" PRIu64 ",\"running\":%" PRIu64 ",\"steps\":[",
		row->unreturned, row->running);
	for (uint32_t i = 0; i < LATENCY_SLOTS; i++) {
		if (!row->slots[i])
			continue;
		fprintf(stream, "%s{\"from_ns\":%" PRIu64 ",\"count\":%" PRIu64 "}", comma,
			(uint64_t)latency_slot_begin(i), row->slots[i]);
		comma = ",";
	}
	fputs("]}\n", stream);
}

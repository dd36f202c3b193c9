// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "coverage.h"

#include <inttypes.h>

#include "../base/escape.h"
#include "../record/watch_coverage.h"

void coverage_each(const struct source_info *const *sources, size_t count,
		   void (*callback)(void *context, const struct source_info *breakpoint),
		   void *context)
{
	const struct watch_coverage *last = NULL;

	for (size_t i = 0; i < count; i++) {
		if (sources[i]->coverage && sources[i]->coverage != last)
			callback(context, sources[i]);
		last = sources[i]->coverage;
	}
}

/* ---- in words ---- */

/* The n-th item of a list in parentheses. */
static void print_item(FILE *stream, unsigned *items, uint64_t count, const char *what)
{
	if (count)
		fprintf(stream, "%s%" PRIu64 " %s", (*items)++ ? ", " : " (", count, what);
}

static void print_gaps(FILE *stream, const struct watch_coverage *coverage)
{
	unsigned items = 0;

	print_item(stream, &items, coverage->ended, "ended before it was set");
	print_item(stream, &items, coverage->no_slot, "without a free debug register");
	print_item(stream, &items, coverage->denied, "not permitted");
	print_item(stream, &items, coverage->without, "without a copy of it");
	print_item(stream, &items, coverage->failed, "refused by the kernel");
	if (items)
		fputc(')', stream);
	if (coverage->uncertain)
		fprintf(stream,
			"; %" PRIu64
			" made while it was set are covered only if who made them already was",
			coverage->uncertain);
	if (coverage->later)
		fprintf(stream,
			"; %" PRIu64
			" that began later are not covered (thread-local: each has a copy of its own)",
			coverage->later);
}

static void print_wait(FILE *stream, const struct watch_coverage *coverage)
{
	if (!coverage->late && !coverage->threads)
		fputs(": its file was never mapped by the target, so that it could not fire",
		      stream);
	else if (coverage->late)
		fprintf(stream,
			"; %" PRIu64
			" process%s mapped its file later, and what was done to it before it was set is not seen "
			"(%.1f ms%s)",
			coverage->late, coverage->late == 1 ? "" : "es",
			(double)coverage->late_ns / 1e6, coverage->late == 1 ? "" : " at most");
}

void coverage_print(FILE *stream, const struct source_info *breakpoint)
{
	const struct watch_coverage *coverage = breakpoint->coverage;
	char name[512];

	fprintf(stream, "%s: ", escape_terminal(name, sizeof(name), breakpoint->name));
	fprintf(stream, "%" PRIu64 " of %" PRIu64 " %s%s watched", coverage->covered,
		coverage->threads, coverage->by_cpu ? "CPU" : "thread",
		coverage->threads == 1 ? "" : "s");
	print_gaps(stream, coverage);
	if (coverage->waits)
		print_wait(stream, coverage);
}

/* ---- for programs ---- */

struct list {
	FILE *stream;
	unsigned count;
};

static void print_object(void *context, const struct source_info *breakpoint)
{
	const struct watch_coverage *coverage = breakpoint->coverage;
	struct list *list = context;
	char name[1024];

	fprintf(list->stream, "%s{\"source\":\"%s\"", list->count++ ? "," : "",
		escape_json(name, sizeof(name), breakpoint->name));
	fprintf(list->stream, ",\"%s\":%" PRIu64 ",\"covered\":%" PRIu64 ",\"ended\":%" PRIu64,
		coverage->by_cpu ? "cpus" : "threads", coverage->threads, coverage->covered,
		coverage->ended);
	fprintf(list->stream,
		",\"no_slot\":%" PRIu64 ",\"denied\":%" PRIu64 ",\"without\":%" PRIu64
		",\"failed\":%" PRIu64 ",\"uncertain\":%" PRIu64 ",\"later\":%" PRIu64,
		coverage->no_slot, coverage->denied, coverage->without, coverage->failed,
		coverage->uncertain, coverage->later);
	if (coverage->waits)
		fprintf(list->stream, ",\"late\":%" PRIu64 ",\"late_us\":%" PRIu64, coverage->late,
			coverage->late_ns / 1000);
	fputc('}', list->stream);
}

void coverage_print_json(FILE *stream, const struct source_info *const *sources, size_t count)
{
	struct list list = { stream, 0 };
	bool has_any = false;

	for (size_t i = 0; i < count; i++)
		has_any |= sources[i]->coverage != NULL;
	if (!has_any)
		return;
	fputs(",\"breakpoints\":[", stream);
	coverage_each(sources, count, print_object, &list);
	fputc(']', stream);
}

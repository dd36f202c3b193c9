// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The live line and the summary. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "output/coverage.h"
#include "output/summary.h"
#include "record/watch_coverage.h"
#include "report.h"

void report_live(double seconds, uint64_t events, uint64_t lost, uint64_t stacks, uint64_t complete)
{
	fprintf(stderr, "\r\033[Ktracer: %.0f s, %" PRIu64 " events, %" PRIu64 " lost", seconds,
		events, lost);
	if (stacks)
		fprintf(stderr, ", %.1f %% of user stacks complete",
			100.0 * (double)complete / (double)stacks);
}

void report_live_clear(void)
{
	fputs("\r\033[K", stderr);
}

/* Appends ", N what" when there are any. */
static void append_loss(char *text, size_t size, uint64_t count, const char *what)
{
	size_t used = strlen(text);

	if (count)
		snprintf(text + used, size - used, "%s%" PRIu64 " %s", used ? ", " : "", count,
			 what);
}

static void report_losses(const struct run_summary *summary)
{
	const struct loss *loss = &summary->loss;
	char text[512] = "";

	append_loss(text, sizeof(text), loss->ring_full, "ring full (a larger -m helps)");
	append_loss(text, sizeof(text), loss->recorded, "when it was recorded");
	append_loss(text, sizeof(text), loss->dumping, "while what --overwrite keeps was written");
	append_loss(text, sizeof(text), loss->scratch_busy,
		    "nested too deep in one CPU's programs");
	append_loss(text, sizeof(text), loss->return_depth,
		    "returns nested deeper than the kernel probes (64 pending in a thread)");
	append_loss(text, sizeof(text), loss->task_table_full,
		    "table of threads or of functions full");
	append_loss(text, sizeof(text), loss->recursion,
		    "not run by the kernel inside another program (at most)");
	if (*text)
		log_warn("lost: %s", text);
	if (loss->stacks)
		log_warn("%" PRIu64
			 " stacks did not fit on the ring; their events say [stack lost]",
			 loss->stacks);
	if (loss->sideband)
		log_warn("%" PRIu64
			 " side-band records lost: some addresses may stay without a name",
			 loss->sideband);
}

static void report_quality(const struct run_summary *summary)
{
	const struct stack_quality *quality = summary->quality;
	char *text = NULL;
	size_t size = 0;
	bool by_frame_pointers;
	FILE *stream;

	if (!quality->total)
		return;
	stream = open_memstream(&text, &size);
	if (!stream)
		return;
	summary_print_quality(stream, summary);
	by_frame_pointers = quality->by_end[STACK_FP_ROOT] || quality->by_end[STACK_FP_BROKEN];
	if (!fclose(stream))
		log_note("%s%s", text,
			 by_frame_pointers ? "; frame pointers alone cannot prove more" : "");
	free(text);
}

static void report_breakpoint(void *context, const struct source_info *breakpoint)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	(void)context;
	if (!stream)
		return;
	coverage_print(stream, breakpoint);
	if (fclose(stream)) {
		free(text);
		return;
	}
	if (watch_coverage_is_full(breakpoint->coverage))
		log_note("%s", text);
	else
		log_warn("%s", text);
	free(text);
}

static void report_tables(const struct run_summary *summary, unsigned verbose)
{
	const struct table_summary *tables = &summary->tables;

	if (tables->no_room)
		log_warn("%" PRIu64
			 " objects without an unwind table: no room (a larger --unwind-mem helps)",
			 tables->no_room);
	if (tables->no_number)
		log_warn("%" PRIu64 " objects without an unwind table: too many in one recording",
			 tables->no_number);
	if (tables->failed)
		log_warn("%" PRIu64 " objects could not be read for an unwind table",
			 tables->failed);
	if (tables->processes)
		log_warn("the mappings of %" PRIu64
			 " processes found no room: their stacks are incomplete",
			 tables->processes);
	if (verbose && tables->tables)
		log_note("unwind tables: %" PRIu64 " of %" PRIu64 " KiB, built in %.0f ms; %" PRIu64
			 " stacks came as copies",
			 tables->tables, tables->bytes / 1024, (double)tables->build_ns / 1e6,
			 tables->copies);
}

void report_summary(const struct run_summary *summary, const char *path, unsigned verbose)
{
	log_note("%.1f s, %" PRIu64 " events in %u process%s, %" PRIu64 " lost", summary->seconds,
		 summary->delivered, summary->processes, summary->processes == 1 ? "" : "es",
		 summary->lost);
	report_losses(summary);
	coverage_each(summary->sources, summary->source_count, report_breakpoint, NULL);
	report_quality(summary);
	report_tables(summary, verbose);
	if (path)
		log_note("wrote %s", path);
	if (verbose)
		log_note("accounting: seen=%" PRIu64 " delivered=%" PRIu64 " lost=%" PRIu64,
			 summary->seen, summary->delivered, summary->lost);
}

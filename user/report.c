// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The live line and the summary. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "report.h"

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static uint64_t walked_out(const struct stack_quality *quality)
{
	return quality->by_end[STACK_COMPLETE] + quality->by_end[STACK_FP_ROOT];
}

void report_live(double seconds, uint64_t events, uint64_t lost,
		 const struct stack_quality *quality)
{
	fprintf(stderr, "\r\033[Ktracer: %.0f s, %" PRIu64 " events, %" PRIu64 " lost", seconds,
		events, lost);
	if (quality->total)
		fprintf(stderr, ", %.1f %% of stacks to the outermost frame",
			percent(walked_out(quality), quality->total));
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
	append_loss(text, sizeof(text), loss->scratch_busy,
		    "nested too deep in one CPU's programs");
	append_loss(text, sizeof(text), loss->task_table_full, "table of blocked threads full");
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

static void report_quality(const struct stack_quality *quality)
{
	static const struct {
		enum stack_end end;
		const char *what;
	} causes[] = {
		{ STACK_FP_BROKEN, "ended in code without frame pointers" },
		{ STACK_DEPTH, "cut at max depth" },
		{ STACK_FAULT, "ran into unreadable memory" },
		{ STACK_32BIT, "of 32-bit tasks, not walked" },
		{ STACK_NO_REGS, "without user registers" },
	};
	uint64_t walked = quality->total - quality->by_end[STACK_FRAME0];
	char text[512] = "";

	if (!walked)
		return;
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
		append_loss(text, sizeof(text), quality->by_end[causes[i].end], causes[i].what);
	append_loss(text, sizeof(text), quality->lost, "lost");
	log_note("user stacks by frame pointers: %.1f %% reached the outermost frame%s%s%s",
		 percent(walked_out(quality), walked), *text ? " (" : "", text, *text ? ")" : "");
	log_note("callers may be missing where code was built without frame pointers");
}

void report_summary(const struct run_summary *summary, const char *path, unsigned verbose)
{
	log_note("%.1f s, %" PRIu64 " events in %u process%s, %" PRIu64 " lost", summary->seconds,
		 summary->delivered, summary->processes, summary->processes == 1 ? "" : "es",
		 summary->lost);
	report_losses(summary);
	report_quality(&summary->quality);
	if (path)
		log_note("wrote %s (%" PRIu64 " stacks)", path, summary->stacks);
	if (verbose)
		log_note("accounting: seen=%" PRIu64 " delivered=%" PRIu64 " lost=%" PRIu64,
			 summary->seen, summary->delivered, summary->lost);
}

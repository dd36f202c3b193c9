/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The summary of a run in words. */
#include "summary.h"

#include <inttypes.h>
#include <stdbool.h>

#include "../base/escape.h"
#include "../process/object.h"
#include "frames.h"

void summary_loss_causes(const struct loss *loss, struct loss_cause causes[LOSS_CAUSES])
{
	causes[0] = (struct loss_cause){ "ring full", "ring_full", loss->ring_full };
	causes[1] = (struct loss_cause){ "scratch busy", "scratch_busy", loss->scratch_busy };
	causes[2] =
		(struct loss_cause){ "task table full", "task_table_full", loss->task_table_full };
	causes[3] = (struct loss_cause){ "recursion", "recursion", loss->recursion };
	causes[4] = (struct loss_cause){ "returns nested too deep", "return_depth",
					 loss->return_depth };
	causes[5] = (struct loss_cause){ "while writing", "dumping", loss->dumping };
	causes[6] = (struct loss_cause){ "when it was recorded", "recorded", loss->recorded };
	causes[7] = (struct loss_cause){ "stacks", "stacks", loss->stacks };
	causes[8] = (struct loss_cause){ "mapping or name records", "sideband", loss->sideband };
}

uint64_t summary_duration(const struct run_summary *summary)
{
	/* Written so that a NaN fails it too. */
	if (!(summary->seconds > 0 && summary->seconds < 1e9))
		return 0;
	return (uint64_t)(summary->seconds * 1e9);
}

/* The n-th item of a list in parentheses. */
static void print_item(FILE *stream, unsigned *items, uint64_t count, const char *name)
{
	if (count == 0)
		return;
	fprintf(stream, "%s%" PRIu64 " %s", *items ? ", " : " (", count, name);
	(*items)++;
}

/* Objects named for each way of ending; the rest is counted. */
#define BLAMED 3

static void print_path(FILE *stream, const char *path)
{
	char text[256];

	fputs(escape_terminal(text, sizeof(text), path), stream);
}

/* ": /usr/lib/libfoo.so, [anon] and 2 more" */
static void print_blames(FILE *stream, const struct stack_quality *quality, enum stack_end end)
{
	unsigned shown = 0, more = 0;

	for (size_t i = 0; i < quality->blame_count; i++) {
		if (quality->blames[i].end != end)
			continue;
		if (shown == BLAMED) {
			more++;
			continue;
		}
		fputs(shown++ ? ", " : ": ", stream);
		print_path(stream, quality->blames[i].object->path);
	}
	if (more)
		fprintf(stream, " and %u more", more);
}

static void close_items(FILE *stream, unsigned items)
{
	if (items)
		fputc(')', stream);
}

void summary_print_losses(FILE *stream, const struct run_summary *summary)
{
	struct loss_cause causes[LOSS_CAUSES];
	unsigned items = 0;

	summary_loss_causes(&summary->loss, causes);
	fprintf(stream, "%" PRIu64 " seen, %" PRIu64 " delivered, %" PRIu64 " lost", summary->seen,
		summary->delivered, summary->lost);
	for (unsigned i = 0; i < LOSS_EVENT_CAUSES; i++)
		print_item(stream, &items, causes[i].count, causes[i].name);
	close_items(stream, items);
	for (unsigned i = LOSS_EVENT_CAUSES; i < LOSS_CAUSES; i++) {
		if (causes[i].count)
			fprintf(stream, ", %" PRIu64 " %s lost", causes[i].count, causes[i].name);
	}
}

void summary_print_quality(FILE *stream, const struct run_summary *summary)
{
	const struct stack_quality *quality = summary->quality;
	unsigned items = 0;

	if (quality->total == 0)
		return;
	fprintf(stream, "user stacks %.1f %% complete",
		100.0 * (double)quality->by_end[STACK_COMPLETE] / (double)quality->total);
	for (unsigned i = STACK_COMPLETE + 1; i < STACK_END_MAX; i++) {
		print_item(stream, &items, quality->by_end[i], stack_end_name((enum stack_end)i));
		print_blames(stream, quality, (enum stack_end)i);
	}
	print_item(stream, &items, quality->lost, "lost");
	close_items(stream, items);
}

void summary_print_comment(FILE *stream, const struct run_summary *summary)
{
	fprintf(stream, "# %.1f s, ", (double)summary_duration(summary) / 1e9);
	summary_print_losses(stream, summary);
	fputc('\n', stream);
	if (summary->quality->total == 0)
		return;
	fputs("# ", stream);
	summary_print_quality(stream, summary);
	fputc('\n', stream);
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The text of `perf script -F comm,pid,tid,cpu,time,period,event,ip,sym,symoff,dso` of events with
 * call chains, which FlameGraph, speedscope and the Firefox Profiler import:
 *
 *	comm   812/814   [001] 12345.678901:   10101010 cpu-clock:
 *		            113e main+0x15 (/usr/bin/app)
 *
 * Importers take lines apart by patterns, so names are changed where they would break one.
 */
#include <errno.h>
#include <inttypes.h>

#include "../base/clock.h"
#include "../base/escape.h"
#include "frames.h"
#include "output.h"
#include "page.h"
#include "summary.h"

static int perf_script_open(struct output *output)
{
	output->private = page_new();
	return output->private ? 0 : -ENOMEM;
}

/*
 * A line that begins with white space is a frame for importers, one with '#' a comment. A comm of
 * one character needs a second blank, which short pids bring along: their pattern wants two
 * characters before the last blank.
 */
static void print_comm(FILE *stream, const struct event *event)
{
	const char *comm = event->record->comm;
	char escaped[FRAME_NAME];

	if (!comm[0]) {
		fprintf(stream, ":%" PRIu32 " ", event->tid);
		return;
	}
	if (comm[0] == ' ' || comm[0] == '#')
		fprintf(stream, "\\x%02x", *comm++);
	escape_terminal(escaped, sizeof(escaped), comm);
	fprintf(stream, "%s%s ", escaped, event->record->comm[1] || event->pid < 10000 ? "" : " ");
}

/* The event's name ends at the first white space. */
static void print_event_name(FILE *stream, const struct event *event)
{
	char name[FRAME_NAME];

	escape_terminal(name, sizeof(name),
			event->record->kind == REC_OFFCPU ? "offcpu-time" : event->source->name);
	for (char *c = name; *c; c++) {
		if (*c == ' ')
			*c = '_';
	}
	fprintf(stream, "%s: \n", name[0] ? name : "event");
}

/*
 * perf shows a file's offset where it knows the file, else the address. It looks that up as it is: of a return
 * address it is one less, so that it lies in the call.
 */
static void print_frame(FILE *stream, const struct output *output, enum rec_kind kind,
			const struct stack *stack, uint32_t index)
{
	uint64_t offset = stack->frame[index].offset;
	bool is_return = offset && frame_is_return(kind, stack, index);
	struct symbol symbol;
	char name[FRAME_NAME];

	frame_symbol(output, kind, stack, index, &symbol);
	fprintf(stream, "\t%16" PRIx64 " ", offset - is_return);
	if (symbol.name)
		fprintf(stream, "%s+0x%" PRIx64, escape_terminal(name, sizeof(name), symbol.name),
			symbol.offset - is_return);
	else
		fputs("[unknown]", stream);
	fprintf(stream, " (%s)\n",
		escape_terminal(name, sizeof(name), symbol.path ? symbol.path : "[unknown]"));
}

static void print_stack(FILE *stream, const struct output *output, enum rec_kind kind,
			const struct stack *stack)
{
	for (uint32_t i = 0; stack && i < stack->depth; i++)
		print_frame(stream, output, kind, stack, i);
}

static int perf_script_event(struct output *output, const struct event *event)
{
	struct page *page = output->private;
	enum rec_kind kind = event->record->kind;
	FILE *stream = page->stream;

	print_comm(stream, event);
	fprintf(stream, "%5" PRIu32 "/%-5" PRIu32 " ", event->pid, event->tid);
	if (event->cpu != UINT32_MAX)
		fprintf(stream, "[%03" PRIu32 "] ", event->cpu);
	fprintf(stream, "%5" PRIu64 ".%06" PRIu64 ": %10" PRIu64 " ",
		(uint64_t)(event->time / NSEC_PER_SEC),
		(uint64_t)(event->time % NSEC_PER_SEC / 1000), event_period(event));
	print_event_name(stream, event);
	print_stack(stream, output, kind, stack_if_wanted(output, event->kernel));
	print_stack(stream, output, kind, stack_if_wanted(output, event->user));
	fputc('\n', stream);
	return page_send(page, output->file);
}

/* As `perf script --header` does it, comments hold what is no event; importers skip them. */
static int perf_script_finish(struct output *output, struct counts *counts,
			      const struct run_summary *summary)
{
	struct page *page = output->private;

	(void)counts;
	summary_print_comment(page->stream, summary);
	return page_finish(page, output->file);
}

static void perf_script_close(struct output *output)
{
	page_free(output->private);
	output->private = NULL;
}

const struct output_ops output_perf_script = {
	.name = "perf-script",
	.endings = ".perf",
	.open = perf_script_open,
	.event = perf_script_event,
	.finish = perf_script_finish,
	.close = perf_script_close,
};

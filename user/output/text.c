/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One line an event in aligned columns, with -g its stacks below. */
#include <errno.h>
#include <inttypes.h>

#include "../base/escape.h"
#include "frames.h"
#include "latency_rows.h"
#include "output.h"
#include "page.h"
#include "summary.h"
#include "values.h"

#define COMM_WIDTH  15
#define EVENT_WIDTH 20

/* --latency alone has histograms at the end. */
static bool has_lines(const struct output *output)
{
	const struct output_config *config = &output->config;

	for (size_t i = 0; config->counts_calls && i < config->source_count; i++)
		if (config->sources[i]->kind != REC_LATENCY || config->sources[i]->has_predicate)
			return true;
	return !config->counts_calls || !config->source_count;
}

static int text_open(struct output *output)
{
	struct page *page = page_new();

	if (!page)
		return -ENOMEM;
	output->private = page;
	if (!has_lines(output))
		return 0;
	fputs("#       TIME  COMM                PID     TID  CPU  EVENT                DETAILS\n",
	      page->stream);
	return page_send(page, output->file);
}

/* Escaped, and padded by characters, not bytes. */
static void print_padded(FILE *stream, const char *text, int width)
{
	char escaped[FRAME_NAME];

	escape_terminal(escaped, sizeof(escaped), text);
	fputs(escaped, stream);
	for (const char *c = escaped; *c; c++)
		width -= (*c & 0xc0) != 0x80;
	if (width > 0)
		fprintf(stream, "%*s", width, "");
}

static void print_time(FILE *stream, uint64_t time, uint64_t start)
{
	bool is_before = time < start;
	uint64_t us = (is_before ? start - time : time - start) / 1000;
	char text[32];

	snprintf(text, sizeof(text), "%s%" PRIu64 ".%06" PRIu64, is_before && us ? "-" : "",
		 us / 1000000, us % 1000000);
	fprintf(stream, "%12s", text);
}

/* BEFORE and the place of a frame; nothing when the stack is not that deep. */
static void print_frame(FILE *stream, const struct output *output, const struct event *event,
			const struct stack *stack, uint32_t index, const char *before)
{
	struct symbol symbol;

	if (!stack || index >= stack->depth)
		return;
	frame_symbol(output, event->record->kind, stack, index, &symbol);
	fputs(before, stream);
	frame_print_place(stream, &symbol);
}

static void print_sample(FILE *stream, const struct output *output, const struct event *event)
{
	const struct stack *stack = stack_if_wanted(output, event->kernel);
	char module[FRAME_NAME];
	struct symbol symbol;

	if (!stack || stack->depth == 0)
		stack = event->user;
	if (!stack || stack->depth == 0)
		return;
	if (event->source->is_counted)
		fprintf(stream, "%" PRIu64 " in ", event->record->period);
	frame_symbol(output, event->record->kind, stack, 0, &symbol);
	frame_print_place(stream, &symbol);
	if (symbol.name && symbol.module)
		fprintf(stream, " (%s)", escape_terminal(module, sizeof(module), symbol.module));
}

static void print_usdt(FILE *stream, const struct output *output, const struct event *event)
{
	if (event->values) {
		fputc('(', stream);
		values_print_text(stream, event->values);
		fputs(") ", stream);
	}
	print_frame(stream, output, event, event->user, 0, "in ");
	print_frame(stream, output, event, event->user, 1, " <- ");
}

static void print_uprobe(FILE *stream, const struct output *output, const struct event *event)
{
	fputc('(', stream);
	if (event->values)
		values_print_text(stream, event->values);
	for (unsigned i = 0; !event->values && i < TRACER_ARGS; i++)
		fprintf(stream, "%s0x%" PRIx64, i ? ", " : "", event->record->arg[i]);
	fputc(')', stream);
	print_frame(stream, output, event, event->user, 1, " <- ");
}

static void print_uretprobe(FILE *stream, const struct output *output, const struct event *event)
{
	struct leaf ret;

	if (!event->values)
		fprintf(stream, "= 0x%" PRIx64, event->record->arg[0]);
	else if (!event->values->count)
		fputs("= void", stream);
	else if (event->values->count == 1 && leaves_find(event->values, "ret", &ret)) {
		fputs("= ", stream);
		value_print_text(stream, &ret);
	} else {
		fputs("= (", stream);
		values_print_text(stream, event->values);
		fputc(')', stream);
	}
	print_frame(stream, output, event, event->user, 0, " <- ");
}

static void print_latency(FILE *stream, const struct output *output, const struct event *event)
{
	char time[LATENCY_TIME];

	fprintf(stream, "%s ", latency_time(time, event->record->call_ns));
	print_uretprobe(stream, output, event);
}

/* In the variable's type where that is known, with what a pointer leads to. */
static void print_watched(FILE *stream, const struct event *event, const char *path,
			  const char *symbol_path, uint64_t value)
{
	struct leaf leaf;

	if (!event->values || !leaves_find(event->values, path, &leaf)) {
		fprintf(stream, "0x%" PRIx64, value);
		return;
	}
	value_print_text(stream, &leaf);
	if (!leaves_find(event->values, symbol_path, &leaf))
		return;
	fputs(" <", stream);
	value_print_text(stream, &leaf);
	fputc('>', stream);
}

static void print_old(FILE *stream, const struct event *event)
{
	print_watched(stream, event, "old", "old.symbol", event->record->old_value);
}

static void print_new(FILE *stream, const struct event *event)
{
	print_watched(stream, event, "new", "new.symbol", event->record->new_value);
}

/* A watch for reads too cannot tell a read from a write of the same value: then only the value. */
static void print_values(FILE *stream, const struct event *event, const char *access)
{
	const struct record_event *record = event->record;
	bool old_known = record->flags & EVENT_OLD_KNOWN;
	bool new_known = record->flags & EVENT_NEW_KNOWN;
	bool may_be_read = access[0] == 'r';

	if (access[0] == 'x' || (!old_known && !new_known))
		return;
	fputc(' ', stream);
	if (may_be_read && old_known && new_known && record->old_value == record->new_value) {
		print_new(stream, event);
		return;
	}
	if (old_known)
		print_old(stream, event);
	else
		fputc('?', stream);
	fputs(" -> ", stream);
	if (new_known)
		print_new(stream, event);
	else
		fputc('?', stream);
}

static void print_line(FILE *stream, const struct output *output, const struct event *event)
{
	char file[FRAME_NAME];
	struct source_line line;

	if (event_line(output, event, &line))
		fprintf(stream, " at %s:%u", escape_terminal(file, sizeof(file), line.file),
			line.number);
}

static void print_breakpoint(FILE *stream, const struct output *output, const struct event *event)
{
	const char *access = event->source->access;

	fprintf(stream, "%.3s", access);
	print_values(stream, event, access);
	print_frame(stream, output, event, event->user, 0, " in ");
	print_line(stream, output, event);
	print_frame(stream, output, event, event->user, 1, " <- ");
}

static void print_offcpu(FILE *stream, const struct output *output, const struct event *event)
{
	static const struct {
		enum event_flag flag;
		const char *text;
	} notes[] = {
		{ EVENT_RUNNABLE, " (runnable)" },
		{ EVENT_STILL_BLOCKED, " (still blocked)" },
		{ EVENT_BEFORE_START, " (blocked before start)" },
		{ EVENT_NEW_TASK, " (new thread)" },
	};
	const struct record_event *record = event->record;
	const struct stack *stack = event->user ? event->user : event->kernel;
	bool is_blocked = !(record->flags & (EVENT_RUNNABLE | EVENT_NEW_TASK));

	fprintf(stream, "%" PRIu64 ".%03" PRIu64 " ms %s", record->blocked_ns / 1000000,
		record->blocked_ns / 1000 % 1000, is_blocked ? "blocked" : "waiting for a CPU");
	print_frame(stream, output, event, stack, 0, " in ");
	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
		if (record->flags & notes[i].flag)
			fputs(notes[i].text, stream);
	}
}

static void print_details(FILE *stream, const struct output *output, const struct event *event)
{
	switch (event->record->kind) {
	case REC_UPROBE:
		if (event->source->is_usdt)
			print_usdt(stream, output, event);
		else
			print_uprobe(stream, output, event);
		break;
	case REC_URETPROBE:
		print_uretprobe(stream, output, event);
		break;
	case REC_LATENCY:
		print_latency(stream, output, event);
		break;
	case REC_BREAKPOINT:
		print_breakpoint(stream, output, event);
		break;
	case REC_OFFCPU:
		print_offcpu(stream, output, event);
		break;
	default:
		print_sample(stream, output, event);
	}
}

static void print_stack(FILE *stream, const struct output *output, const struct event *event,
			const struct stack *stack, enum stack_space space)
{
	if (event_stack_is_lost(output, event, space))
		fprintf(stream, "\t  %s\n", stack_lost_name(space));
	stack_print(stream, output, event->record->kind, stack_if_wanted(output, stack),
		    STACK_ADDRESSES);
}

static int text_event(struct output *output, const struct event *event)
{
	struct page *page = output->private;
	FILE *stream = page->stream;

	print_time(stream, event->time, output->config.start);
	fputs("  ", stream);
	print_padded(stream, event->record->comm, COMM_WIDTH);
	fprintf(stream, " %7" PRIu32 " %7" PRIu32 "  ", event->pid, event->tid);
	if (event->cpu == UINT32_MAX)
		fputs("  -  ", stream);
	else
		fprintf(stream, "%3" PRIu32 "  ", event->cpu);
	print_padded(stream, event->source->name, EVENT_WIDTH);
	fputc(' ', stream);
	print_details(stream, output, event);
	fputc('\n', stream);
	if (output->config.stacks) {
		print_stack(stream, output, event, event->kernel, STACK_KERNEL);
		print_stack(stream, output, event, event->user, STACK_USER);
	}
	return page_send(page, output->file);
}

static int text_latency(struct output *output, const struct latency_row *row)
{
	struct page *page = output->private;

	latency_print_text(page->stream, row);
	return page_send(page, output->file);
}

static int text_finish(struct output *output, struct counts *counts,
		       const struct run_summary *summary)
{
	struct page *page = output->private;

	(void)counts;
	summary_print_comment(page->stream, summary);
	return page_finish(page, output->file);
}

static void text_close(struct output *output)
{
	page_free(output->private);
	output->private = NULL;
}

const struct output_ops output_text = {
	.name = "text",
	.endings = ".txt",
	.open = text_open,
	.event = text_event,
	.latency = text_latency,
	.finish = text_finish,
	.close = text_close,
};

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One JSON object a line: events, then one summary. README documents the schema. Numbers stay within
 * 2^53, beyond which many readers lose digits; whatever may be larger is a string in hex.
 */
#include <errno.h>
#include <inttypes.h>

#include "../base/escape.h"
#include "../process/object.h"
#include "frames.h"
#include "latency_rows.h"
#include "output.h"
#include "page.h"
#include "coverage.h"
#include "summary.h"
#include "values.h"

static int json_open(struct output *output)
{
	output->private = page_new();
	return output->private ? 0 : -ENOMEM;
}

static void print_string(FILE *stream, const char *key, const char *value)
{
	char escaped[FRAME_NAME];

	fprintf(stream, "\"%s\":\"%s\"", key, escape_json(escaped, sizeof(escaped), value));
}

static void print_hex(FILE *stream, const char *key, uint64_t value)
{
	fprintf(stream, "\"%s\":\"0x%" PRIx64 "\"", key, value);
}

static void print_number(FILE *stream, const char *key, uint64_t value)
{
	fprintf(stream, "\"%s\":%" PRIu64, key, value);
}

static const char *kind_name(const struct event *event)
{
	enum rec_kind kind = event->record->kind;
	static const char *const names[REC_KIND_MAX] = {
		[REC_SAMPLE] = "sample",	 [REC_UPROBE] = "uprobe",
		[REC_URETPROBE] = "uretprobe",	 [REC_LATENCY] = "latency",
		[REC_BREAKPOINT] = "breakpoint", [REC_OFFCPU] = "off-cpu",
	};

	if (kind == REC_UPROBE && event->source->is_usdt)
		return "usdt";
	if ((unsigned)kind >= REC_KIND_MAX || !names[kind])
		return "unknown";
	return names[kind];
}

/* TASK_* bits (include/linux/sched.h) to the letters of ps(1); the lowest bit names the state. */
static const char *state_name(uint32_t state)
{
	static const char letters[][2] = { "S", "D", "T", "t", "X", "Z", "P", "I" };
	const uint32_t idle = 0x402; /* TASK_UNINTERRUPTIBLE | TASK_NOLOAD */

	if (state == 0)
		return "R";
	if ((state & idle) == idle)
		return "I";
	for (unsigned bit = 0; bit < sizeof(letters) / sizeof(letters[0]); bit++) {
		if (state & 1u << bit)
			return letters[bit];
	}
	return "?";
}

static void print_arguments(FILE *stream, const struct record_event *record)
{
	fputs(",\"args\":[", stream);
	for (unsigned i = 0; i < TRACER_ARGS; i++)
		fprintf(stream, "%s\"0x%" PRIx64 "\"", i ? "," : "", record->arg[i]);
	fputc(']', stream);
}

static void print_breakpoint(FILE *stream, const struct output *output, const struct event *event)
{
	const struct record_event *record = event->record;
	struct source_line line;

	fputc(',', stream);
	print_string(stream, "access", event->source->access);
	fputc(',', stream);
	print_number(stream, "length", event->source->length);
	fputc(',', stream);
	print_hex(stream, "ip", record->ip);
	if (record->flags & EVENT_OLD_KNOWN) {
		fputc(',', stream);
		print_hex(stream, "old", record->old_value);
	}
	if (record->flags & EVENT_NEW_KNOWN) {
		fputc(',', stream);
		print_hex(stream, "new", record->new_value);
	}
	if (event_line(output, event, &line)) {
		fputc(',', stream);
		print_string(stream, "file", line.file);
		fputc(',', stream);
		print_number(stream, "line", line.number);
	}
}

static void print_offcpu(FILE *stream, const struct record_event *record)
{
	fputc(',', stream);
	print_number(stream, "blocked_us", record->blocked_ns / 1000);
	fputc(',', stream);
	print_string(stream, "state", state_name(record->state));
}

static void print_kind(FILE *stream, const struct output *output, const struct event *event)
{
	switch (event->record->kind) {
	case REC_UPROBE:
		if (!event->source->is_usdt)
			print_arguments(stream, event->record);
		break;
	case REC_URETPROBE:
		fputc(',', stream);
		print_hex(stream, "ret", event->record->arg[0]);
		break;
	case REC_LATENCY:
		fputc(',', stream);
		print_number(stream, "latency_ns", event->record->call_ns);
		fputc(',', stream);
		print_hex(stream, "ret", event->record->arg[0]);
		break;
	case REC_BREAKPOINT:
		print_breakpoint(stream, output, event);
		break;
	case REC_OFFCPU:
		print_offcpu(stream, event->record);
		break;
	case REC_SAMPLE:
		fputc(',', stream);
		print_number(stream, "period", event_period(event));
		break;
	default:
		break;
	}
}

/* Lost stacks count as such too when their id came but never the stack. */
static uint32_t all_flags(const struct output *output, const struct event *event)
{
	uint32_t flags = event->record->flags;

	if (event_stack_is_lost(output, event, STACK_USER))
		flags |= EVENT_USER_STACK_LOST;
	if (event_stack_is_lost(output, event, STACK_KERNEL))
		flags |= EVENT_KERNEL_STACK_LOST;
	return flags;
}

static void print_flags(FILE *stream, uint32_t flags)
{
	static const struct {
		enum event_flag flag;
		const char *name;
	} names[] = {
		{ EVENT_USER_STACK_LOST, "user-stack-lost" },
		{ EVENT_KERNEL_STACK_LOST, "kernel-stack-lost" },
		{ EVENT_KERNEL_MODE, "kernel-mode" },
		{ EVENT_RUNNABLE, "runnable" },
		{ EVENT_BEFORE_START, "blocked-before-start" },
		{ EVENT_STILL_BLOCKED, "still-blocked" },
		{ EVENT_NEW_TASK, "new-thread" },
	};
	const char *comma = "";

	fputs(",\"flags\":[", stream);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!(flags & names[i].flag))
			continue;
		fprintf(stream, "%s\"%s\"", comma, names[i].name);
		comma = ",";
	}
	fputc(']', stream);
}

static void print_frame(FILE *stream, const struct symbol *symbol)
{
	fputc('{', stream);
	print_hex(stream, "address", symbol->vaddr);
	fputc(',', stream);
	if (symbol->name) {
		print_string(stream, "symbol", symbol->name);
		fputc(',', stream);
		print_hex(stream, "offset", symbol->offset);
		fputc(',', stream);
	}
	print_string(stream, "module", symbol->module ? symbol->module : "[unknown]");
	fputc('}', stream);
}

static void print_stack(FILE *stream, const struct output *output, enum rec_kind kind,
			const struct stack *stack, const char *key)
{
	struct symbol symbol;

	if (!stack)
		return;
	fprintf(stream, ",\"%s\":[", key);
	for (uint32_t i = 0; i < stack->depth; i++) {
		frame_symbol(output, kind, stack, i, &symbol);
		if (i)
			fputc(',', stream);
		print_frame(stream, &symbol);
	}
	fputc(']', stream);
}

static void print_stacks(FILE *stream, const struct output *output, const struct event *event)
{
	const struct stack *user = stack_if_wanted(output, event->user);
	const struct stack *kernel = stack_if_wanted(output, event->kernel);
	enum rec_kind kind = event->record->kind;

	if (user) {
		fputc(',', stream);
		print_string(stream, "stack_end", stack_end_name(user->end));
	}
	print_stack(stream, output, kind, user, "user");
	print_stack(stream, output, kind, kernel, "kernel");
}

/* A time before the start is negative. */
static int64_t time_since(uint64_t time, uint64_t start)
{
	return (int64_t)(time - start);
}

static int json_event(struct output *output, const struct event *event)
{
	struct page *page = output->private;
	FILE *stream = page->stream;

	fprintf(stream, "{\"type\":\"event\",\"time_ns\":%" PRId64 ",",
		time_since(event->time, output->config.start));
	print_string(stream, "comm", event->record->comm);
	fprintf(stream, ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",", event->pid, event->tid);
	if (event->cpu != UINT32_MAX)
		fprintf(stream, "\"cpu\":%" PRIu32 ",", event->cpu);
	print_string(stream, "source", event->source->name);
	fputc(',', stream);
	print_string(stream, "kind", kind_name(event));
	print_kind(stream, output, event);
	if (event->values)
		values_print_json(stream, event->values);
	print_flags(stream, all_flags(output, event));
	print_stacks(stream, output, event);
	fputs("}\n", stream);
	return page_send(page, output->file);
}

static void print_losses(FILE *stream, const struct loss *loss)
{
	struct loss_cause causes[LOSS_CAUSES];

	summary_loss_causes(loss, causes);
	fputs(",\"losses\":{", stream);
	for (unsigned i = 0; i < LOSS_CAUSES; i++) {
		if (i)
			fputc(',', stream);
		print_number(stream, causes[i].key, causes[i].count);
	}
	fputc('}', stream);
}

static void print_quality(FILE *stream, const struct stack_quality *quality)
{
	fputs(",\"user_stacks\":{", stream);
	print_number(stream, "total", quality->total);
	fputc(',', stream);
	print_number(stream, "lost", quality->lost);
	for (unsigned i = STACK_COMPLETE; i < STACK_END_MAX; i++) {
		fputc(',', stream);
		print_number(stream, stack_end_name((enum stack_end)i), quality->by_end[i]);
	}
	fputs(",\"ended_in\":[", stream);
	for (size_t i = 0; i < quality->blame_count; i++) {
		const struct stack_blame *blame = &quality->blames[i];

		fputs(i ? ",{" : "{", stream);
		print_string(stream, "end", stack_end_name(blame->end));
		fputc(',', stream);
		print_string(stream, "object", blame->object->path);
		fputc(',', stream);
		print_number(stream, "count", blame->count);
		fputc('}', stream);
	}
	fputs("]}", stream);
}

static int json_latency(struct output *output, const struct latency_row *row)
{
	struct page *page = output->private;

	latency_print_json(page->stream, row);
	return page_send(page, output->file);
}

static int json_finish(struct output *output, struct counts *counts,
		       const struct run_summary *summary)
{
	struct page *page = output->private;
	FILE *stream = page->stream;

	(void)counts;
	fputs("{\"type\":\"summary\",", stream);
	print_string(stream, "title", summary->title ? summary->title : "");
	fputc(',', stream);
	print_hex(stream, "start", output->config.start);
	fputc(',', stream);
	print_number(stream, "duration_us", summary_duration(summary) / 1000);
	fprintf(stream, ",\"seen\":%" PRIu64 ",\"delivered\":%" PRIu64 ",\"lost\":%" PRIu64,
		summary->seen, summary->delivered, summary->lost);
	print_losses(stream, &summary->loss);
	print_quality(stream, summary->quality);
	coverage_print_json(stream, output->config.sources, output->config.source_count);
	fprintf(stream, ",\"processes\":%" PRIu32 ",\"stacks\":%" PRIu64 "}\n", summary->processes,
		summary->stacks);
	return page_finish(page, output->file);
}

static void json_close(struct output *output)
{
	page_free(output->private);
	output->private = NULL;
}

const struct output_ops output_json = {
	.name = "json",
	.endings = ".json .jsonl",
	.open = json_open,
	.event = json_event,
	.latency = json_latency,
	.finish = json_finish,
	.close = json_close,
};

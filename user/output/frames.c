/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Frames and stacks in words. */
#include "frames.h"

#include <inttypes.h>
#include <string.h>

#include "../base/escape.h"

/*
 * The leaf is where the CPU was; every deeper frame is where a call will return to. A return probe
 * fires when the function is gone: its leaf is already the return address in the caller.
 */
bool frame_is_caller(enum rec_kind kind, enum stack_space space, uint32_t index)
{
	if (index > 0)
		return true;
	return rec_kind_is_return(kind) && space == STACK_USER;
}

bool frame_is_return(enum rec_kind kind, const struct stack *stack, uint32_t index)
{
	return !stack->frame[index].exact && frame_is_caller(kind, stack->space, index);
}

void frame_symbol(const struct output *output, enum rec_kind kind, const struct stack *stack,
		  uint32_t index, struct symbol *symbol)
{
	symbolizer_frame(output->symbolizer, &stack->frame[index],
			 frame_is_return(kind, stack, index), symbol);
}

bool event_line(const struct output *output, const struct event *event, struct source_line *line)
{
#if defined(__x86_64__)
	bool is_after = event->source->access[0] != 'x';
#else
	bool is_after = false;
#endif

	return output->lines && event->user && event->user->depth &&
	       source_lines_of(output->lines, &event->user->frame[0], is_after, line);
}

const char *stack_end_name(enum stack_end end)
{
	static const char *const names[STACK_END_MAX] = {
		[STACK_COMPLETE] = "complete",
		[STACK_GUESS] = "guessed",
		[STACK_DEPTH] = "max depth",
		[STACK_NO_TABLE] = "no unwind table",
		[STACK_NO_CODE] = "not an address of code",
		[STACK_GAP] = "gap in unwind table",
		[STACK_UNSUPPORTED] = "unsupported unwind rule",
		[STACK_LOST_REGISTER] = "unknown register",
		[STACK_FAULT] = "unreadable stack memory",
		[STACK_STUCK] = "frame not above its callee",
		[STACK_ZERO] = "zero return address",
		[STACK_LATE] = "unwind table not ready",
		[STACK_COPY_SHORT] = "stack larger than its copy",
		[STACK_FP_ROOT] = "last frame pointer",
		[STACK_FP_BROKEN] = "frame pointers broken",
		[STACK_FRAME0] = "only the leaf asked for",
		[STACK_32BIT] = "32-bit task",
		[STACK_NO_REGS] = "no user registers",
	};

	if ((unsigned)end >= STACK_END_MAX || !names[end])
		return "unknown";
	return names[end];
}

bool stack_is_cut(enum stack_end end)
{
	switch (end) {
	case STACK_COMPLETE:
	case STACK_GUESS:
	case STACK_FP_ROOT:
	case STACK_FRAME0:
	case STACK_32BIT:
		return false;
	default:
		return true;
	}
}

bool stack_root_mark(const struct stack *stack, char *mark, size_t size)
{
	if (stack->space != STACK_USER)
		return false;
	if (stack_is_cut(stack->end))
		snprintf(mark, size, "[incomplete: %s]", stack_end_name(stack->end));
	else if (stack->end == STACK_GUESS || stack->end == STACK_32BIT)
		snprintf(mark, size, "[%s]", stack_end_name(stack->end));
	else
		return false;
	return true;
}

uint64_t event_period(const struct event *event)
{
	switch (event->record->kind) {
	case REC_SAMPLE:
		return event->record->period ? event->record->period : event->source->period;
	case REC_OFFCPU:
		return event->record->blocked_ns;
	case REC_LATENCY:
		return event->record->call_ns;
	default:
		return 1;
	}
}

static bool space_is_wanted(const struct output *output, enum stack_space space)
{
	return space == STACK_KERNEL ? !output->config.user_only : !output->config.kernel_only;
}

const struct stack *stack_if_wanted(const struct output *output, const struct stack *stack)
{
	return stack && space_is_wanted(output, stack->space) ? stack : NULL;
}

bool event_stack_is_lost(const struct output *output, const struct event *event,
			 enum stack_space space)
{
	const struct record_event *record = event->record;

	if (!space_is_wanted(output, space))
		return false;
	if (space == STACK_KERNEL)
		return !event->kernel &&
		       (record->kernel_stack || record->flags & EVENT_KERNEL_STACK_LOST);
	return !event->user && (record->user_stack || record->flags & EVENT_USER_STACK_LOST);
}

bool row_stack_is_lost(const struct output *output, const struct count_row *row,
		       enum stack_space space)
{
	if (!space_is_wanted(output, space))
		return false;
	if (space == STACK_KERNEL)
		return !row->kernel && row->flags & EVENT_KERNEL_STACK_LOST;
	return !row->user && row->flags & EVENT_USER_STACK_LOST;
}

const char *stack_lost_name(enum stack_space space)
{
	return space == STACK_KERNEL ? "[kernel stack lost]" : "[stack lost]";
}

static bool module_is_known(const struct symbol *symbol)
{
	return symbol->module && symbol->module[0] && strcmp(symbol->module, "[unknown]") != 0;
}

void frame_print_place(FILE *stream, const struct symbol *symbol)
{
	char name[FRAME_NAME];

	if (symbol->name)
		fprintf(stream, "%s+0x%" PRIx64, escape_terminal(name, sizeof(name), symbol->name),
			symbol->offset);
	else if (module_is_known(symbol))
		fprintf(stream, "%s+0x%" PRIx64,
			escape_terminal(name, sizeof(name), symbol->module), symbol->vaddr);
	else
		fputs("[unknown]", stream);
}

static void print_module(FILE *stream, const struct symbol *symbol)
{
	char module[FRAME_NAME];

	fprintf(stream, "(%s)\n",
		escape_terminal(module, sizeof(module),
				module_is_known(symbol) ? symbol->module : "[unknown]"));
}

static void print_frame(FILE *stream, const struct symbol *symbol, enum stack_style style)
{
	char name[FRAME_NAME];

	fputs("\t  ", stream);
	if (style == STACK_ADDRESSES)
		fprintf(stream, "0x%" PRIx64 " ", symbol->vaddr);
	if (symbol->name)
		fputs(escape_terminal(name, sizeof(name), symbol->name), stream);
	else if (style == STACK_NAMES)
		fputs("[unknown]", stream);
	if (symbol->name && style == STACK_ADDRESSES)
		fprintf(stream, "+0x%" PRIx64, symbol->offset);
	if (symbol->name || style == STACK_NAMES)
		fputc(' ', stream);
	print_module(stream, symbol);
}

void stack_print(FILE *stream, const struct output *output, enum rec_kind kind,
		 const struct stack *stack, enum stack_style style)
{
	struct symbol symbol;
	char mark[STACK_MARK];

	if (!stack)
		return;
	for (uint32_t i = 0; i < stack->depth; i++) {
		frame_symbol(output, kind, stack, i, &symbol);
		print_frame(stream, &symbol, style);
	}
	if (stack_root_mark(stack, mark, sizeof(mark)))
		fprintf(stream, "\t  %s\n", mark);
}

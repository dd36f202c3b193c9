/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What all formats say about a frame or a stack in the same words. */
#ifndef TRACER_FRAMES_H
#define TRACER_FRAMES_H

#include <stdbool.h>

#include "output.h"

/* Room for one escaped name; longer ones are cut. */
#define FRAME_NAME 4096

/* Is the address of this frame (0: the leaf) a return address, for events of this kind? */
bool frame_is_caller(enum rec_kind kind, enum stack_space space, uint32_t index);
/* The same of a stack's frame; not of one that was interrupted in the middle of the stack. */
bool frame_is_return(enum rec_kind kind, const struct stack *stack, uint32_t index);
/* Names a frame of a stack that came with an event of this kind. */
void frame_symbol(const struct output *output, enum rec_kind kind, const struct stack *stack,
		  uint32_t index, struct symbol *symbol);

/* "max depth", "frame pointers broken", ...; "unknown" for what is no stack_end. */
const char *stack_end_name(enum stack_end end);
/* Did the walk stop in the middle, so that outer frames are missing? */
bool stack_is_cut(enum stack_end end);
/* Room for the mark of a root. */
#define STACK_MARK 64
/*
 * What stands where the outermost frame should be: "[incomplete: WHY]", "[guessed]", "[32-bit task]".
 * false: a stack that needs no mark.
 */
bool stack_root_mark(const struct stack *stack, char *mark, size_t size);

/*
 * The source line of the instruction that a breakpoint is about: x86-64 stands behind one that has accessed a variable.
 * False: it is not known.
 */
bool event_line(const struct output *output, const struct event *event, struct source_line *line);

/* As perf counts it: events or ns that an event stands for. */
uint64_t event_period(const struct event *event);

/* --user-only and --kernel-only: the stack, or NULL when it is not wanted. */
const struct stack *stack_if_wanted(const struct output *output, const struct stack *stack);
/* Did a stack of the event get lost, and would it have been wanted? */
bool event_stack_is_lost(const struct output *output, const struct event *event,
			 enum stack_space space);
/* The same of a row. */
bool row_stack_is_lost(const struct output *output, const struct count_row *row,
		       enum stack_space space);
/* "[stack lost]", "[kernel stack lost]" */
const char *stack_lost_name(enum stack_space space);

/* "work+0x12", without a symbol "module+0xoffset" or "[unknown]"; escaped for terminals. */
void frame_print_place(FILE *stream, const struct symbol *symbol);

/* How stack_print() shows a frame. */
enum stack_style {
	STACK_ADDRESSES, /* "\t  0xVADDR sym+0xoff (module)" */
	STACK_NAMES,	 /* "\t  sym (module)" */
};

/* One line a frame, leaf first, and one for an end that is no outermost frame. NULL prints nothing. */
void stack_print(FILE *stream, const struct output *output, enum rec_kind kind,
		 const struct stack *stack, enum stack_style style);

#endif

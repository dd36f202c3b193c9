/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A row's way through the tree: what --by asks for, a mark if outer frames are missing, user frames
 * from the outermost to the leaf, kernel frames after them, and notes on what kind of time it was.
 */
#include "flame_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "../base/escape.h"
#include "frames.h"

/* Where a row has got to. After an error node is NULL, and further steps do nothing. */
struct descent {
	struct flame_tree *tree;
	const struct output *output;
	const struct count_row *row;
	flame_escape *escape;
	struct flame_node *node;
};

static void step(struct descent *descent, enum flame_kind kind, const char *label)
{
	char name[FRAME_NAME];

	if (!descent->node)
		return;
	descent->escape(name, sizeof(name), label);
	descent->node = flame_tree_child(descent->tree, descent->node, kind, name);
}

static void note(struct descent *descent, const char *label)
{
	step(descent, FLAME_NOTE, label);
}

/* The thread's name, without spaces: they separate the weight in folded lines. */
static void thread_name(const struct count_row *row, char name[TRACER_COMM + 1])
{
	memcpy(name, row->comm[0] ? row->comm : "[unknown]", row->comm[0] ? TRACER_COMM + 1 : 10);
	for (char *c = name; *c; c++) {
		if (*c == ' ')
			*c = '_';
	}
}

static void step_root(struct descent *descent)
{
	const struct count_row *row = descent->row;
	char comm[TRACER_COMM + 1], label[64];

	thread_name(row, comm);
	switch (descent->output->config.by) {
	case BY_PID:
		snprintf(label, sizeof(label), "%s-%" PRIu32, comm, row->pid);
		break;
	case BY_TID:
		snprintf(label, sizeof(label), "%s-%" PRIu32 "/%" PRIu32, comm, row->pid, row->tid);
		break;
	case BY_CPU:
		snprintf(label, sizeof(label), "cpu-%" PRIu32, row->cpu);
		step(descent, FLAME_ROOT, label);
		snprintf(label, sizeof(label), "%s", comm);
		break;
	case BY_CGROUP:
		snprintf(label, sizeof(label), "cgroup-%" PRIu64, row->cgroup);
		step(descent, FLAME_ROOT, label);
		snprintf(label, sizeof(label), "%s", comm);
		break;
	default:
		snprintf(label, sizeof(label), "%s", comm);
	}
	step(descent, FLAME_ROOT, label);
}

/* "symbol", "[module]" or "[unknown]"; kernel frames end in _[k]. */
static void frame_label(const struct symbol *symbol, enum stack_space space, char label[FRAME_NAME])
{
	const char *suffix = space == STACK_KERNEL ? "_[k]" : "";
	const char *module = symbol->module && symbol->module[0] ? symbol->module : "[unknown]";

	/* Long names are cut, but the suffix must stay. */
	if (symbol->name)
		snprintf(label, FRAME_NAME, "%.*s%s", FRAME_NAME - 8, symbol->name, suffix);
	else if (module[0] == '[')
		snprintf(label, FRAME_NAME, "%.*s%s", FRAME_NAME - 8, module, suffix);
	else
		snprintf(label, FRAME_NAME, "[%.*s]%s", FRAME_NAME - 8, module, suffix);
}

static void step_stack(struct descent *descent, const struct stack *stack)
{
	enum flame_kind kind = stack->space == STACK_KERNEL ? FLAME_KERNEL : FLAME_USER;
	char label[FRAME_NAME];
	struct symbol symbol;

	for (uint32_t i = stack->depth; i-- > 0;) {
		frame_symbol(descent->output, descent->row->source->kind, stack, i, &symbol);
		frame_label(&symbol, stack->space, label);
		step(descent, kind, label);
	}
}

static void step_user(struct descent *descent)
{
	const struct stack *stack = stack_if_wanted(descent->output, descent->row->user);
	char mark[STACK_MARK];

	if (row_stack_is_lost(descent->output, descent->row, STACK_USER))
		note(descent, stack_lost_name(STACK_USER));
	if (!stack)
		return;
	if (stack_root_mark(stack, mark, sizeof(mark)))
		step(descent, FLAME_INCOMPLETE, mark);
	step_stack(descent, stack);
}

static void step_kernel(struct descent *descent)
{
	const struct stack *stack = stack_if_wanted(descent->output, descent->row->kernel);

	if (row_stack_is_lost(descent->output, descent->row, STACK_KERNEL))
		note(descent, stack_lost_name(STACK_KERNEL));
	if (stack)
		step_stack(descent, stack);
}

/* A return probe fires when its function is gone from the stack: its name is put back as the leaf. */
static void step_returned(struct descent *descent)
{
	const char *name = descent->row->source->name;
	const char *colon = strchr(name, ':');

	/* "app:handle", but not "ns::handle" */
	if (colon && colon[1] && colon[1] != ':')
		name = colon + 1;
	step(descent, FLAME_USER, name);
}

/* Why there is nothing between the root and the notes on the kind of time. */
static const char *missing_stack_note(const struct descent *descent)
{
	const struct count_row *row = descent->row;

	if (row->flags & EVENT_BEFORE_START)
		return "[blocked before start]";
	if (row->flags & EVENT_NEW_TASK)
		return "[not yet run]";
	if (row->user || row->kernel) /* there is one, but not of the wanted space */
		return descent->output->config.user_only ? "[no user stack]" : "[no kernel stack]";
	if (descent->output->config.is_wall && row->source->kind == REC_SAMPLE)
		return "[on-CPU, no sample]";
	return "[no stack]";
}

static void step_time(struct descent *descent)
{
	uint32_t flags = descent->row->flags;

	if (descent->row->source->kind != REC_OFFCPU)
		return;
	if (descent->output->config.is_wall)
		note(descent, "[off-CPU]");
	if (flags & EVENT_RUNNABLE)
		note(descent, "[runnable]");
	if (flags & EVENT_STILL_BLOCKED)
		note(descent, "[still blocked]");
}

static int add_row(struct descent *descent)
{
	const struct count_row *row = descent->row;
	enum flame_class class = row->source->kind == REC_OFFCPU ? FLAME_OFF : FLAME_ON;
	uint64_t weight = descent->output->config.by_time ? row->ns : row->count;
	struct flame_node *root;

	if (weight == 0)
		return 0;
	step_root(descent);
	root = descent->node;
	step_user(descent);
	step_kernel(descent);
	if (rec_kind_is_return(row->source->kind))
		step_returned(descent);
	if (descent->node == root)
		note(descent, missing_stack_note(descent));
	step_time(descent);
	if (!descent->node)
		return -ENOMEM;
	flame_node_add(descent->node, class, weight);
	return 0;
}

int flame_tree_add_rows(struct flame_tree *tree, const struct output *output, struct counts *counts,
			flame_escape *escape)
{
	for (size_t i = 0; i < counts_size(counts); i++) {
		struct descent descent = {
			.tree = tree,
			.output = output,
			.row = counts_row(counts, i),
			.escape = escape,
			.node = flame_tree_root(tree),
		};
		int err = add_row(&descent);

		if (err)
			return err;
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "go_frames.h"

#include <errno.h>
#include <string.h>

#include "../object/elf_file.h"
#include "../object/gopclntab.h"
#include "../object/reader.h"
#include "entries.h"
#include "go_switch.h"
#include "operation.h"

/* The function writes the stack pointer: it changes stacks. */
#define FLAG_SPWRITE 2

/* No frame is larger; keeps sums from running over. */
#define MAX_FRAME (1 << 28)

struct function {
	struct go_function of;
	enum unwind_ra ra; /* x86-64 */
};

struct frames {
	struct elf_file *file;
	enum unwind_machine machine;
	struct gopclntab table;
	struct entries *entries;
	struct decoder decoder;
	struct unwind_rule by_thread; /* of systemstack */
	struct function morestack;    /* of.end 0: not met */
	unsigned let_go;	      /* functions met that do */
};

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(name, names[i]))
			return true;
	}
	return false;
}

#define IS_ONE_OF(name, names) is_one_of(name, names, sizeof(names) / sizeof(*(names)))

/* Has it let go of what the thread runs, and will never return? */
static bool lets_go(const char *name)
{
	static const char *const names[] = { "runtime.goschedImpl", "runtime.preemptPark" };

	return IS_ONE_OF(name, names);
}

#define LET_GO_FUNCTIONS 2

/* asyncPreempt is called by nobody: a signal handler pushed the pc, whatever it was, and jumped there. */
static enum unwind_ra ra_of(const char *name)
{
	if (lets_go(name))
		return UNWIND_RA_LET_GO;
	return strcmp(name, "runtime.asyncPreempt") ? UNWIND_RA_BELOW_CFA : UNWIND_RA_INTERRUPTED;
}

static bool read_function(const struct frames *t, uint64_t index, struct function *function)
{
	if (!gopclntab_function(&t->table, index, &function->of) || !function->of.pcsp)
		return false;
	function->ra = ra_of(function->of.name);
	return true;
}

/* The return address is above the frame on x86-64, and in its lowest word on arm64. */
static struct unwind_rule frame_rule(enum unwind_machine machine, const struct function *function,
				     int32_t below)
{
	struct unwind_rule rule = { .cfa = UNWIND_CFA_SP, .cfa_offset = below };

	if (machine == UNWIND_X86_64) {
		rule.cfa_offset += 8;
		rule.rbx = UNWIND_RBX_LOST;
		rule.fp_ra = (uint8_t)(UNWIND_FP_LOST | function->ra << 4);
	} else if (!below) {
		rule.fp_ra = UNWIND_FP_SAME | UNWIND_RA_LINK << 4;
	} else if (below > INT16_MAX) {
		return (struct unwind_rule){ .cfa = UNWIND_RULE_UNSUPPORTED };
	} else {
		rule.fp_offset = (int16_t)-below;
		rule.fp_ra = UNWIND_FP_LOST | UNWIND_RA_ALONE << 4;
	}
	return rule;
}

static int add(const struct frames *t, uint64_t start, uint64_t end, struct unwind_rule rule)
{
	int err;

	if (start >= end)
		return 0;
	err = entries_add_known(t->entries, start, end, &rule);
	if (!err)
		t->entries->fdes[t->entries->fde_count - 1].section = 0;
	return err;
}

/* How far the stack pointer is below where it was at the function's entry; -1 when that is not said. */
static int64_t frame_at(const struct frames *t, const struct function *function, uint64_t pc)
{
	struct reader reader = gopclntab_frame_sizes(&t->table, &function->of);
	uint64_t at = function->of.start;
	int64_t below = -1;

	while (at <= pc) {
		uint64_t change = reader_uleb(&reader);

		if (!change && at != function->of.start)
			return -1;
		below += change & 1 ? ~(int64_t)(change >> 1) : (int64_t)(change >> 1);
		at += reader_uleb(&reader) * t->table.quantum;
		if (reader.bad)
			return -1;
	}
	return below;
}

static int add_frames(const struct frames *t, const struct function *function, uint64_t end)
{
	struct reader reader = gopclntab_frame_sizes(&t->table, &function->of);
	uint64_t at = function->of.start;
	int64_t below = -1;
	int err = 0;

	while (!err && at < end) {
		uint64_t change = reader_uleb(&reader), next;

		if (!change && at != function->of.start)
			break;
		below += change & 1 ? ~(int64_t)(change >> 1) : (int64_t)(change >> 1);
		next = at + reader_uleb(&reader) * t->table.quantum;
		if (reader.bad || next <= at || below < 0 || below > MAX_FRAME)
			break;
		err = add(t, at, next < end ? next : end,
			  frame_rule(t->machine, function, (int32_t)below));
		at = next;
	}
	return err;
}

/* Where the function, which changes stacks, has done so. */
static uint64_t find_change(struct frames *t, const struct function *function)
{
	uint64_t at = function->of.start;
	struct operation operation;
	uint8_t bytes[16];

	while (at < function->of.end) {
		size_t got = elf_file_read(t->file, at, bytes, sizeof(bytes));

		if (!decoder_read(&t->decoder, bytes, got, at, &operation))
			break;
		at += operation.size;
		if (operation.effects & SP_LOST)
			break;
	}
	return at < function->of.end ? at : function->of.end;
}

/*
 * A function that changes stacks at `at`: while it waits for something that it called on the other one, its
 * caller is found as it will find it itself. Else nothing is known.
 */
static int add_switches(struct frames *t, const struct function *function, uint64_t at)
{
	const struct unwind_rule unsupported = { .cfa = UNWIND_RULE_UNSUPPORTED };
	uint64_t from = at;
	int err = 0;

	while (!err && t->machine == UNWIND_X86_64 && at < function->of.end) {
		struct operation operation;
		struct unwind_rule rule;
		uint8_t bytes[16];
		size_t got = elf_file_read(t->file, at, bytes, sizeof(bytes));
		uint64_t next;

		if (!decoder_read(&t->decoder, bytes, got, at, &operation))
			break;
		next = at + operation.size;
		if (operation.flow == FLOW_CALL && !frame_at(t, function, at) &&
		    go_switch_read(t->file, &t->decoder, next, function->of.end, &rule)) {
			err = add(t, from, at, unsupported);
			if (!err)
				err = add(t, at, next, rule);
			from = next;
			if (!strcmp(function->of.name, "runtime.systemstack"))
				t->by_thread = rule;
		}
		at = next;
	}
	return err ? err : add(t, from, function->of.end, unsupported);
}

/*
 * morestack leaves the stack that has become too small for its caller, to which the runtime goes back once
 * there is more, or later, when it has let another goroutine run. Who the caller is is kept where systemstack
 * keeps it.
 */
static int add_morestack(struct frames *t)
{
	const struct function *function = &t->morestack;
	struct unwind_rule rule = { .cfa = UNWIND_RULE_UNSUPPORTED };
	uint64_t change;
	int err;

	if (!function->of.end)
		return 0;
	if (t->let_go == LET_GO_FUNCTIONS && t->by_thread.cfa == UNWIND_CFA_THREAD) {
		rule = t->by_thread;
		rule.cfa = UNWIND_RULE_RUNNING;
	}
	change = find_change(t, function);
	err = add_frames(t, function, change);
	return err ? err : add(t, change, function->of.end, rule);
}

/*
 * Nobody calls the first. The others do not return to where they were called once they are on another
 * stack, which begins with them: mcall is where the scheduler starts over on a thread's own stack,
 * and clone's child has a new one.
 */
static int add_function(struct frames *t, const struct function *function)
{
	static const char *const outermost[] = {
		"runtime.goexit",   "runtime.rt0_go",	"_rt0_amd64",
		"_rt0_amd64_linux", "_rt0_arm64_linux",
	};
	static const char *const first[] = { "runtime.mcall", "runtime.clone" };
	struct unwind_rule other = { .cfa = UNWIND_RULE_OUTERMOST };
	uint64_t change = function->of.end;
	int err;

	/* On arm64 clone's child has its stack from the kernel: nothing in its code tells. */
	if (IS_ONE_OF(function->of.name, outermost) ||
	    (t->machine == UNWIND_ARM64 && !strcmp(function->of.name, "runtime.mstart")))
		return add(t, function->of.start, function->of.end, other);
	if (IS_ONE_OF(function->of.name, first) || function->of.flag & FLAG_SPWRITE)
		change = find_change(t, function);
	err = add_frames(t, function, change);
	if (err || IS_ONE_OF(function->of.name, first))
		return err ? err : add(t, change, function->of.end, other);
	return add_switches(t, function, change);
}

/* What is kept for the end is put together from several functions. */
static int visit_function(struct frames *t, const struct function *function)
{
	t->let_go += lets_go(function->of.name);
	if (strcmp(function->of.name, "runtime.morestack"))
		return add_function(t, function);
	t->morestack = *function;
	return 0;
}

int go_frames_add(struct elf_file *file, enum unwind_machine machine, struct entries *entries)
{
	struct frames t = { .file = file, .machine = machine, .entries = entries };
	struct function function;
	int err = 0;

	if (!gopclntab_open(file, &t.table))
		return 0;
	err = decoder_open(&t.decoder, machine);
	if (err)
		return err == -ENOTSUP ? 0 : err;
	for (uint64_t i = 0; i < t.table.count && !err; i++) {
		if (read_function(&t, i, &function))
			err = visit_function(&t, &function);
	}
	err = err ? err : add_morestack(&t);
	decoder_close(&t.decoder);
	return err;
}

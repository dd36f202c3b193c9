// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Three passes over the gaps: decode all that can be reached, find out which calls come back, and
 * follow the stack. A function is what is called, or has a symbol; it is always entered in the same
 * state, and must leave the stack as it found it: if it does not, something was not understood (most
 * often a call into another file that never returns), and nothing on the way there is believed.
 */
#include "follow.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../object/elf_file.h"
#include "entries.h"
#include "follow_state.h"
#include "jump_table.h"
#include "operation.h"

/* Of all gaps of a file; the C library's code has half a MiB. */
#define MAX_GAPS (4u << 20)
/* Rounds to find out which functions return; those that stay unknown are taken not to. */
#define MAX_ROUNDS 64
/* Rounds to find out which calls elsewhere do. */
#define MAX_DOUBTS 16
/* Of those decoded to be sure of calls from code that has CFI. */
#define MAX_VERIFIED (4u << 20)
/* Of all tables of jumps. */
#define MAX_TARGETS (1u << 18)
#define LONGEST	    15
#define NONE	    UINT32_MAX

struct gap {
	uint64_t start, end;
	uint32_t first; /* index of its first byte */
};

enum returning { RETURNS_NEVER, RETURNS_MAYBE, RETURNS_SURELY };

struct node {
	struct operation operation;
	struct jump_table table;
	uint64_t vaddr;
	struct follow_state state;
	bool function;
	bool called; /* by an instruction, or its address is taken */
	bool seen;   /* its successors have been looked at */
	enum returning returning;
	bool queued;
	bool wrong;	/* leads to a contradiction */
	bool right;	/* leads back to a caller, and not to a contradiction */
	bool no_return; /* a call that is not believed to come back */
};

struct follow {
	struct elf_file *file;
	enum unwind_machine machine;
	struct decoder decoder;
	struct gap *gaps;
	size_t gap_count;
	uint32_t byte_count;
	uint32_t *node_at; /* of each byte: 1 + its node; 0: not decoded; NONE: no instruction */
	struct node *nodes;
	uint32_t node_count, node_room;
	uint32_t *queue;
	uint32_t queue_count, queue_room;
	uint32_t target_count; /* of all tables of jumps */
	uint32_t verified;     /* instructions decoded to be sure of calls */
	bool musl;
	bool tangled; /* nothing is believed */
};

/* ---- the gaps ---- */

static int add_gap(struct follow *f, uint64_t start, uint64_t end)
{
	struct gap *grown;

	if (start >= end || end - start > MAX_GAPS - f->byte_count)
		return 0;
	if (!(f->gap_count & (f->gap_count - 1))) {
		grown = reallocarray(f->gaps, f->gap_count ? 2 * f->gap_count : 1, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		f->gaps = grown;
	}
	f->gaps[f->gap_count++] = (struct gap){ start, end, f->byte_count };
	f->byte_count += (uint32_t)(end - start);
	return 0;
}

static int find_gaps(struct follow *f, const struct code_range *code, const struct entries *entries)
{
	uint64_t at = code->start;
	int err = 0;

	for (size_t i = 0; i < entries->fde_count && !err; i++) {
		const struct fde_entry *fde = &entries->fdes[i];

		if (fde->end <= at)
			continue;
		if (fde->start >= code->end)
			break;
		err = add_gap(f, at, fde->start);
		at = fde->end;
	}
	return err ? err : add_gap(f, at, code->end);
}

static const struct gap *gap_at(const struct follow *f, uint64_t vaddr)
{
	size_t low = 0, high = f->gap_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (f->gaps[middle].end <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < f->gap_count && f->gaps[low].start <= vaddr ? &f->gaps[low] : NULL;
}

/* ---- nodes ---- */

static int grow(void **array, uint32_t count, uint32_t *room, size_t size)
{
	uint32_t wanted = *room ? 2 * *room : 1024;
	void *grown;

	if (count < *room)
		return 0;
	grown = reallocarray(*array, wanted, size);
	if (!grown)
		return -ENOMEM;
	*array = grown;
	*room = wanted;
	return 0;
}

/* A table of jumps all of which stay in the gap. */
static struct jump_table usable_table(struct follow *f, const struct gap *gap, uint64_t vaddr)
{
	struct jump_table table = jump_table_at(f->file, vaddr), none = {};
	uint64_t target;

	if (table.count > MAX_TARGETS - f->target_count)
		return none;
	for (uint32_t i = 0; i < table.count; i++) {
		if (!jump_table_target(f->file, &table, i, &target) || target < gap->start ||
		    target >= gap->end)
			return none;
	}
	f->target_count += table.count;
	return table;
}

/* The instruction at vaddr: 1 and its number; 0 when there is none that we follow; or -ENOMEM. */
static int node_of(struct follow *f, uint64_t vaddr, uint32_t *number)
{
	const struct gap *gap = gap_at(f, vaddr);
	uint8_t bytes[LONGEST];
	struct node *node;
	uint32_t *at;
	size_t got;

	if (!gap)
		return 0;
	at = &f->node_at[gap->first + (vaddr - gap->start)];
	*number = *at - 1;
	if (*at)
		return *at != NONE;
	if (grow((void **)&f->nodes, f->node_count, &f->node_room, sizeof(*f->nodes)))
		return -ENOMEM;
	node = &f->nodes[f->node_count];
	*node = (struct node){ .vaddr = vaddr };
	got = elf_file_read(f->file, vaddr, bytes,
			    gap->end - vaddr < LONGEST ? gap->end - vaddr : LONGEST);
	if (!decoder_read(&f->decoder, bytes, got, vaddr, &node->operation)) {
		*at = NONE;
		return 0;
	}
	if (node->operation.flow == FLOW_INDIRECT && f->machine == UNWIND_X86_64)
		node->table = usable_table(f, gap, vaddr);
	*number = f->node_count++;
	*at = f->node_count;
	return 1;
}

static int enqueue(struct follow *f, uint32_t number)
{
	if (f->nodes[number].queued)
		return 0;
	if (grow((void **)&f->queue, f->queue_count, &f->queue_room, sizeof(*f->queue)))
		return -ENOMEM;
	f->nodes[number].queued = true;
	f->queue[f->queue_count++] = number;
	return 0;
}

static uint32_t dequeue(struct follow *f)
{
	uint32_t number = f->queue[--f->queue_count];

	f->nodes[number].queued = false;
	return number;
}

static uint64_t next_of(const struct node *node)
{
	return node->vaddr + node->operation.size;
}

static bool falls_through(const struct operation *operation)
{
	return operation->flow == FLOW_NEXT || operation->flow == FLOW_BRANCH ||
	       operation->flow == FLOW_CALL;
}

static bool jumps(const struct operation *operation)
{
	return operation->flow == FLOW_BRANCH || operation->flow == FLOW_JUMP;
}

/* ---- first pass: what can be reached ---- */

enum way { BY_FLOW, BY_SYMBOL, BY_CALL };

static int visit(struct follow *f, uint64_t vaddr, enum way way)
{
	uint32_t number;
	int found = node_of(f, vaddr, &number);

	if (found <= 0)
		return found;
	f->nodes[number].function |= way != BY_FLOW;
	f->nodes[number].called |= way == BY_CALL;
	return f->nodes[number].seen ? 0 : enqueue(f, number);
}

static int reach(struct follow *f)
{
	int err = 0;

	while (f->queue_count && !err) {
		struct node *node = &f->nodes[dequeue(f)];
		struct operation operation = node->operation;
		struct jump_table table = node->table;
		uint64_t next = next_of(node);

		if (node->seen)
			continue;
		node->seen = true;
		if (falls_through(&operation))
			err = visit(f, next, BY_FLOW);
		if (!err &&
		    (operation.flow == FLOW_CALL || (f->musl && operation.effects & NAMES_CODE)))
			err = visit(f, operation.target, BY_CALL);
		if (!err && jumps(&operation))
			err = visit(f, operation.target, BY_FLOW);
		for (uint32_t i = 0; i < table.count && !err; i++) {
			if (jump_table_target(f->file, &table, i, &next))
				err = visit(f, next, BY_FLOW);
		}
	}
	return err;
}

/* ---- second pass: which functions return ---- */

static const struct node *known(struct follow *f, uint64_t vaddr)
{
	const struct gap *gap = gap_at(f, vaddr);
	uint32_t at = gap ? f->node_at[gap->first + (vaddr - gap->start)] : 0;

	return at && at != NONE ? &f->nodes[at - 1] : NULL;
}

/* Code elsewhere may return, which proves nothing. */
static enum returning returning_at(struct follow *f, uint64_t vaddr)
{
	const struct node *node = known(f, vaddr);

	if (node)
		return node->returning;
	return gap_at(f, vaddr) ? RETURNS_NEVER : RETURNS_MAYBE;
}

static enum returning call_returning(struct follow *f, const struct node *call)
{
	if (call->no_return)
		return RETURNS_NEVER;
	if (!call->operation.target)
		return RETURNS_MAYBE;
	return returning_at(f, call->operation.target);
}

/* Compilers fill up what lies between functions, and behind a call only when it does not return. */
static bool is_padded(const struct follow *f, uint64_t vaddr)
{
	static const uint8_t nop[] = { 0x90, 0xcc, 0x66, 0x0f, 0x2e };
	uint8_t bytes[3] = {};

	if (f->machine != UNWIND_X86_64 || elf_file_read(f->file, vaddr, bytes, 3) != 3)
		return false;
	if (bytes[0] == 0x0f)
		return bytes[1] == 0x1f;
	return memchr(nop, bytes[0], sizeof(nop)) &&
	       (bytes[0] != 0x66 || memchr(nop, bytes[1], sizeof(nop)));
}

static bool comes_back(struct follow *f, const struct node *call)
{
	enum returning returning = call_returning(f, call);

	return returning == RETURNS_SURELY ||
	       (returning == RETURNS_MAYBE && !is_padded(f, next_of(call)));
}

static enum returning table_returning(struct follow *f, const struct jump_table *table)
{
	enum returning most = RETURNS_NEVER;
	uint64_t target;

	for (uint32_t i = 0; i < table->count && most != RETURNS_SURELY; i++) {
		if (jump_table_target(f->file, table, i, &target) && returning_at(f, target) > most)
			most = returning_at(f, target);
	}
	return most;
}

static enum returning returning_of(struct follow *f, const struct node *node)
{
	const struct operation *operation = &node->operation;
	enum returning there, next;

	switch (operation->flow) {
	case FLOW_RETURN:
		return RETURNS_SURELY;
	case FLOW_INDIRECT:
		return node->table.count ? table_returning(f, &node->table) : RETURNS_MAYBE;
	case FLOW_JUMP:
		return returning_at(f, operation->target);
	case FLOW_BRANCH:
		there = returning_at(f, operation->target);
		next = returning_at(f, next_of(node));
		return there > next ? there : next;
	case FLOW_CALL:
		there = comes_back(f, node) ? call_returning(f, node) : RETURNS_NEVER;
		next = returning_at(f, next_of(node));
		return there < next ? there : next;
	case FLOW_NEXT:
		return returning_at(f, next_of(node));
	default:
		return RETURNS_NEVER;
	}
}

static void find_returns(struct follow *f)
{
	bool changed = true;

	for (unsigned round = 0; changed && round < MAX_ROUNDS; round++) {
		changed = false;
		for (uint32_t i = f->node_count; i-- > 0;) {
			enum returning returning = returning_of(f, &f->nodes[i]);

			if (returning <= f->nodes[i].returning)
				continue;
			f->nodes[i].returning = returning;
			changed = true;
		}
	}
}

/* ---- third pass: the stack ---- */

static int arrive(struct follow *f, uint64_t vaddr, const struct follow_state *state)
{
	uint32_t number;
	int found = node_of(f, vaddr, &number);

	if (found <= 0 || !follow_merge(&f->nodes[number].state, state))
		return found < 0 ? found : 0;
	return enqueue(f, number);
}

/* Is what follows the instruction another function, which is not run into? */
static bool ends_function(struct follow *f, const struct node *node)
{
	const struct node *next = known(f, next_of(node));

	return node->operation.flow == FLOW_CALL && next && next->function;
}

static int run(struct follow *f)
{
	int err = 0;

	while (f->queue_count && !err) {
		struct node *node = &f->nodes[dequeue(f)];
		struct operation operation = node->operation;
		struct follow_state state = node->state;
		struct jump_table table = node->table;
		uint64_t next = next_of(node);
		bool back = falls_through(&operation) && !ends_function(f, node);

		if (operation.flow == FLOW_CALL)
			back = back && comes_back(f, node);
		if (!follow_step(f->machine, &operation, &state))
			continue;
		if (back)
			err = arrive(f, next, &state);
		if (!err && jumps(&operation))
			err = arrive(f, operation.target, &state);
		for (uint32_t i = 0; i < table.count && !err; i++) {
			if (jump_table_target(f->file, &table, i, &next))
				err = arrive(f, next, &state);
		}
	}
	return err;
}

/* What the start code jumps to, and nobody calls, is outermost as it is. */
static void find_start(struct follow *f)
{
	uint64_t vaddr = elf_file_entry(f->file);
	const struct node *node = known(f, vaddr);
	struct node *target;

	for (unsigned i = 0; i < 16 && node && node->operation.flow == FLOW_NEXT; i++)
		node = known(f, next_of(node));
	if (!node || node->operation.flow != FLOW_JUMP)
		return;
	target = (struct node *)known(f, node->operation.target);
	if (target && !target->called)
		target->function = false;
}

static int enter(struct follow *f)
{
	struct follow_state outermost = follow_entry(f->machine, true);
	struct follow_state called = follow_entry(f->machine, false);
	uint64_t start = elf_file_entry(f->file);
	int err = 0;

	for (uint32_t i = 0; i < f->node_count && !err; i++) {
		bool first = f->nodes[i].vaddr == start;

		if (first || f->nodes[i].function)
			err = arrive(f, f->nodes[i].vaddr, first ? &outermost : &called);
	}
	return err ? err : run(f);
}

/* ---- contradictions ---- */

static bool is_as_entered(const struct follow *f, const struct follow_state *state)
{
	struct follow_state entered = follow_entry(f->machine, false);

	return state->outermost ||
	       (state->sp_known && state->sp_below == entered.sp_below && state->fp == FP_CALLERS &&
		!state->ra_lost && state->ra_register < 0);
}

/* Does the instruction leave its function? */
static bool leaves(struct follow *f, const struct operation *operation)
{
	const struct node *target;

	if (operation->flow == FLOW_RETURN)
		return true;
	if (!jumps(operation))
		return false;
	target = known(f, operation->target);
	return target ? target->function : !gap_at(f, operation->target);
}

static bool contradicts(struct follow *f, const struct node *node)
{
	struct follow_state state = node->state;

	if (!leaves(f, &node->operation))
		return false;
	/* Nothing called it, so it cannot return. */
	if (state.outermost)
		return node->operation.flow == FLOW_RETURN;
	return !follow_step(f->machine, &node->operation, &state) || node->operation.value ||
	       !is_as_entered(f, &state);
}

/* Does the instruction, or one that it goes on to in its function, have the mark? */
static bool is_marked(struct follow *f, uint64_t vaddr, size_t mark)
{
	const struct node *node = known(f, vaddr);

	return node && !node->function && *(const bool *)((const char *)node + mark);
}

static bool table_leads_to(struct follow *f, const struct jump_table *table, size_t mark)
{
	uint64_t target;

	for (uint32_t i = 0; i < table->count; i++) {
		if (jump_table_target(f->file, table, i, &target) && is_marked(f, target, mark))
			return true;
	}
	return false;
}

static bool leads_to(struct follow *f, const struct node *node, size_t mark)
{
	const struct operation *operation = &node->operation;

	if (table_leads_to(f, &node->table, mark))
		return true;
	return (jumps(operation) && is_marked(f, operation->target, mark)) ||
	       (falls_through(operation) && !ends_function(f, node) && !node->no_return &&
		is_marked(f, next_of(node), mark));
}

/* Marks what leads to instructions that leave their functions in the wrong, or the right, way. */
static void mark_ways(struct follow *f, size_t mark, bool wrong)
{
	bool changed = true;

	for (unsigned round = 0; changed && round < MAX_ROUNDS; round++) {
		changed = false;
		for (uint32_t i = f->node_count; i-- > 0;) {
			struct node *node = &f->nodes[i];
			bool *marked = (bool *)((char *)node + mark);

			if (*marked || !node->state.reached)
				continue;
			*marked = leads_to(f, node, mark) ||
				  (leaves(f, &node->operation) && contradicts(f, node) == wrong);
			changed |= *marked;
		}
		/* A tangle that takes this long is none of a compiler's. */
		f->tangled |= wrong && changed && round + 1 == MAX_ROUNDS;
	}
}

static void judge(struct follow *f)
{
	mark_ways(f, offsetof(struct node, wrong), true);
	mark_ways(f, offsetof(struct node, right), false);
}

/*
 * A call that may come back is believed to when what follows it leaves the function as it should. Was
 * one not?
 */
static bool doubt_calls(struct follow *f)
{
	bool any = false;

	for (uint32_t i = 0; i < f->node_count; i++) {
		struct node *node = &f->nodes[i];
		const struct node *next = known(f, next_of(node));

		if (node->operation.flow != FLOW_CALL || !node->state.reached || !next ||
		    call_returning(f, node) != RETURNS_MAYBE)
			continue;
		node->no_return = next->wrong || (!next->right && !node->state.outermost);
		any |= node->no_return;
	}
	return any;
}

static void begin_anew(struct follow *f)
{
	for (uint32_t i = 0; i < f->node_count; i++) {
		f->nodes[i].returning = RETURNS_NEVER;
		f->nodes[i].state = (struct follow_state){};
		f->nodes[i].wrong = false;
		f->nodes[i].right = false;
	}
}

/* ---- where functions begin ---- */

/*
 * Not so what compilers have split off, which is jumped to. Code of V8 keeps other conventions:
 * functions take their arguments off the stack.
 */
static bool is_usual(const struct elf_symbol *symbol)
{
	return symbol->type == STT_FUNC && strncmp(symbol->name, "Builtins_", 9) &&
	       !strstr(symbol->name, ".cold");
}

static int add_symbols(struct follow *f)
{
	size_t count;
	const struct elf_symbol *symbols = elf_file_symbols(f->file, &count);
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		if (is_usual(&symbols[i]))
			err = visit(f, symbols[i].vaddr, BY_SYMBOL);
	}
	return err;
}

/* .init and .fini begin with their function; the arrays list others. */
static int add_sections(struct follow *f)
{
	static const char *const code[] = { ".init", ".fini" };
	static const char *const arrays[] = { ".init_array", ".fini_array" };
	struct elf_section section;
	int err = 0;

	for (int i = 0; i < 2 && !err; i++) {
		if (!elf_file_section(f->file, code[i], &section))
			err = visit(f, section.vaddr, BY_CALL);
		if (err || elf_file_section(f->file, arrays[i], &section))
			continue;
		for (size_t at = 0; at + 8 <= section.size && !err; at += 8) {
			uint64_t vaddr;

			memcpy(&vaddr, section.bytes + at, sizeof(vaddr));
			err = visit(f, vaddr, BY_CALL);
		}
	}
	return err;
}

/* Functions whose addresses lie in data of a position-independent file. */
static int add_relocations(struct follow *f)
{
	uint64_t relative = f->machine == UNWIND_ARM64 ? R_AARCH64_RELATIVE : R_X86_64_RELATIVE;
	struct elf_section section;
	int err = 0;

	if (elf_file_section(f->file, ".rela.dyn", &section))
		return 0;
	for (size_t at = 0; at + sizeof(Elf64_Rela) <= section.size && !err;
	     at += sizeof(Elf64_Rela)) {
		Elf64_Rela rela;

		memcpy(&rela, section.bytes + at, sizeof(rela));
		if (ELF64_R_TYPE(rela.r_info) == relative)
			err = visit(f, (uint64_t)rela.r_addend, BY_CALL);
	}
	return err;
}

/*
 * musl's start code, of programs and of the library. Elsewhere an address that is taken need not be a
 * function's: it may be a label that a table of jumps lists.
 */
static bool is_musl(const struct follow *f)
{
	/* xor rbp, rbp; mov rdi, rsp; lea rsi, _DYNAMIC */
	static const uint8_t x86[] = { 0x48, 0x31, 0xed, 0x48, 0x89, 0xe7, 0x48, 0x8d, 0x35 };
	/* mov x29, #0; mov x30, #0; mov x0, sp */
	static const uint8_t arm64[] = { 0x1d, 0,    0x80, 0xd2, 0x1e, 0,
					 0x80, 0xd2, 0xe0, 0x03, 0,    0x91 };
	bool is_arm64 = f->machine == UNWIND_ARM64;
	size_t size = is_arm64 ? sizeof(arm64) : sizeof(x86);
	uint8_t bytes[sizeof(arm64)];

	return elf_file_read(f->file, elf_file_entry(f->file), bytes, size) == size &&
	       !memcmp(bytes, is_arm64 ? arm64 : x86, size);
}

/* Does decoding from start come to an instruction that begins at vaddr and calls target? */
static bool is_call(struct follow *f, uint64_t start, uint64_t vaddr, uint64_t target)
{
	struct operation operation = {};
	uint8_t bytes[LONGEST];

	for (; start <= vaddr; start += operation.size) {
		size_t got = elf_file_read(f->file, start, bytes, sizeof(bytes));

		if (f->verified++ > MAX_VERIFIED ||
		    !decoder_read(&f->decoder, bytes, got, start, &operation))
			return false;
		if (start == vaddr)
			return operation.flow == FLOW_CALL && operation.target == target;
	}
	return false;
}

/* What may be a call at bytes, of which there are 5: its target, or 0. */
static uint64_t call_target(const struct follow *f, const uint8_t *bytes, uint64_t vaddr)
{
	uint32_t word;
	int32_t offset;

	if (f->machine == UNWIND_ARM64) {
		memcpy(&word, bytes, sizeof(word));
		if (word >> 26 != 0x25)
			return 0;
		return vaddr + (uint64_t)((int64_t)(int32_t)(word << 6) >> 4);
	}
	if (*bytes != 0xe8)
		return 0;
	memcpy(&offset, bytes + 1, sizeof(offset));
	return vaddr + 5 + (uint64_t)(int64_t)offset;
}

static int add_calls_of(struct follow *f, const struct fde_entry *fde)
{
	unsigned step = f->machine == UNWIND_ARM64 ? 4 : 1;
	uint8_t block[4096];
	int err = 0;

	for (uint64_t at = fde->start; at < fde->end && !err; at += sizeof(block) - 8) {
		size_t wanted = fde->end - at < sizeof(block) ? fde->end - at : sizeof(block);
		size_t got = elf_file_read(f->file, at, block, wanted);

		for (size_t i = 0; i + 5 <= got && !err; i += step) {
			uint64_t target = call_target(f, block + i, at + i);

			if (target && gap_at(f, target) && is_call(f, fde->start, at + i, target))
				err = visit(f, target, BY_CALL);
		}
	}
	return err;
}

/* Functions that code with CFI calls. */
static int add_calls(struct follow *f, const struct entries *entries)
{
	int err = 0;

	for (size_t i = 0; i < entries->fde_count && !err; i++) {
		if (entries->fdes[i].cie != NO_CIE)
			err = add_calls_of(f, &entries->fdes[i]);
	}
	return err;
}

static int find_functions(struct follow *f, const struct entries *entries)
{
	int err = visit(f, elf_file_entry(f->file), BY_FLOW);

	f->musl = is_musl(f);

	if (!err)
		err = add_symbols(f);
	if (!err)
		err = add_sections(f);
	if (!err)
		err = add_calls(f, entries);
	if (!err && f->musl)
		err = add_relocations(f);
	return err ? err : reach(f);
}

/* ---- what has been found out ---- */

static int add_rules(struct follow *f, struct entries *entries)
{
	int err = 0;

	for (size_t i = 0; i < f->gap_count && !err; i++) {
		const struct gap *gap = &f->gaps[i];
		struct fde_entry *last = NULL;

		for (uint64_t vaddr = gap->start; vaddr < gap->end && !err; vaddr++) {
			const struct node *node = known(f, vaddr);
			struct unwind_rule rule = {};

			if (!node)
				continue;
			if (last && last->end > vaddr)
				last->end = vaddr;
			if (node->state.reached && !node->wrong)
				rule = follow_rule(f->machine, &node->state);
			if (rule.cfa == UNWIND_RULE_GAP)
				continue;
			if (last && last->end == vaddr &&
			    !memcmp(&last->rule, &rule, sizeof(rule))) {
				last->end = next_of(node);
				continue;
			}
			err = entries_add_known(entries, vaddr, next_of(node), &rule);
			last = err ? NULL : &entries->fdes[entries->fde_count - 1];
		}
	}
	return err;
}

static int follow(struct follow *f, struct entries *entries)
{
	int err;

	f->node_at = calloc(f->byte_count, sizeof(*f->node_at));
	if (!f->node_at)
		return -ENOMEM;
	err = find_functions(f, entries);
	if (err)
		return err;
	find_start(f);
	for (unsigned round = 0; round < MAX_DOUBTS && !err; round++) {
		begin_anew(f);
		find_returns(f);
		err = enter(f);
		judge(f);
		if (!doubt_calls(f))
			break;
		f->tangled |= round + 1 == MAX_DOUBTS;
	}
	return err || f->tangled ? err : add_rules(f, entries);
}

int follow_gaps(struct elf_file *file, enum unwind_machine machine, const struct code_range *code,
		size_t code_count, struct entries *entries)
{
	struct follow f = { .file = file, .machine = machine };
	int err = decoder_open(&f.decoder, machine);

	if (err)
		return err == -ENOTSUP ? 0 : err;
	for (size_t i = 0; i < code_count && !err; i++)
		err = find_gaps(&f, &code[i], entries);
	if (!err && f.byte_count)
		err = follow(&f, entries);
	decoder_close(&f.decoder);
	free(f.gaps);
	free(f.node_at);
	free(f.nodes);
	free(f.queue);
	return err;
}

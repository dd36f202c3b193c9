// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Resolvers of glibc and of gcc's target_clones look at what the CPU can do and choose among addresses in their
 * own code. Which registers may hold which addresses is followed through all paths until nothing changes;
 * what comes from anywhere else is UNKNOWN.
 */
#include "ifunc.h"

#include <capstone/capstone.h>
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "detail_decoder.h"
#include "elf_file.h"
#include "ifunc_step.h"

#define MOST_BYTES 4096 /* of a resolver */

/* Bits of a set of values: addresses by their index, and what is not known. */
#define UNKNOWN (1ull << 63)
#define MOST	63

struct state {
	uint64_t registers[IFUNC_REGISTERS];
	bool is_reached;
};

struct analysis {
	const struct elf_file *file;
	struct ifunc_step *steps;
	struct state *states; /* before each step */
	size_t count;
	uint64_t addresses[MOST];
	size_t address_count;
	uint64_t returned;
	bool has_changed;
};

/* The bit of an address; UNKNOWN when there are too many. */
static uint64_t bit_of(struct analysis *analysis, uint64_t address)
{
	for (size_t i = 0; i < analysis->address_count; i++)
		if (analysis->addresses[i] == address)
			return 1ull << i;
	if (analysis->address_count == MOST)
		return UNKNOWN;
	analysis->addresses[analysis->address_count] = address;
	return 1ull << analysis->address_count++;
}

static uint64_t plus(struct analysis *analysis, uint64_t values, uint64_t addend)
{
	uint64_t sum = values & UNKNOWN;

	for (size_t i = 0; i < MOST; i++)
		if (values >> i & 1)
			sum |= bit_of(analysis, analysis->addresses[i] + addend);
	return sum;
}

/* What a path brings to the step at an address. One that leads out of the resolver may return anything. */
static void flow_to(struct analysis *analysis, uint64_t address, const struct state *from)
{
	for (size_t i = 0; i < analysis->count; i++) {
		struct state *to = &analysis->states[i];

		if (analysis->steps[i].address != address)
			continue;
		analysis->has_changed |= !to->is_reached;
		to->is_reached = true;
		for (size_t k = 0; k < IFUNC_REGISTERS; k++) {
			analysis->has_changed |= (from->registers[k] & ~to->registers[k]) != 0;
			to->registers[k] |= from->registers[k];
		}
		return;
	}
	analysis->returned |= UNKNOWN;
}

static void take_step(struct analysis *analysis, size_t index)
{
	const struct ifunc_step *step = &analysis->steps[index];
	struct state state = analysis->states[index];
	uint64_t from = state.registers[step->from], other = state.registers[step->other];

	for (size_t i = 0; i < IFUNC_REGISTERS; i++)
		if (step->written >> i & 1)
			state.registers[i] = UNKNOWN;
	if (step->kind == IFUNC_ADDRESS)
		state.registers[step->to] = bit_of(analysis, step->value);
	else if (step->kind == IFUNC_CHOOSE)
		state.registers[step->to] = from | other;
	else if (step->kind == IFUNC_ADD)
		state.registers[step->to] = plus(analysis, from, step->value);
	else if (step->kind == IFUNC_RETURN)
		analysis->returned |= state.registers[0];
	else if (step->kind == IFUNC_ELSEWHERE)
		analysis->returned |= UNKNOWN;
	if (step->kind == IFUNC_JUMP || step->kind == IFUNC_BRANCH)
		flow_to(analysis, step->value, &state);
	if (step->kind != IFUNC_JUMP && step->kind != IFUNC_RETURN && step->kind != IFUNC_ELSEWHERE)
		flow_to(analysis, step->address + step->size, &state);
}

/* Sets only grow, and have 64 bits: it ends. */
static void follow(struct analysis *analysis)
{
	analysis->states[0].is_reached = true;
	for (size_t i = 0; i < IFUNC_REGISTERS; i++)
		analysis->states[0].registers[i] = UNKNOWN;
	do {
		analysis->has_changed = false;
		for (size_t i = 0; i < analysis->count; i++)
			if (analysis->states[i].is_reached)
				take_step(analysis, i);
	} while (analysis->has_changed);
}

static int decode(struct analysis *analysis, uint64_t vaddr, const uint8_t *code, size_t size)
{
	cs_insn *instruction = NULL;
	csh handle;
	int err = detail_decoder_open(elf_file_machine(analysis->file), &handle);

	if (err)
		return err;
	instruction = cs_malloc(handle);
	if (!instruction)
		err = -ENOMEM;
	while (!err && size) {
		if (!cs_disasm_iter(handle, &code, &size, &vaddr, instruction))
			err = -ENOEXEC;
		else
			ifunc_step_take(handle, elf_file_machine(analysis->file), instruction,
					&analysis->steps[analysis->count++]);
	}
	if (instruction)
		cs_free(instruction, 1);
	cs_close(&handle);
	return err;
}

static int compare_addresses(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static int take_returned(const struct analysis *analysis, struct ifunc_implementations *found)
{
	uint64_t offset;

	if (analysis->returned & UNKNOWN)
		return -ENODATA;
	for (size_t i = 0; i < analysis->address_count; i++) {
		if (!(analysis->returned >> i & 1))
			continue;
		if (!elf_file_vaddr_to_offset(analysis->file, analysis->addresses[i], &offset) ||
		    !elf_file_offset_is_executable(analysis->file, offset))
			return -ENODATA;
		if (found->count == IFUNC_MOST)
			return -E2BIG;
		found->vaddr[found->count++] = analysis->addresses[i];
	}
	qsort(found->vaddr, found->count, sizeof(found->vaddr[0]), compare_addresses);
	return found->count ? 0 : -ENODATA;
}

int ifunc_implementations(const struct elf_file *file, const struct elf_symbol *resolver,
			  struct ifunc_implementations *found)
{
	struct analysis analysis = { .file = file };
	uint8_t code[MOST_BYTES];
	size_t size = resolver->size;
	int err;

	found->count = 0;
	if (!size)
		return -ENODATA;
	if (size > sizeof(code))
		return -E2BIG;
	if (elf_file_read(file, resolver->vaddr, code, size) != size)
		return -ENOEXEC;
	analysis.steps = calloc(size, sizeof(*analysis.steps));
	analysis.states = calloc(size, sizeof(*analysis.states));
	err = analysis.steps && analysis.states ? 0 : -ENOMEM;
	if (!err)
		err = decode(&analysis, resolver->vaddr, code, size);
	if (!err) {
		follow(&analysis);
		err = take_returned(&analysis, found);
	}
	free(analysis.steps);
	free(analysis.states);
	return err;
}

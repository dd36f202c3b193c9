// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 *   cmp $last, index; ja elsewhere; lea table(%rip), %a; movslq (%a,%index,4), %b; add %a, %b; jmp *%b
 *
 * with nothing between, and the same registers throughout: else there is no telling how long the table
 * is.
 */
#include "jump_table.h"

#include <string.h>

#include "../object/elf_file.h"

#define MAX_COUNT 1024

/* What ends before the jump: lea, movslq and add, whose sizes are fixed. */
#define LOAD_SIZE 14
/* Before that: cmp of 3, 4, 5, 6 or 7 bytes and ja of 2 or 6. */
#define BOUND_SIZE 13

/* A register's number: three bits of the instruction and one of its prefix. */
static unsigned number(uint8_t bits, bool high)
{
	return (bits & 7u) + (high ? 8 : 0);
}

/* The register that a jmp goes by, notrack or not. -1 when it is no such jmp. */
static int jump_register(const uint8_t *jump)
{
	bool high;

	if (*jump == 0x3e)
		jump++;
	high = *jump == 0x41;
	jump += high;
	if (jump[0] != 0xff || (jump[1] & 0xf8) != 0xe0)
		return -1;
	return (int)number(jump[1], high);
}

/* Do lea, movslq and add belong together and to the jump? */
static bool is_load(const uint8_t *load, int jump)
{
	const uint8_t *lea = load, *movslq = load + 7, *add = load + 11;
	unsigned table = number(lea[2] >> 3, lea[0] & 4);

	if ((lea[0] & 0xfb) != 0x48 || lea[1] != 0x8d || (lea[2] & 0xc7) != 0x05)
		return false;
	if ((movslq[0] & 0xf8) != 0x48 || movslq[1] != 0x63 || (movslq[2] & 0xc7) != 0x04 ||
	    movslq[3] >> 6 != 2 || number(movslq[3], movslq[0] & 1) != table)
		return false;
	if ((add[0] & 0xfa) != 0x48 || add[1] != 0x01 || add[2] >> 6 != 3 ||
	    number(add[2] >> 3, add[0] & 4) != table)
		return false;
	return (int)number(movslq[2] >> 3, movslq[0] & 4) == jump &&
	       (int)number(add[2], add[0] & 1) == jump;
}

/* The register that the cmp which ends at end compares, and with what. false when it is none. */
static bool read_compare(const uint8_t *end, unsigned *reg, uint32_t *last)
{
	const uint8_t *small = end - 3, *large = end - 6, *rax = end - 5;

	if (small[0] == 0x83 && (small[1] & 0xf8) == 0xf8) {
		*reg = number(small[1], (small[-1] & 0xf1) == 0x41);
		*last = small[2];
		return *last < 0x80;
	}
	if (large[0] == 0x81 && (large[1] & 0xf8) == 0xf8) {
		*reg = number(large[1], (large[-1] & 0xf1) == 0x41);
		memcpy(last, large + 2, sizeof(*last));
		return true;
	}
	*reg = 0;
	memcpy(last, rax + 1, sizeof(*last));
	return rax[0] == 0x3d;
}

/* The number of entries, by the bound that is checked right before. */
static uint32_t read_bound(const uint8_t *end, unsigned index)
{
	uint32_t last = 0;
	unsigned reg = 0;

	if (end[-2] == 0x77)
		end -= 2;
	else if (end[-6] == 0x0f && end[-5] == 0x87)
		end -= 6;
	else
		return 0;
	if (!read_compare(end, &reg, &last) || reg != index || last >= MAX_COUNT)
		return 0;
	return last + 1;
}

struct jump_table jump_table_at(const struct elf_file *file, uint64_t vaddr)
{
	/* One byte more before it, for a prefix. */
	uint8_t bytes[BOUND_SIZE + 1 + LOAD_SIZE + 4];
	const uint8_t *load = bytes + BOUND_SIZE + 1;
	struct jump_table table = {};
	uint64_t start = vaddr - LOAD_SIZE - BOUND_SIZE - 1;
	int32_t offset;

	if (vaddr < sizeof(bytes) ||
	    elf_file_read(file, start, bytes, sizeof(bytes)) != sizeof(bytes) ||
	    !is_load(load, jump_register(load + LOAD_SIZE)))
		return table;
	memcpy(&offset, load + 3, sizeof(offset));
	table.vaddr = vaddr - LOAD_SIZE + 7 + (uint64_t)(int64_t)offset;
	table.count = read_bound(load, number(load[10] >> 3, load[7] & 2));
	return table;
}

bool jump_table_target(const struct elf_file *file, const struct jump_table *table, uint32_t index,
		       uint64_t *target)
{
	int32_t offset;

	if (elf_file_read(file, table->vaddr + 4ull * index, &offset, 4) != 4)
		return false;
	*target = table->vaddr + (uint64_t)(int64_t)offset;
	return true;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The limit is g's, x28 + 16; what is compared with it is the stack pointer, or in functions of large frames x17, less
 * than that by the frame's size, which x27 may hold. See cmd/internal/obj/arm64/obj7.go, stacksplit.
 */
#include "go_check_arm64.h"

#include <stdbool.h>
#include <string.h>

#define LOAD_LIMIT	0xf9400b90 /* ldr x16, [x28, #16] */
#define COMPARE_SP	0xeb3063ff /* cmp sp, x16 */
#define COMPARE_LOWERED 0xeb10023f /* cmp x17, x16 */
#define MOST_WORDS	10	   /* of the look */

static uint32_t word_at(const uint8_t *code, size_t word)
{
	uint32_t value;

	memcpy(&value, code + word * sizeof(value), sizeof(value));
	return value;
}

static int64_t signed_bits(uint32_t instruction, unsigned from, unsigned count)
{
	uint64_t upper = (uint64_t)instruction << (64 - from - count);

	return (int64_t)upper >> (64 - count);
}

/* Words from the instruction to where it may jump; 0: it does not. */
static int64_t jump_of(uint32_t instruction)
{
	if ((instruction & 0x7c000000) == 0x14000000) /* b, bl */
		return signed_bits(instruction, 0, 26);
	if ((instruction & 0xff000000) == 0x54000000 || /* b.cond */
	    (instruction & 0x7e000000) == 0x34000000)	/* cbz, cbnz */
		return signed_bits(instruction, 5, 19);
	if ((instruction & 0x7e000000) == 0x36000000) /* tbz, tbnz */
		return signed_bits(instruction, 5, 14);
	return 0;
}

static bool has_jump_to(const uint8_t *code, size_t words, size_t target)
{
	for (size_t i = 0; i < words; i++) {
		int64_t jump = jump_of(word_at(code, i));

		if (jump && (int64_t)i + jump == (int64_t)target)
			return true;
	}
	return false;
}

/* Between the load and the comparison: what lowers the stack pointer, as x17, and looks whether that is possible. */
static bool is_of_look(uint32_t instruction)
{
	uint32_t to = instruction & 31;

	return ((instruction & 0x1f800000) == 0x12800000 && to == 27) || /* mov x27, # */
	       ((instruction & 0x1f000000) == 0x11000000 && to == 17) || /* sub x17, sp, # */
	       ((instruction & 0x1f200000) == 0x0b200000 && to == 17) || /* sub x17, sp, x27 */
	       instruction == 0x910003f1 ||				 /* mov x17, sp */
	       (instruction & 0xff00001f) == 0x54000003;		 /* b.lo */
}

size_t go_check_arm64(const uint8_t *code, size_t size)
{
	size_t words = size / sizeof(uint32_t), i = 1;

	if (words < 3 || word_at(code, 0) != LOAD_LIMIT)
		return 0;
	while (i < MOST_WORDS && i + 2 < words && is_of_look(word_at(code, i)))
		i++;
	if (i + 2 >= words ||
	    (word_at(code, i) != COMPARE_SP && word_at(code, i) != COMPARE_LOWERED) ||
	    (word_at(code, i + 1) & 0xff00001f) != 0x54000009 /* b.ls */ ||
	    has_jump_to(code, words, i + 2))
		return 0;
	return (i + 2) * sizeof(uint32_t);
}

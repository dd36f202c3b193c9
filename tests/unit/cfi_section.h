/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* CFI sections made by hand, entry by entry, and the rules that are read of them. */
#ifndef TRACER_CFI_SECTION_H
#define TRACER_CFI_SECTION_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/ehframe.h"

#define CODE	 0x1000u
#define CODE_END 0x3000u
#define SECTION	 0x4000u /* where the sections are loaded */

/* A section under construction. */
struct bytes {
	uint8_t data[4096];
	size_t size;
	size_t entry; /* of the length of the entry begun last */
	size_t cie;
	bool debug_frame;
};

static inline void put(struct bytes *b, uint64_t value, unsigned size)
{
	assert_true(b->size + size <= sizeof(b->data));
	for (unsigned i = 0; i < size; i++)
		b->data[b->size++] = (uint8_t)(value >> (8 * i));
}

static inline void put_bytes(struct bytes *b, const void *bytes, size_t size)
{
	assert_true(b->size + size <= sizeof(b->data));
	memcpy(b->data + b->size, bytes, size);
	b->size += size;
}

static inline void put_uleb(struct bytes *b, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		put(b, (value & 0x7f) | 0x80, 1);
	put(b, value, 1);
}

static inline void begin(struct bytes *b)
{
	b->entry = b->size;
	put(b, 0, 4);
}

static inline void end(struct bytes *b)
{
	uint32_t length;

	while (b->size % 4)
		put(b, 0, 1); /* DW_CFA_nop */
	length = (uint32_t)(b->size - b->entry - 4);
	memcpy(b->data + b->entry, &length, 4);
}

/* CFA = sp + 8, return address below, as x86-64 begins every function. */
static const uint8_t x86_initial[] = { 0x0c, 7, 8, 0x90, 1 };
/* CFA = sp */
static const uint8_t arm64_initial[] = { 0x0c, 31, 0 };

static inline void put_cie_head(struct bytes *b, uint8_t version, const char *letters, uint8_t ra)
{
	begin(b);
	b->cie = b->entry;
	put(b, b->debug_frame ? UINT32_MAX : 0, 4);
	put(b, version, 1);
	put_bytes(b, letters, strlen(letters) + 1);
	if (version == 4)
		put(b, 8, 2);
	put(b, 1, 1);	 /* code alignment */
	put(b, 0x78, 1); /* data alignment -8 */
	put(b, ra, 1);
}

static inline void put_cie(struct bytes *b, const char *letters, uint8_t encoding)
{
	put_cie_head(b, 1, letters, 16);
	if (*letters == 'z') {
		put(b, strchr(letters, 'R') ? 1 : 0, 1);
		if (strchr(letters, 'R'))
			put(b, encoding, 1);
	}
	put_bytes(b, x86_initial, sizeof(x86_initial));
	end(b);
}

static inline void put_pointer(struct bytes *b, uint8_t encoding, uint64_t value)
{
	uint64_t here = SECTION + b->size;

	if ((encoding & 0x70) == 0x10)
		value -= here;
	if ((encoding & 0x70) == 0x50)
		while (b->size % 8)
			put(b, 0, 1);
	switch (encoding & 0x0f) {
	case 1:
		put_uleb(b, value);
		break;
	case 9: /* padded to 10 bytes: the long form of SLEB128 */
		for (unsigned i = 0; i < 9; i++)
			put(b, ((value >> (7 * i)) & 0x7f) | 0x80, 1);
		put(b, value >> 63 ? 0x7f : 0, 1);
		break;
	case 2:
	case 10:
		put(b, value, 2);
		break;
	case 3:
	case 11:
		put(b, value, 4);
		break;
	default:
		put(b, value, 8);
	}
}

static inline void put_fde(struct bytes *b, uint8_t encoding, uint64_t start, uint64_t length,
			   const void *code, size_t size)
{
	begin(b);
	put(b, b->debug_frame ? b->cie : b->size - b->cie, 4);
	put_pointer(b, encoding, start);
	put_pointer(b, encoding & 7, length);
	if (!b->debug_frame)
		put(b, 0, 1); /* augmentation data */
	put_bytes(b, code, size);
	end(b);
}

static inline struct cfi_rows rows_of(const struct bytes *sections, size_t count,
				      enum unwind_machine machine)
{
	static const struct code_range code = { CODE, CODE_END };
	struct cfi_section list[2] = {};
	uint8_t *copies[2];
	struct cfi_rows rows;

	for (size_t i = 0; i < count; i++) {
		/* Of the exact size, for ASAN. */
		copies[i] = malloc(sections[i].size);
		memcpy(copies[i], sections[i].data, sections[i].size);
		list[i] = (struct cfi_section){ copies[i], sections[i].size,
						sections[i].debug_frame ? 0 : SECTION,
						sections[i].debug_frame };
	}
	assert_int_equal(ehframe_read_sections(machine, list, count, &code, 1, &rows), 0);
	for (size_t i = 0; i < count; i++)
		free(copies[i]);
	return rows;
}

static inline void assert_rule(const struct cfi_rows *rows, uint64_t vaddr,
			       struct unwind_rule expected)
{
	const struct unwind_rule *rule = cfi_rows_at(rows, vaddr);

	if (memcmp(rule, &expected, sizeof(expected)))
		fail_msg("0x%lx: %u %#x %d %d, not %u %#x %d %d", vaddr, rule->cfa, rule->fp_ra,
			 rule->fp_offset, rule->cfa_offset, expected.cfa, expected.fp_ra,
			 expected.fp_offset, expected.cfa_offset);
}

static const struct unwind_rule gap;
static const struct unwind_rule sp8 = { .cfa = UNWIND_CFA_SP, .cfa_offset = 8 };
static const struct unwind_rule sp16 = { .cfa = UNWIND_CFA_SP, .cfa_offset = 16 };
static const struct unwind_rule unsupported = { .cfa = UNWIND_RULE_UNSUPPORTED };
static const uint8_t to_sp16[] = { 0x0e, 16 };

#endif

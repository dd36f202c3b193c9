// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CFI made by hand: encodings, augmentations, instructions and overlaps that compilers make seldom or
 * never, entries that are wrong, and sections cut or changed at random. What compilers do make is
 * compared with libdw's reading in test_ehframe.c.
 */
#include "test_folder.h"

#include <elf.h>
#include <errno.h>

#include "object/elf_file.h"
#include "unwind/ehframe.h"
#include "unwind/table.h"

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

static void put(struct bytes *b, uint64_t value, unsigned size)
{
	assert_true(b->size + size <= sizeof(b->data));
	for (unsigned i = 0; i < size; i++)
		b->data[b->size++] = (uint8_t)(value >> (8 * i));
}

static void put_bytes(struct bytes *b, const void *bytes, size_t size)
{
	assert_true(b->size + size <= sizeof(b->data));
	memcpy(b->data + b->size, bytes, size);
	b->size += size;
}

static void put_uleb(struct bytes *b, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		put(b, (value & 0x7f) | 0x80, 1);
	put(b, value, 1);
}

static void begin(struct bytes *b)
{
	b->entry = b->size;
	put(b, 0, 4);
}

static void end(struct bytes *b)
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

static void put_cie_head(struct bytes *b, uint8_t version, const char *letters, uint8_t ra)
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

static void put_cie(struct bytes *b, const char *letters, uint8_t encoding)
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

static void put_pointer(struct bytes *b, uint8_t encoding, uint64_t value)
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

static void put_fde(struct bytes *b, uint8_t encoding, uint64_t start, uint64_t length,
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

static struct cfi_rows rows_of(const struct bytes *sections, size_t count,
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

static void assert_rule(const struct cfi_rows *rows, uint64_t vaddr, struct unwind_rule expected)
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

static void test_pointer_encodings(void **state)
{
	static const uint8_t encodings[] = { 0x00, 0x01, 0x02, 0x03, 0x04, 0x09, 0x0a, 0x0b,
					     0x0c, 0x10, 0x14, 0x19, 0x1a, 0x1b, 0x1c, 0x50 };

	(void)state;
	for (size_t i = 0; i < sizeof(encodings); i++) {
		struct bytes b = {};
		struct cfi_rows rows;

		put_cie(&b, "zR", encodings[i]);
		put_fde(&b, encodings[i], 0x1100, 0x40, to_sp16, 2);
		rows = rows_of(&b, 1, UNWIND_X86_64);
		print_message("encoding %#x\n", encodings[i]);
		assert_int_equal(rows.bad, 0);
		assert_rule(&rows, 0x10ff, gap);
		assert_rule(&rows, 0x1100, sp16);
		assert_rule(&rows, 0x113f, sp16);
		assert_rule(&rows, 0x1140, gap);
		assert_int_equal(rows.count, 2);
		cfi_rows_free(&rows);
	}
}

/* The function behind a bad entry is not harmed. */
static void test_bad_encodings(void **state)
{
	static const uint8_t encodings[] = { 0x9b, 0x20, 0x30, 0x40, 0x60, 0x70, 0x05, 0x0f, 0xff };

	(void)state;
	for (size_t i = 0; i < sizeof(encodings); i++) {
		struct bytes b = {};
		struct cfi_rows rows;

		put_cie(&b, "zR", encodings[i]);
		put_fde(&b, 0, 0x1100, 0x40, to_sp16, 2);
		put_cie(&b, "zR", 0x1b);
		put_fde(&b, 0x1b, 0x1200, 0x40, to_sp16, 2);
		rows = rows_of(&b, 1, UNWIND_X86_64);
		assert_int_equal(rows.bad, 1);
		assert_int_equal(rows.functions, 1);
		assert_rule(&rows, 0x1100, gap);
		assert_rule(&rows, 0x1200, sp16);
		cfi_rows_free(&rows);
	}
}

static void test_entry_forms(void **state)
{
	struct bytes b = {};
	struct cfi_rows rows;

	(void)state;
	put_cie(&b, "zR", 0);
	put(&b, 0, 4); /* terminators in the middle, as linkers leave them */
	put(&b, 0, 4);
	put_fde(&b, 0, 0x1100, 0x40, to_sp16, 2);
	/* A 64-bit length, and an id as long */
	put(&b, UINT32_MAX, 4);
	put(&b, 8 + 8 + 8 + 1 + 3, 8);
	put(&b, b.size - b.cie, 8);
	put(&b, 0x1200, 8);
	put(&b, 0x10, 8);
	put(&b, 0, 1);
	put_bytes(&b, "\x0e\x10\0", 3);
	/* Names no CIE */
	begin(&b);
	put(&b, 7, 4);
	end(&b);
	put_fde(&b, 0, 0x1300, 0x40, to_sp16, 2);
	/* A reserved length: no way to know what follows */
	put(&b, 0xfffffff5, 4);
	put_fde(&b, 0, 0x1400, 0x40, to_sp16, 2);
	rows = rows_of(&b, 1, UNWIND_X86_64);
	assert_int_equal(rows.bad, 1);
	assert_int_equal(rows.functions, 3);
	assert_rule(&rows, 0x1100, sp16);
	assert_rule(&rows, 0x120f, sp16);
	assert_rule(&rows, 0x1210, gap);
	assert_rule(&rows, 0x1300, sp16);
	assert_rule(&rows, 0x1400, gap);
	cfi_rows_free(&rows);
}

/* The CIE may come after its FDE, versions 3 and 4 are read, and .eh_frame goes first. */
static void test_debug_frame(void **state)
{
	struct bytes s[2] = { {}, { .debug_frame = true } };
	struct cfi_rows rows;
	size_t fde;

	(void)state;
	put_cie(&s[0], "zR", 0);
	put_fde(&s[0], 0, 0x1100, 0x40, "", 0);
	fde = s[1].size;
	put_fde(&s[1], 0, 0x1200, 0x40, to_sp16, 2);
	put_cie_head(&s[1], 4, "", 16);
	put_bytes(&s[1], x86_initial, sizeof(x86_initial));
	end(&s[1]);
	memcpy(s[1].data + fde + 4, &s[1].cie, 4);
	put_fde(&s[1], 0, 0x10f0, 0x11, to_sp16, 2); /* overlaps .eh_frame: dropped */
	put_fde(&s[1], 0, 0, 0x2000, to_sp16, 2);    /* a function that the linker dropped */
	put_cie_head(&s[1], 3, "", 16);
	put_bytes(&s[1], x86_initial, sizeof(x86_initial));
	end(&s[1]);
	put_fde(&s[1], 0, 0x1300, 0x40, to_sp16, 2);
	put_cie_head(&s[1], 5, "", 16); /* no such version */
	end(&s[1]);
	put_cie_head(&s[1], 4, "", 16);
	s[1].data[s[1].entry + 10] = 4; /* addresses of 4 bytes */
	end(&s[1]);
	rows = rows_of(s, 2, UNWIND_X86_64);
	assert_int_equal(rows.bad, 2);
	assert_rule(&rows, 0x10f0, gap);
	assert_rule(&rows, 0x1100, sp8);
	assert_rule(&rows, 0x1150, gap);
	assert_rule(&rows, 0x1200, sp16);
	assert_rule(&rows, 0x1300, sp16);
	cfi_rows_free(&rows);
}

static void test_augmentations(void **state)
{
	static const struct {
		const char *letters, *data;
		size_t size;
		bool good;
	} cases[] = {
		{ "zR", "\0", 1, true },    { "z", "", 0, true },
		{ "", "", 0, true },	    { "zPLR", "\x9b....\x1b\0", 7, true },
		{ "zRSBG", "\0", 1, true }, { "zPR", "\xff\0", 2, true },
		{ "zRX", "\0!!", 3, true }, { "zP", "\x0b", 1, false }, /* no pointer */
		{ "zR", "", 0, false },					/* no encoding */
		{ "armcc+", "", 0, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool sized = cases[i].letters[0] == 'z', signal = strchr(cases[i].letters, 'S');
		struct bytes b = {};
		struct cfi_rows rows;

		put_cie_head(&b, 3, cases[i].letters, 16);
		if (sized)
			put_uleb(&b, cases[i].size);
		put_bytes(&b, cases[i].data, cases[i].size);
		put_bytes(&b, x86_initial, sizeof(x86_initial));
		end(&b);
		/* Without 'z' FDEs have no augmentation data, and the 0 is DW_CFA_nop. */
		put_fde(&b, 0, 0x1100, 0x40, to_sp16, 2);
		rows = rows_of(&b, 1, UNWIND_X86_64);
		print_message("augmentation \"%s\"\n", cases[i].letters);
		assert_int_equal(rows.bad, cases[i].good ? 0 : 2);
		if (cases[i].good && !signal)
			assert_rule(&rows, 0x1100, sp16);
		else if (signal)
			assert_rule(&rows, 0x1100,
				    (struct unwind_rule){ .cfa = UNWIND_RULE_SIGNAL });
		cfi_rows_free(&rows);
	}
}

#define KINDS(fp, ra)	(UNWIND_FP_##fp | UNWIND_RA_##ra << 4)
#define CODE_OF(string) string, sizeof(string) - 1

struct program {
	const char *code;
	size_t size;
	/* The rule at the function's address + 16, and at its start where it is not the CIE's. */
	struct unwind_rule rule;
};

/* DW_OP_nop */
#define NOPS16 "\x96\x96\x96\x96\x96\x96\x96\x96\x96\x96\x96\x96\x96\x96\x96\x96"
#define NOPS62 NOPS16 NOPS16 NOPS16 "\x96\x96\x96\x96\x96\x96\x96\x96\x96\x96\x96\x96\x96\x96"
#define NOPS64 NOPS16 NOPS16 NOPS16 NOPS16

#define AT16 "\x50" /* DW_CFA_advance_loc 16 */

static const struct program x86_programs[] = {
	{ CODE_OF(AT16 "\x0e\x10"), { .cfa = UNWIND_CFA_SP, .cfa_offset = 16 } },
	{ CODE_OF(AT16 "\x0e\x10\x86\x02\x41\x0d\x06"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(AT_CFA, BELOW_CFA),
	    .fp_offset = -16,
	    .cfa_offset = 16 } },
	{ CODE_OF("\x02\x10\x0c\x06\x10"), { .cfa = UNWIND_CFA_FP, .cfa_offset = 16 } },
	{ CODE_OF("\x03\x10\0\x0d\x06"), { .cfa = UNWIND_CFA_FP, .cfa_offset = 8 } },
	{ CODE_OF("\x04\x10\0\0\0\x12\x06\x7e"), { .cfa = UNWIND_CFA_FP, .cfa_offset = 16 } },
	{ CODE_OF("\x1d\x10\0\0\0\0\0\0\0\x13\x7e"), { .cfa = UNWIND_CFA_SP, .cfa_offset = 16 } },
	/* DW_CFA_set_loc */
	{ CODE_OF("\x01\x10\x11\0\0\0\0\0\0\x0e\x20"), { .cfa = UNWIND_CFA_SP, .cfa_offset = 32 } },
	/* remember, change, recall, change again */
	{ CODE_OF("\x0a\x0e\x40\x42\x0b\x4e\x0e\x18"), { .cfa = UNWIND_CFA_SP, .cfa_offset = 24 } },
	{ CODE_OF(AT16 "\x86\x02\xc6"), { .cfa = UNWIND_CFA_SP, .cfa_offset = 8 } },
	{ CODE_OF(AT16 "\x86\x02\x06\x06"), { .cfa = UNWIND_CFA_SP, .cfa_offset = 8 } },
	{ CODE_OF(AT16 "\x05\x06\x03"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(AT_CFA, BELOW_CFA),
	    .fp_offset = -24,
	    .cfa_offset = 8 } },
	{ CODE_OF(AT16 "\x11\x06\x7d"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(AT_CFA, BELOW_CFA),
	    .fp_offset = 24,
	    .cfa_offset = 8 } },
	{ CODE_OF(AT16 "\x2f\x06\x02"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(AT_CFA, BELOW_CFA),
	    .fp_offset = 16,
	    .cfa_offset = 8 } },
	{ CODE_OF(AT16 "\x14\x06\x02"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(IS_CFA, BELOW_CFA),
	    .fp_offset = -16,
	    .cfa_offset = 8 } },
	{ CODE_OF(AT16 "\x15\x06\x7e"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(IS_CFA, BELOW_CFA),
	    .fp_offset = 16,
	    .cfa_offset = 8 } },
	{ CODE_OF(AT16 "\x07\x06"),
	  { .cfa = UNWIND_CFA_SP, .fp_ra = KINDS(LOST, BELOW_CFA), .cfa_offset = 8 } },
	{ CODE_OF(AT16 "\x08\x06"), { .cfa = UNWIND_CFA_SP, .cfa_offset = 8 } },
	{ CODE_OF(AT16 "\x09\x06\x03"),
	  { .cfa = UNWIND_CFA_SP, .fp_ra = KINDS(LOST, BELOW_CFA), .cfa_offset = 8 } },
	{ CODE_OF(AT16 "\x07\x10"), { .cfa = UNWIND_RULE_OUTERMOST } },
	/* vfork: the return address in rdi */
	{ CODE_OF(AT16 "\x0e\0\x09\x10\x05"),
	  { .cfa = UNWIND_CFA_SP, .fp_ra = KINDS(SAME, REGISTER), .fp_offset = 5 } },
	/* The return address elsewhere: alone, beside the frame pointer, far from it */
	{ CODE_OF(AT16 "\x90\x03"),
	  { .cfa = UNWIND_CFA_SP, .fp_ra = KINDS(SAME, ALONE), .fp_offset = -24, .cfa_offset = 8 } },
	{ CODE_OF(AT16 "\x86\x04\x90\x03"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(AT_CFA, PAIRED),
	    .fp_offset = -32,
	    .cfa_offset = 8 } },
	{ CODE_OF(AT16 "\x86\x04\x90\x06"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(AT_CFA, OWN),
	    .fp_offset = -32,
	    .cfa_short = 8,
	    .extra = -48 } },
	/* GNU_args_size, and others that say nothing to us */
	{ CODE_OF(AT16 "\x2e\x20\x83\x05\x0e\x18"),
	  { .cfa = UNWIND_CFA_SP, .rbx = 4, .cfa_offset = 24 } },
	/* realignment: CFA r10; *(rbp - 8); frame pointer at *rbp */
	{ CODE_OF(AT16 "\x0c\x0a\0"), { .cfa = UNWIND_CFA_REGISTER, .extra = 10 } },
	{ CODE_OF(AT16 "\x0f\x03\x76\x78\x06\x10\x06\x02\x76\0"),
	  { .cfa = UNWIND_CFA_FP_DEREF, .fp_ra = KINDS(AT_FP, BELOW_CFA), .extra = -8 } },
	{ CODE_OF(AT16 "\x0f\x05\x77\x10\x06\x23\x08"),
	  { .cfa = UNWIND_CFA_SP_DEREF, .cfa_short = 8, .extra = 16 } },
	{ CODE_OF(AT16 "\x0f\x05\x77\x10\x06\x38\x1c"),
	  { .cfa = UNWIND_CFA_SP_DEREF, .cfa_short = -8, .extra = 16 } },
	{ CODE_OF(AT16 "\x0f\x04\x92\x07\x10\x96"), { .cfa = UNWIND_CFA_SP, .cfa_offset = 16 } },
	{ CODE_OF(AT16 "\x10\x06\x02\x77\x18"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(AT_SP, BELOW_CFA),
	    .fp_offset = 24,
	    .cfa_offset = 8 } },
	{ CODE_OF(AT16 "\x16\x06\x02\x23\x18"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(IS_CFA, BELOW_CFA),
	    .fp_offset = 24,
	    .cfa_offset = 8 } },
	/* PLT, with 11 and with 10 */
	{ CODE_OF(AT16 "\x0f\x0b\x77\x08\x80\0\x3f\x1a\x3b\x2a\x33\x24\x22"),
	  { .cfa = UNWIND_CFA_PLT, .cfa_short = 8, .extra = 11 } },
	{ CODE_OF(AT16 "\x0f\x0b\x77\x08\x80\0\x3f\x1a\x3a\x2a\x33\x24\x22"),
	  { .cfa = UNWIND_CFA_PLT, .cfa_short = 8, .extra = 10 } },
	/* Half a CFA after an expression: the other half from before it */
	{ CODE_OF(AT16 "\x0e\x38\x0f\x03\x77\x08\x06\x0d\x07"),
	  { .cfa = UNWIND_CFA_SP, .cfa_offset = 56 } },
	{ CODE_OF(AT16 "\x0f\x03\x77\x10\x06\x0e\x20"),
	  { .cfa = UNWIND_CFA_SP_DEREF, .extra = 16 } },
	/* Nothing that a rule can say */
	{ CODE_OF(AT16 "\x0f\x07\x77\x08\x80\0\x3f\x1a\x22"), unsupported },
	{ CODE_OF(AT16 "\x0f\x04\x77\x08\x06\x06"), unsupported },
	{ CODE_OF(AT16 "\x0f\x03\x73\x08\x06"), unsupported },
	{ CODE_OF(AT16 "\x0f\x01\x77"), unsupported },		  /* cut */
	{ CODE_OF(AT16 "\x0f\x01\x22"), unsupported },		  /* nothing to add */
	{ CODE_OF(AT16 "\x0f\x42\x77\x08" NOPS64), unsupported }, /* long */
	{ CODE_OF(AT16 "\x0f\x40\x77\x08" NOPS62), { .cfa = UNWIND_CFA_SP, .cfa_offset = 8 } },
	{ CODE_OF(AT16 "\x0f\0"), unsupported },				       /* empty */
	{ CODE_OF(AT16 "\x0f\x09\x31\x31\x31\x31\x31\x31\x31\x31\x31"), unsupported }, /* deep */
	{ CODE_OF(AT16 "\x0c\x11\x08"), unsupported }, /* CFA in register 17 */
	{ CODE_OF(AT16 "\x05\x07\x01"), unsupported }, /* the stack pointer is no CFA */
	{ CODE_OF(AT16 "\x0c\x07\xff\xff\xff\xff\x7f"), unsupported }, /* too far */
	{ CODE_OF(AT16 "\x90\x80\x80\x80\x02"), unsupported },
};

static const struct program arm64_programs[] = {
	{ CODE_OF(AT16), { .cfa = UNWIND_CFA_SP, .fp_ra = KINDS(SAME, LINK) } },
	{ CODE_OF(AT16 "\x2d\x0e\x20\x9d\x04\x9e\x03"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(AT_CFA, PAIRED),
	    .fp_offset = -32,
	    .cfa_offset = 32 } },
	{ CODE_OF(AT16 "\x0c\x1d\x20\x9d\x04\x9e\x03"),
	  { .cfa = UNWIND_CFA_FP,
	    .fp_ra = KINDS(AT_CFA, PAIRED),
	    .fp_offset = -32,
	    .cfa_offset = 32 } },
	{ CODE_OF(AT16 "\x0e\x20\x9e\x04"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(SAME, ALONE),
	    .fp_offset = -32,
	    .cfa_offset = 32 } },
	{ CODE_OF(AT16 "\x0e\x20\x9d\x04\x9e\x01"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(AT_CFA, BELOW_CFA),
	    .fp_offset = -32,
	    .cfa_offset = 32 } },
	{ CODE_OF(AT16 "\x0e\x20\x9d\x04\x9e\x02"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(AT_CFA, OWN),
	    .fp_offset = -32,
	    .cfa_short = 32,
	    .extra = -16 } },
	{ CODE_OF(AT16 "\x0e\x20\x9d\x02"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(AT_CFA, LINK),
	    .fp_offset = -16,
	    .cfa_offset = 32 } },
	/* pushed by who jumped here: the dynamic linker's resolver */
	{ CODE_OF(AT16 "\x0e\xd0\x01\x11\x1e\x7f"),
	  { .cfa = UNWIND_CFA_SP, .fp_ra = KINDS(SAME, BELOW_CFA), .cfa_offset = 224 } },
	/* it is there before that is said, too */
	{ CODE_OF(AT16 "\x44\x11\x1e\x7f"),
	  { .cfa = UNWIND_CFA_SP, .fp_ra = KINDS(SAME, LINK), .cfa_offset = 16 } },
	/* a frame of 40016 bytes, its record at the lower end */
	{ CODE_OF(AT16 "\x0e\xd0\xb8\x02\x9d\x8a\x27\x9e\x89\x27"),
	  { .cfa = UNWIND_CFA_SP, .fp_ra = KINDS(AT_SP, PAIRED), .cfa_offset = 40016 } },
	/* the same without a record: only the link register, at sp + 8 */
	{ CODE_OF(AT16 "\x0e\xd0\xb8\x02\x9e\x89\x27"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(SAME, AT_SP),
	    .fp_offset = 8,
	    .cfa_offset = 40016 } },
	{ CODE_OF(AT16 "\x07\x1e"), { .cfa = UNWIND_RULE_OUTERMOST } },
	{ CODE_OF(AT16 "\x08\x1e"), { .cfa = UNWIND_CFA_SP, .fp_ra = KINDS(SAME, LINK) } },
	{ CODE_OF(AT16 "\x09\x1e\x09"),
	  { .cfa = UNWIND_CFA_SP, .fp_ra = KINDS(SAME, REGISTER), .fp_offset = 9 } },
};

static void run_program(enum unwind_machine machine, const struct program *program)
{
	bool x86 = machine == UNWIND_X86_64;
	struct bytes b = {};
	struct cfi_rows rows;

	put_cie_head(&b, 1, "z", x86 ? 16 : 30);
	put(&b, 0, 1);
	put_bytes(&b, x86 ? x86_initial : arm64_initial,
		  x86 ? sizeof(x86_initial) : sizeof(arm64_initial));
	end(&b);
	put_fde(&b, 0, 0x1100, 0x40, program->code, program->size);
	rows = rows_of(&b, 1, machine);
	assert_int_equal(rows.bad, 0);
	assert_rule(&rows, 0x1110, program->rule);
	assert_rule(&rows, 0x10ff, gap);
	assert_rule(&rows, 0x1140, gap);
	cfi_rows_free(&rows);
}

static void test_instructions(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(x86_programs) / sizeof(*x86_programs); i++)
		run_program(UNWIND_X86_64, &x86_programs[i]);
	for (size_t i = 0; i < sizeof(arm64_programs) / sizeof(*arm64_programs); i++)
		run_program(UNWIND_ARM64, &arm64_programs[i]);
}

/* Costs its function only; what it said before it went wrong is not believed either. */
static void test_bad_instructions(void **state)
{
	static const struct program programs[] = {
		{ .code = CODE_OF(AT16 "\x0b") }, /* nothing remembered */
		{ .code = CODE_OF("\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a") }, /* too much */
		{ .code = CODE_OF(AT16 "\x17") },			     /* unknown */
		{ .code = CODE_OF(AT16 "\x3f") },
		{ .code = CODE_OF(AT16 "\x0f\x40") },	      /* longer than the entry */
		{ .code = CODE_OF(AT16 "\x0e\x80\x80\x80") }, /* no end */
		{ .code = CODE_OF(AT16 "\x04") },
		{ .code = CODE_OF("\x01\x08\x10\0\0\0\0\0\0") }, /* set_loc backwards */
		{ .code = CODE_OF("\x1d\xff\xff\xff\xff\xff\xff\xff\xff") },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		struct bytes b = {};
		struct cfi_rows rows;

		put_cie(&b, "z", 0);
		put_fde(&b, 0, 0x1080, 0x80, to_sp16, 2);
		put_fde(&b, 0, 0x1100, 0x40, programs[i].code, programs[i].size);
		/* No padding, which would be operands. */
		b.size = b.entry + 4 + 4 + 16 + 1 + programs[i].size;
		b.data[b.entry] = (uint8_t)(b.size - b.entry - 4);
		put_fde(&b, 0, 0x1140, 0x40, to_sp16, 2);
		rows = rows_of(&b, 1, UNWIND_X86_64);
		assert_int_equal(rows.bad, 1);
		assert_int_equal(rows.functions, 2);
		assert_rule(&rows, 0x10ff, sp16);
		assert_rule(&rows, 0x1100, gap);
		assert_rule(&rows, 0x1110, gap);
		assert_rule(&rows, 0x1140, sp16);
		cfi_rows_free(&rows);
	}
}

static void test_overlaps(void **state)
{
	struct bytes b = {};
	struct cfi_rows rows;

	(void)state;
	put_cie(&b, "z", 0);
	put_fde(&b, 0, 0x1200, 0x100, "", 0);
	put_fde(&b, 0, 0x1280, 0x20, to_sp16, 2);   /* inside: counts from there on */
	put_fde(&b, 0, 0x1280, 0x40, "", 0);	    /* the same again: the first counts */
	put_fde(&b, 0, 0x1300, 0, to_sp16, 2);	    /* empty */
	put_fde(&b, 0, 0x2ff0, 0x1000, to_sp16, 2); /* leaves the code */
	put_fde(&b, 0, 0x0ff0, 0x20, to_sp16, 2);   /* begins before it */
	put_fde(&b, 0, 0x8000, 0x20, to_sp16, 2);   /* is elsewhere */
	put_fde(&b, 0, UINT64_MAX, 2, to_sp16, 2);  /* wraps around */
	rows = rows_of(&b, 1, UNWIND_X86_64);
	assert_int_equal(rows.bad, 1);
	assert_rule(&rows, 0x127f, sp8);
	assert_rule(&rows, 0x1280, sp16);
	assert_rule(&rows, 0x129f, sp16);
	assert_rule(&rows, 0x12a0, gap);
	assert_rule(&rows, 0x1300, gap);
	assert_rule(&rows, 0x1000, gap);
	assert_rule(&rows, 0x2fff, sp16);
	assert_rule(&rows, 0x3000, gap);
	assert_rule(&rows, 0x8000, gap);
	cfi_rows_free(&rows);
}

/* ---- whole files ---- */

static struct cfi_rows rows_of_file(const char *folder, const char *name, struct elf_file **file)
{
	struct cfi_rows rows;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(elf_file_open(path, file), 0);
	assert_int_equal(ehframe_read(*file, &rows), 0);
	return rows;
}

static uint64_t address_of(struct elf_file *file, const char *name)
{
	size_t count;
	const struct elf_symbol *symbols = elf_file_symbols(file, &count);

	for (size_t i = 0; i < count; i++) {
		if (!strcmp(symbols[i].name, name))
			return symbols[i].vaddr;
	}
	fail_msg("no symbol %s", name);
	return 0;
}

static void test_trampolines_by_code(void **state)
{
	static const struct unwind_rule signal = { .cfa = UNWIND_RULE_SIGNAL };
	struct elf_file *file;
	struct cfi_rows rows;
	uint64_t vaddr;

	write_file(*state, "bare.S",
		   ".text\n.globl with_cfi\n.type with_cfi,@function\nwith_cfi: .cfi_startproc\n"
		   "ret\n.cfi_endproc\n.fill 40000, 1, 0xcc\n.globl trampoline\ntrampoline:\n"
		   "mov $15, %rax\nsyscall\n.fill 64, 1, 0xcc\n");
	run("cd %s && gcc -nostdlib -shared bare.S -o bare.so", (char *)*state);
	rows = rows_of_file(*state, "bare.so", &file);
	vaddr = address_of(file, "trampoline");
	assert_rule(&rows, address_of(file, "with_cfi"), sp8);
	assert_rule(&rows, vaddr - 2, gap);
	assert_rule(&rows, vaddr - 1, signal);
	assert_rule(&rows, vaddr + 8, signal);
	assert_rule(&rows, vaddr + 9, gap);
	cfi_rows_free(&rows);
	elf_file_close(file);
}

/* As the vDSO may be, and what sstrip leaves: .eh_frame is found by PT_GNU_EH_FRAME. */
static void test_without_section_headers(void **state)
{
	const struct elf_symbol *symbols;
	struct elf_file *file, *bare;
	size_t count, functions = 0;
	struct cfi_rows rows, found;
	char path[PATH_MAX];
	Elf64_Ehdr *header;
	uint8_t *bytes;
	size_t size;

	write_file(*state, "some.c",
		   "int f(int x) { return x; }\nint g(int x) { return f(x) + f(2); }\n");
	run("cd %s && gcc -O0 -shared -fPIC some.c -o some.so", (char *)*state);
	rows = rows_of_file(*state, "some.so", &file);
	assert_true(rows.count > 8);
	snprintf(path, sizeof(path), "%s/some.so", (char *)*state);
	bytes = read_file(path, &size);
	header = (Elf64_Ehdr *)bytes;
	header->e_shoff = 0;
	header->e_shnum = header->e_shstrndx = 0;
	assert_int_equal(elf_file_open_memory(bytes, size, &bare), 0);
	assert_int_equal(ehframe_read(bare, &found), 0);
	/* what is known by its section, as a PLT is, has gone with the sections */
	symbols = elf_file_symbols(file, &count);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(symbols[i].name, "f") && strcmp(symbols[i].name, "g"))
			continue;
		for (uint64_t at = 0; at < symbols[i].size; at++)
			assert_rule(&found, symbols[i].vaddr + at,
				    *cfi_rows_at(&rows, symbols[i].vaddr + at));
		functions++;
	}
	assert_int_equal(functions, 2);
	cfi_rows_free(&found);
	elf_file_close(bare);
	free(bytes);
	cfi_rows_free(&rows);
	elf_file_close(file);
}

/* Its .eh_frame is named, but not there. */
static void test_separate_debug_file(void **state)
{
	struct elf_section section;
	struct elf_file *file;
	struct cfi_rows rows;

	run("cd %s && gcc -O0 -g -shared -fPIC some.c -o full.so && "
	    "objcopy --only-keep-debug full.so full.debug",
	    (char *)*state);
	rows = rows_of_file(*state, "full.debug", &file);
	assert_int_equal(rows.count, 0);
	assert_int_equal(rows.bad, 0);
	assert_int_equal(elf_file_section(file, ".eh_frame", &section), -ENOENT);
	assert_int_equal(elf_file_section(file, ".debug_info", &section), 0);
	assert_true(section.size > 100);
	assert_int_equal(section.vaddr, 0);
	cfi_rows_free(&rows);
	elf_file_close(file);
}

static void test_other_machines(void **state)
{
	struct elf_file *file;
	struct cfi_rows rows;
	char path[PATH_MAX];
	uint8_t *bytes;
	size_t size;

	snprintf(path, sizeof(path), "%s/some.so", (char *)*state);
	bytes = read_file(path, &size);
	((Elf64_Ehdr *)bytes)->e_machine = EM_RISCV;
	assert_int_equal(elf_file_open_memory(bytes, size, &file), 0);
	assert_int_equal(ehframe_read(file, &rows), -ENOTSUP);
	elf_file_close(file);
	free(bytes);
}

/* ---- damage ---- */

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Whatever is read, rows are in order, in the code, closed by a gap, and a table can be made. */
static void read_damaged(const uint8_t *bytes, size_t size, uint64_t vaddr,
			 const struct code_range *code, bool debug_frame)
{
	uint8_t *copy = malloc(size ? size : 1);
	struct cfi_section section = { copy, size, vaddr, debug_frame };
	struct unwind_table *table;
	struct cfi_rows rows;

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	assert_int_equal(ehframe_read_sections(UNWIND_X86_64, &section, 1, code, 1, &rows), 0);
	free(copy);
	for (size_t i = 0; i < rows.count; i++) {
		assert_true(rows.rows[i].vaddr >= code->start && rows.rows[i].vaddr <= code->end);
		assert_true(!i || rows.rows[i].vaddr > rows.rows[i - 1].vaddr);
		assert_true(rows.rows[i].rule.cfa < UNWIND_CFA_MAX);
	}
	if (rows.count)
		assert_int_equal(rows.rows[rows.count - 1].rule.cfa, UNWIND_RULE_GAP);
	assert_int_equal(unwind_table_new(&rows, &table), 0);
	for (size_t i = 0; i < rows.count; i++)
		assert_memory_equal(unwind_table_find(table, rows.rows[i].vaddr),
				    &rows.rows[i].rule, sizeof(struct unwind_rule));
	unwind_table_free(table);
	cfi_rows_free(&rows);
}

static void damage(const struct elf_section *section, const struct code_range *code)
{
	size_t size = section->size < 6000 ? section->size : 6000;
	uint8_t *mutant = malloc(size);
	uint64_t seed = 0x9e3779b97f4a7c15;

	assert_non_null(mutant);
	for (size_t cut = 0; cut < size; cut += cut < 300 ? 1 : 131)
		read_damaged(section->bytes, cut, section->vaddr, code, false);
	for (int i = 0; i < 1500; i++) {
		memcpy(mutant, section->bytes, size);
		for (uint64_t n = 1 + next_random(&seed) % 16; n; n--)
			mutant[next_random(&seed) % (i & 1 ? 400 : size)] =
				next_random(&seed) & 1 ? (uint8_t)next_random(&seed) : 0xff;
		read_damaged(mutant, size, section->vaddr, code, i % 8 == 0);
	}
	free(mutant);
}

static void test_damage(void **state)
{
	struct elf_section section;
	struct code_range code;
	struct elf_file *file;
	uint64_t size;

	(void)state;
	assert_int_equal(elf_file_open("/proc/self/exe", &file), 0);
	assert_int_equal(elf_file_section(file, ".eh_frame", &section), 0);
	assert_true(elf_file_code(file, 0, &code.start, &size));
	code.end = code.start + size;
	assert_true(section.size > 1000);
	damage(&section, &code);
	elf_file_close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pointer_encodings),
		cmocka_unit_test(test_bad_encodings),
		cmocka_unit_test(test_entry_forms),
		cmocka_unit_test(test_debug_frame),
		cmocka_unit_test(test_augmentations),
		cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_bad_instructions),
		cmocka_unit_test(test_overlaps),
		cmocka_unit_test(test_trampolines_by_code),
		cmocka_unit_test(test_without_section_headers),
		cmocka_unit_test(test_separate_debug_file),
		cmocka_unit_test(test_other_machines),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

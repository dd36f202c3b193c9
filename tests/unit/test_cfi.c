// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CFI made by hand: encodings, augmentations, forms and overlaps of entries that compilers make seldom or never,
 * and entries that are wrong. What compilers do make is compared with libdw's reading in test_ehframe*.c.
 */
#include "cfi_section.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pointer_encodings), cmocka_unit_test(test_bad_encodings),
		cmocka_unit_test(test_entry_forms),	  cmocka_unit_test(test_debug_frame),
		cmocka_unit_test(test_augmentations),	  cmocka_unit_test(test_overlaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

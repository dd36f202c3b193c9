// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a variable holds after an arm64 instruction: encodings as the assembler makes them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <linux/types.h>
#include <stdio.h>

static int get_register(const uint64_t *registers, unsigned number, uint64_t *value)
{
	*value = registers[number];
	return number == 9 ? -1 : 0; /* one that cannot be read */
}

#define ACCESS_REGISTER(context, number, value) \
	get_register(context, (unsigned)(number), (uint64_t *)(value))
#include "../../bpf/access.h"

#define VARIABLE 0x10000
#define BEFORE	 0x8877665544332211
#define X1	 0xa1a2a3a4a5a6a7a8
#define UNKNOWN	 0xbad

static const struct {
	const char *text;
	uint32_t instruction;
	uint32_t length;
	uint64_t x0; /* sp too */
	uint64_t x2;
	uint64_t after;
} cases[] = {
	{ "str x1, [x0]", 0xf9000001, 8, VARIABLE, 0, X1 },
	{ "... a part of what is stored", 0xf9000001, 4, VARIABLE, 0, 0xa5a6a7a8 },
	{ "... its upper half", 0xf9000001, 4, VARIABLE - 4, 0, 0xa1a2a3a4 },
	{ "... one byte of it", 0xf9000001, 1, VARIABLE - 7, 0, 0xa1 },
	{ "... across the beginning", 0xf9000001, 8, VARIABLE - 2, 0, 0x8877a1a2a3a4a5a6 },
	{ "... across the end", 0xf9000001, 8, VARIABLE + 2, 0, 0xa3a4a5a6a7a82211 },
	{ "... before it", 0xf9000001, 8, VARIABLE - 8, 0, BEFORE },
	{ "... behind it", 0xf9000001, 4, VARIABLE + 4, 0, 0x44332211 },
	{ "str w1, [x0, #4]", 0xb9000401, 8, VARIABLE, 0, 0xa5a6a7a844332211 },
	{ "strb w1, [x0, #1]", 0x39000401, 8, VARIABLE, 0, 0x887766554433a811 },
	{ "strh wzr, [x0]", 0x7900001f, 2, VARIABLE, 0, 0 },
	{ "stur x1, [x0, #-8]", 0xf81f8001, 8, VARIABLE + 8, 0, X1 },
	{ "str x1, [x0], #16", 0xf8010401, 8, VARIABLE, 0, X1 },
	{ "str x1, [x0, #-16]!", 0xf81f0c01, 8, VARIABLE + 16, 0, X1 },
	{ "str x1, [sp, #8]", 0xf90007e1, 8, VARIABLE - 8, 0, X1 },
	{ "str x1, [x0, x2]", 0xf8226801, 8, VARIABLE - 24, 24, X1 },
	{ "str x1, [x0, x2, lsl #3]", 0xf8227801, 8, VARIABLE - 24, 3, X1 },
	{ "str w1, [x0, w2, uxtw]", 0xb8224801, 4, VARIABLE - 24, 0xf00000018, 0xa5a6a7a8 },
	{ "str x1, [x0, w2, sxtw #3]", 0xf822d801, 8, VARIABLE + 8, 0xffffffff, X1 },
	{ "str q1, [x0]", 0x3d800001, 8, VARIABLE, 0, UNKNOWN },
	{ "ldr x1, [x0]", 0xf9400001, 8, VARIABLE, 0, BEFORE },
	{ "ldr q1, [x0]", 0x3dc00001, 8, VARIABLE, 0, BEFORE },
	{ "ldrsw x1, [x0]", 0xb9800001, 4, VARIABLE, 0, 0x44332211 },
	{ "ldr x1, label", 0x58000001, 8, VARIABLE, 0, BEFORE },
	{ "stp x1, x2, [x0]", 0xa9000801, 8, VARIABLE, 5, X1 },
	{ "... the second", 0xa9000801, 8, VARIABLE - 8, 5, 5 },
	{ "stp x1, x2, [x0, #-16]!", 0xa9bf0801, 8, VARIABLE + 8, 5, 5 },
	{ "stp x1, x2, [x0], #16", 0xa8810801, 8, VARIABLE, 5, X1 },
	{ "stp w1, w2, [x0, #-8]", 0x293f0801, 8, VARIABLE + 8, 5, 0x5a5a6a7a8 },
	{ "stp xzr, xzr, [x0]", 0xa9007c1f, 8, VARIABLE - 8, 5, 0 },
	{ "stp q1, q2, [x0]", 0xad000801, 8, VARIABLE, 0, UNKNOWN },
	{ "ldp x1, x2, [x0]", 0xa9400801, 8, VARIABLE, 0, BEFORE },
	{ "ldp q1, q2, [x0]", 0xad400801, 8, VARIABLE, 0, BEFORE },
	{ "stlr x1, [x0]", 0xc89ffc01, 8, VARIABLE, 0, X1 },
	{ "ldar x1, [x0]", 0xc8dffc01, 8, VARIABLE, 0, BEFORE },
	{ "stxr w3, x1, [x0]", 0xc8037c01, 8, VARIABLE, 0, UNKNOWN },
	{ "ldxr x1, [x0]", 0xc85f7c01, 8, VARIABLE, 0, BEFORE },
	{ "swp x1, x2, [x0]", 0xf8218002, 8, VARIABLE, 0, X1 },
	{ "swpalb w1, w2, [x0]", 0x38e18002, 1, VARIABLE, 0, 0xa8 },
	{ "ldadd x1, x2, [x0]", 0xf8210002, 8, VARIABLE, 0, BEFORE + X1 },
	{ "... of which a part is known", 0xf8210002, 4, VARIABLE, 0, UNKNOWN },
	{ "stadd w1, [x0]", 0xb821001f, 4, VARIABLE, 0, 0xe9d9c9b9 },
	{ "ldclr x1, x2, [x0]", 0xf8211002, 8, VARIABLE, 0, BEFORE & ~X1 },
	{ "ldeor x1, x2, [x0]", 0xf8212002, 8, VARIABLE, 0, BEFORE ^ X1 },
	{ "ldset x1, x2, [x0]", 0xf8213002, 8, VARIABLE, 0, BEFORE | X1 },
	{ "ldsmax x1, x2, [x0]", 0xf8214002, 8, VARIABLE, 0, UNKNOWN },
	{ "ldapr x1, [x0]", 0xf8bfc001, 8, VARIABLE, 0, BEFORE },
	{ "cas x1, x2, [x0]: another value", 0xc8a17c02, 8, VARIABLE, 5, BEFORE },
	{ "cas x3, x2, [x0]: the value expected", 0xc8a37c02, 8, VARIABLE, 5, 5 },
	{ "casp x2, x3, x4, x5, [x0]", 0x48227c04, 8, VARIABLE, 0, UNKNOWN },
	{ "dc zva, x0", 0xd50b7420, 8, VARIABLE, 0, 0 },
	{ "st1 {v0.16b}, [x0]", 0x4c007000, 8, VARIABLE, 0, UNKNOWN },
	{ "str x9, [x0]: unreadable", 0xf9000009, 8, VARIABLE, 0, UNKNOWN },
	{ "str x1, [x9]: unreadable", 0xf9000121, 8, VARIABLE, 0, UNKNOWN },
	{ "ret", 0xd65f03c0, 8, VARIABLE, 0, UNKNOWN },
};

static void test_every_form(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t registers[32] = {
			[0] = cases[i].x0, [1] = X1,	       [2] = cases[i].x2,
			[3] = BEFORE,	   [31] = cases[i].x0,
		};
		struct access_variable variable = {
			.address = VARIABLE,
			.length = cases[i].length,
			.value = BEFORE & access_mask(cases[i].length),
		};
		int err = access_made(registers, &variable, cases[i].instruction);

		if ((err ? UNKNOWN : variable.value) != cases[i].after)
			fail_msg("%s: %d, 0x%llx", cases[i].text, err,
				 (unsigned long long)variable.value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_every_form) };

	return cmocka_run_group_tests_name("access", tests, NULL, NULL);
}

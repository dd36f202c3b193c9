// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Arguments of USDT probes: every form of operand that x86-64 and arm64 have, and what is none. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "object/usdt_args.h"
#include "random.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define VECTOR	     "? is in a vector register"
#define THREAD_LOCAL "? is thread-local"
#define LINKER	     "? is known to the dynamic linker only"
#define UNKNOWN	     "? is described in a way that is not known"
#define SIZE	     "? is not of 1, 2, 4 or 8 bytes"

static void write_part(FILE *to, uint8_t number)
{
	if (number == USDT_AT_IP)
		fputs("ip", to);
	else if (number != USDT_NO_REGISTER)
		fprintf(to, "r%u", number);
}

static void write_address(FILE *to, const struct usdt_argument *argument)
{
	static const char *const extends[] = {
		[USDT_WHOLE] = "", [USDT_SIGNED] = "s32", [USDT_UNSIGNED] = "u32"
	};

	write_part(to, argument->base);
	if (argument->index != USDT_NO_REGISTER) {
		fputc('+', to);
		write_part(to, argument->index);
		fprintf(to, "%s<<%u", extends[argument->extend], argument->shift);
	}
	if (argument->symbol)
		fprintf(to, "+%.*s%s", (int)argument->symbol_length, argument->symbol,
			argument->is_low12 ? "&fff" : "");
	if (argument->offset)
		fprintf(to, "%+" PRId64, argument->offset);
}

/* "-4 r0", "1 r0.8" (from bit 8), "8 [r6+r1<<2-8]", "4 $-1", "8 &ip+name+4", "4f [r7]", "? why". */
static void describe(char *text, size_t size, const struct usdt_argument *argument)
{
	FILE *to = fmemopen(text, size, "w");

	if (argument->unreadable) {
		fprintf(to, "? %s", argument->unreadable);
		fclose(to);
		return;
	}
	fprintf(to, "%s%u%s ", argument->is_signed ? "-" : "", argument->size,
		argument->is_float ? "f" : "");
	switch (argument->kind) {
	case USDT_CONSTANT:
		fprintf(to, "$%" PRId64, argument->offset);
		break;
	case USDT_REGISTER:
		write_part(to, argument->base);
		if (argument->bit)
			fprintf(to, ".%u", argument->bit);
		break;
	case USDT_MEMORY:
		fputc('[', to);
		write_address(to, argument);
		fputc(']', to);
		break;
	case USDT_ADDRESS:
		fputc('&', to);
		write_address(to, argument);
		break;
	}
	fclose(to);
}

struct form {
	const char *text, *wanted;
};

static void check_forms(uint16_t machine, const struct form *forms, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct usdt_arguments arguments;
		char got[256];

		usdt_arguments_parse(machine, forms[i].text, &arguments);
		assert_int_equal(arguments.count, 1);
		describe(got, sizeof(got), &arguments.list[0]);
		if (strcmp(got, forms[i].wanted))
			fail_msg("\"%s\" is \"%s\", not \"%s\"", forms[i].text, got,
				 forms[i].wanted);
	}
}

static void test_x86(void **state)
{
	static const struct form forms[] = {
		{ "8@%rax", "8 r0" },
		{ "-4@%eax", "-4 r0" },
		{ "2@%ax", "2 r0" },
		{ "1@%al", "1 r0" },
		{ "1@%ah", "1 r0.8" },
		{ "-1@%dh", "-1 r1.8" },
		{ "1@%ch", "1 r2.8" },
		{ "1@%bh", "1 r3.8" },
		{ "8@%rdx", "8 r1" },
		{ "8@%rcx", "8 r2" },
		{ "8@%rbx", "8 r3" },
		{ "8@%rsi", "8 r4" },
		{ "1@%sil", "1 r4" },
		{ "8@%rdi", "8 r5" },
		{ "-2@%di", "-2 r5" },
		{ "8@%rbp", "8 r6" },
		{ "1@%bpl", "1 r6" },
		{ "8@%rsp", "8 r7" },
		{ "1@%spl", "1 r7" },
		{ "8@%r8", "8 r8" },
		{ "1@%r8b", "1 r8" },
		{ "-1@%r9b", "-1 r9" },
		{ "2@%r10w", "2 r10" },
		{ "-4@%r15d", "-4 r15" },
		{ "1@%r11l", "1 r11" },
		/* the size before the @ is the one that counts */
		{ "4@%ax", "4 r0" },
		{ "1@%rax", "1 r0" },
		{ "4@$5", "4 $5" },
		{ "-4@$-1", "-4 $-1" },
		{ "8@$0x10", "8 $16" },
		{ "8@$18446744073709551615", "8 $-1" },
		{ "-8@$-9223372036854775808", "-8 $-9223372036854775808" },
		{ "8@$table", "8 &+table" },
		{ "8@$table+8", "8 &+table+8" },
		{ "8@(%rbp)", "8 [r6]" },
		{ "-4@-20(%rbp)", "-4 [r6-20]" },
		{ "4@0x10(%rsp)", "4 [r7+16]" },
		{ "8@16(%rax,%rbx,8)", "8 [r0+r3<<3+16]" },
		{ "8@(%rax,%rbx,4)", "8 [r0+r3<<2]" },
		{ "8@-8(%rax,%rbx)", "8 [r0+r3<<0-8]" },
		{ "4@(,%r12,2)", "4 [+r12<<1]" },
		{ "4@table(,%rax,4)", "4 [+r0<<2+table]" },
		{ "4@table+4(,%rax,1)", "4 [+r0<<0+table+4]" },
		{ "-4@NBuffers(%rip)", "-4 [ip+NBuffers]" },
		{ "-4@8+CheckpointStats(%rip)", "-4 [ip+CheckpointStats+8]" },
		{ "4@CheckpointStats+8(%rip)", "4 [ip+CheckpointStats+8]" },
		{ "4@CheckpointStats-8+4(%rip)", "4 [ip+CheckpointStats-4]" },
		{ "4@-4+a.b$c_1(%rip)", "4 [ip+a.b$c_1-4]" },
		{ "4@counter", "4 [+counter]" },
		{ "4@counter+4", "4 [+counter+4]" },
		{ "4@6295616", "4 [+6295616]" },
		{ "4f@-8(%rbp)", "4f [r6-8]" },
		{ "-8f@(%rax)", "8f [r0]" },
		{ "8@%rip", UNKNOWN },
		/* older macros */
		{ "%rdi", "-8 r5" },
		{ "$7", "-8 $7" },
		{ "-8(%rbp)", "-8 [r6-8]" },
		{ "counter(%rip)", "-8 [ip+counter]" },
		{ "8f@%xmm0", VECTOR },
		{ "8@%ymm15", VECTOR },
		{ "16@%zmm1", VECTOR },
		{ "8@%mm0", VECTOR },
		{ "8@%st(1)", VECTOR },
		{ "8@%k1", VECTOR },
		{ "8@%fs:16", THREAD_LOCAL },
		{ "4@%fs:errno@tpoff", THREAD_LOCAL },
		{ "4@errno@tpoff(%rax)", THREAD_LOCAL },
		{ "8@name@GOTPCREL(%rip)", LINKER },
		{ "16@(%rax)", SIZE },
		{ "3@%eax", SIZE },
		{ "0@%eax", SIZE },
		{ "8@", UNKNOWN },
		{ "8@%", UNKNOWN },
		{ "8@%rzx", UNKNOWN },
		{ "8@%r16", UNKNOWN },
		{ "8@%r7", UNKNOWN },
		{ "8@%r8x", UNKNOWN },
		{ "8@$", UNKNOWN },
		{ "8@$-", UNKNOWN },
		{ "8@$18446744073709551616", UNKNOWN },
		{ "8@$-table", UNKNOWN },
		{ "8@a+b(%rip)", UNKNOWN },
		{ "8@8(%rip)", UNKNOWN },
		{ "8@()", UNKNOWN },
		{ "8@(", UNKNOWN },
		{ "8@(%eax)", UNKNOWN },
		{ "8@(%rax", UNKNOWN },
		{ "8@(%rax,)", UNKNOWN },
		{ "8@(%rax,%rbx,3)", UNKNOWN },
		{ "8@(%rax)x", UNKNOWN },
		{ "8@name@what", UNKNOWN },
		{ "8@x0", "8 [+x0]" },
		{ "4294967296@%eax", UNKNOWN },
		{ "@", UNKNOWN },
		{ "-", UNKNOWN },
	};

	(void)state;
	check_forms(EM_X86_64, forms, COUNT(forms));
}

static void test_arm64(void **state)
{
	static const struct form forms[] = {
		{ "8@x0", "8 r0" },
		{ "-4@w1", "-4 r1" },
		{ "8@x30", "8 r30" },
		{ "8@sp", "8 r31" },
		{ "4@wsp", "4 r31" },
		{ "8@fp", "8 r29" },
		{ "8@lr", "8 r30" },
		{ "8@xzr", "8 $0" },
		{ "-4@wzr", "-4 $0" },
		{ "8@[sp]", "8 [r31]" },
		{ "8@[sp, 16]", "8 [r31+16]" },
		{ "8@[sp,16]", "8 [r31+16]" },
		{ "8@[ sp , #16 ]", "8 [r31+16]" },
		{ "-4@[x0, -8]", "-4 [r0-8]" },
		{ "-4@[x0, #-8]", "-4 [r0-8]" },
		{ "8@[x1, x2]", "8 [r1+r2<<0]" },
		{ "8@[x1, x2, lsl 3]", "8 [r1+r2<<3]" },
		{ "8@[x1, x2, lsl #3]", "8 [r1+r2<<3]" },
		{ "4@[x29, w3, sxtw 2]", "4 [r29+r3s32<<2]" },
		{ "4@[x29, w3, uxtw 2]", "4 [r29+r3u32<<2]" },
		{ "1@[x29, w3, sxtw]", "1 [r29+r3s32<<0]" },
		{ "1@[x29, w3, uxtw]", "1 [r29+r3u32<<0]" },
		{ "8@[x29, x3, sxtx 3]", "8 [r29+r3<<3]" },
		{ "8@[x1, xzr]", "8 [r1]" },
		{ "4@[x0, #:lo12:counter]", "4 [r0+counter&fff]" },
		{ "4@[x0, :lo12:counter+8]", "4 [r0+counter&fff+8]" },
		{ "4@10", "4 $10" },
		{ "-4@-10", "-4 $-10" },
		{ "-4@#-10", "-4 $-10" },
		{ "8@#0xff", "8 $255" },
		{ "8@counter", "8 &ip+counter" },
		{ "8@counter+4", "8 &ip+counter+4" },
		{ "x3", "-8 r3" },
		{ "[sp, 8]", "-8 [r31+8]" },
		{ "4f@[sp, 12]", "4f [r31+12]" },
		{ "8f@d0", VECTOR },
		{ "4f@s31", VECTOR },
		{ "16@q1", VECTOR },
		{ "8f@v0", VECTOR },
		{ "8@v1.2d", VECTOR },
		{ "16@[sp]", SIZE },
		{ "8@", UNKNOWN },
		{ "8@[", UNKNOWN },
		{ "8@[]", UNKNOWN },
		{ "8@[x0", UNKNOWN },
		{ "8@[w0]", UNKNOWN },
		{ "8@[xzr]", UNKNOWN },
		{ "8@[x31]", UNKNOWN },
		{ "8@[x0, sp]", UNKNOWN },
		{ "8@[x0, w1]", UNKNOWN },
		{ "8@[x0, w1, lsl 2]", UNKNOWN },
		{ "8@[x0, x1, sxtw 2]", UNKNOWN },
		{ "8@[x0, x1, lsl]", UNKNOWN },
		{ "8@[x0, x1, lsl 9]", UNKNOWN },
		{ "8@[x0, x1, ror 2]", UNKNOWN },
		{ "8@[x0, :lo12:8]", UNKNOWN },
		{ "8@[x0, :got:name]", UNKNOWN },
		{ "8@[x0, name]", UNKNOWN },
		{ "8@[x0, 8]!", UNKNOWN },
		{ "8@%rax", UNKNOWN },
	};

	(void)state;
	check_forms(EM_AARCH64, forms, COUNT(forms));
}

static void test_several(void **state)
{
	struct usdt_arguments arguments;

	(void)state;
	usdt_arguments_parse(EM_X86_64, "", &arguments);
	assert_int_equal(arguments.count, 0);
	usdt_arguments_parse(EM_X86_64, "   ", &arguments);
	assert_int_equal(arguments.count, 0);
	usdt_arguments_parse(EM_X86_64, " 8@%rax  -4@nonsense( 1@$2 ", &arguments);
	assert_int_equal(arguments.count, 2);
	/* an open parenthesis takes the rest; what comes before it is understood all the same */
	assert_null(arguments.list[0].unreadable);
	assert_string_equal(arguments.list[1].unreadable, usdt_unknown);
	usdt_arguments_parse(EM_AARCH64, "8@x0 -4@[sp, 12] 8@[x1, x2, lsl 3] 4@7", &arguments);
	assert_int_equal(arguments.count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_null(arguments.list[i].unreadable);
	usdt_arguments_parse(EM_X86_64,
			     "1@$1 1@$2 1@$3 1@$4 1@$5 1@$6 1@$7 1@$8 1@$9 1@$10 1@$11 1@$12 1@$13",
			     &arguments);
	assert_int_equal(arguments.count, USDT_ARGUMENTS);
	assert_int_equal(arguments.list[11].offset, 12);
	usdt_arguments_parse(EM_386, "4@%eax", &arguments);
	assert_int_equal(arguments.count, 1);
	assert_string_equal(arguments.list[0].unreadable, usdt_unknown);
}

/* Nothing but bytes: it ends, and what is understood is within bounds. */
static void test_random(void **state)
{
	static const char alphabet[] = "0123456789-+@$%()[],.: frxwspabcdeil#_";
	uint64_t seed = 7;

	(void)state;
	for (unsigned i = 0; i < 200000; i++) {
		struct usdt_arguments arguments;
		char text[24];
		size_t length = next_random(&seed) % sizeof(text);

		for (size_t k = 0; k < length; k++)
			text[k] = alphabet[next_random(&seed) % (sizeof(alphabet) - 1)];
		text[length] = '\0';
		usdt_arguments_parse(i & 1 ? EM_X86_64 : EM_AARCH64, text, &arguments);
		for (size_t k = 0; k < arguments.count; k++)
			assert_true(arguments.list[k].unreadable ||
				    (arguments.list[k].shift <= 4 && arguments.list[k].size <= 8));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x86),
		cmocka_unit_test(test_arm64),
		cmocka_unit_test(test_several),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Our rules against libdw's reading (ehframe_comparison.h), for programs that gcc and clang make of one source in every
 * way that matters.
 */
#include "ehframe_comparison.h"

#include <errno.h>

static const char source[] =
	"#include <alloca.h>\n#include <setjmp.h>\n#include <signal.h>\n#include <stdio.h>\n"
	"#include <stdlib.h>\n#include <string.h>\n"
	"#define KEEP __attribute__((noinline, noclone, used))\n"
	"static jmp_buf place; volatile int sink;\n"
	"KEEP void take(void *p) { sink += *(char *)p; }\n"
	"KEEP int plain(int a, int b) { char x[200]; memset(x, a, sizeof x); take(x); return b + x[3]; }\n"
	"KEEP int grows(int n) { char *p = alloca(n); memset(p, n, n); take(p); return plain(n, p[0]); }\n"
	"KEEP int realigned(int n) { _Alignas(64) char x[128]; memset(x, n, 128); take(x);"
	" return grows(n) + x[5]; }\n"
	"KEEP int realigned_grows(int n) { _Alignas(64) char x[128]; char *p = alloca(n); memset(p, n, n);"
	" take(x); take(p); return grows(n) + x[5]; }\n"
	"KEEP double many(double a, int n, long b, long c, long d, long e, long f, long g) {"
	" return n ? many(a * 2, n - 1, c, d, e, f, g, b) + b * c + d * e + f * g : a; }\n"
	"KEEP int jumps(int n) { if (setjmp(place)) return n; sink = realigned(n); longjmp(place, 1); }\n"
	"KEEP void handler(int s) { sink += plain(s, 2); }\n"
	"KEEP int compare(const void *a, const void *b) { return *(int *)a - *(int *)b; }\n"
	"KEEP void leaves(int n) { if (n > 100) exit(n); abort(); }\n"
	"KEEP int big(int n) { char x[100000]; memset(x, n, sizeof x); take(x); return x[n]; }\n"
	"int main(int argc, char **argv) { int v[5] = { 4, 2, argc }; (void)argv; signal(SIGUSR1, handler);\n"
	" raise(SIGUSR1); qsort(v, 5, sizeof *v, compare); if (argc > 100) leaves(argc);\n"
	" return jumps(argc) + big(argc) + realigned_grows(argc) + (int)many(1, 3, 1, 2, 3, 4, 5, 6); }\n";

static const char *const kinds[] = {
	"-O0",
	"-O1",
	"-O2",
	"-O3",
	"-Os",
	"-O0 -fomit-frame-pointer",
	"-O2 -fno-omit-frame-pointer",
	"-O3 -fno-omit-frame-pointer -mavx2",
	"-O2 -fcf-protection=full -Wl,-z,ibtplt",
	"-O2 -fcf-protection=none",
	"-O2 -fno-plt -Wl,-z,now",
	"-O2 -Wl,-z,lazy",
	"-O2 -fno-pie -no-pie",
	"-O2 -static",
	"-O2 -static-pie -fPIE",
	"-O2 -mpreferred-stack-boundary=6 -mstackrealign",
	"-O2 -g -fno-asynchronous-unwind-tables -fno-unwind-tables",
	"-O2 -g -gz -fno-asynchronous-unwind-tables -fno-unwind-tables",
	"-O1 -m32",
};

#define KINDS (sizeof(kinds) / sizeof(*kinds))

static void test_gcc(void **state)
{
	struct tally tally = {};
	char path[PATH_MAX];

	write_file(*state, "program.c", source);
	for (size_t i = 0; i < KINDS; i++) {
		int err;

		snprintf(path, sizeof(path), "%s/program%zu", (char *)*state, i);
		if (strstr(kinds[i], "-m32")) {
			run("cd %s && gcc %s -c -w program.c -o program%zu 2>/dev/null || "
			    "cp /dev/null program%zu",
			    (char *)*state, kinds[i], i, i);
			err = compare_file(path, &tally);
			assert_true(err == -ENOTSUP || err == -ENOEXEC);
			continue;
		}
		run("cd %s && gcc %s -w program.c -o program%zu", (char *)*state, kinds[i], i);
		assert_int_equal(compare_file(path, &tally), 0);
	}
	print_tally("gcc", &tally);
	assert_int_equal(tally.files, KINDS - 1);
	assert_int_equal(tally.disagreements, 0);
	assert_int_equal(tally.bad, 0);
	/* Realignment, a PLT, an outermost function and, statically linked, a signal trampoline. */
	assert_true(tally.kinds[UNWIND_CFA_FP_DEREF] > 0 && tally.kinds[UNWIND_CFA_REGISTER] > 0);
	assert_true(tally.kinds[UNWIND_CFA_PLT] > 0 && tally.kinds[UNWIND_RULE_OUTERMOST] > 0);
	assert_true(tally.kinds[UNWIND_RULE_SIGNAL] > 0);
}

/* The rule found for a function's middle says that there is CFI at all. */
static void test_debug_frame_only(void **state)
{
	struct elf_file *file;
	struct cfi_rows rows;
	const struct elf_symbol *symbols;
	char path[PATH_MAX];
	size_t count, found = 0;

	write_file(*state, "debug.c", source);
	run("cd %s && gcc -w -O2 -g -gz=zlib -fno-asynchronous-unwind-tables -fno-unwind-tables debug.c "
	    "-o debug",
	    (char *)*state);
	snprintf(path, sizeof(path), "%s/debug", (char *)*state);
	assert_int_equal(elf_file_open(path, &file), 0);
	assert_int_equal(ehframe_read(file, &rows), 0);
	symbols = elf_file_symbols(file, &count);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(symbols[i].name, "many") && strcmp(symbols[i].name, "realigned"))
			continue;
		assert_true(cfi_rows_at(&rows, symbols[i].vaddr)->cfa == UNWIND_CFA_SP);
		assert_true(cfi_rows_at(&rows, symbols[i].vaddr + symbols[i].size - 1)->cfa !=
			    UNWIND_RULE_GAP);
		found++;
	}
	assert_int_equal(found, 2);
	cfi_rows_free(&rows);
	elf_file_close(file);
}

/* clang and lld build for arm64 without its C library. */
static const char arm64_source[] =
	"typedef unsigned long size_t; volatile int sink; extern int outside(int);\n"
	"#define KEEP __attribute__((noinline, used))\n"
	"KEEP void take(void *p) { sink += *(char *)p; }\n"
	"KEEP int leaf(int n) { return n * 3; }\n"
	"KEEP int plain(int n) { char x[200]; x[n] = n; take(x); return x[3] + outside(n); }\n"
	"KEEP int grows(int n) { char *p = __builtin_alloca(n); take(p); return plain(n) + p[0]; }\n"
	"KEEP int realigned(int n) { _Alignas(64) char x[128]; take(x); return grows(n) + x[5]; }\n"
	"KEEP int big(int n) { char x[BIG]; take(x); return x[n] + leaf(n); }\n"
	"KEEP double many(double a, int n, long b, long c, long d, long e, long f) {"
	" return n ? many(a * 2, n - 1, c, d, e, f, b) + b * c + d * e * f : a; }\n";

/*
 * Without frame pointers clang does not put x29 and x30 side by side, and a rule has 16 bits for such
 * a frame's size.
 */
static const char *const arm64_kinds[] = {
	"-O0 -DBIG=1000000",
	"-O2 -DBIG=1000000",
	"-O2 -DBIG=30000 -fomit-frame-pointer",
	"-O2 -DBIG=1000000 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer",
	"-O2 -DBIG=1000000 -mbranch-protection=standard",
	"-O2 -DBIG=1000000 -mbranch-protection=pac-ret+leaf+b-key",
	"-Os -DBIG=30000 -fomit-frame-pointer",
};

static void test_arm64(void **state)
{
	struct tally tally = {};
	char path[PATH_MAX];

	if (system("clang -print-targets 2>/dev/null | grep -q aarch64 && ld.lld -v >/dev/null 2>&1")) {
		print_message("[ SKIPPED ] no clang and lld that build for arm64\n");
		skip();
	}
	write_file(*state, "arm64.c", arm64_source);
	for (size_t i = 0; i < sizeof(arm64_kinds) / sizeof(*arm64_kinds); i++) {
		snprintf(path, sizeof(path), "%s/arm64_%zu.so", (char *)*state, i);
		run("cd %s && clang --target=aarch64-linux-gnu %s -fPIC -w -fasynchronous-unwind-tables "
		    "-shared -nostdlib -fuse-ld=lld arm64.c -o arm64_%zu.so",
		    (char *)*state, arm64_kinds[i], i);
		assert_int_equal(compare_file(path, &tally), 0);
	}
	print_tally("arm64", &tally);
	assert_int_equal(tally.disagreements, 0);
	assert_int_equal(tally.bad, 0);
	assert_int_equal(count_unsaid(&tally), 0);
	assert_true(tally.checks > 100);
	assert_true(tally.kinds[UNWIND_CFA_FP] > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gcc),
		cmocka_unit_test(test_debug_frame_only),
		cmocka_unit_test(test_arm64),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The walk against _Unwind_Backtrace, both at the same instant in our own process: through libraries
 * built in every way that changes prologues, callbacks of the C library, alloca, realigned frames,
 * signal handlers on either stack, threads and deep recursion.
 */
#include "test_unwind_process.h"

#ifdef __x86_64__

#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <unwind.h>

#define KEEP	  __attribute__((noinline, noclone, used))
#define MAX_DEPTH 600

struct captured {
	uint64_t general[GENERAL];
	uint64_t ip;
};

/* The registers as they are where it returns to; in DWARF's order, rax last as the only one it uses. */
void capture(struct captured *to);
__asm__(".text\n.type capture,@function\ncapture:\n"
	"mov %rdx, 8(%rdi)\nmov %rcx, 16(%rdi)\nmov %rbx, 24(%rdi)\nmov %rsi, 32(%rdi)\n"
	"mov %rdi, 40(%rdi)\nmov %rbp, 48(%rdi)\nlea 8(%rsp), %rax\nmov %rax, 56(%rdi)\n"
	"mov %r8, 64(%rdi)\nmov %r9, 72(%rdi)\nmov %r10, 80(%rdi)\nmov %r11, 88(%rdi)\n"
	"mov %r12, 96(%rdi)\nmov %r13, 104(%rdi)\nmov %r14, 112(%rdi)\nmov %r15, 120(%rdi)\n"
	"mov (%rsp), %rax\nmov %rax, 128(%rdi)\nmov %rax, (%rdi)\nret\n.size capture,.-capture\n");

struct trace {
	uint64_t ip[MAX_DEPTH];
	size_t depth;
};

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *data)
{
	struct trace *trace = data;

	/* It also reports the caller that the outermost frame has not. */
	if (trace->depth == MAX_DEPTH || !_Unwind_GetIP(context))
		return _URC_END_OF_STACK;
	trace->ip[trace->depth++] = _Unwind_GetIP(context);
	return _URC_NO_REASON;
}

/* What a scenario has found out; cmocka's asserts jump, which a signal handler or thread must not. */
static struct {
	unsigned compared;
	size_t depth;
	char failure[256];
} outcome;

static void compare(const struct captured *captured, const struct trace *theirs)
{
	struct unwind_start start = {
		.ip = captured->ip,
		.sp = captured->general[7],
		.fp = captured->general[6],
	};
	static uint64_t ours[MAX_DEPTH];
	struct unwind_target target;
	struct unwind_result result;
	struct process process;

	process_open(&process, getpid());
	memcpy(process.general, captured->general, sizeof(process.general));
	target = process_target(&process);
	result = unwind_walk(&target, &start, ours, MAX_DEPTH);
	outcome.compared++;
	outcome.depth = result.depth;
	if (result.end != UNWIND_OUTERMOST || result.depth != theirs->depth)
		snprintf(outcome.failure, sizeof(outcome.failure), "end %d, %zu frames, not %zu",
			 result.end, result.depth, theirs->depth);
	/* Frame 0 is the same function at another call. */
	for (size_t i = 1; i < result.depth && i < theirs->depth; i++) {
		if (ours[i] == theirs->ip[i])
			continue;
		snprintf(outcome.failure, sizeof(outcome.failure), "frame %zu: %#lx, not %#lx", i,
			 ours[i], theirs->ip[i]);
		break;
	}
	process_close(&process);
}

KEEP static void check(void)
{
	static struct captured captured;
	static struct trace trace;

	capture(&captured);
	trace.depth = 0;
	_Unwind_Backtrace(add_frame, &trace);
	compare(&captured, &trace);
}

/* Keeps a call from being the last thing that a function does. */
#define NOT_LAST __asm__ volatile("" ::: "memory")

static void expect(unsigned compared, size_t depth)
{
	if (*outcome.failure)
		fail_msg("%s", outcome.failure);
	assert_int_equal(outcome.compared, compared);
	assert_true(outcome.depth >= depth);
}

static int reset(void **state)
{
	(void)state;
	memset(&outcome, 0, sizeof(outcome));
	return 0;
}

static int compare_and_check(const void *a, const void *b)
{
	if (!outcome.compared)
		check();
	return *(const int *)a - *(const int *)b;
}

static void test_qsort_callback(void **state)
{
	int numbers[] = { 3, 1, 2 };

	(void)state;
	qsort(numbers, 3, sizeof(int), compare_and_check);
	expect(1, 5);
	assert_int_equal(numbers[0], 1);
}

static void test_bsearch_callback(void **state)
{
	int numbers[] = { 1, 2, 3 }, key = 3;

	(void)state;
	assert_non_null(bsearch(&key, numbers, 3, sizeof(int), compare_and_check));
	expect(1, 5);
}

KEEP static int recurse(int n)
{
	int result = n;

	if (n)
		result += recurse(n - 1);
	else
		check();
	NOT_LAST;
	return result;
}

static void test_deep_recursion(void **state)
{
	(void)state;
	assert_int_equal(recurse(400), 400 * 401 / 2);
	expect(1, 400);
}

static void handle(int signal)
{
	(void)signal;
	check();
	NOT_LAST;
}

static void handle_nested(int signal)
{
	(void)signal;
	raise(SIGUSR1);
	NOT_LAST;
}

static void with_handler(int signal, int flags, void (*handler)(int), void (*then)(void))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags }, old;

	assert_int_equal(sigaction(signal, &action, &old), 0);
	then();
	assert_int_equal(sigaction(signal, &old, NULL), 0);
}

static void raise_first(void)
{
	raise(SIGUSR1);
}

static void raise_second(void)
{
	raise(SIGUSR2);
}

static void test_signal_handler(void **state)
{
	(void)state;
	with_handler(SIGUSR1, 0, handle, raise_first);
	expect(1, 8);
}

/* A signal that interrupts a leaf in the middle, with the caller's return address still unsaved. */
KEEP static void trap_in_leaf(void)
{
	__asm__ volatile("sub $128, %%rsp\n.cfi_adjust_cfa_offset 128\nud2\n"
			 "add $128, %%rsp\n.cfi_adjust_cfa_offset -128" ::
				 : "memory");
}

static void skip_ud2(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	check();
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
}

static void test_fault_handler(void **state)
{
	struct sigaction action = { .sa_sigaction = skip_ud2, .sa_flags = SA_SIGINFO }, old;

	(void)state;
	assert_int_equal(sigaction(SIGILL, &action, &old), 0);
	trap_in_leaf();
	assert_int_equal(sigaction(SIGILL, &old, NULL), 0);
	expect(1, 6);
}

static void nested(void)
{
	with_handler(SIGUSR1, 0, handle, raise_second);
}

static void test_nested_signals(void **state)
{
	(void)state;
	with_handler(SIGUSR2, 0, handle_nested, nested);
	expect(1, 12);
}

static void test_sigaltstack(void **state)
{
	size_t size = 1 << 20; /* ASAN's frames are large */
	stack_t stack = { .ss_sp = malloc(size), .ss_size = size }, old;

	(void)state;
	assert_non_null(stack.ss_sp);
	assert_int_equal(sigaltstack(&stack, &old), 0);
	with_handler(SIGUSR1, SA_ONSTACK, handle, raise_first);
	assert_int_equal(sigaltstack(&old, NULL), 0);
	free(stack.ss_sp);
	expect(1, 8);
}

static void *thread_main(void *data)
{
	recurse(3);
	return data;
}

static void test_thread(void **state)
{
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, thread_main, NULL), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	expect(1, 7);
}

static const char library[] =
	"#include <alloca.h>\n#include <setjmp.h>\n#include <stdlib.h>\n#include <string.h>\n"
	"#define KEEP __attribute__((noinline, noclone, used))\n"
	"static void (*callback)(void); volatile int sink;\n"
	"KEEP void take(void *p) { sink += *(volatile char *)p; }\n"
	"KEEP int last(int n) { callback(); return n + sink; }\n"
	"KEEP int leaf_frame(int n) { char x[200]; memset(x, n, sizeof x); take(x); return last(n) + x[3]; }\n"
	"KEEP int grows(int n) { char *p = alloca(n * 16 + 8); memset(p, n, 8); take(p);"
	" return leaf_frame(n) + p[0]; }\n"
	"KEEP int realigned(int n) { _Alignas(64) char x[128]; memset(x, n, 128); take(x);"
	" return grows(n) + x[5]; }\n"
	"KEEP int both(int n) { _Alignas(64) char x[128]; char *p = alloca(n * 16 + 8); memset(p, n, 8);"
	" take(x); take(p); return realigned(n) + x[5] + p[1]; }\n"
	"KEEP double many(double a, int n, long b, long c, long d, long e, long f, long g) {"
	" return n ? many(a * 2, n - 1, c, d, e, f, g, b) + b * c + d * e + f * g : both((int)a & 7); }\n"
	"static int compare(const void *a, const void *b) { if (!sink) many(1, 5, 1, 2, 3, 4, 5, 6);"
	" return *(const int *)a - *(const int *)b; }\n"
	/* A call that never returns is the last instruction of its function. */
	"static jmp_buf place; KEEP __attribute__((noreturn)) void never(int n) { callback(); sink = n;"
	" longjmp(place, 1); }\n"
	"KEEP void ends_in_a_call(int n) { char x[100]; memset(x, n, sizeof x); take(x); never(x[3]); }\n"
	"KEEP void after(int n) { sink = n; }\n"
	"int entry(void (*then)(void)) { int v[3] = { 3, 1, 2 }; callback = then; sink = 0;"
	" qsort(v, 3, sizeof *v, compare); if (!setjmp(place)) ends_in_a_call(v[1]); return v[0] + (int)many(3, 4, 6, 5, 4, 3, 2, 1); }\n";

static const char *const kinds[] = {
	"gcc -O0",
	"gcc -O0 -fomit-frame-pointer",
	"gcc -O1",
	"gcc -O2",
	"gcc -O3 -fno-omit-frame-pointer",
	"gcc -O2 -fcf-protection=full -Wl,-z,lazy",
	"gcc -Os -fno-plt",
	"gcc -O2 -mstackrealign",
	"gcc -O2 -g -fno-asynchronous-unwind-tables -fexceptions",
	"clang -O0",
	"clang -O2",
	"clang -O2 -fno-omit-frame-pointer",
};

#define KINDS (sizeof(kinds) / sizeof(*kinds))

static void test_libraries(void **state)
{
	char *folder = folder_new(), path[PATH_MAX];
	bool clang = !system("clang --version >/dev/null 2>&1");

	write_file(folder, "library.c", library);
	for (size_t i = 0; i < KINDS; i++) {
		int (*entry)(void (*)(void));
		void *handle_of;

		if (!clang && !strncmp(kinds[i], "clang", 5)) {
			print_message("[ SKIPPED ] %s: no clang here\n", kinds[i]);
			continue;
		}
		reset(state);
		run("cd %s && %s -w -shared -fPIC library.c -o %zu.so", folder, kinds[i], i);
		snprintf(path, sizeof(path), "%s/%zu.so", folder, i);
		handle_of = dlopen(path, RTLD_LAZY);
		assert_non_null(handle_of);
		*(void **)&entry = dlsym(handle_of, "entry");
		assert_non_null(entry);
		entry(check);
		dlclose(handle_of);
		print_message("%s: %u walks, %zu frames\n", kinds[i], outcome.compared,
			      outcome.depth);
		assert_string_equal(outcome.failure, "");
		assert_true(outcome.compared >= 3);
		assert_true(outcome.depth >= 10);
	}
	folder_remove(folder);
}

/* Cut at the bound, and honest about it. */
static void test_depth(void **state)
{
	struct captured captured;
	struct process process;
	struct unwind_target target;
	struct unwind_start start;
	struct unwind_result result;
	uint64_t ip[2];

	(void)state;
	capture(&captured);
	start = (struct unwind_start){ .ip = captured.ip,
				       .sp = captured.general[7],
				       .fp = captured.general[6] };
	process_open(&process, getpid());
	target = process_target(&process);
	result = unwind_walk(&target, &start, ip, 2);
	assert_int_equal(result.end, UNWIND_DEPTH);
	assert_int_equal(result.depth, 2);
	start.ip = 64;
	result = unwind_walk(&target, &start, ip, 2);
	assert_int_equal(result.end, UNWIND_NO_CODE);
	assert_int_equal(result.depth, 1);
	start = (struct unwind_start){ .ip = captured.ip, .sp = 64, .fp = 64 };
	result = unwind_walk(&target, &start, ip, 2);
	assert_int_equal(result.end, UNWIND_FAULT);
	process_close(&process);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_qsort_callback, reset),
		cmocka_unit_test_setup(test_bsearch_callback, reset),
		cmocka_unit_test_setup(test_deep_recursion, reset),
		cmocka_unit_test_setup(test_signal_handler, reset),
		cmocka_unit_test_setup(test_fault_handler, reset),
		cmocka_unit_test_setup(test_nested_signals, reset),
		cmocka_unit_test_setup(test_sigaltstack, reset),
		cmocka_unit_test_setup(test_thread, reset),
		cmocka_unit_test_setup(test_libraries, reset),
		cmocka_unit_test_setup(test_depth, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	puts("no registers to capture on this machine");
	return 77;
}

#endif

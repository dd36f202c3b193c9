// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A child is single-stepped through prologues, epilogues, lazily resolved PLT entries, the dynamic
 * linker, longjmp, a signal handler and its return, and the vDSO. At every pc the walk is compared
 * with a shadow stack, which is kept by watching calls and returns; at a sample of them with libdw's
 * own unwinder.
 */
#include "test_unwind_process.h"

#ifdef __x86_64__

#include <elfutils/libdwfl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

#define MAX_SHADOW 256
#define MAX_STEPS  60000

static const char source[] =
	"#include <alloca.h>\n#include <setjmp.h>\n#include <signal.h>\n#include <stdio.h>\n"
	"#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n"
	"#define KEEP __attribute__((noinline, noclone, used))\n"
	"static jmp_buf place; volatile int sink; char text[64];\n"
	"KEEP void take(void *p) { sink += *(volatile char *)p; }\n"
	"KEEP int leaf(int n) { return n * 3; }\n"
	"KEEP int plain(int n) { char x[200]; x[n] = n; take(x); return x[n] + leaf(n); }\n"
	"KEEP int grows(int n) { char *p = alloca(n * 16 + 8); p[0] = n; take(p); return plain(n) + p[0]; }\n"
	"KEEP int realigned(int n) { _Alignas(64) char x[128]; x[5] = n; take(x); return grows(n) + x[5]; }\n"
	"KEEP int both(int n) { _Alignas(64) char x[64]; char *p = alloca(n * 16 + 8); p[1] = n; x[5] = n;"
	" take(x); take(p); return realigned(n) + x[5] + p[1]; }\n"
	"KEEP double many(double a, int n, long b, long c, long d, long e, long f, long g) {"
	" return n ? many(a * 2, n - 1, c, d, e, f, g, b) + b * c + d * e + f * g : both((int)a & 7); }\n"
	"static int compare(const void *a, const void *b) { return *(int *)a - *(int *)b; }\n"
	"KEEP void throws(int n) { char x[100]; x[n] = n; take(x); longjmp(place, n); }\n"
	"KEEP int catches(int n) { if (setjmp(place)) return n + 1; throws(n); return 0; }\n"
	"static void handler(int s) { sink += plain(s & 7); }\n"
	"KEEP int work(void) { int v[3] = { 3, 1, 2 }; struct timespec now; int n = (int)many(1, 2, 1, 2, 3, 4, 5, 6);\n"
	" qsort(v, 3, sizeof *v, compare); n += catches(5); raise(SIGUSR1); clock_gettime(CLOCK_MONOTONIC, &now);\n"
	" snprintf(text, sizeof text, \"%d %s\", n, \"x\"); n += strlen(text) + (getenv(\"NOTHING\") != 0);\n"
	" return n + atoi(\"5\"); }\n"
	"int main(void) { signal(SIGUSR1, handler); __asm__ volatile(\"int3\"); sink += work();"
	" __asm__ volatile(\"int3\"); return 0; }\n";

static const char *const kinds[] = {
	"gcc -O0 -Wl,-z,lazy",
	"gcc -O2 -Wl,-z,lazy",
	"gcc -O1 -fomit-frame-pointer -fcf-protection=full -Wl,-z,lazy,-z,ibtplt",
	"gcc -O3 -fno-omit-frame-pointer -fno-plt",
	"gcc -O2 -static",
	"clang -O2 -Wl,-z,lazy",
	"musl-gcc -O2 -Wl,-z,lazy",
	"musl-gcc -O2 -static",
	"musl-gcc -O2 -static -s",
};

#define KINDS (sizeof(kinds) / sizeof(*kinds))

/* A frame that must be in the walk: what lies at `slot` on the stack will be returned to. */
struct expected {
	uint64_t slot;
	uint64_t ip;
};

struct tracee {
	pid_t pid;
	struct process process;
	struct unwind_target target;
	struct user_regs_struct regs;
	struct expected shadow[MAX_SHADOW];
	size_t depth;
	Dwfl *dwfl;
	unsigned steps, incomplete, gaps, sampled, libdw_failed, signals;
	bool without_cfi; /* and so without libdw */
};

static pid_t spawn(const char *path)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execl(path, path, (char *)NULL);
		_exit(127);
	}
	return pid;
}

/* Runs the child to its next stop and reads its registers; the signal, or 0 when it is gone. */
static int resume(struct tracee *t, enum __ptrace_request how, int signal)
{
	int status;

	assert_int_equal(ptrace(how, t->pid, NULL, (void *)(intptr_t)signal), 0);
	assert_int_equal(waitpid(t->pid, &status, 0), t->pid);
	if (!WIFSTOPPED(status))
		return 0;
	assert_int_equal(ptrace(PTRACE_GETREGS, t->pid, NULL, &t->regs), 0);
	return WSTOPSIG(status);
}

static uint64_t word_at(struct tracee *t, uint64_t address)
{
	uint64_t value = 0;

	assert_int_equal(process_read(&t->process, address, &value), 0);
	return value;
}

static struct unwind_result walk(struct tracee *t, uint64_t *ip, size_t max)
{
	const struct user_regs_struct *r = &t->regs;
	const struct unwind_start start = { .ip = r->rip, .sp = r->rsp, .fp = r->rbp };
	const uint64_t general[GENERAL] = { r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi,
					    r->rbp, r->rsp, r->r8,  r->r9,  r->r10, r->r11,
					    r->r12, r->r13, r->r14, r->r15 };

	memcpy(t->process.general, general, sizeof(general));
	return unwind_walk(&t->target, &start, ip, max);
}

/* ---- the shadow stack ---- */

static void expect(struct tracee *t, uint64_t slot, uint64_t ip)
{
	assert_true(t->depth < MAX_SHADOW);
	t->shadow[t->depth++] = (struct expected){ slot, ip };
}

/* Is the instruction at ip, that next follows, a call? By its opcode, prefixes aside. */
static bool is_call(struct tracee *t, uint64_t ip)
{
	uint64_t bytes = word_at(t, ip);

	while ((bytes & 0xff) == 0x66 || (bytes & 0xff) == 0xf2 || (bytes & 0xf0) == 0x40)
		bytes >>= 8;
	return (bytes & 0xff) == 0xe8 || ((bytes & 0xff) == 0xff && (bytes >> 11 & 7) == 2);
}

/* After a step from `before`: what has been returned from is forgotten, a call is added. */
static void follow(struct tracee *t, const struct user_regs_struct *before)
{
	uint64_t top;

	while (t->depth && t->shadow[t->depth - 1].slot < t->regs.rsp)
		t->depth--;
	if (t->regs.rsp != before->rsp - 8 || !is_call(t, before->rip))
		return;
	top = word_at(t, t->regs.rsp);
	if (top > before->rip && top <= before->rip + 15)
		expect(t, t->regs.rsp, top);
}

/* The kernel has made a signal frame: the handler returns to the trampoline, that to `before`. */
static void follow_signal(struct tracee *t, const struct user_regs_struct *before)
{
	uint64_t restorer = word_at(t, t->regs.rsp);

	expect(t, before->rsp - 1, before->rip);
	expect(t, t->regs.rsp, restorer);
	t->signals++;
}

/* ---- libdw's walk ---- */

struct libdw_trace {
	uint64_t ip[MAX_SHADOW];
	size_t depth;
};

static int add_libdw_frame(Dwfl_Frame *frame, void *data)
{
	struct libdw_trace *trace = data;
	Dwarf_Addr pc;

	if (trace->depth == MAX_SHADOW || !dwfl_frame_pc(frame, &pc, NULL))
		return DWARF_CB_ABORT;
	trace->ip[trace->depth++] = pc;
	return DWARF_CB_OK;
}

static int no_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			const char *file, const char *link, GElf_Word crc, char **path)
{
	(void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc;
	(void)path;
	return -1;
}

static Dwfl *open_dwfl(pid_t pid)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_linux_proc_find_elf,
		.find_debuginfo = no_debuginfo,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);

	assert_non_null(dwfl);
	assert_int_equal(dwfl_linux_proc_report(dwfl, pid), 0);
	assert_int_equal(dwfl_report_end(dwfl, NULL, NULL), 0);
	assert_int_equal(dwfl_linux_proc_attach(dwfl, pid, true), 0);
	return dwfl;
}

/* libdw gives up in places where we do not; where it comes through, it must agree. */
static void compare_with_libdw(struct tracee *t, const uint64_t *ip, size_t depth)
{
	struct libdw_trace theirs = {};
	int result = dwfl_getthread_frames(t->dwfl, t->pid, add_libdw_frame, &theirs);

	t->sampled++;
	if (result || theirs.depth != depth) {
		t->libdw_failed++;
		return;
	}
	for (size_t i = 0; i < depth; i++)
		assert_int_equal(ip[i], theirs.ip[i]);
}

/* ---- the steps ---- */

static void compare(struct tracee *t)
{
	uint64_t ip[MAX_SHADOW];
	struct unwind_result result = walk(t, ip, MAX_SHADOW);

	assert_int_equal(ip[0], t->regs.rip);
	/* Only a stack that is being switched, by longjmp, may be called what it is: not walked. */
	if (result.end == UNWIND_UNSUPPORTED && result.depth == 1) {
		t->incomplete++;
		return;
	}
	/* What cannot be followed without CFI is a gap, and said to be one. */
	if (t->without_cfi && result.end == UNWIND_GAP) {
		t->gaps++;
		return;
	}
	if (result.end != UNWIND_OUTERMOST || result.depth != t->depth + 1)
		fail_msg("%#llx: end %d, %zu frames, not %zu", t->regs.rip, result.end,
			 result.depth, t->depth + 1);
	for (size_t i = 0; i < t->depth; i++) {
		uint64_t expected = t->shadow[t->depth - 1 - i].ip;

		if (ip[i + 1] != expected)
			fail_msg("%#llx: frame %zu is %#lx, not %#lx", t->regs.rip, i + 1,
				 ip[i + 1], expected);
	}
	if (t->steps % 61 == 0 && !t->without_cfi)
		compare_with_libdw(t, ip, result.depth);
}

/* At the first breakpoint all is at rest, and libdw's walk to the outermost frame is believed. */
static void check_beginning(struct tracee *t, const uint64_t *ip, size_t depth)
{
	struct libdw_trace theirs = {};

	assert_int_equal(dwfl_getthread_frames(t->dwfl, t->pid, add_libdw_frame, &theirs), 0);
	assert_int_equal(theirs.depth, depth);
	assert_memory_equal(theirs.ip, ip, depth * sizeof(*ip));
}

static void begin(struct tracee *t, const char *path, bool without_cfi)
{
	uint64_t ip[MAX_SHADOW];
	struct unwind_result result;

	memset(t, 0, sizeof(*t));
	t->without_cfi = without_cfi;
	t->pid = spawn(path);
	assert_int_equal(waitpid(t->pid, NULL, 0), t->pid);
	assert_int_equal(resume(t, PTRACE_CONT, 0), SIGTRAP);
	process_open(&t->process, t->pid);
	t->target = process_target(&t->process);
	t->dwfl = open_dwfl(t->pid);
	result = walk(t, ip, MAX_SHADOW);
	assert_int_equal(result.end, UNWIND_OUTERMOST);
	/* Without CFI there are four that every program has: the start, what calls main(), and it. */
	if (without_cfi)
		assert_true(result.depth >= 3 && result.depth <= 4);
	else
		check_beginning(t, ip, result.depth);
	/* Frames outside of main() stay. */
	for (size_t i = result.depth - 1; i > 0; i--)
		expect(t, UINT64_MAX, ip[i]);
}

static bool is_breakpoint(struct tracee *t)
{
	siginfo_t info;

	assert_int_equal(ptrace(PTRACE_GETSIGINFO, t->pid, NULL, &info), 0);
	return info.si_code == SI_KERNEL;
}

static void step_through(struct tracee *t)
{
	int stop = SIGTRAP;

	while (t->steps < MAX_STEPS) {
		struct user_regs_struct before = t->regs;
		int delivered = stop == SIGTRAP ? 0 : stop;

		stop = resume(t, PTRACE_SINGLESTEP, delivered);
		assert_true(stop == SIGTRAP || stop == SIGUSR1);
		if (stop == SIGTRAP && is_breakpoint(t))
			return;
		t->steps++;
		if (delivered)
			follow_signal(t, &before);
		else
			follow(t, &before);
		compare(t);
	}
	fail_msg("no second breakpoint");
}

static void finish(struct tracee *t)
{
	assert_int_equal(resume(t, PTRACE_CONT, 0), 0);
	dwfl_end(t->dwfl);
	process_close(&t->process);
}

static bool is_there(const char *kind)
{
	char command[64];

	snprintf(command, sizeof(command), "%.*s --version >/dev/null 2>&1",
		 (int)strcspn(kind, " "), kind);
	return !system(command);
}

static void test_every_pc(void **state)
{
	char path[PATH_MAX];
	struct tracee *t = malloc(sizeof(*t));

	assert_non_null(t);
	write_file(*state, "program.c", source);
	for (size_t i = 0; i < KINDS; i++) {
		if (!is_there(kinds[i])) {
			print_message("[ SKIPPED ] %s: not here\n", kinds[i]);
			continue;
		}
		run("cd %s && %s -w program.c -o %zu", (char *)*state, kinds[i], i);
		snprintf(path, sizeof(path), "%s/%zu", (char *)*state, i);
		begin(t, path, !strncmp(kinds[i], "musl", 4));
		step_through(t);
		print_message("%s: %u steps, %u in a stack switch, %u in gaps, libdw agreed at %u "
			      "and gave up at %u\n",
			      kinds[i], t->steps, t->incomplete, t->gaps,
			      t->sampled - t->libdw_failed, t->libdw_failed);
		assert_true(t->steps > 1000);
		assert_int_equal(t->signals, 1);
		assert_true(t->incomplete <= 16);
		assert_true(t->without_cfi || t->sampled - t->libdw_failed > 20);
		assert_true(t->gaps < t->steps / 3);
		finish(t);
	}
	free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_every_pc, make_folder, remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	puts("single steps are told apart on x86-64 only");
	return 77;
}

#endif

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs that people run, stopped at moments of chance: each thread's walk is compared with
 * libdw's. A walk that we call complete must be the same as libdw's, as far as that one gets.
 * TRACER_TEST_STOPS=n says how many stops each program gets.
 */
#include "test_unwind_process.h"

#ifdef __x86_64__

#include <dirent.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

/* From the top of the tree, where tests/run starts the tests. */
#define SOURCES "tests/unit/programs"

#define MAX_FRAMES  4096
#define MAX_THREADS 128
#define MAX_PLACES  64

struct program {
	const char *name;
	const char *command; /* for the shell; the program must replace it */
	const char *needs;   /* a command that must succeed */
	unsigned warm_up;    /* milliseconds */
};

/* Where walks ended that are not complete. */
struct place {
	char name[PATH_MAX + 300];
	unsigned count;
};

struct counts {
	unsigned walks, complete, agreed, cut, different;
	unsigned misread; /* where libdw is known to be wrong */
	struct place places[MAX_PLACES];
	size_t place_count;
};

struct trace {
	uint64_t ip[MAX_FRAMES];
	size_t depth;
	int end; /* ours: enum unwind_end; libdw's: 0 when it thinks that it is whole */
};

struct tracee {
	pid_t pid;
	struct process process;
	Dwfl *dwfl;
	char *maps;
	struct counts *counts;
	struct trace ours, theirs;
	bool stripped;
};

/* ---- the program ---- */

static pid_t spawn(const struct program *program, const char *folder)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		int null = open("/dev/null", O_RDWR);

		/* they would run for ever */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setsid();
		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		if (chdir(folder))
			_exit(127);
		execl("/bin/sh", "sh", "-c", program->command, (char *)NULL);
		_exit(127);
	}
	return pid;
}

static void sleep_microseconds(long microseconds)
{
	struct timespec time = { microseconds / 1000000, microseconds % 1000000 * 1000 };

	nanosleep(&time, NULL);
}

static bool is_gone(pid_t pid)
{
	siginfo_t info = {};

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid == pid;
}

static void end_program(pid_t pid)
{
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static size_t list_threads(pid_t pid, pid_t *threads)
{
	char path[64];
	struct dirent *entry;
	size_t count = 0;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	folder = opendir(path);
	while (folder && count < MAX_THREADS && (entry = readdir(folder))) {
		if (atoi(entry->d_name))
			threads[count++] = atoi(entry->d_name);
	}
	if (folder)
		closedir(folder);
	return count;
}

/* Stops the threads; those that could not be are left out. */
static size_t stop_threads(pid_t *threads, size_t count)
{
	size_t stopped = 0;

	for (size_t i = 0; i < count; i++) {
		int status;

		if (ptrace(PTRACE_SEIZE, threads[i], NULL, NULL))
			continue;
		if (!ptrace(PTRACE_INTERRUPT, threads[i], NULL, NULL) &&
		    waitpid(threads[i], &status, __WALL) == threads[i] && WIFSTOPPED(status))
			threads[stopped++] = threads[i];
	}
	return stopped;
}

static void start_threads(const pid_t *threads, size_t count)
{
	for (size_t i = 0; i < count; i++)
		ptrace(PTRACE_DETACH, threads[i], NULL, NULL);
}

/* ---- libdw's walk ---- */

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
	if (dwfl_linux_proc_report(dwfl, pid) || dwfl_report_end(dwfl, NULL, NULL) ||
	    dwfl_linux_proc_attach(dwfl, pid, true)) {
		dwfl_end(dwfl);
		return NULL;
	}
	return dwfl;
}

static int add_libdw_frame(Dwfl_Frame *frame, void *data)
{
	struct trace *trace = data;
	Dwarf_Addr pc;

	if (trace->depth == MAX_FRAMES || !dwfl_frame_pc(frame, &pc, NULL))
		return DWARF_CB_ABORT;
	trace->ip[trace->depth++] = pc;
	return DWARF_CB_OK;
}

/* ---- mappings come and go ---- */

static char *read_maps(pid_t pid)
{
	char path[64], *text = NULL;
	size_t size = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "r");
	if (!maps || getdelim(&text, &size, '\0', maps) < 0) {
		free(text);
		text = NULL;
	}
	if (maps)
		fclose(maps);
	return text;
}

static void forget_mappings(struct tracee *t)
{
	if (!t->maps)
		return;
	process_close(&t->process);
	dwfl_end(t->dwfl);
	free(t->maps);
	t->maps = NULL;
	t->dwfl = NULL;
}

static bool learn_mappings(struct tracee *t)
{
	char *maps = read_maps(t->pid);

	if (!maps)
		return false;
	if (t->maps && !strcmp(t->maps, maps)) {
		free(maps);
		return true;
	}
	forget_mappings(t);
	t->maps = maps;
	process_open(&t->process, t->pid);
	t->dwfl = open_dwfl(t->pid);
	return t->dwfl != NULL;
}

/* ---- the comparison ---- */

static void name_of(struct tracee *t, uint64_t ip, bool exact, char *name, size_t size)
{
	const struct mapping *mapping = process_mapping(&t->process, ip - !exact);
	const struct elf_symbol *symbol = NULL;
	struct elf_file *file = NULL;
	uint64_t vaddr;

	if (!mapping) {
		snprintf(name, size, "no code");
		return;
	}
	vaddr = ip - mapping->bias - !exact;
	if (*mapping->path == '/' && !elf_file_open(mapping->path, &file))
		symbol = elf_file_function_at(file, vaddr);
	snprintf(name, size, "%s %s%s%#lx", *mapping->path ? mapping->path : "[anonymous]",
		 symbol ? symbol->name : "", symbol ? "+" : "",
		 symbol ? vaddr - symbol->vaddr : vaddr);
	elf_file_close(file);
}

static void count_place(struct tracee *t)
{
	static const char *const ends[UNWIND_END_MAX] = {
		"stepped",	 "outermost", "no table", "no code", "gap",   "unsupported",
		"lost register", "fault",     "stuck",	  "zero",    "depth",
	};
	char name[PATH_MAX + 300], where[PATH_MAX + 200];
	struct counts *counts = t->counts;

	name_of(t, t->ours.ip[t->ours.depth - 1], t->ours.depth == 1, where, sizeof(where));
	snprintf(name, sizeof(name), "%s at %s%s", ends[t->ours.end], where,
		 t->ours.depth == 1 ? " (frame 0)" : "");
	for (size_t i = 0; i < counts->place_count; i++) {
		if (!strcmp(counts->places[i].name, name)) {
			counts->places[i].count++;
			return;
		}
	}
	if (counts->place_count == MAX_PLACES)
		return;
	strcpy(counts->places[counts->place_count].name, name);
	counts->places[counts->place_count++].count = 1;
}

static void print_trace(struct tracee *t, const char *who, const struct trace *trace)
{
	char name[PATH_MAX + 200];

	print_message("  %s: %zu frames, end %d\n", who, trace->depth, trace->end);
	for (size_t i = 0; i < trace->depth && i < 40; i++) {
		name_of(t, trace->ip[i], !i, name, sizeof(name));
		print_message("    %#lx %s\n", trace->ip[i], name);
	}
}

/* The number of frames that both begin with. */
static size_t common(const struct trace *a, const struct trace *b)
{
	size_t i = 0;

	while (i < a->depth && i < b->depth && a->ip[i] == b->ip[i])
		i++;
	return i;
}

/* Is the walk in Go's code at its end? */
static bool ends_as_go(struct tracee *t)
{
	const struct mapping *mapping = process_mapping(&t->process, t->ours.ip[t->ours.depth - 1]);
	struct elf_file *file = NULL;
	bool go = mapping && !elf_file_open(mapping->path, &file) && elf_file_is_go(file);

	elf_file_close(file);
	return go;
}

/* Is frame i in a function of that name? It is not frame 0. */
static bool is_in(struct tracee *t, size_t i, const char *name)
{
	char where[PATH_MAX + 200];

	name_of(t, t->ours.ip[i], false, where, sizeof(where));
	return strstr(where, name);
}

/* What the call instruction calls that returns to frame i; 0 when there is none, or one through a pointer. */
static uint64_t called_before(struct tracee *t, size_t i)
{
	uint64_t bytes = 0;

	if (process_read(&t->process, t->ours.ip[i] - 5, &bytes) || (bytes & 255) != 0xe8)
		return 0;
	return t->ours.ip[i] + (uint64_t)(int64_t)(int32_t)(bytes >> 8);
}

/*
 * Functions of Go's runtime that call on another stack than their caller's, which libdw does not know. Our
 * caller of such a function does call it, which what libdw finds on the wrong stack does not.
 */
static bool is_behind_switch(struct tracee *t, size_t same)
{
	static const char *const switches[] = { " runtime.systemstack.abi0+",
						" runtime.asmcgocall.abi0+", " runtime.morestack" };
	char name[PATH_MAX + 200];
	uint64_t called;

	if (!same || same >= t->ours.depth)
		return false;
	called = called_before(t, same);
	if (!called)
		return false;
	name_of(t, called, true, name, sizeof(name));
	for (size_t i = 0; i < sizeof(switches) / sizeof(*switches); i++) {
		if (is_in(t, same - 1, switches[i]))
			return strstr(name, switches[i]);
	}
	return false;
}

/* Do both go on alike when `hidden` of our frames are left out, to the end or to where libdw is lost again? */
static bool goes_on_behind(struct tracee *t, size_t same, size_t hidden)
{
	size_t i = same + hidden, k = same;

	while (i < t->ours.depth && k < t->theirs.depth && t->ours.ip[i] == t->theirs.ip[k])
		i++, k++;
	if (k == same)
		return false;
	if (i == t->ours.depth)
		return k == t->theirs.depth || t->theirs.end != 0;
	return is_behind_switch(t, i);
}

/*
 * Where libdw does not know Go: mcall, once it has changed stacks, has no caller, and libdw reads on in
 * what lies there until it fails; and what a signal handler returns to has the CFI of a function, by which
 * libdw goes to where the frame pointer leads: past the frame that was interrupted, and past its caller
 * too, when it had not set its frame pointer yet.
 */
static bool is_go_misread(struct tracee *t, size_t same)
{
	if (!ends_as_go(t))
		return false;
	if (is_behind_switch(t, same))
		return true;
	if (same == t->ours.depth)
		return t->theirs.end != 0;
	return goes_on_behind(t, same, 1) || goes_on_behind(t, same, 2);
}

static void compare(struct tracee *t, pid_t thread)
{
	size_t same;

	/* All of it guessed by libdw: test_gopclntab knows that the rows are the same. */
	if (t->stripped) {
		t->counts->cut++;
		return;
	}
	t->theirs.depth = 0;
	t->theirs.end = dwfl_getthread_frames(t->dwfl, thread, add_libdw_frame, &t->theirs);
	same = common(&t->ours, &t->theirs);
	if (same == t->ours.depth && same == t->theirs.depth) {
		t->counts->agreed++;
	} else if (t->theirs.end && same + 1 >= t->theirs.depth) {
		/* Without CFI it guesses one more by the frame pointer, or takes what lies there. */
		t->counts->cut++;
	} else if (is_go_misread(t, same)) {
		t->counts->misread++;
	} else {
		t->counts->different++;
		print_trace(t, "ours", &t->ours);
		print_trace(t, "libdw's", &t->theirs);
	}
}

static void walk_thread(struct tracee *t, pid_t thread)
{
	struct unwind_target target = process_target(&t->process);
	struct user_regs_struct r;
	struct unwind_result result;
	struct unwind_start start;

	if (ptrace(PTRACE_GETREGS, thread, NULL, &r))
		return;
	/* Not yet the program, or in the middle of a system call that replaces it. */
	if (!process_mapping(&t->process, r.rip))
		return;
	start = (struct unwind_start){ .ip = r.rip, .sp = r.rsp, .fp = r.rbp };
	memcpy(t->process.general,
	       (uint64_t[]){ r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8, r.r9,
			     r.r10, r.r11, r.r12, r.r13, r.r14, r.r15 },
	       sizeof(t->process.general));
	t->process.thread_pointer = r.fs_base;
	result = unwind_walk(&target, &start, t->ours.ip, MAX_FRAMES);
	t->ours.depth = result.depth;
	t->ours.end = result.end;
	t->counts->walks++;
	if (result.end == UNWIND_OUTERMOST) {
		t->counts->complete++;
		compare(t, thread);
	} else {
		count_place(t);
	}
}

static void stop_and_walk(struct tracee *t)
{
	pid_t threads[MAX_THREADS];
	size_t count = stop_threads(threads, list_threads(t->pid, threads));

	if (count && learn_mappings(t)) {
		for (size_t i = 0; i < count; i++)
			walk_thread(t, threads[i]);
	}
	start_threads(threads, count);
}

/* ---- the test ---- */

static unsigned stops_wanted(void)
{
	const char *text = getenv("TRACER_TEST_STOPS");

	return text ? (unsigned)atoi(text) : 20;
}

static void run_program(const struct program *program, const char *folder, struct counts *counts)
{
	struct tracee *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	t->counts = counts;
	t->stripped = strstr(program->name, "stripped");
	srand(1);
	for (unsigned i = 0; i < stops_wanted(); i++) {
		if (!t->pid || is_gone(t->pid)) {
			forget_mappings(t);
			if (t->pid)
				end_program(t->pid);
			t->pid = spawn(program, folder);
			sleep_microseconds(program->warm_up * 1000);
		}
		sleep_microseconds(rand() % 3000);
		stop_and_walk(t);
	}
	forget_mappings(t);
	end_program(t->pid);
	free(t);
}

static int by_count(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->count < y->count ? 1 : -(x->count > y->count);
}

static void report(const struct program *program, struct counts *counts)
{
	print_message(
		"%s: %u walks, %u complete: libdw agreed to %u, gave up in %u, is wrong in %u\n",
		program->name, counts->walks, counts->complete, counts->agreed, counts->cut,
		counts->misread);
	qsort(counts->places, counts->place_count, sizeof(*counts->places), by_count);
	for (size_t i = 0; i < counts->place_count; i++)
		print_message("  %6u %s\n", counts->places[i].count, counts->places[i].name);
}

static const struct program programs[] = {
	{ "python3", "exec python3 work.py", "python3 -V", 300 },
	{ "perl", "exec perl work.pl", "perl -v", 200 },
	{ "bash",
	  "exec bash -c 'f() { local x=$1; [[ $x =~ a(b+)c ]]; x=${x//b/c}; echo $((x > 5 ? 1 : 2)) ${x^^}; }; while :; do f abbbc; a=(1 2 3); for i in ${a[@]}; do case $i in 2*) : ;; esac; done; x=$(echo hi); done'",
	  "bash --version", 100 },
	{ "openssl",
	  "exec openssl speed -seconds 1 -bytes 1024 sha256 sha512 aes-256-cbc md5 sha1 ghash camellia-128-cbc ecdsap256 ecdsap384 ed25519 rsa2048 dsa2048 ecdhx25519",
	  "openssl version", 100 },
	{ "openssl-evp", "exec openssl speed -seconds 1 -evp aes-128-gcm", "openssl version", 100 },
	{ "clang", "exec clang-14 -O2 -g -c big.c -o big.o", "clang-14 --version", 50 },
	{ "gcc", "exec $(gcc -print-prog-name=cc1) -quiet -O2 -g big.c -o big.s", "gcc --version",
	  50 },
	{ "systemd-analyze", "exec systemd-analyze calendar --iterations=1000000 minutely",
	  "systemd-analyze --version", 50 },
	{ "node", "exec node work.js", "node --version", 1500 },
	{ "node-jitless", "exec node --jitless work.js", "node --version", 1500 },
	{ "c++", "exec ./throw", "g++ -O2 -pthread throw.cc -o throw", 100 },
	{ "rust", "exec ./rust", "rustc -O work.rs -o rust", 100 },
	{ "rust-abort", "exec ./rust-abort", "rustc -O -C panic=abort work.rs -o rust-abort", 100 },
	{ "go", "exec ./gowork", "cd go && CGO_ENABLED=0 GOFLAGS=-mod=mod go build -o ../gowork .",
	  200 },
	{ "go-cgo", "exec ./gowork-cgo",
	  "cd go && CGO_ENABLED=1 CGO_LDFLAGS=-lm go build -o ../gowork-cgo .", 200 },
	{ "go-stripped", "exec ./gowork-s",
	  "cd go && CGO_ENABLED=0 go build -ldflags='-s -w' -o ../gowork-s .", 200 },
	{ "go-cgo-stripped", "exec ./gowork-cs",
	  "cd go && CGO_ENABLED=1 CGO_LDFLAGS=-lm go build -ldflags='-s -w' -o ../gowork-cs .",
	  200 },
	{ "musl", "exec ./musl", "musl-gcc -O2 musl.c -o musl", 100 },
	{ "musl-static", "exec ./musl-static", "musl-gcc -static -O2 musl.c -o musl-static", 100 },
	{ "ld.so",
	  "for i in 1 2 3 4 5 6 7; do /bin/true; done; LD_BIND_NOW=1 exec clang-14 --version",
	  "true", 0 },
	{ "openssl-chacha", "exec openssl speed -seconds 1 -evp chacha20-poly1305",
	  "openssl version", 100 },
	{ "openssl-sha3", "exec openssl speed -seconds 1 -evp sha3-256", "openssl version", 100 },
	{ "journald", "exec /lib/systemd/systemd-journald", "test -x /lib/systemd/systemd-journald",
	  200 },
};

/* Stacks that the oracle cannot walk to their end, or that end where we cannot either. */
static bool is_hard(const struct program *program)
{
	return !strncmp(program->name, "node", 4) || !strncmp(program->name, "go", 2) ||
	       !strcmp(program->name, "openssl-evp");
}

static bool is_there(const struct program *program, const char *folder)
{
	char command[1024];

	snprintf(command, sizeof(command), "cd %s && ( %s ) >/dev/null 2>&1", folder,
		 program->needs);
	return !system(command);
}

static void test_programs(void **state)
{
	run("cp -R %s/. %s", SOURCES, (char *)*state);
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		const char *only = getenv("TRACER_TEST_PROGRAM");
		struct counts *counts = calloc(1, sizeof(*counts));

		assert_non_null(counts);
		if (only && strcmp(only, programs[i].name)) {
			free(counts);
			continue;
		}
		if (is_there(&programs[i], *state)) {
			run_program(&programs[i], *state, counts);
			report(&programs[i], counts);
			assert_int_equal(counts->different, 0);
			assert_true(is_hard(&programs[i]) ||
				    counts->complete * 10 >= counts->walks * 8);
		} else {
			print_message("[ SKIPPED ] %s: not here\n", programs[i].name);
		}
		free(counts);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_programs, make_folder, remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	puts("registers are read on x86-64 only");
	return 77;
}

#endif

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * backtraces [MS [FOLDER]]
 *
 * Calls traced_here of backtrace.c, first from a constructor, then, after MS, from wherever a stack is
 * hard to walk. With FOLDER only from libraries of it that are loaded and unloaded, each in use for MS.
 * Exits with 0.
 */
#include <alloca.h>
#include <dlfcn.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "backtrace.h"
#include "workload.h"

#define ALTERNATE_BYTES 65536

static volatile unsigned long zero;
static jmp_buf back;

static void wait_for_child(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || status != 0)
		abort();
}

/* ---- called back by libc ------------------------------------------------------------------- */

static int comparisons;

static APART int compare(const void *a, const void *b)
{
	if (++comparisons % 4 == 1)
		HERE();
	return *(const int *)a - *(const int *)b;
}

static APART void sort_and_search(void)
{
	int numbers[] = { 5, 3, 9, 1, 7, 2, 8, 4 };
	int key = 8;

	qsort(numbers, 8, sizeof(int), compare);
	if (!bsearch(&key, numbers, 8, sizeof(int), compare))
		abort();
}

static APART void *thread_main(void *argument)
{
	HERE();
	return argument;
}

static APART void a_thread(void)
{
	pthread_t thread;

	start_thread_or_exit(&thread, thread_main, NULL);
	pthread_join(thread, NULL);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static APART void only_once(void)
{
	HERE();
}

static APART void call_once(void)
{
	pthread_once(&once, only_once);
}

/* ---- stacks of no fixed size --------------------------------------------------------------- */

static APART void use(void *memory)
{
	__asm__ volatile("" : : "r"(memory) : "memory");
	HERE();
}

static APART void dynamic(unsigned long size)
{
	char *memory = alloca(size + zero);

	use(memory);
}

static APART void aligned_locals(unsigned long size)
{
	char locals[64] __attribute__((aligned(64)));

	use(locals);
	use((char *)alloca(size + zero) + (uintptr_t)locals % 2);
	__asm__ volatile("" : : "r"(locals) : "memory");
}

/* Arguments on the stack: gcc keeps their place in a register of its own. */
static APART unsigned long aligned_arguments(unsigned long a, unsigned long b, unsigned long c,
					     unsigned long d, unsigned long e, unsigned long f,
					     unsigned long g, unsigned long h)
{
	char locals[128] __attribute__((aligned(128)));

	use(locals);
	use(alloca(g + zero));
	return a + b + c + d + e + f + g + h;
}

static APART unsigned long large_frame(void)
{
	volatile char locals[100000];

	locals[zero] = 1;
	HERE();
	return locals[zero];
}

static APART unsigned long recurse(unsigned long depth)
{
	volatile unsigned long below = 0;

	if (depth)
		below = recurse(depth - 1);
	else
		HERE();
	return below + depth;
}

static APART void dynamic_stacks(void)
{
	dynamic(100);
	dynamic(5000);
	aligned_locals(300);
	aligned_arguments(1, 2, 3, 4, 5, 6, 500, 8);
	large_frame();
	recurse(100);
	recurse(400);
}

/* ---- signals ------------------------------------------------------------------------------- */

static volatile sig_atomic_t arrived;
static char *protected_page;

static APART void on_signal(int number)
{
	HERE();
	arrived = number;
}

static APART void on_nested(int number)
{
	HERE();
	raise(SIGUSR2);
	arrived = number;
}

static APART void on_fault(int number)
{
	HERE();
	arrived = number;
	mprotect(protected_page, 4096, PROT_READ | PROT_WRITE);
}

static APART void on_jump(int number)
{
	HERE();
	arrived = number;
	siglongjmp(back, 1);
}

static void handle(int number, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(number, &action, NULL);
	arrived = 0;
}

/* A leaf: the signal finds it without a frame of its own. */
static APART void spin_until_signal(void)
{
	while (!arrived)
		zero = 0;
}

static APART void by_timer(void)
{
	struct itimerval soon = { .it_value = { .tv_usec = 2000 } };

	traced_name("timer");
	handle(SIGALRM, on_signal, 0);
	setitimer(ITIMER_REAL, &soon, NULL);
	spin_until_signal();
}

static APART void by_fault(void)
{
	protected_page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	handle(SIGSEGV, on_fault, 0);
	*protected_page = 1;
	mprotect(protected_page, 4096, PROT_NONE);
	handle(SIGSEGV, on_jump, SA_NODEFER);
	if (sigsetjmp(back, 1) == 0)
		memset(protected_page, 0, 4096);
	munmap(protected_page, 4096);
}

/* Called where no code is: the return address is on the stack, but no table tells of it. */
static APART void by_lost_call(void)
{
	static uint64_t data[512] __attribute__((aligned(4096)));
	void (*nowhere)(void) = (void (*)(void))(data + zero);

	handle(SIGSEGV, on_jump, SA_NODEFER);
	if (sigsetjmp(back, 1) == 0)
		nowhere();
}

static APART void on_other_stack(void)
{
	stack_t other = { .ss_sp = malloc(ALTERNATE_BYTES), .ss_size = ALTERNATE_BYTES };
	stack_t none = { .ss_flags = SS_DISABLE };

	sigaltstack(&other, NULL);
	handle(SIGUSR2, on_signal, SA_ONSTACK);
	handle(SIGUSR1, on_nested, SA_ONSTACK);
	raise(SIGUSR1);
	sigaltstack(&none, NULL);
	free(other.ss_sp);
}

static APART void signals(void)
{
	handle(SIGUSR1, on_signal, 0);
	raise(SIGUSR1);
	handle(SIGUSR2, on_signal, 0);
	handle(SIGUSR1, on_nested, 0);
	raise(SIGUSR1);
	on_other_stack();
	by_fault();
	by_timer();
}

/* ---- each instruction ---------------------------------------------------------------------- */

#if defined(__x86_64__)
#define TRAP_FLAG  0x100
#define MOST_STEPS 3000

static volatile unsigned long steps_left;

/* The trap flag in the registers that the return from a signal restores: a trap after each instruction. */
static void set_trap_flag(void *context, int on)
{
	greg_t *flags = &((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL];

	*flags = on ? *flags | TRAP_FLAG : *flags & ~TRAP_FLAG;
}

static APART void on_begin(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	set_trap_flag(context, 1);
}

static APART void on_step(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	if (!steps_left) {
		set_trap_flag(context, 0);
		return;
	}
	steps_left--;
	HERE();
}

static APART unsigned long stepped_leaf(unsigned long a, char *memory)
{
	memory[0] = (char)a;
	return a * 3 + zero;
}

static APART unsigned long stepped_frames(unsigned long a, unsigned long b, unsigned long c)
{
	char locals[64] __attribute__((aligned(64)));
	char *memory = alloca(a + zero);

	a = stepped_leaf(a, memory);
	b = stepped_leaf(b, locals);
	c = stepped_leaf(c, memory);
	return a + b + c;
}

/* The first call of a function of libc here: bound by the loader meanwhile if it is bound lazily. */
static APART unsigned long stepped_binding(void)
{
	return (unsigned long)labs((long)zero - 5) + (unsigned long)getppid();
}

static APART void each_instruction(void)
{
	struct sigaction begin = { .sa_sigaction = on_begin, .sa_flags = SA_SIGINFO };
	struct sigaction step = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };

	sigaction(SIGUSR1, &begin, NULL);
	sigaction(SIGTRAP, &step, NULL);
	steps_left = MOST_STEPS;
	raise(SIGUSR1);
	stepped_frames(100, 2, 3);
	stepped_binding();
	steps_left = 0;
}
#else
static APART void each_instruction(void)
{
}
#endif

/* ---- calls that do not return, and those that return twice ----------------------------------- */

static __attribute__((noreturn)) APART void never_return(void)
{
	HERE();
	longjmp(back, 1);
}

/* Its last instruction is the call: the return address lies in what follows. */
static APART void ends_with_call(unsigned long a)
{
	use((char *)alloca(a));
	never_return();
}

static APART void follows(void)
{
	HERE();
}

static APART void jumps(void)
{
	if (setjmp(back) == 0)
		ends_with_call(8);
	else
		follows();
	if (sigsetjmp(back, 1) == 0) {
		handle(SIGUSR1, on_jump, SA_NODEFER);
		raise(SIGUSR1);
	}
	follows();
}

static APART void by_vfork(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		HERE();
		_exit(0);
	}
	HERE();
	wait_for_child(pid);
}

static APART void by_fork(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		HERE();
		recurse(10);
		a_thread();
		_exit(0);
	}
	wait_for_child(pid);
	HERE();
}

static APART void processes(void)
{
	by_vfork();
	by_fork();
}

/* ---- libraries ----------------------------------------------------------------------------- */

static const char *folder;
static useconds_t pause_us;

#ifndef NO_LIBRARIES
typedef void library_entry(void (*callback)(void));

static void *load(const char *file, int flags, library_entry **entry)
{
	char path[4096];
	void *library;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	library = dlopen(path, flags);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	*entry = (library_entry *)dlsym(library, "library_entry");
	return library;
}

static uintptr_t load_address(void *library)
{
	struct link_map *map = NULL;

	return dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 ? map->l_addr : 0;
}

static APART void called_back(void)
{
	HERE();
}

/*
 * One library takes the addresses of the other, of the same size; the code at one address differs in how
 * large its frames are. Each calls back as soon as it is loaded, and again when it is long known.
 */
static APART void libraries(void)
{
	static const char *const files[] = { "libbacktraces-1.so", "libbacktraces-2.so" };
	library_entry *entry;
	uintptr_t first = 0;

	for (int i = 0; i < 4; i++) {
		void *library = load(files[i % 2], RTLD_NOW, &entry);

		if (first && load_address(library) != first)
			fprintf(stderr, "not at the same address\n");
		first = load_address(library);
		entry(called_back);
		usleep(pause_us);
		entry(called_back);
		dlclose(library);
	}
}

/* Bound lazily, the library asks its resolver for the function at the first call. */
static APART void lazy_library(void)
{
	library_entry *entry;
	void *library = load("libbacktraces-3.so", RTLD_LAZY, &entry);

	entry(called_back);
	usleep(pause_us);
	entry(called_back);
	dlclose(library);
}
#else
static APART void libraries(void)
{
}

static APART void lazy_library(void)
{
}
#endif

/* ---- all of them --------------------------------------------------------------------------- */

static __attribute__((constructor)) APART void before_main(void)
{
	traced_name("constructor");
	HERE();
}

static __attribute__((destructor)) APART void after_main(void)
{
	traced_name("destructor");
	HERE();
}

static APART void at_exit(void)
{
	traced_name("atexit");
	HERE();
}

static const struct {
	const char *name;
	void (*run)(void);
	int needs_folder;
} situations[] = {
	{ "sort_and_search", sort_and_search, 0 },
	{ "a_thread", a_thread, 0 },
	{ "call_once", call_once, 0 },
	{ "dynamic_stacks", dynamic_stacks, 0 },
	{ "signals", signals, 0 },
	{ "lost_call", by_lost_call, 0 },
	{ "jumps", jumps, 0 },
	{ "processes", processes, 0 },
	{ "libraries", libraries, 1 },
	{ "lazy_library", lazy_library, 1 },
	{ "each_instruction", each_instruction, 0 },
};

int main(int argc, char **argv)
{
	pause_us = 1000 * (useconds_t)number_argument(argc, argv, 1, 0);
	folder = argc > 2 ? argv[2] : NULL;
	atexit(at_exit);
	usleep(pause_us);
	for (size_t i = 0; i < sizeof(situations) / sizeof(situations[0]); i++) {
		if (situations[i].needs_folder != (folder != NULL))
			continue;
		traced_name(situations[i].name);
		situations[i].run();
	}
	return 0;
}

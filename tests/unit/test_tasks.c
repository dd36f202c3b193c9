// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Who had what mapped where, and when: histories made of records, and this very process. */
#include "test_folder.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "object/elf_file.h"
#include "process/object.h"
#include "process/tasks.h"
#include "record/record.h"

/* Above any pid there is (the kernel's limit is 2^22): nothing of them is in /proc. */
#define PARENT	   5000001
#define CHILD	   5000002
#define GRANDCHILD 5000003

struct fixture {
	struct objects *objects;
	struct tasks *tasks;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	fixture->objects = objects_new();
	fixture->tasks = tasks_new(fixture->objects);
	assert_non_null(fixture->tasks);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	tasks_free(fixture->tasks);
	objects_free(fixture->objects);
	free(fixture);
	return 0;
}

static void apply(struct fixture *fixture, const struct record *record)
{
	assert_int_equal(tasks_apply(fixture->tasks, record), 0);
}

static void map_as(struct fixture *fixture, uint64_t time, uint32_t pid, uint64_t start,
		   uint64_t end, uint64_t inode, const char *path, uint32_t protection)
{
	const struct record record = {
		.kind = RECORD_MMAP,
		.time = time,
		.pid = pid,
		.tid = pid,
		.mmap = { .start = start,
			  .length = end - start,
			  .file_offset = 0x10000,
			  .inode = inode,
			  .major = 250,
			  .minor = 7,
			  .protection = protection,
			  .path = path },
	};

	apply(fixture, &record);
}

/* A file mapping; files are told apart by inode. */
static void map(struct fixture *fixture, uint64_t time, uint32_t pid, uint64_t start, uint64_t end,
		uint64_t inode)
{
	char path[64];

	snprintf(path, sizeof(path), "/nonexistent/%d", (int)inode);
	map_as(fixture, time, pid, start, end, inode, path, PROT_READ | PROT_EXEC);
}

static void fork_as(struct fixture *fixture, uint64_t time, uint32_t parent, uint32_t pid,
		    uint32_t tid)
{
	const struct record record = {
		.kind = RECORD_FORK,
		.time = time,
		.pid = pid,
		.tid = tid,
		.fork = { .parent_pid = parent, .parent_tid = parent },
	};

	apply(fixture, &record);
}

static void comm(struct fixture *fixture, uint64_t time, uint32_t pid, uint32_t tid,
		 const char *name, bool is_exec)
{
	const struct record record = {
		.kind = RECORD_COMM,
		.time = time,
		.pid = pid,
		.tid = tid,
		.comm = { .comm = name, .is_exec = is_exec },
	};

	apply(fixture, &record);
}

static void end(struct fixture *fixture, uint64_t time, uint32_t pid)
{
	const struct record record = { .kind = RECORD_EXIT, .time = time, .pid = pid, .tid = pid };

	apply(fixture, &record);
}

/* inode 0: unknown. Mappings of this test begin at file offset 0x10000. */
static void check(struct fixture *fixture, uint64_t time, pid_t pid, uint64_t ip, uint64_t inode,
		  uint64_t offset)
{
	struct frame frame;

	tasks_resolve(fixture->tasks, pid, time, ip, &frame);
	assert_non_null(frame.object);
	assert_int_equal(frame.object->kind, inode ? OBJECT_FILE : OBJECT_UNKNOWN);
	assert_int_equal(frame.object->inode, inode);
	assert_int_equal(frame.offset, inode ? 0x10000 + offset : ip);
}

static void check_comm(struct fixture *fixture, uint64_t time, pid_t pid, pid_t tid,
		       const char *expected)
{
	const char *got = tasks_comm(fixture->tasks, pid, tid, time);

	if (!expected) {
		assert_null(got);
		return;
	}
	assert_non_null(got);
	assert_string_equal(got, expected);
}

static void test_a_mapping_begins(void **state)
{
	struct fixture *fixture = *state;

	map(fixture, 100, PARENT, 0x1000, 0x3000, 1);
	check(fixture, 100, PARENT, 0x1000, 1, 0);
	check(fixture, 200, PARENT, 0x2fff, 1, 0x1fff);
	check(fixture, 99, PARENT, 0x1000, 0, 0);
	check(fixture, 100, PARENT, 0xfff, 0, 0);
	check(fixture, 100, PARENT, 0x3000, 0, 0);
	check(fixture, 100, CHILD, 0x1000, 0, 0);
}

/* dlclose, then dlopen of another library at the same address. */
static void test_another_library_at_the_same_address(void **state)
{
	struct fixture *fixture = *state;

	map(fixture, 100, PARENT, 0x1000, 0x3000, 1);
	map(fixture, 200, PARENT, 0x1000, 0x3000, 2);
	map(fixture, 300, PARENT, 0x1000, 0x3000, 1);
	check(fixture, 150, PARENT, 0x1010, 1, 0x10);
	check(fixture, 199, PARENT, 0x1010, 1, 0x10);
	check(fixture, 200, PARENT, 0x1010, 2, 0x10);
	check(fixture, 299, PARENT, 0x1010, 2, 0x10);
	check(fixture, 300, PARENT, 0x1010, 1, 0x10);
	check(fixture, 120, PARENT, 0x1010, 1, 0x10);
}

static void test_overlaps_split(void **state)
{
	struct fixture *fixture = *state;

	map(fixture, 100, PARENT, 0x1000, 0x9000, 1);
	map(fixture, 200, PARENT, 0x3000, 0x5000, 2); /* inside */
	check(fixture, 200, PARENT, 0x2fff, 1, 0x1fff);
	check(fixture, 200, PARENT, 0x3000, 2, 0);
	check(fixture, 200, PARENT, 0x4fff, 2, 0x1fff);
	check(fixture, 200, PARENT, 0x5000, 1, 0x4000);
	check(fixture, 199, PARENT, 0x3000, 1, 0x2000);
	map(fixture, 300, PARENT, 0x4000, 0x6000, 3); /* over an end and a beginning */
	check(fixture, 300, PARENT, 0x3fff, 2, 0xfff);
	check(fixture, 300, PARENT, 0x4000, 3, 0);
	check(fixture, 300, PARENT, 0x6000, 1, 0x5000);
	check(fixture, 250, PARENT, 0x4800, 2, 0x1800);
	check(fixture, 250, PARENT, 0x5800, 1, 0x4800);
	check(fixture, 150, PARENT, 0x4800, 1, 0x3800);
	map(fixture, 400, PARENT, 0, 0x20000, 4); /* over all of them */
	check(fixture, 400, PARENT, 0x1000, 4, 0x1000);
	check(fixture, 400, PARENT, 0x8fff, 4, 0x8fff);
	check(fixture, 399, PARENT, 0x8fff, 1, 0x7fff);
	check(fixture, 399, PARENT, 0x3000, 2, 0);
	check(fixture, 399, PARENT, 0x9000, 0, 0);
}

/* Data mapped over code takes its place, though data is not told of by itself. */
static void test_data_over_code(void **state)
{
	struct fixture *fixture = *state;

	map(fixture, 100, PARENT, 0x1000, 0x3000, 1);
	map_as(fixture, 200, PARENT, 0x1000, 0x2000, 9, "/nonexistent/data", PROT_READ);
	check(fixture, 200, PARENT, 0x1800, 0, 0);
	check(fixture, 200, PARENT, 0x2800, 1, 0x1800);
	check(fixture, 199, PARENT, 0x1800, 1, 0x800);
}

/* A record that comes late does not undo what is newer than it. */
static void test_late_records(void **state)
{
	struct fixture *fixture = *state;

	map(fixture, 300, PARENT, 0x1000, 0x3000, 2);
	map(fixture, 100, PARENT, 0x1000, 0x3000, 1);
	check(fixture, 100, PARENT, 0x1000, 1, 0);
	check(fixture, 299, PARENT, 0x1000, 1, 0);
	check(fixture, 300, PARENT, 0x1000, 2, 0);
	comm(fixture, 200, PARENT, PARENT, "late", true);
	check(fixture, 400, PARENT, 0x1000, 2, 0);
}

static void test_malformed_mappings(void **state)
{
	struct fixture *fixture = *state;

	map(fixture, 100, PARENT, 0x1000, 0x1000, 1);
	map(fixture, 100, PARENT, 0x2000, 0x1000, 1);
	check(fixture, 100, PARENT, 0x1000, 0, 0);
	map(fixture, 100, PARENT, 0, UINT64_MAX, 1);
	check(fixture, 100, PARENT, UINT64_MAX - 1, 1, UINT64_MAX - 1);
	check(fixture, 100, PARENT, UINT64_MAX, 0, 0);
	map_as(fixture, 200, PARENT, 0x1000, 0x2000, 0, "", PROT_EXEC);
	map_as(fixture, 200, PARENT, 0x2000, 0x3000, 1, " (deleted)", PROT_EXEC);
	map_as(fixture, 200, PARENT, 0x3000, 0x4000, 5, "[", PROT_EXEC);
	map_as(fixture, 200, PARENT, 0x4000, 0x5000, 6, "/", PROT_EXEC);
}

static void test_exec_begins_anew(void **state)
{
	struct fixture *fixture = *state;

	map(fixture, 100, PARENT, 0x1000, 0x3000, 1);
	comm(fixture, 50, PARENT, PARENT, "before", false);
	comm(fixture, 200, PARENT, PARENT, "after", true);
	map(fixture, 201, PARENT, 0x5000, 0x7000, 2);
	check(fixture, 199, PARENT, 0x1000, 1, 0);
	check(fixture, 200, PARENT, 0x1000, 0, 0);
	check(fixture, 250, PARENT, 0x1000, 0, 0);
	check(fixture, 250, PARENT, 0x5000, 2, 0);
	check(fixture, 150, PARENT, 0x5000, 0, 0);
	check_comm(fixture, 49, PARENT, PARENT, NULL);
	check_comm(fixture, 199, PARENT, PARENT, "before");
	check_comm(fixture, 200, PARENT, PARENT, "after");
}

static void test_fork_takes_over_mappings(void **state)
{
	struct fixture *fixture = *state;

	map(fixture, 100, PARENT, 0x1000, 0x3000, 1);
	comm(fixture, 100, PARENT, PARENT, "parent", false);
	fork_as(fixture, 200, PARENT, CHILD, CHILD);
	check(fixture, 200, CHILD, 0x1000, 1, 0);
	check(fixture, 199, CHILD, 0x1000, 0, 0); /* there was no such process yet */
	check_comm(fixture, 200, CHILD, CHILD, "parent");
	/* From now on each has its own. */
	map(fixture, 300, PARENT, 0x1000, 0x2000, 2);
	map(fixture, 300, CHILD, 0x2000, 0x3000, 3);
	check(fixture, 400, CHILD, 0x1000, 1, 0);
	check(fixture, 400, CHILD, 0x2000, 3, 0);
	check(fixture, 400, PARENT, 0x1000, 2, 0);
	check(fixture, 400, PARENT, 0x2000, 1, 0x1000);
	/* A grandchild, and then the child's exec. */
	fork_as(fixture, 500, CHILD, GRANDCHILD, GRANDCHILD);
	comm(fixture, 600, CHILD, CHILD, "child", true);
	check(fixture, 700, GRANDCHILD, 0x1000, 1, 0);
	check(fixture, 700, GRANDCHILD, 0x2000, 3, 0);
	check(fixture, 700, CHILD, 0x1000, 0, 0);
	check(fixture, 700, CHILD, 0x2000, 0, 0);
	check(fixture, 599, CHILD, 0x2000, 3, 0);
	check_comm(fixture, 700, GRANDCHILD, GRANDCHILD, "parent");
	/* The grandchild's exec ends what it had from both. */
	comm(fixture, 800, GRANDCHILD, GRANDCHILD, "other", true);
	check(fixture, 800, GRANDCHILD, 0x1000, 0, 0);
	check(fixture, 799, GRANDCHILD, 0x1000, 1, 0);
}

/* A shell that forks children that fork at once, with nothing mapped in between. */
static void test_chain_of_forks(void **state)
{
	struct fixture *fixture = *state;

	map(fixture, 100, PARENT, 0x1000, 0x3000, 1);
	for (uint32_t i = 0; i < 1000; i++)
		fork_as(fixture, 200 + i, PARENT + i, PARENT + i + 1, PARENT + i + 1);
	map(fixture, 5000, PARENT, 0x1000, 0x3000, 2);
	check(fixture, 9000, PARENT + 1000, 0x1000, 1, 0);
	check(fixture, 9000, PARENT + 500, 0x1000, 1, 0);
	check(fixture, 9000, PARENT, 0x1000, 2, 0);
}

static void test_threads(void **state)
{
	struct fixture *fixture = *state;

	map(fixture, 100, PARENT, 0x1000, 0x3000, 1);
	comm(fixture, 100, PARENT, PARENT, "main", false);
	fork_as(fixture, 200, PARENT, PARENT, PARENT + 7);
	check(fixture, 300, PARENT, 0x1000, 1, 0);
	check_comm(fixture, 199, PARENT, PARENT + 7, NULL);
	check_comm(fixture, 200, PARENT, PARENT + 7, "main");
	comm(fixture, 300, PARENT, PARENT + 7, "worker", false);
	check_comm(fixture, 299, PARENT, PARENT + 7, "main");
	check_comm(fixture, 300, PARENT, PARENT + 7, "worker");
	check_comm(fixture, 300, PARENT, PARENT, "main");
	comm(fixture, 400, PARENT, PARENT, "a name that is longer than a comm can be", false);
	check_comm(fixture, 400, PARENT, PARENT, "a name that is ");
}

static void test_pid_used_again(void **state)
{
	struct fixture *fixture = *state;

	map(fixture, 100, CHILD, 0x1000, 0x3000, 1);
	comm(fixture, 100, CHILD, CHILD, "first", false);
	end(fixture, 200, CHILD);
	/* What has exited is still asked for. */
	check(fixture, 150, CHILD, 0x1000, 1, 0);
	map(fixture, 100, PARENT, 0x8000, 0x9000, 3);
	fork_as(fixture, 300, PARENT, CHILD, CHILD);
	check(fixture, 300, CHILD, 0x1000, 0, 0);
	check(fixture, 300, CHILD, 0x8000, 3, 0);
	map(fixture, 310, CHILD, 0x1000, 0x3000, 2);
	comm(fixture, 310, CHILD, CHILD, "second", false);
	check(fixture, 350, CHILD, 0x1000, 2, 0);
	check(fixture, 299, CHILD, 0x1000, 1, 0);
	check(fixture, 299, CHILD, 0x8000, 0, 0);
	check_comm(fixture, 299, CHILD, CHILD, "first");
	check_comm(fixture, 310, CHILD, CHILD, "second");
	/* Told twice, it is one fork. */
	fork_as(fixture, 300, PARENT, CHILD, CHILD);
	check(fixture, 350, CHILD, 0x1000, 2, 0);
}

static void check_kind(struct fixture *fixture, const char *path, uint64_t inode,
		       enum object_kind kind, uint64_t offset)
{
	struct frame frame;

	map_as(fixture, 100, PARENT, 0x4000, 0x6000, inode, path, PROT_READ | PROT_EXEC);
	tasks_resolve(fixture->tasks, PARENT, 100, 0x4321, &frame);
	if (frame.object->kind != kind)
		fail_msg("%s: kind %d", path, (int)frame.object->kind);
	assert_int_equal(frame.offset, offset);
}

static void test_kinds_of_mappings(void **state)
{
	struct fixture *fixture = *state;

	check_kind(fixture, "[vdso]", 0, OBJECT_VDSO, 0x321);
	check_kind(fixture, "[vsyscall]", 0, OBJECT_SPECIAL, 0x4321);
	check_kind(fixture, "[uprobes]", 0, OBJECT_SPECIAL, 0x4321);
	check_kind(fixture, "//anon", 0, OBJECT_ANON, 0x4321);
	check_kind(fixture, "[anon:jit]", 0, OBJECT_ANON, 0x4321);
	check_kind(fixture, "[heap]", 0, OBJECT_ANON, 0x4321);
	check_kind(fixture, "[stack]", 0, OBJECT_ANON, 0x4321);
	check_kind(fixture, "", 0, OBJECT_ANON, 0x4321);
	check_kind(fixture, "/memfd:doublemapper (deleted)", 77, OBJECT_ANON, 0x4321);
	check_kind(fixture, "/dev/zero (deleted)", 78, OBJECT_ANON, 0x4321);
	check_kind(fixture, "/SYSV0000002a (deleted)", 79, OBJECT_ANON, 0x4321);
	check_kind(fixture, "/SYSVinit", 80, OBJECT_FILE, 0x10321);
	check_kind(fixture, "/usr/bin/nothing (deleted)", 81, OBJECT_FILE, 0x10321);
}

/*
 * ---- this process, and ones that it starts ----------------------------------------------------
 */

static int variable_in_data = 1;
static char variable_in_bss[20000];

static uint64_t file_offset_of(const void *address, char *path, size_t size)
{
	FILE *output = output_of("cat /proc/%d/maps", getpid());
	uint64_t start, finish, offset, result = 0;
	char line[PATH_MAX + 128], name[PATH_MAX];

	while (fgets(line, sizeof(line), output)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %4095[^\n]",
			   &start, &finish, &offset, name) != 4)
			continue;
		if ((uintptr_t)address >= start && (uintptr_t)address < finish) {
			snprintf(path, size, "%s", name);
			result = (uintptr_t)address - start + offset;
		}
	}
	pclose(output);
	return result;
}

static void check_own(struct fixture *fixture, const void *address)
{
	char path[PATH_MAX] = "";
	uint64_t offset = file_offset_of(address, path, sizeof(path));
	struct frame frame;

	tasks_resolve(fixture->tasks, getpid(), 1000, (uintptr_t)address, &frame);
	assert_int_equal(frame.object->kind, OBJECT_FILE);
	assert_int_equal(frame.offset, offset);
	assert_string_equal(frame.object->path, path);
	assert_true(frame.object->fd >= 0);
	assert_int_equal(tasks_address_of(fixture->tasks, getpid(), frame.object, frame.offset),
			 (uintptr_t)address);
}

static void test_own_process(void **state)
{
	struct fixture *fixture = *state;
	struct frame frame;

	assert_int_equal(tasks_scan(fixture->tasks, getpid(), 500), 0);
	assert_int_equal(tasks_scan(fixture->tasks, getpid(), 900), 0);
	check_own(fixture, (void *)test_own_process);
	check_own(fixture, dlsym(RTLD_DEFAULT, "qsort"));
	check_own(fixture, dlsym(RTLD_DEFAULT, "elf_begin"));
	tasks_resolve(fixture->tasks, getpid(), 499, (uintptr_t)test_own_process, &frame);
	assert_int_equal(frame.object->kind, OBJECT_UNKNOWN);
	check_comm(fixture, 499, getpid(), getpid(), NULL);
	check_comm(fixture, 500, getpid(), getpid(), "test_tasks");
	assert_int_equal(tasks_scan(fixture->tasks, PARENT, 0), -ESRCH);
}

static void test_unknown_process_is_looked_up_once(void **state)
{
	struct fixture *fixture = *state;

	check_own(fixture, (void *)test_unknown_process_is_looked_up_once);
	check(fixture, 100, PARENT, 0x1000, 0, 0);
}

static void test_scan_all_finds_us(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(tasks_scan_all(fixture->tasks, 500), 0);
	check_comm(fixture, 500, getpid(), getpid(), "test_tasks");
	check_own(fixture, (void *)test_scan_all_finds_us);
}

static void test_vdso(void **state)
{
	struct fixture *fixture = *state;
	uint64_t base = getauxval(AT_SYSINFO_EHDR);
	struct frame frame;

	if (!base)
		skip();
	tasks_resolve(fixture->tasks, getpid(), 0, base + 0x10, &frame);
	assert_int_equal(frame.object->kind, OBJECT_VDSO);
	assert_int_equal(frame.offset, 0x10);
	assert_int_equal(tasks_address_of(fixture->tasks, getpid(), frame.object, 0x10),
			 base + 0x10);
}

/* Where a variable is, from the file alone: also one that the file has no bytes for. */
static void check_variable(struct fixture *fixture, struct object *self, const char *name,
			   const void *address)
{
	struct elf_file *file;
	size_t count;
	const struct elf_symbol *symbols;
	uint64_t offset = 0;

	assert_int_equal(elf_file_open_fd(self->fd, &file), 0);
	symbols = elf_file_symbols(file, &count);
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(symbols[i].name, name))
			assert_true(elf_file_vaddr_to_offset(file, symbols[i].vaddr, &offset));
	}
	elf_file_close(file);
	assert_int_not_equal(offset, 0);
	assert_int_equal(tasks_address_of(fixture->tasks, getpid(), self, offset),
			 (uintptr_t)address);
}

static void test_address_of_variables(void **state)
{
	struct fixture *fixture = *state;
	char path[PATH_MAX];
	struct object *self, *other;

	assert_true(realpath("/proc/self/exe", path) != NULL);
	self = objects_file(fixture->objects, 0, 0, 0, path, 0, 0, 0);
	assert_non_null(self);
	check_variable(fixture, self, "variable_in_data", &variable_in_data);
	check_variable(fixture, self, "variable_in_bss", variable_in_bss);
	other = objects_file(fixture->objects, 0, 0, 0, "/bin/sh", 0, 0, 0);
	assert_int_equal(tasks_address_of(fixture->tasks, getpid(), other, 0x1000), 0);
	assert_int_equal(tasks_address_of(fixture->tasks, PARENT, self, 0x1000), 0);
}

static const char child_source[] =
	"#include <stdio.h>\n#include <unistd.h>\n"
	"int data_variable = 1; char bss_variable[20000];\n"
	"__attribute__((noinline)) int traced_function(void) { return data_variable; }\n"
	"int main(void) { printf(\"%p %p %p\\n\", (void *)traced_function, (void *)&data_variable,\n"
	"  (void *)&bss_variable); fflush(stdout); return (int)read(0, bss_variable, 1); }\n";

static uint64_t symbol_offset(const struct object *object, const char *name)
{
	const struct elf_symbol *symbols;
	struct elf_file *file;
	uint64_t offset = 0;
	size_t count;

	assert_int_equal(elf_file_open_fd(object->fd, &file), 0);
	symbols = elf_file_symbols(file, &count);
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(symbols[i].name, name))
			assert_true(elf_file_vaddr_to_offset(file, symbols[i].vaddr, &offset));
	}
	elf_file_close(file);
	return offset;
}

/* Starts the program with its standard input and output on pipes. */
static pid_t start(const char *path, FILE **output, int *input)
{
	int to[2], from[2];
	pid_t pid;

	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(to[0], 0);
		dup2(from[1], 1);
		close(to[0]);
		close(to[1]);
		close(from[0]);
		close(from[1]);
		execl(path, path, (char *)NULL);
		_exit(127);
	}
	close(to[0]);
	close(from[1]);
	*input = to[1];
	*output = fdopen(from[0], "r");
	assert_non_null(*output);
	return pid;
}

static void check_linked(struct fixture *fixture, const char *folder, const char *flags)
{
	uint64_t function, data, bss;
	char path[PATH_MAX];
	struct object *object;
	struct frame frame;
	FILE *output;
	pid_t pid;
	int input;

	run("cd %s && gcc -O1 %s child.c -o child", folder, flags);
	snprintf(path, sizeof(path), "%s/child", folder);
	pid = start(path, &output, &input);
	assert_int_equal(fscanf(output, "%" SCNx64 " %" SCNx64 " %" SCNx64, &function, &data, &bss),
			 3);
	object = objects_file(fixture->objects, 0, 0, 0, path, 0, 0, 0);
	tasks_resolve(fixture->tasks, pid, 1, function, &frame);
	assert_ptr_equal(frame.object, object);
	assert_int_equal(frame.offset, symbol_offset(object, "traced_function"));
	assert_int_equal(tasks_address_of(fixture->tasks, pid, object, frame.offset), function);
	assert_int_equal(tasks_address_of(fixture->tasks, pid, object,
					  symbol_offset(object, "data_variable")),
			 data);
	assert_int_equal(tasks_address_of(fixture->tasks, pid, object,
					  symbol_offset(object, "bss_variable")),
			 bss);
	close(input);
	fclose(output);
	waitpid(pid, NULL, 0);
}

static void test_programs_of_every_kind(void **state)
{
	static const char *const flags[] = {
		"-fPIE -pie",
		"-fno-pie -no-pie",
		"-static",
		"-static-pie -fPIE",
		"-fPIE -pie -Wl,-z,noseparate-code",
		"-fno-pie -no-pie -Wl,-z,noseparate-code",
	};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		char *folder = folder_new();

		write_file(folder, "child.c", child_source);
		check_linked(fixture, folder, flags[i]);
		folder_remove(folder);
	}
}

static void test_namespace_pid(void **state)
{
	(void)state;
	/* Whatever namespace this runs in, its innermost pid is the one it knows itself by. */
	assert_int_equal(tasks_namespace_pid(getpid()), getpid());
	assert_int_equal(tasks_namespace_pid(PARENT), PARENT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_mapping_begins),	 TEST(test_another_library_at_the_same_address),
		TEST(test_overlaps_split),	 TEST(test_data_over_code),
		TEST(test_late_records),	 TEST(test_malformed_mappings),
		TEST(test_exec_begins_anew),	 TEST(test_fork_takes_over_mappings),
		TEST(test_chain_of_forks),	 TEST(test_threads),
		TEST(test_pid_used_again),	 TEST(test_kinds_of_mappings),
		TEST(test_own_process),		 TEST(test_unknown_process_is_looked_up_once),
		TEST(test_scan_all_finds_us),	 TEST(test_vdso),
		TEST(test_address_of_variables), TEST(test_programs_of_every_kind),
		TEST(test_namespace_pid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a listener hears of processes, and addresses found again from (object, offset). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "process/object.h"
#include "process/tasks.h"
#include "record/record.h"

/* Above any pid there is: nothing of them is in /proc. */
#define PARENT 5000001
#define CHILD  5000002

struct told {
	char text[4096];
	size_t count;
	uint32_t only; /* pid; 0: all */
};

struct fixture {
	struct objects *objects;
	struct tasks *tasks;
	struct told told;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->objects = objects_new();
	f->tasks = tasks_new(f->objects);
	assert_non_null(f->tasks);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	tasks_free(f->tasks);
	objects_free(f->objects);
	free(f);
	return 0;
}

static const char *what(const struct record *record, const struct object *object)
{
	static char text[256];

	if (record->kind == RECORD_MMAP)
		snprintf(text, sizeof(text), "mmap %llx+%llx %s%s",
			 (unsigned long long)record->mmap.start,
			 (unsigned long long)record->mmap.length, record->mmap.path,
			 object ? "" : " no code");
	else if (record->kind == RECORD_COMM)
		snprintf(text, sizeof(text), "comm %s", record->comm.comm);
	else
		snprintf(text, sizeof(text), "%s", record->kind == RECORD_FORK ? "fork" : "exit");
	return text;
}

static void hear(void *context, const struct record *record, const struct object *object)
{
	struct told *told = context;
	size_t used = strlen(told->text);

	if (told->only && record->pid != told->only)
		return;
	told->count++;
	snprintf(told->text + used, sizeof(told->text) - used, "%llu %u %s\n",
		 (unsigned long long)record->time, record->pid, what(record, object));
}

static void listen(struct fixture *f)
{
	const struct tasks_listener listener = { .tell = hear, .context = &f->told };

	tasks_set_listener(f->tasks, &listener);
}

static void apply(struct fixture *f, struct record record)
{
	assert_int_equal(tasks_apply(f->tasks, &record), 0);
}

/* The file's inode is also its name. */
static void map(struct fixture *f, uint64_t time, uint32_t pid, uint64_t start, uint64_t inode,
		uint32_t protection)
{
	char path[64];

	snprintf(path, sizeof(path), "/nonexistent/%d", (int)inode);
	apply(f, (struct record){ .kind = RECORD_MMAP,
				  .time = time,
				  .pid = pid,
				  .tid = pid,
				  .mmap = { .start = start,
					    .length = 0x1000,
					    .file_offset = 0x10000,
					    .inode = inode,
					    .major = 250,
					    .protection = protection,
					    .path = path } });
}

static void fork_child(struct fixture *f, uint64_t time)
{
	apply(f, (struct record){ .kind = RECORD_FORK,
				  .time = time,
				  .pid = CHILD,
				  .tid = CHILD,
				  .fork = { .parent_pid = PARENT, .parent_tid = PARENT } });
}

static void exec(struct fixture *f, uint64_t time, uint32_t pid)
{
	apply(f, (struct record){ .kind = RECORD_COMM,
				  .time = time,
				  .pid = pid,
				  .tid = pid,
				  .comm = { .comm = "new", .is_exec = true } });
}

#define CODE (PROT_READ | PROT_EXEC)

static void test_told_in_order(void **state)
{
	struct fixture *f = *state;

	map(f, 10, PARENT, 0x1000, 1, CODE);
	map(f, 20, PARENT, 0x1000, 2, CODE); /* only this one is there now */
	listen(f);
	assert_string_equal(f->told.text, "20 5000001 mmap 1000+1000 /nonexistent/2\n");
	f->told.text[0] = 0;
	fork_child(f, 30);
	exec(f, 40, CHILD);
	map(f, 50, CHILD, 0x5000, 3, PROT_READ);
	map(f, 60, UINT32_MAX, 0x6000, 4, CODE); /* the kernel's */
	apply(f, (struct record){ .kind = RECORD_EXIT, .time = 70, .pid = CHILD, .tid = CHILD });
	apply(f, (struct record){ .kind = RECORD_KSYMBOL, .time = 80 });
	assert_string_equal(f->told.text, "30 5000002 fork\n"
					  "40 5000002 comm new\n"
					  "50 5000002 mmap 5000+1000 /nonexistent/3 no code\n"
					  "60 4294967295 mmap 6000+1000 /nonexistent/4 no code\n"
					  "70 5000002 exit\n");
}

/* What was read from /proc is told, too: before listening, or when it is read. */
static void test_told_of_proc(void **state)
{
	struct fixture *f = *state;
	char self[64], first[sizeof(f->told.text)];
	struct frame frame;

	f->told.only = (uint32_t)getpid();
	snprintf(self, sizeof(self), "5 %d comm ", getpid());
	assert_int_equal(tasks_scan(f->tasks, getpid(), 5), 0);
	listen(f);
	assert_non_null(strstr(f->told.text, self));
	assert_non_null(strstr(f->told.text, "[vdso]\n"));
	assert_non_null(strstr(f->told.text, "libc.so.6\n"));
	memcpy(first, f->told.text, sizeof(first));
	tear_down(state);
	set_up(state);
	f = *state;
	f->told.only = (uint32_t)getpid();
	listen(f);
	assert_int_equal(f->told.count, 0);
	tasks_resolve(f->tasks, getpid(), 9, (uintptr_t)printf, &frame);
	assert_non_null(strstr(f->told.text, "libc.so.6\n"));
	assert_non_null(strstr(f->told.text, "[vdso]\n"));
	/* the same, and as it was before all */
	assert_true(f->told.text[0] == '0' && first[0] == '5');
	assert_int_equal(strlen(f->told.text), strlen(first));
}

/* An address there and back. */
static void expect_found(struct fixture *f, uint32_t pid, uint64_t time, uint64_t address)
{
	struct frame frame;
	uint64_t ip;

	tasks_resolve(f->tasks, (pid_t)pid, time, address, &frame);
	assert_true(tasks_locate(f->tasks, (pid_t)pid, time, &frame, &ip));
	assert_true(ip == address);
}

static struct frame frame_at(struct fixture *f, uint32_t pid, uint64_t time, uint64_t address)
{
	struct frame frame;

	tasks_resolve(f->tasks, (pid_t)pid, time, address, &frame);
	return frame;
}

static void expect_nowhere(struct fixture *f, uint32_t pid, uint64_t time, struct frame frame)
{
	uint64_t ip;

	assert_false(tasks_locate(f->tasks, (pid_t)pid, time, &frame, &ip));
}

static void test_found_again(void **state)
{
	struct fixture *f = *state;
	struct frame first, second;

	map(f, 10, PARENT, 0x1000, 1, CODE);
	map(f, 20, PARENT, 0x3000, 2, CODE);
	first = frame_at(f, PARENT, 15, 0x1234);
	second = frame_at(f, PARENT, 25, 0x3fff);
	expect_found(f, PARENT, 15, 0x1234);
	expect_found(f, PARENT, 25, 0x3fff);
	expect_nowhere(f, PARENT, 5, first);
	expect_nowhere(f, PARENT, 15, second);
	first.offset = 0xffff; /* before what is mapped of it, and behind */
	expect_nowhere(f, PARENT, 15, first);
	first.offset = 0x11000;
	expect_nowhere(f, PARENT, 15, first);
	/* another library there, and the first one elsewhere */
	first = frame_at(f, PARENT, 15, 0x1234);
	map(f, 30, PARENT, 0x1000, 3, CODE);
	expect_nowhere(f, PARENT, 35, first);
	expect_found(f, PARENT, 15, 0x1234);
	map(f, 40, PARENT, 0x8000, 1, CODE);
	assert_true(tasks_locate(f->tasks, PARENT, 45, &first, &first.offset));
	assert_int_equal(first.offset, 0x8234);
	/* no file: the address says all, whatever is mapped */
	expect_found(f, PARENT, 15, 0x7777);
	expect_found(f, CHILD + 5, 15, 0x7777);
}

static void test_found_in_children(void **state)
{
	struct fixture *f = *state;
	struct frame parents;

	map(f, 10, PARENT, 0x1000, 1, CODE);
	map(f, 10, PARENT, 0x3000, 2, CODE);
	fork_child(f, 20);
	expect_found(f, CHILD, 25, 0x1234);
	parents = frame_at(f, CHILD, 25, 0x1234);
	map(f, 30, CHILD, 0x1000, 3, CODE);
	expect_found(f, CHILD, 25, 0x1234);
	expect_found(f, CHILD, 35, 0x1234); /* file 3 by now */
	expect_nowhere(f, CHILD, 35, parents);
	expect_found(f, CHILD, 35, 0x3456);
	map(f, 40, PARENT, 0x9000, 5, CODE); /* too late for the child */
	expect_nowhere(f, CHILD, 45, frame_at(f, PARENT, 45, 0x9000));
	exec(f, 50, CHILD);
	expect_nowhere(f, CHILD, 55, frame_at(f, PARENT, 55, 0x3456));
	expect_found(f, CHILD, 45, 0x3456);
}

static void test_found_in_ourselves(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(tasks_scan(f->tasks, getpid(), 0), 0);
	expect_found(f, (uint32_t)getpid(), 1, (uintptr_t)printf);
	expect_found(f, (uint32_t)getpid(), 1, (uintptr_t)test_found_in_ourselves);
	expect_found(f, (uint32_t)getpid(), 1, 12);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_told_in_order),     TEST(test_told_of_proc),	     TEST(test_found_again),
		TEST(test_found_in_children), TEST(test_found_in_ourselves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

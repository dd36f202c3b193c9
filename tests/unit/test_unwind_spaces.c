// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* This process, described as walks will find it, and the descriptions of processes that are gone given up. */
#include "test_folder.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/object.h"
#include "unwind/library.h"
#include "unwind/spaces.h"
#include "unwind_memory_fake.h"

#define NUMBERS	  64
#define MAPPINGS  64
#define PROCESSES 8

struct fixture {
	struct fake_memory fake;
	struct unwind_object published[NUMBERS];
	struct unwind_mapping mappings[MAPPINGS];
	struct objects *objects;
	struct unwind_library *library;
	struct unwind_spaces *spaces;
	struct {
		uint32_t tgid;
		struct unwind_space space;
	} processes[PROCESSES];
	size_t process_count;
	unsigned waits, watched, forgotten;
	uint32_t generation;
};

static int watch(void *data, uint32_t tgid, uint32_t *generation)
{
	struct fixture *f = data;

	(void)tgid;
	f->watched++;
	*generation = f->generation;
	return 0;
}

static int publish(void *data, uint32_t tgid, const struct unwind_space *space)
{
	struct fixture *f = data;
	size_t i = 0;

	while (i < f->process_count && f->processes[i].tgid != tgid)
		i++;
	if (i == PROCESSES)
		return -ENOSPC;
	f->processes[i].tgid = tgid;
	f->processes[i].space = *space;
	f->process_count += i == f->process_count;
	return 0;
}

static void forget(void *data, uint32_t tgid)
{
	struct fixture *f = data;

	f->forgotten++;
	for (size_t i = 0; i < f->process_count; i++) {
		if (f->processes[i].tgid == tgid)
			f->processes[i--] = f->processes[--f->process_count];
	}
}

static int each(void *data, void (*callback)(void *, const struct unwind_space *), void *context)
{
	struct fixture *f = data;

	for (size_t i = 0; i < f->process_count; i++)
		callback(context, &f->processes[i].space);
	return 0;
}

static void count_wait(void *data)
{
	((struct fixture *)data)->waits++;
}

static struct fixture *open_fixture(uint32_t mapping_count)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct unwind_library_config library;
	struct unwind_spaces_config spaces;

	assert_non_null(f);
	f->generation = 17;
	f->objects = objects_new();
	library = (struct unwind_library_config){
		.memory = fake_ops(&f->fake),
		.memory_limit = 64 << 20,
		.objects = f->published,
		.object_count = NUMBERS,
	};
	assert_int_equal(unwind_library_new(&library, &f->library), 0);
	spaces = (struct unwind_spaces_config){
		.ops = { .watch = watch,
			 .publish = publish,
			 .forget = forget,
			 .each = each,
			 .wait = count_wait,
			 .data = f },
		.library = f->library,
		.objects = f->objects,
		.mappings = f->mappings,
		.mapping_count = mapping_count,
	};
	assert_int_equal(unwind_spaces_new(&spaces, &f->spaces), 0);
	return f;
}

static void close_fixture(struct fixture *f)
{
	unwind_spaces_free(f->spaces);
	unwind_library_free(f->library);
	objects_free(f->objects);
	free(f);
}

/* The mapping of an address, as the BPF side finds it. */
static const struct unwind_mapping *find(const struct fixture *f, const struct unwind_space *space,
					 uint64_t address)
{
	for (uint32_t i = space->first; i < space->first + space->count; i++)
		if (address >= f->mappings[i].start && address < f->mappings[i].end)
			return &f->mappings[i];
	return NULL;
}

static void test_own(void **state)
{
	struct fixture *f = open_fixture(MAPPINGS);
	uint64_t code = (uintptr_t)test_own, libc = (uintptr_t)qsort;
	const struct unwind_mapping *mapping;
	const struct unwind_space *space;

	(void)state;
	assert_int_equal(unwind_spaces_update(f->spaces, getpid()), 0);
	assert_int_equal(f->process_count, 1);
	space = &f->processes[0].space;
	assert_int_equal(f->processes[0].tgid, getpid());
	assert_int_equal(space->generation, 17);
	assert_true(space->count > 3 && space->first > 0);
	for (uint32_t i = space->first + 1; i < space->first + space->count; i++)
		assert_true(f->mappings[i - 1].end <= f->mappings[i].start);
	mapping = find(f, space, code);
	assert_non_null(mapping);
	assert_true(mapping->object > 0);
	assert_int_equal(mapping->bias & 4095, 0);
	assert_true(mapping->bias <= mapping->start);
	assert_non_null(find(f, space, libc));
	assert_int_not_equal(find(f, space, libc)->object, mapping->object);
	/* the heap holds no code */
	assert_null(find(f, space, (uintptr_t)f));
	close_fixture(f);
}

/* Code without a file: it has no table, neighbours are one, and the number of pages says nothing then. */
static void test_anonymous(void **state)
{
	struct fixture *f = open_fixture(MAPPINGS);
	char *code = mmap(NULL, 3 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct unwind_mapping *mapping;

	(void)state;
	assert_int_equal(unwind_spaces_update(f->spaces, getpid()), 0);
	assert_int_not_equal(f->processes[0].space.code_pages, 0);
	assert_int_equal(mprotect(code, 4096, PROT_READ | PROT_EXEC), 0);
	assert_int_equal(mprotect(code + 4096, 4096, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
	assert_int_equal(unwind_spaces_update(f->spaces, getpid()), 0);
	assert_int_equal(f->processes[0].space.code_pages, 0);
	mapping = find(f, &f->processes[0].space, (uintptr_t)code + 5000);
	assert_non_null(mapping);
	assert_int_equal(mapping->object, 0);
	assert_int_equal(mapping->start, (uintptr_t)code);
	assert_int_equal(mapping->end, (uintptr_t)code + 2 * 4096);
	munmap(code, 3 * 4096);
	close_fixture(f);
}

static void test_sweep(void **state)
{
	struct fixture *f = open_fixture(MAPPINGS);
	uint32_t number;

	(void)state;
	assert_int_equal(unwind_spaces_update(f->spaces, getpid()), 0);
	number = find(f, &f->processes[0].space, (uintptr_t)qsort)->object;
	while (unwind_library_wait(f->library))
		;
	assert_int_equal(f->published[number].state, UNWIND_READY);
	/* a forked child has the same: the run is in use as long as it has it */
	f->processes[1] = f->processes[0];
	f->processes[1].tgid = 1;
	f->process_count = 2;
	f->processes[0].space = (struct unwind_space){ 0, 1, 0, 0 };
	for (int i = 0; i < 4; i++)
		assert_int_equal(unwind_spaces_sweep(f->spaces), 0);
	assert_int_equal(f->published[number].state, UNWIND_READY);
	assert_int_equal(f->waits, 4);
	f->process_count = 1;
	for (int i = 0; i < 4; i++)
		assert_int_equal(unwind_spaces_sweep(f->spaces), 0);
	assert_int_equal(f->published[number].state, UNWIND_PENDING);
	close_fixture(f);
}

/* No room: what nobody has any more makes some, and then it is counted. */
static void test_room(void **state)
{
	struct fixture *f = open_fixture(MAPPINGS), *small;

	(void)state;
	for (int i = 0; i < 100; i++)
		assert_int_equal(unwind_spaces_update(f->spaces, getpid()), 0);
	assert_int_equal(unwind_spaces_refused(f->spaces), 0);
	close_fixture(f);
	small = open_fixture(3);
	assert_int_equal(unwind_spaces_update(small->spaces, getpid()), -ENOSPC);
	assert_int_equal(unwind_spaces_refused(small->spaces), 1);
	assert_int_equal(small->process_count, 0);
	close_fixture(small);
}

/* Of a process that is gone, or a zombie, nothing stays behind: nobody else would clean up. */
static void test_gone(void **state)
{
	struct fixture *f = open_fixture(MAPPINGS);
	siginfo_t info;
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(unwind_spaces_update(f->spaces, pid), -ESRCH);
	assert_int_equal(f->process_count, 0);
	waitpid(pid, NULL, 0);
	assert_int_equal(unwind_spaces_update(f->spaces, pid), -ESRCH);
	assert_int_equal(f->process_count, 0);
	assert_int_equal(f->watched, 2);
	assert_int_equal(f->forgotten, 2);
	close_fixture(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own),   cmocka_unit_test(test_anonymous),
		cmocka_unit_test(test_sweep), cmocka_unit_test(test_room),
		cmocka_unit_test(test_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* In which order tables are built: while one is at work, which the test holds up, others are queued. */
#include "test_folder.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>

#include "unwind/builder.h"
#include "unwind_memory_fake.h"

struct gate {
	struct fake_memory fake; /* the first, as its functions take a gate for it */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_reached, is_open;
};

/* The first table that needs room waits here. */
static int add_held_up(void *data, uint32_t first, uint32_t count, void *at)
{
	struct gate *gate = data;

	pthread_mutex_lock(&gate->lock);
	gate->is_reached = true;
	pthread_cond_broadcast(&gate->changed);
	while (!gate->is_open)
		pthread_cond_wait(&gate->changed, &gate->lock);
	pthread_mutex_unlock(&gate->lock);
	return fake_add(&gate->fake, first, count, at);
}

static void wait_until_held_up(struct gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	while (!gate->is_reached)
		pthread_cond_wait(&gate->changed, &gate->lock);
	pthread_mutex_unlock(&gate->lock);
}

static void let_go(struct gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	gate->is_open = true;
	pthread_cond_broadcast(&gate->changed);
	pthread_mutex_unlock(&gate->lock);
}

static int open_libc(void)
{
	Dl_info info;

	assert_int_not_equal(dladdr((void *)qsort, &info), 0);
	return open(info.dli_fname, O_RDONLY | O_CLOEXEC);
}

/* A file of that size, which is no ELF file: its job ends with an error as soon as it is its turn. */
static int file_of(off_t size)
{
	FILE *file = tmpfile();
	int fd;

	assert_non_null(file);
	assert_int_equal(ftruncate(fileno(file), size), 0);
	fd = dup(fileno(file));
	fclose(file);
	return fd;
}

static void check_next(struct unwind_builder *builder, uint32_t number, bool is_built)
{
	struct build_result result;

	while (!unwind_builder_next(builder, &result))
		unwind_builder_wait(builder);
	assert_int_equal(result.number, number);
	assert_int_equal(result.err == 0, is_built);
	if (is_built)
		assert_int_equal(unwind_builder_release(builder, &result.table), 0);
}

static void test_smallest_first(void **state)
{
	struct gate gate = { .lock = PTHREAD_MUTEX_INITIALIZER,
			     .changed = PTHREAD_COND_INITIALIZER };
	struct unwind_memory_ops ops = fake_ops(&gate.fake);
	struct unwind_memory *memory;
	struct unwind_builder *builder;

	(void)state;
	ops.add = add_held_up;
	assert_int_equal(unwind_memory_new(&ops, 64 << 20, &memory), 0);
	assert_int_equal(unwind_builder_new(memory, &builder), 0);
	assert_int_equal(unwind_builder_add(builder, 1, open_libc()), 0);
	wait_until_held_up(&gate);
	assert_int_equal(unwind_builder_add(builder, 2, file_of(300000)), 0);
	assert_int_equal(unwind_builder_add(builder, 3, file_of(1000)), 0);
	assert_int_equal(unwind_builder_add(builder, 4, file_of(200000)), 0);
	/* the same size: in the order of their coming */
	assert_int_equal(unwind_builder_add(builder, 5, file_of(1000)), 0);
	let_go(&gate);
	check_next(builder, 1, true);
	check_next(builder, 3, false);
	check_next(builder, 5, false);
	check_next(builder, 4, false);
	check_next(builder, 2, false);
	unwind_builder_free(builder);
	unwind_memory_free(memory);
	assert_int_equal(gate.fake.chunks, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_smallest_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tables of real files, built in the other thread: each once, found again as the file says, given up when
 * nobody has them, and refused when there is no room.
 */
#include "test_folder.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "object/elf_file.h"
#include "process/object.h"
#include "unwind/ehframe.h"
#include "unwind/library.h"
#include "unwind_memory_fake.h"

#define NUMBERS 8

struct fixture {
	struct fake_memory fake;
	struct unwind_object published[NUMBERS];
	struct unwind_library *library;
	struct object libc, program, copy, text, vdso, missing;
};

/* The file that a function of ours or of a library is in. */
static struct object object_of(uint32_t id, void *function)
{
	struct object object;
	Dl_info info;

	assert_int_not_equal(dladdr(function, &info), 0);
	object = (struct object){ .id = id,
				  .kind = OBJECT_FILE,
				  .fd = open(info.dli_fname, O_RDONLY | O_CLOEXEC),
				  .path = (char *)info.dli_fname };
	object_note_content(&object);
	return object;
}

static int copy_of(int fd)
{
	FILE *to = tmpfile();
	char buffer[65536];
	ssize_t got;
	off_t at = 0;
	int copy;

	assert_non_null(to);
	while ((got = pread(fd, buffer, sizeof(buffer), at)) > 0) {
		assert_int_equal(fwrite(buffer, 1, (size_t)got, to), got);
		at += got;
	}
	assert_int_equal(fflush(to), 0);
	copy = dup(fileno(to));
	fclose(to);
	return copy;
}

static struct fixture *open_fixture(uint64_t limit)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct unwind_library_config config;

	assert_non_null(f);
	config = (struct unwind_library_config){
		.memory = fake_ops(&f->fake),
		.memory_limit = limit,
		.objects = f->published,
		.object_count = NUMBERS,
	};
	assert_int_equal(unwind_library_new(&config, &f->library), 0);
	f->libc = object_of(3, (void *)qsort);
	f->program = object_of(9, (void *)open_fixture);
	f->copy = (struct object){ .id = 200, .kind = OBJECT_FILE, .fd = copy_of(f->libc.fd) };
	f->text = (struct object){ .id = 4,
				   .kind = OBJECT_FILE,
				   .fd = open("/etc/passwd", O_RDONLY) };
	f->vdso = (struct object){ .id = 5, .kind = OBJECT_VDSO, .fd = -1 };
	object_note_content(&f->copy);
	object_note_content(&f->text);
	f->missing = (struct object){ .id = 6, .kind = OBJECT_FILE, .fd = -1 };
	return f;
}

static void close_fixture(struct fixture *f)
{
	unwind_library_free(f->library);
	assert_int_equal(f->fake.chunks, 0);
	close(f->libc.fd);
	close(f->program.fd);
	close(f->copy.fd);
	close(f->text.fd);
	free(f);
}

static void build_all(struct fixture *f)
{
	while (unwind_library_wait(f->library))
		;
}

/* Every row of the file is found in the table, as the BPF side would: by the published numbers. */
static void check_table(struct fixture *f, const struct object *object)
{
	const struct unwind_table *table;
	struct elf_file *file;
	struct cfi_rows rows;
	uint64_t vaddr, offset;

	assert_int_equal(elf_file_open_fd(object->fd, &file), 0);
	assert_int_equal(ehframe_read(file, &rows), 0);
	assert_true(rows.count > 10);
	for (size_t i = 0; i + 1 < rows.count; i += 7) {
		assert_true(elf_file_vaddr_to_offset(file, rows.rows[i].vaddr, &offset));
		assert_int_equal(unwind_library_find(f->library, object, offset, &table, &vaddr),
				 0);
		assert_int_equal(vaddr, rows.rows[i].vaddr);
		assert_memory_equal(unwind_table_find(table, vaddr), &rows.rows[i].rule,
				    sizeof(struct unwind_rule));
	}
	cfi_rows_free(&rows);
	elf_file_close(file);
}

static void test_tables(void **state)
{
	struct fixture *f = open_fixture(64 << 20);
	struct unwind_library_stats stats;
	const struct unwind_table *table;
	uint32_t libc, program;
	uint64_t bias, vaddr;

	(void)state;
	assert_int_equal(f->published[0].state, UNWIND_NONE);
	libc = unwind_library_want(f->library, &f->libc);
	assert_true(libc > 0);
	assert_int_equal(f->published[libc].state, UNWIND_PENDING);
	assert_int_equal(unwind_library_find(f->library, &f->libc, 0x30000, &table, &vaddr),
			 -EAGAIN);
	program = unwind_library_want(f->library, &f->program);
	assert_int_not_equal(program, libc);
	/* the same build id in another file */
	assert_int_equal(unwind_library_want(f->library, &f->copy), libc);
	assert_int_equal(unwind_library_want(f->library, &f->libc), libc);
	build_all(f);
	assert_int_equal(f->published[libc].state, UNWIND_READY);
	assert_true(f->published[libc].page_count > 100);
	check_table(f, &f->libc);
	check_table(f, &f->program);
	check_table(f, &f->copy);
	unwind_library_stats(f->library, &stats);
	assert_int_equal(stats.tables, 2);
	assert_int_equal(stats.failed, 0);
	assert_true(stats.memory_bytes >= UNWIND_CHUNK_BYTES);
	/* no ELF file, no file at all */
	assert_int_equal(unwind_library_want(f->library, &f->text), 0);
	assert_int_equal(unwind_library_want(f->library, &f->missing), 0);
	assert_false(unwind_library_bias(f->library, &f->text, 0x1000, 0x1000, 0, &bias));
	assert_int_equal(unwind_library_find(f->library, &f->text, 0, &table, &vaddr), -ENOENT);
	close_fixture(f);
}

/* What a file says that was written anew is not about the code that was mapped. */
static void test_rewritten(void **state)
{
	struct fixture *f = open_fixture(64 << 20);

	(void)state;
	assert_int_equal(ftruncate(f->copy.fd, 100), 0);
	assert_int_equal(unwind_library_want(f->library, &f->copy), 0);
	close_fixture(f);
}

static void test_vdso(void **state)
{
	struct fixture *f = open_fixture(64 << 20);
	uint32_t number = unwind_library_want(f->library, &f->vdso);
	uint64_t bias = 0;

	(void)state;
	assert_true(number > 0);
	assert_true(unwind_library_bias(f->library, &f->vdso, 0x7000, 0x2000, 0, &bias));
	assert_int_equal(bias, 0x7000);
	build_all(f);
	assert_int_equal(f->published[number].state, UNWIND_READY);
	close_fixture(f);
}

static void sweep(struct fixture *f, uint32_t used)
{
	unwind_library_sweep_begin(f->library);
	if (used)
		unwind_library_sweep_mark(f->library, used);
	unwind_library_sweep_end(f->library);
}

static void test_sweep(void **state)
{
	struct fixture *f = open_fixture(64 << 20);
	uint32_t libc = unwind_library_want(f->library, &f->libc);
	uint32_t program = unwind_library_want(f->library, &f->program);
	struct unwind_library_stats stats;

	(void)state;
	build_all(f);
	/* not at once: programs are run again */
	sweep(f, program);
	assert_int_equal(f->published[libc].state, UNWIND_READY);
	sweep(f, program);
	sweep(f, program);
	assert_int_equal(f->published[libc].state, UNWIND_PENDING);
	assert_int_equal(f->published[program].state, UNWIND_READY);
	unwind_library_stats(f->library, &stats);
	assert_int_equal(stats.tables, 1);
	/* it comes again, under the same number */
	assert_int_equal(unwind_library_want(f->library, &f->libc), libc);
	build_all(f);
	assert_int_equal(f->published[libc].state, UNWIND_READY);
	check_table(f, &f->libc);
	check_table(f, &f->program);
	close_fixture(f);
}

/* Tried once more when a sweep may have made room, and then never again. */
static void test_no_room(void **state)
{
	struct fixture *f = open_fixture(0);
	struct unwind_library_stats stats;
	const struct unwind_table *table;
	uint32_t libc = unwind_library_want(f->library, &f->libc);
	uint64_t vaddr;

	(void)state;
	build_all(f);
	assert_int_equal(f->published[libc].state, UNWIND_PENDING);
	assert_true(unwind_library_is_short(f->library));
	sweep(f, libc);
	assert_false(unwind_library_is_short(f->library));
	build_all(f);
	assert_int_equal(f->published[libc].state, UNWIND_NONE);
	unwind_library_stats(f->library, &stats);
	assert_int_equal(stats.no_room, 1);
	assert_int_equal(stats.tables, 0);
	assert_int_equal(unwind_library_find(f->library, &f->libc, 0x30000, &table, &vaddr),
			 -ENOENT);
	close_fixture(f);
}

/* A sweep builds anew what found no room and is in use, and only that. */
static void test_room_made(void **state)
{
	struct fixture *f = open_fixture(64 << 20);
	uint32_t program, libc;

	(void)state;
	f->fake.refuses = true;
	program = unwind_library_want(f->library, &f->program);
	libc = unwind_library_want(f->library, &f->libc);
	build_all(f);
	assert_true(unwind_library_is_short(f->library));
	f->fake.refuses = false;
	sweep(f, libc);
	build_all(f);
	assert_int_equal(f->published[program].state, UNWIND_PENDING);
	assert_int_equal(f->published[libc].state, UNWIND_READY);
	check_table(f, &f->libc);
	close_fixture(f);
}

static void test_no_number(void **state)
{
	struct fixture *f = open_fixture(64 << 20);
	struct object others[NUMBERS];
	struct unwind_library_stats stats;

	(void)state;
	for (uint32_t i = 0; i < NUMBERS; i++) {
		static const char elf[64] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };
		FILE *file = tmpfile();

		assert_non_null(file);
		fwrite(elf, 1, sizeof(elf), file);
		fflush(file);
		others[i] =
			(struct object){ .id = i, .kind = OBJECT_FILE, .fd = dup(fileno(file)) };
		fclose(file);
		object_note_content(&others[i]);
		unwind_library_want(f->library, &others[i]);
	}
	build_all(f);
	unwind_library_stats(f->library, &stats);
	assert_int_equal(stats.no_number, 1);
	assert_int_equal(stats.tables, 0);
	for (uint32_t i = 0; i < NUMBERS; i++)
		close(others[i].fd);
	close_fixture(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables),	  cmocka_unit_test(test_vdso),
		cmocka_unit_test(test_rewritten), cmocka_unit_test(test_sweep),
		cmocka_unit_test(test_no_room),	  cmocka_unit_test(test_room_made),
		cmocka_unit_test(test_no_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

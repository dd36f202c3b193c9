// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Objects are files by identity: what a path leads to is believed only when it is that file. */
#include "test_folder.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>

#include "process/object.h"

struct fixture {
	char *folder;
	struct objects *objects;
	char path[PATH_MAX];
	struct stat status;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	fixture->folder = folder_new();
	fixture->objects = objects_new();
	assert_non_null(fixture->objects);
	write_file(fixture->folder, "file", "contents");
	snprintf(fixture->path, sizeof(fixture->path), "%s/file", fixture->folder);
	assert_int_equal(stat(fixture->path, &fixture->status), 0);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	objects_free(fixture->objects);
	folder_remove(fixture->folder);
	free(fixture);
	return 0;
}

static struct object *get(struct fixture *fixture, uint64_t inode, const char *path)
{
	return objects_file(fixture->objects, major(fixture->status.st_dev),
			    minor(fixture->status.st_dev), inode, path, 0, 0, 0);
}

static void check_contents(const struct object *object, const char *contents)
{
	char text[64] = "";

	assert_true(object->fd >= 0);
	assert_true(pread(object->fd, text, sizeof(text) - 1, 0) > 0);
	assert_string_equal(text, contents);
	assert_true(fcntl(object->fd, F_GETFD) & FD_CLOEXEC);
}

static void test_one_file_is_one_object(void **state)
{
	struct fixture *fixture = *state;
	struct object *object = get(fixture, fixture->status.st_ino, fixture->path);

	assert_non_null(object);
	assert_int_equal(object->kind, OBJECT_FILE);
	assert_int_equal(object->id, 0);
	assert_string_equal(object->path, fixture->path);
	assert_string_equal(object->name, "file");
	check_contents(object, "contents");
	assert_ptr_equal(get(fixture, fixture->status.st_ino, fixture->path), object);
	/* Another path to it, and found by path alone. */
	run("ln %s %s/other", fixture->path, fixture->folder);
	assert_ptr_equal(get(fixture, 0, fixture->path), object);
	assert_ptr_equal(objects_find(fixture->objects, object->major, object->minor,
				      object->inode),
			 object);
	assert_null(objects_find(fixture->objects, object->major, object->minor, 1));
	assert_int_equal(objects_count(fixture->objects), 1);
	assert_ptr_equal(objects_get(fixture->objects, 0), object);
	assert_null(objects_get(fixture->objects, 1));
}

static void test_found_by_path_first(void **state)
{
	struct fixture *fixture = *state;
	struct object *object = get(fixture, 0, fixture->path);

	check_contents(object, "contents");
	assert_int_equal(object->inode, fixture->status.st_ino);
	assert_ptr_equal(get(fixture, fixture->status.st_ino, fixture->path), object);
	object = get(fixture, 0, "/nonexistent/file");
	assert_non_null(object);
	assert_int_equal(object->fd, -1);
	assert_ptr_equal(get(fixture, 0, "/nonexistent/file"), object);
	assert_int_equal(objects_count(fixture->objects), 2);
}

static void test_deleted_and_replaced(void **state)
{
	struct fixture *fixture = *state;
	struct object *object = get(fixture, fixture->status.st_ino, fixture->path), *other;
	char deleted[PATH_MAX + 16];

	/* Replaced: the path leads to another file now, and the object stays the old one. */
	write_file(fixture->folder, "new", "other contents");
	run("mv %s/new %s", fixture->folder, fixture->path);
	check_contents(object, "contents");
	snprintf(deleted, sizeof(deleted), "%s (deleted)", fixture->path);
	assert_ptr_equal(get(fixture, fixture->status.st_ino, deleted), object);
	/*
	 * One that is seen only after that cannot be opened, and the new one is not taken for it.
	 */
	other = get(fixture, fixture->status.st_ino + 1000000, deleted);
	assert_ptr_not_equal(other, object);
	assert_int_equal(other->fd, -1);
	assert_string_equal(other->path, fixture->path);
}

static void test_only_regular_files(void **state)
{
	struct fixture *fixture = *state;
	struct object *object;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/fifo", fixture->folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	object = get(fixture, 0, path); /* and it does not block */
	assert_int_equal(object->fd, -1);
	assert_int_equal(get(fixture, 0, "/dev/null")->fd, -1);
	assert_int_equal(get(fixture, 0, fixture->folder)->fd, -1);
	assert_int_equal(get(fixture, 0, "relative")->fd, -1);
	assert_int_equal(get(fixture, 0, "")->fd, -1);
}

/* A mapping of a file that has no name any more, by /proc/PID/map_files where that is allowed. */
static void test_by_map_files(void **state)
{
	struct fixture *fixture = *state;
	int fd = open(fixture->path, O_RDONLY);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct object *object;
	char link[80];
	uint64_t start;
	void *mapping;

	assert_true(fd >= 0);
	mapping = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_true(mapping != MAP_FAILED);
	close(fd);
	start = (uintptr_t)mapping;
	assert_int_equal(unlink(fixture->path), 0);
	snprintf(link, sizeof(link), "/proc/self/map_files/%" PRIx64 "-%" PRIx64, start,
		 start + page);
	fd = open(link, O_RDONLY);
	object = objects_file(fixture->objects, major(fixture->status.st_dev),
			      minor(fixture->status.st_dev), fixture->status.st_ino, fixture->path,
			      getpid(), start, start + page);
	assert_non_null(object);
	if (fd >= 0) {
		check_contents(object, "contents");
		close(fd);
	} else {
		assert_int_equal(object->fd, -1);
	}
	munmap(mapping, page);
}

static void test_no_descriptors_left(void **state)
{
	struct fixture *fixture = *state;
	struct rlimit limit, none;
	struct object *object;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = limit;
	none.rlim_cur = 3;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	object = get(fixture, fixture->status.st_ino, fixture->path);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_non_null(object);
	assert_int_equal(object->fd, -1);
	/* Seen again, it is tried again. */
	assert_ptr_equal(get(fixture, fixture->status.st_ino, fixture->path), object);
	check_contents(object, "contents");
}

static void test_special_objects(void **state)
{
	struct fixture *fixture = *state;
	struct object *kernel = objects_special(fixture->objects, OBJECT_KERNEL, NULL);
	struct object *vsyscall = objects_special(fixture->objects, OBJECT_SPECIAL, "[vsyscall]");

	assert_string_equal(kernel->name, "[kernel.kallsyms]");
	assert_int_equal(kernel->fd, -1);
	assert_ptr_equal(objects_special(fixture->objects, OBJECT_KERNEL, "anything"), kernel);
	assert_string_equal(vsyscall->name, "[vsyscall]");
	assert_ptr_not_equal(objects_special(fixture->objects, OBJECT_SPECIAL, "[uprobes]"),
			     vsyscall);
	assert_string_equal(objects_special(fixture->objects, OBJECT_VDSO, NULL)->name, "[vdso]");
	assert_string_equal(objects_special(fixture->objects, OBJECT_ANON, NULL)->name, "[anon]");
	assert_string_equal(objects_special(fixture->objects, OBJECT_UNKNOWN, NULL)->name,
			    "[unknown]");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_one_file_is_one_object), TEST(test_found_by_path_first),
		TEST(test_deleted_and_replaced),   TEST(test_only_regular_files),
		TEST(test_by_map_files),	   TEST(test_no_descriptors_left),
		TEST(test_special_objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

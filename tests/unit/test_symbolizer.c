// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Names of frames: of this program, of the C library, of the vDSO, of the kernel, of deleted files.
 */
#include "test_folder.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <sys/sysmacros.h>

#include "process/object.h"
#include "process/tasks.h"
#include "symbol/symbolizer.h"

struct fixture {
	struct objects *objects;
	struct tasks *tasks;
	struct symbolizer *symbolizer;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	fixture->objects = objects_new();
	fixture->tasks = tasks_new(fixture->objects);
	fixture->symbolizer = symbolizer_new();
	assert_non_null(fixture->symbolizer);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	symbolizer_free(fixture->symbolizer);
	tasks_free(fixture->tasks);
	objects_free(fixture->objects);
	free(fixture);
	return 0;
}

static struct symbol name_own(struct fixture *fixture, const void *address, size_t add,
			      bool is_caller)
{
	struct symbol symbol;
	struct frame frame;

	tasks_resolve(fixture->tasks, getpid(), 1, (uintptr_t)address + add, &frame);
	symbolizer_frame(fixture->symbolizer, &frame, is_caller, &symbol);
	return symbol;
}

__attribute__((noinline, used)) static int named_function(int x)
{
	return x * 3;
}

static void test_own_function(void **state)
{
	struct fixture *fixture = *state;
	struct symbol symbol = name_own(fixture, (void *)named_function, 2, false), again;

	assert_string_equal(symbol.name, "named_function");
	assert_string_equal(symbol.module, "test_symbolizer");
	assert_int_equal(symbol.offset, 2);
	assert_false(symbol.is_kernel);
	assert_int_equal(symbol.path[0], '/');
	again = name_own(fixture, (void *)named_function, 2, false);
	assert_ptr_equal(again.name, symbol.name);
	assert_int_equal(again.offset, 2);
	assert_int_equal(again.vaddr, symbol.vaddr);
}

static void test_library_function(void **state)
{
	/* One that the sanitizers do not put their own in place of, and that has one name only. */
	void *function = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
	struct fixture *fixture = *state;
	struct symbol symbol = name_own(fixture, function, 1, false);
	Dl_info info;

	assert_string_equal(symbol.name, "gnu_get_libc_version");
	assert_string_equal(symbol.module, "libc.so.6");
	assert_int_not_equal(dladdr(function, &info), 0);
	assert_int_equal(symbol.vaddr, (uintptr_t)info.dli_saddr - (uintptr_t)info.dli_fbase + 1);
}

static void test_vdso_function(void **state)
{
	struct fixture *fixture = *state;
	void *vdso = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
	void *function = vdso ? dlsym(vdso, "__vdso_clock_gettime") : NULL;
	struct symbol symbol;

	if (!function)
		skip();
	symbol = name_own(fixture, function, 0, false);
	assert_non_null(symbol.name);
	/* "clock_gettime" is another name of it. */
	assert_non_null(strstr(symbol.name, "clock_gettime"));
	assert_string_equal(symbol.module, "[vdso]");
	assert_string_equal(symbol.path, "[vdso]");
	assert_int_equal(symbol.offset, 0);
	dlclose(vdso);
}

static const char source[] =
	"namespace shop { struct Cart { int items; __attribute__((noinline)) int add(int count) const; }; }\n"
	"__attribute__((noinline)) int shop::Cart::add(int count) const { return items + count; }\n"
	"extern \"C\" __attribute__((noinline)) int plain(int x) { return x + 1; }\n"
	"int main(int argc, char **) { shop::Cart cart = { argc }; return cart.add(plain(argc)); }\n";

/* What nm says of a symbol: address and size. */
static void ask_nm(const char *path, const char *name, uint64_t *vaddr, uint64_t *size)
{
	FILE *output = output_of("nm -S %s | awk '$4 == \"%s\" { print $1, $2 }'", path, name);

	assert_int_equal(fscanf(output, "%" SCNx64 " %" SCNx64, vaddr, size), 2);
	pclose(output);
}

/* By the program headers, as readelf prints them. */
static uint64_t file_offset(const char *path, uint64_t address)
{
	FILE *output =
		output_of("readelf -lW %s | awk '$1 == \"LOAD\" { print $2, $3, $5 }'", path);
	uint64_t offset, vaddr, size, found = 0;

	while (fscanf(output, "%" SCNx64 " %" SCNx64 " %" SCNx64, &offset, &vaddr, &size) == 3) {
		if (address >= vaddr && address - vaddr < size)
			found = address - vaddr + offset;
	}
	pclose(output);
	return found;
}

static const char cart_add[] = "_ZNK4shop4Cart3addEi";

static void check_names(struct fixture *fixture, struct object *object, uint64_t offset,
			uint64_t vaddr, uint64_t size)
{
	struct frame frame = { .object = object, .offset = offset + size };
	struct symbol symbol;

	/* A return address behind the last instruction is still of this function. */
	symbolizer_frame(fixture->symbolizer, &frame, true, &symbol);
	assert_string_equal(symbol.name, "shop::Cart::add(int) const");
	assert_int_equal(symbol.offset, size);
	assert_int_equal(symbol.vaddr, vaddr + size);
	symbolizer_frame(fixture->symbolizer, &frame, false, &symbol);
	assert_true(!symbol.name || strcmp(symbol.name, "shop::Cart::add(int) const"));
	frame.offset = offset;
	symbolizer_frame(fixture->symbolizer, &frame, false, &symbol);
	assert_string_equal(symbol.name, "shop::Cart::add(int) const");
	assert_int_equal(symbol.offset, 0);
	assert_int_equal(symbol.vaddr, vaddr);
	assert_string_equal(symbol.module, "program");
}

static void test_deleted_program(void **state)
{
	static const char *const flags[] = { "-fPIE -pie", "-fno-pie -no-pie",
					     "-static-pie -fPIE" };
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		char *folder = folder_new(), path[PATH_MAX];
		struct object *object;
		struct stat status;
		uint64_t vaddr, size, offset;

		write_file(folder, "program.cc", source);
		run("cd %s && g++ -O1 %s program.cc -o program", folder, flags[i]);
		snprintf(path, sizeof(path), "%s/program", folder);
		ask_nm(path, cart_add, &vaddr, &size);
		offset = file_offset(path, vaddr);
		assert_int_equal(stat(path, &status), 0);
		object = objects_file(fixture->objects, major(status.st_dev), minor(status.st_dev),
				      status.st_ino, path, 0, 0, 0);
		assert_int_equal(unlink(path), 0);
		check_names(fixture, object, offset, vaddr, size);
		folder_remove(folder);
	}
}

static void check_nameless(struct fixture *fixture, struct object *object, const char *module)
{
	struct frame frame = { .object = object, .offset = 0x1234 };
	struct symbol symbol;

	symbolizer_frame(fixture->symbolizer, &frame, true, &symbol);
	assert_null(symbol.name);
	assert_string_equal(symbol.module, module);
	assert_int_equal(symbol.vaddr, 0x1234);
	assert_int_equal(symbol.offset, 0);
	frame.offset = 0;
	symbolizer_frame(fixture->symbolizer, &frame, true, &symbol);
	assert_null(symbol.name);
	assert_int_equal(symbol.vaddr, 0);
}

static void test_what_has_no_names(void **state)
{
	struct fixture *fixture = *state;
	char *folder = folder_new(), path[PATH_MAX];

	check_nameless(fixture, objects_special(fixture->objects, OBJECT_UNKNOWN, NULL),
		       "[unknown]");
	check_nameless(fixture, objects_special(fixture->objects, OBJECT_ANON, NULL), "[anon]");
	check_nameless(fixture, objects_special(fixture->objects, OBJECT_SPECIAL, "[vsyscall]"),
		       "[vsyscall]");
	/* Never opened; and no ELF file. */
	check_nameless(fixture,
		       objects_file(fixture->objects, 250, 7, 1, "/nonexistent/gone.so", 0, 0, 0),
		       "gone.so");
	write_file(folder, "text", "this is no program, whatever is mapped of it");
	snprintf(path, sizeof(path), "%s/text", folder);
	check_nameless(fixture, objects_file(fixture->objects, 0, 0, 0, path, 0, 0, 0), "text");
	folder_remove(folder);
}

static void test_kernel_function(void **state)
{
	struct fixture *fixture = *state;
	struct frame frame = { .object = objects_special(fixture->objects, OBJECT_KERNEL, NULL) };
	FILE *output =
		output_of("awk '$2 == \"T\" && $3 == \"schedule\" { print $1 }' /proc/kallsyms");
	struct symbol symbol;
	uint64_t address = 0;

	if (fscanf(output, "%" SCNx64, &address) != 1)
		address = 0;
	pclose(output);
	if (!address)
		skip(); /* hidden from who runs this */
	frame.offset = address + 4;
	symbolizer_frame(fixture->symbolizer, &frame, true, &symbol);
	assert_string_equal(symbol.name, "schedule");
	assert_string_equal(symbol.module, "[kernel.kallsyms]");
	assert_string_equal(symbol.path, "[kernel.kallsyms]");
	assert_int_equal(symbol.offset, 4);
	assert_int_equal(symbol.vaddr, address + 4);
	assert_true(symbol.is_kernel);
}

static void test_bpf_program(void **state)
{
	struct fixture *fixture = *state;
	struct frame frame = { .object = objects_special(fixture->objects, OBJECT_KERNEL, NULL),
			       .offset = 0xffffffffff000010 };
	struct symbol symbol;

	/* Asked for before it was told of: the answer is not kept for ever. */
	symbolizer_frame(fixture->symbolizer, &frame, false, &symbol);
	assert_null(symbol.name);
	assert_string_equal(symbol.module, "[kernel.kallsyms]");
	assert_int_equal(symbolizer_add_kernel(fixture->symbolizer, 0xffffffffff000000, 0x40,
					       "bpf_prog_0123456789abcdef_name"),
			 0);
	symbolizer_frame(fixture->symbolizer, &frame, false, &symbol);
	assert_string_equal(symbol.name, "bpf_prog_0123456789abcdef_name");
	assert_string_equal(symbol.module, "[bpf]");
	assert_int_equal(symbol.offset, 0x10);
	frame.offset = 0xffffffffff000040;
	symbolizer_frame(fixture->symbolizer, &frame, false, &symbol);
	assert_null(symbol.name);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_own_function),      TEST(test_library_function),
		TEST(test_vdso_function),     TEST(test_deleted_program),
		TEST(test_what_has_no_names), TEST(test_kernel_function),
		TEST(test_bpf_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

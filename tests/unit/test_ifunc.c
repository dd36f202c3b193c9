// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a resolver may return: against nm for gcc's own, by hand for arm64, and where libc's memcpy is here. */
#include "test_folder.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>

#include "code_file.h"
#include "object/ifunc.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char source[] =
	"#include <stdlib.h>\n"
	"#define KEEP __attribute__((noinline, used))\n"
	"typedef int function(int);\n"
	"int choice; function *somewhere;\n"
	"KEEP static int one(int x) { return x + 1; }\n"
	"KEEP static int two(int x) { return x + 2; }\n"
	"KEEP static int three(int x) { return x + 3; }\n"
	"KEEP static function *choose(void) { return choice ? one : two; }\n"
	"static function *resolve_one(void) { return one; }\n"
	"static function *resolve_three(void) { return choice > 7 ? one : choice > 3 ? two : three; }\n"
	"static function *resolve_memory(void) { return choice ? one : somewhere; }\n"
	"static function *resolve_call(void) { return choose(); }\n"
	"static function *resolve_null(void) { return choice ? one : 0; }\n"
	"int by_one(int) __attribute__((ifunc(\"resolve_one\")));\n"
	"int by_three(int) __attribute__((ifunc(\"resolve_three\")));\n"
	"int by_memory(int) __attribute__((ifunc(\"resolve_memory\")));\n"
	"int by_call(int) __attribute__((ifunc(\"resolve_call\")));\n"
	"int by_null(int) __attribute__((ifunc(\"resolve_null\")));\n"
	"int main(void) { return by_one(1) + by_three(1); }\n";

static const struct elf_symbol *find(struct elf_file *file, const char *name, uint8_t type)
{
	size_t count;
	const struct elf_symbol *symbols = elf_file_symbols(file, &count);

	for (size_t i = 0; i < count; i++)
		if (symbols[i].type == type && !strcmp(symbols[i].name, name))
			return &symbols[i];
	fail_msg("no symbol %s", name);
	return NULL;
}

/* The implementations must be these, and no others. */
static void check_names(struct elf_file *file, const char *resolver, const char *const *names,
			size_t count)
{
	struct ifunc_implementations found;

	assert_int_equal(ifunc_implementations(file, find(file, resolver, STT_GNU_IFUNC), &found),
			 0);
	assert_int_equal(found.count, count);
	for (size_t i = 0; i < count; i++) {
		uint64_t wanted = find(file, names[i], STT_FUNC)->vaddr;
		bool is_there = false;

		for (size_t k = 0; k < found.count; k++)
			is_there |= found.vaddr[k] == wanted;
		if (!is_there)
			fail_msg("%s does not lead to %s", resolver, names[i]);
	}
}

static void test_gcc(void **state)
{
	static const char *const names[] = { "one", "two", "three" };
	static const char *const levels[] = { "-O1", "-O2", "-Os" };
	struct ifunc_implementations found;
	char *folder = folder_new(), path[PATH_MAX];
	struct elf_file *file;

	(void)state;
	write_file(folder, "p.c", source);
	for (size_t i = 0; i < COUNT(levels); i++) {
		run("cd %s && gcc %s -fno-tree-switch-conversion -fPIE -pie p.c -o p", folder,
		    levels[i]);
		snprintf(path, sizeof(path), "%s/p", folder);
		assert_int_equal(elf_file_open(path, &file), 0);
		check_names(file, "by_one", names, 1);
		check_names(file, "by_three", names, 3);
		assert_int_equal(ifunc_implementations(file, find(file, "by_memory", STT_GNU_IFUNC),
						       &found),
				 -ENODATA);
		assert_int_equal(ifunc_implementations(file, find(file, "by_null", STT_GNU_IFUNC),
						       &found),
				 -ENODATA);
		elf_file_close(file);
	}
	/* a call is not followed, nor a jump out of the resolver */
	run("cd %s && gcc -O2 -fPIE -pie p.c -o p", folder);
	assert_int_equal(elf_file_open(path, &file), 0);
	assert_int_equal(ifunc_implementations(file, find(file, "by_call", STT_GNU_IFUNC), &found),
			 -ENODATA);
	elf_file_close(file);
	folder_remove(folder);
}

/* The dynamic linker has chosen here: what it chose must be among what may be chosen. */
static void test_libc(void **state)
{
	static const char *const names[] = { "memcpy", "memmove", "memset", "strlen",
					     "strchr", "strcmp",  "memchr" };
	struct ifunc_implementations found;
	struct link_map *map = NULL;
	void *libc = dlopen("libc.so.6", RTLD_NOW);
	struct elf_file *file;
	size_t chosen = 0;

	(void)state;
	assert_non_null(libc);
	assert_int_equal(dlinfo(libc, RTLD_DI_LINKMAP, &map), 0);
	assert_int_equal(elf_file_open(map->l_name, &file), 0);
	for (size_t i = 0; i < COUNT(names); i++) {
		uint64_t address = (uintptr_t)dlsym(libc, names[i]) - map->l_addr;
		size_t count;
		const struct elf_symbol *symbols = elf_file_symbols(file, &count);

		/* of several versions the newest is the one that is linked with */
		for (size_t k = 0; k < count; k++) {
			if (symbols[k].type != STT_GNU_IFUNC || strcmp(symbols[k].name, names[i]))
				continue;
			assert_int_equal(ifunc_implementations(file, &symbols[k], &found), 0);
			for (size_t m = 0; m < found.count; m++)
				chosen += found.vaddr[m] == address;
		}
	}
	assert_int_equal(chosen, COUNT(names));
	elf_file_close(file);
	dlclose(libc);
}

/* adrp x0; add x0; adrp x1; add x1; tst w2; csel x0, x0, x1; ret: what gcc makes of a choice */
static void test_arm64(void **state)
{
	static const uint32_t code[] = {
		0xb0000000, /* adrp x0, BASE + 0x1000 */
		0x91004000, /* add x0, x0, #16 */
		0xb0000001, /* adrp x1, BASE + 0x1000 */
		0x91008021, /* add x1, x1, #32 */
		0x37000062, /* tbnz w2, #0, over the csel */
		0xea02005f, /* tst x2, x2 */
		0x9a811000, /* csel x0, x0, x1, ne */
		0xd65f03c0, /* ret */
	};
	static const uint32_t loads[] = {
		0xf9400020, /* ldr x0, [x1] */
		0xd65f03c0, /* ret */
	};
	struct image *image = malloc(sizeof(*image));
	struct elf_symbol resolver = { .name = "r", .vaddr = BASE, .size = sizeof(code) };
	static uint8_t padded[0x2000];
	struct ifunc_implementations found;
	struct elf_file *file;

	(void)state;
	memcpy(padded, code, sizeof(code));
	file = file_of(image, EM_AARCH64, padded, sizeof(padded));
	assert_int_equal(ifunc_implementations(file, &resolver, &found), 0);
	assert_int_equal(found.count, 2);
	assert_int_equal(found.vaddr[0], BASE + 0x1010);
	assert_int_equal(found.vaddr[1], BASE + 0x1020);
	elf_file_close(file);
	file = file_of(image, EM_AARCH64, loads, sizeof(loads));
	resolver.size = sizeof(loads);
	assert_int_equal(ifunc_implementations(file, &resolver, &found), -ENODATA);
	elf_file_close(file);
	free(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gcc),
		cmocka_unit_test(test_libc),
		cmocka_unit_test(test_arm64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

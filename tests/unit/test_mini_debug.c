// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * .gnu_debugdata as rpm's find-debuginfo makes it, with nm, objcopy and xz: it gives the functions that nm tells
 * of the whole program. What is cut, damaged or unfolds to too much is not used.
 */
#include "test_folder.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <lzma.h>

#include "elf_in_folder.h"
#include "object/xz.h"
#include "random.h"

static const char source[] = "#define KEEP __attribute__((noinline, used))\n"
			     "int data = 5;\n"
			     "KEEP static int hidden(int x) { return x * 3 + data; }\n"
			     "KEEP int shown(int x) { return hidden(x) + 1; }\n"
			     "int main(void) { return shown(2); }\n";

/* Where there is room for other contents. */
#define ROOM 65536

/* whole, as it was linked; bare, stripped of all but .dynsym; mini.xz, packed; program, bare with that. */
static int build(void **state)
{
	char *folder = folder_new();

	write_file(folder, "program.c", source);
	run("cd %s && gcc -O1 -g -rdynamic -Wl,--build-id=none program.c -o whole && "
	    "strip -o bare whole && "
	    "nm -D bare --format=posix --defined-only | awk '{ print $1 }' | sort >dynamic && "
	    "nm whole --format=posix --defined-only | awk '$2 ~ /^[TtD]$/ { print $1 }' | sort >all && "
	    "comm -13 dynamic all >keep && objcopy --only-keep-debug whole debug && "
	    "objcopy -S --remove-section .comment --keep-symbols=keep debug mini && "
	    "xz -k mini && objcopy --add-section .gnu_debugdata=mini.xz bare program && "
	    "cp mini.xz padded && truncate -s %d padded && "
	    "objcopy --add-section .gnu_debugdata=padded bare roomy",
	    folder, ROOM);
	*state = folder;
	return 0;
}

static int clean(void **state)
{
	folder_remove(*state);
	return 0;
}

static void test_functions_are_those_of_nm(void **state)
{
	struct elf_file *file = open_in(*state, "program");
	const struct elf_symbol *symbol;
	uint64_t vaddr, offset, hidden = 0;
	char name[256], code[8];
	size_t checked = 0;
	FILE *output;

	output = output_of("nm %s/whole | awk '$2 ~ /^[Tt]$/ { print $1, $3 }'", (char *)*state);
	while (fscanf(output, "%" SCNx64 " %255s", &vaddr, name) == 2) {
		symbol = find(file, name);
		assert_non_null(symbol);
		assert_int_equal(symbol->vaddr, vaddr);
		if (!strcmp(name, "hidden"))
			hidden = vaddr;
		checked++;
	}
	assert_int_equal(pclose(output), 0);
	assert_true(checked >= 5);
	symbol = elf_file_function_at(file, hidden + 1);
	assert_string_equal(symbol->name, "hidden");
	assert_int_equal(symbol->type, STT_FUNC);
	assert_int_equal(symbol->bind, STB_LOCAL);
	/* What lies there is the program's: the packed file has no code. */
	assert_true(elf_file_vaddr_to_offset(file, hidden, &offset));
	assert_true(elf_file_offset_is_executable(file, offset));
	assert_int_equal(elf_file_read(file, hidden, code, sizeof(code)), sizeof(code));
	elf_file_close(file);
}

/* The stripped program, with other contents of the section. */
static void check_unused(const char *folder, const char *maker)
{
	struct elf_file *file;

	run("cd %s && %s && objcopy --add-section .gnu_debugdata=other bare changed", folder,
	    maker);
	file = open_in(folder, "changed");
	assert_null(find(file, "hidden"));
	assert_non_null(find(file, "shown"));
	elf_file_close(file);
}

static void test_what_is_none(void **state)
{
	check_unused(*state, "cp mini other");
	check_unused(*state, "xz -c program.c >other");
	check_unused(*state, "printf x >other");
	check_unused(*state, "cp mini m && printf '\\267' | dd of=m bs=1 seek=18 conv=notrunc "
			     "status=none && xz -c m >other");
	check_unused(*state, "cp mini m && printf '\\1' | dd of=m bs=1 seek=4 conv=notrunc "
			     "status=none && xz -c m >other");
	check_unused(*state, "xz -c --format=lzma mini >other");
}

static void test_cut(void **state)
{
	char path[PATH_MAX], maker[64];
	uint8_t *packed, *bytes;
	size_t packed_size, size;

	snprintf(path, sizeof(path), "%s/mini.xz", (char *)*state);
	packed = read_file(path, &packed_size);
	for (size_t length = 0; length < packed_size; length++) {
		uint8_t *cut = malloc(length + !length); /* of the exact size, for ASAN */

		assert_non_null(cut);
		memcpy(cut, packed, length);
		assert_int_equal(xz_unpack(cut, length, &bytes, &size), -EBADMSG);
		assert_null(bytes);
		free(cut);
	}
	free(packed);
	snprintf(maker, sizeof(maker), "head -c %zu mini.xz >other", packed_size / 2);
	check_unused(*state, maker);
	snprintf(maker, sizeof(maker), "head -c %zu mini.xz >other", packed_size - 1);
	check_unused(*state, maker);
}

static void test_bombs(void **state)
{
	char path[PATH_MAX];
	uint8_t *packed, *bytes;
	size_t packed_size, size;

	/* Both begin with what could be used. */
	check_unused(*state, "cp mini m && truncate -s 300M m && xz -1 -c m >other");
	snprintf(path, sizeof(path), "%s/other", (char *)*state);
	packed = read_file(path, &packed_size);
	assert_true(packed_size < 1 << 20);
	assert_int_equal(xz_unpack(packed, packed_size, &bytes, &size), -EFBIG);
	assert_null(bytes);
	free(packed);
	/* A small one that is merely as large as its few symbols may be. */
	run("cd %s && cp mini m && truncate -s 1M m && xz -c m >other && "
	    "objcopy --add-section .gnu_debugdata=other bare changed",
	    (char *)*state);
	struct elf_file *file = open_in(*state, "changed");

	assert_non_null(find(file, "hidden"));
	elf_file_close(file);
}

static void test_unpacking(void **state)
{
	char path[PATH_MAX];
	uint8_t *packed, *bytes, *whole;
	size_t packed_size, size, whole_size;

	run("cd %s && seq 600000 >numbers && xz -9 -k numbers && xz -0 -c numbers >quick",
	    (char *)*state);
	snprintf(path, sizeof(path), "%s/numbers", (char *)*state);
	whole = read_file(path, &whole_size);
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", (char *)*state, i ? "quick" : "numbers.xz");
		packed = read_file(path, &packed_size);
		assert_int_equal(xz_unpack(packed, packed_size, &bytes, &size), 0);
		assert_int_equal(size, whole_size);
		assert_memory_equal(bytes, whole, size);
		free(bytes);
		free(packed);
	}
	free(whole);
}

static size_t section_offset(const char *folder)
{
	FILE *output = output_of("readelf -SW %s/roomy | sed -n 's/.*[.]gnu_debugdata *//p' | "
				 "awk '{ print $3, $4 }'",
				 folder);
	size_t offset, size;

	assert_int_equal(fscanf(output, "%zx %zx", &offset, &size), 2);
	assert_int_equal(size, ROOM);
	pclose(output);
	return offset;
}

static bool use_everything(const uint8_t *image, size_t size)
{
	const struct elf_symbol *symbols;
	struct elf_file *file;
	size_t count;
	bool used;

	assert_int_equal(elf_file_open_memory(image, size, &file), 0);
	symbols = elf_file_symbols(file, &count);
	for (size_t i = 0; i < count; i++) {
		assert_true(strlen(symbols[i].name) > 0);
		elf_file_function_at(file, symbols[i].vaddr);
	}
	used = find(file, "hidden") != NULL;
	elf_file_close(file);
	return used;
}

/* The packed bytes are changed, or the file that is packed into them. */
static void test_damaged(void **state)
{
	uint8_t *image, *mini, *mutant;
	size_t size, mini_size, at = section_offset(*state), used = 0;
	uint64_t seed = 0x2545f4914f6cdd1d;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/mini", (char *)*state);
	mini = read_file(path, &mini_size);
	snprintf(path, sizeof(path), "%s/roomy", (char *)*state);
	image = read_file(path, &size);
	assert_true(use_everything(image, size));
	mutant = malloc(mini_size);
	assert_non_null(mutant);
	for (int i = 0; i < 400; i++) {
		size_t length = 0;

		memcpy(mutant, mini, mini_size);
		for (int k = 0; k < 5; k++) {
			uint64_t where = next_random(&seed);

			where = where % 2 ? where % 64 : mini_size - 1 - where % 3072 % mini_size;
			mutant[where] = (uint8_t)next_random(&seed);
		}
		memcpy(mutant, ELFMAG, SELFMAG);
		assert_int_equal(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, mutant,
							 mini_size, image + at, &length, ROOM),
				 LZMA_OK);
		used += use_everything(image, size);
		image[at + next_random(&seed) % length] ^= (uint8_t)(1 + next_random(&seed) % 255);
		use_everything(image, size);
	}
	print_message("%zu of 400 damaged files told a name\n", used);
	assert_true(used > 20 && used < 400);
	free(mutant);
	free(mini);
	free(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_are_those_of_nm),
		cmocka_unit_test(test_what_is_none),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_bombs),
		cmocka_unit_test(test_unpacking),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, build, clean);
}

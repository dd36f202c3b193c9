// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * elf_file against readelf and eu-addr2line, on every kind of program that gcc links; and against
 * files that are cut or changed at random.
 */
#include "test_folder.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>

#include "elf_in_folder.h"
#include "object/instruction.h"
#include "random.h"

static const char source[] =
	"#include <stdio.h>\n"
	"#define KEEP __attribute__((noinline, used))\n"
	"int data_variable = 5; int bss_variable[5000]; __thread int tls_variable = 7;\n"
	"static const char constant[] __attribute__((used)) = \"constant\";\n"
	"KEEP static int local_function(int x) { return x * 3 + data_variable; }\n"
	"KEEP __attribute__((weak)) int weak_function(int x) { return local_function(x) + 1; }\n"
	"KEEP int global_function(int x) { printf(\"%d\", x); return weak_function(x) + tls_variable; }\n"
	"extern int other_name(int) __attribute__((alias(\"global_function\")));\n"
	"__asm__(\".text\\n.globl bare_label\\nbare_label:\\n.byte 0x90,0x90,0x90,0x90\\n\"\n"
	"        \".byte 0x90,0x90,0x90,0x90\\n\");\n"
	"int main(void) { bss_variable[1] = global_function(2); return bss_variable[1] == 0; }\n";

/*
 * How the source is linked. static ones hold the C library's functions too: thousands of symbols.
 */
static const char *const kinds[][2] = {
	{ "pie", "-fPIE -pie" },
	{ "nopie", "-fno-pie -no-pie" },
	{ "static", "-static" },
	{ "staticpie", "-static-pie -fPIE" },
	{ "shared.so", "-shared -fPIC" },
	{ "oneload", "-fno-pie -no-pie -Wl,-z,noseparate-code" },
	{ "stripped", "-fPIE -pie -s -rdynamic" },
};

#define KINDS (sizeof(kinds) / sizeof(*kinds))

static int build(void **state)
{
	char *folder = folder_new();

	write_file(folder, "program.c", source);
	run("cd %s && gcc -c -O1 -g program.c -o relocatable.o", folder);
	for (size_t i = 0; i < KINDS; i++)
		run("cd %s && gcc -O1 -g -Wl,--build-id %s program.c -o %s", folder, kinds[i][1],
		    kinds[i][0]);
	*state = folder;
	return 0;
}

static int clean(void **state)
{
	folder_remove(*state);
	return 0;
}

static bool has_symbol(const struct elf_symbol *symbols, size_t count, uint64_t vaddr,
		       const char *name, const char *bind, const char *type)
{
	static const char *const types[] = { [STT_NOTYPE] = "NOTYPE",
					     [STT_OBJECT] = "OBJECT",
					     [STT_FUNC] = "FUNC",
					     [STT_TLS] = "TLS",
					     [STT_GNU_IFUNC] = "IFUNC" };

	for (size_t i = 0; i < count; i++) {
		if (symbols[i].vaddr == vaddr && !strcmp(symbols[i].name, name))
			return !strcmp(types[symbols[i].type], type) &&
			       (symbols[i].bind != STB_LOCAL || !strcmp(bind, "LOCAL")) &&
			       (symbols[i].bind != STB_WEAK || !strcmp(bind, "WEAK"));
	}
	return false;
}

static void check_sorted(const struct elf_symbol *symbols, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		assert_true(symbols[i - 1].vaddr <= symbols[i].vaddr);
		if (symbols[i - 1].vaddr == symbols[i].vaddr)
			assert_true(strcmp(symbols[i - 1].name, symbols[i].name) < 0);
	}
}

/* Every symbol that readelf tells is there, and of those with a kind not one more. */
static void check_symbols(const char *folder, const char *kind, struct elf_file *file)
{
	FILE *output =
		output_of("readelf -sW %s/%s | awk '$7 ~ /^[0-9]+$/ && $8 != \"\" && "
			  "$4 ~ /^(FUNC|OBJECT|IFUNC|TLS)$/ && ($2 !~ /^0+$/ || $4 == \"TLS\") "
			  "{ sub(/@.*/, \"\", $8); print $2, $4, $5, $8 }' | sort -u",
			  folder, kind);
	char type[16], bind[16], name[1024];
	size_t count, told = 0, known = 0;
	const struct elf_symbol *symbols = elf_file_symbols(file, &count);
	uint64_t vaddr;

	assert_true(count > 0);
	check_sorted(symbols, count);
	while (fscanf(output, "%" SCNx64 " %15s %15s %1023s", &vaddr, type, bind, name) == 4) {
		if (!has_symbol(symbols, count, vaddr, name, bind, type))
			fail_msg("%s: no %s %s", kind, type, name);
		told++;
	}
	pclose(output);
	for (size_t i = 0; i < count; i++)
		known += symbols[i].type != STT_NOTYPE;
	assert_int_equal(known, told);
}

static void test_symbols_are_those_of_readelf(void **state)
{
	for (size_t i = 0; i < KINDS; i++) {
		struct elf_file *file = open_in(*state, kinds[i][0]);

		check_symbols(*state, kinds[i][0], file);
		elf_file_close(file);
	}
}

static void check_segments(const char *folder, const char *kind, const struct elf_file *file)
{
	FILE *output = output_of("readelf -lW %s/%s | sed -n 's/^  LOAD *//p'", folder, kind);
	uint64_t offset, vaddr, physical, file_size, memory_size, got, segments = 0;
	char flags[16];

	while (fscanf(output,
		      "%" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %15[^0]%*[^\n]",
		      &offset, &vaddr, &physical, &file_size, &memory_size, flags) == 6) {
		uint64_t last = file_size - 1;

		segments++;
		assert_true(elf_file_vaddr_to_offset(file, vaddr + last, &got));
		assert_int_equal(got, offset + last);
		assert_true(elf_file_offset_to_vaddr(file, offset + last, &got));
		assert_int_equal(got, vaddr + last);
		assert_int_equal(elf_file_offset_is_executable(file, offset + last),
				 strchr(flags, 'E') != NULL);
		assert_true(elf_file_vaddr_to_offset(file, vaddr + memory_size - 1, &got));
		assert_true(elf_file_offset_to_vaddr(file, got, &got));
		assert_int_equal(got, vaddr + memory_size - 1);
	}
	pclose(output);
	assert_true(segments >= 2);
	assert_false(elf_file_vaddr_to_offset(file, UINT64_MAX, &got));
	assert_false(elf_file_offset_to_vaddr(file, UINT64_MAX, &got));
	assert_false(elf_file_offset_is_executable(file, UINT64_MAX));
}

static void check_header(const char *folder, const char *kind, const struct elf_file *file)
{
	FILE *output = output_of("readelf -hW %s/%s | awk '/Entry point/ { print $4 }';"
				 "readelf -nW %s/%s | sed -n 's/.*Build ID: //p'",
				 folder, kind, folder, kind);
	char id_text[128], id_ours[128] = "";
	uint8_t id[64];
	size_t length = elf_file_build_id(file, id, sizeof(id));
	uint64_t entry;

	assert_int_equal(fscanf(output, "%" SCNx64 " %127s", &entry, id_text), 2);
	pclose(output);
	assert_int_equal(elf_file_entry(file), entry);
	assert_int_equal(length, 20);
	for (size_t i = 0; i < length; i++)
		snprintf(id_ours + 2 * i, 3, "%02x", id[i]);
	assert_string_equal(id_ours, id_text);
	assert_true(elf_file_is_64bit(file));
	assert_false(elf_file_is_go(file));
}

static void test_segments_and_header_are_those_of_readelf(void **state)
{
	for (size_t i = 0; i < KINDS; i++) {
		struct elf_file *file = open_in(*state, kinds[i][0]);

		check_segments(*state, kinds[i][0], file);
		check_header(*state, kinds[i][0], file);
		elf_file_close(file);
	}
}

/* The middle of each function, one a line, for addr2line to read. */
static size_t write_addresses(const char *folder, struct elf_file *file)
{
	size_t count, written = 0;
	const struct elf_symbol *symbols = elf_file_symbols(file, &count);
	char path[PATH_MAX];
	FILE *list;

	snprintf(path, sizeof(path), "%s/addresses", folder);
	list = fopen(path, "w");
	assert_non_null(list);
	for (size_t i = 0; i < count; i++) {
		if (symbols[i].type == STT_FUNC && symbols[i].size) {
			fprintf(list, "0x%" PRIx64 "\n", symbols[i].vaddr + symbols[i].size / 2);
			written++;
		}
	}
	fclose(list);
	return written;
}

static void check_functions(const char *folder, const char *kind, struct elf_file *file)
{
	size_t written = write_addresses(folder, file), checked = 0, count;
	FILE *output =
		output_of("eu-addr2line -a -S -e %s/%s < %s/addresses | "
			  "awk 'NR %% 3 == 1 { a = $1 } NR %% 3 == 2 { sub(/[+].*/, \"\", $1);"
			  "print a, $1 }'",
			  folder, kind, folder);
	const struct elf_symbol *symbols = elf_file_symbols(file, &count);
	char name[1024];
	uint64_t vaddr;

	while (fscanf(output, "%" SCNx64 " %1023s", &vaddr, name) == 2) {
		const struct elf_symbol *function = elf_file_function_at(file, vaddr);
		bool same = false;

		assert_non_null(function);
		/* It may prefer another name of the same function. */
		for (size_t i = 0; i < count && !same; i++)
			same = symbols[i].vaddr == function->vaddr &&
			       !strcmp(symbols[i].name, name);
		if (!same)
			fail_msg("%s %" PRIx64 ": %s, not %s", kind, vaddr, function->name, name);
		checked++;
	}
	pclose(output);
	assert_int_equal(checked, written);
	assert_true(checked >= 4);
}

static void test_functions_are_those_of_addr2line(void **state)
{
	for (size_t i = 0; i < KINDS; i++) {
		struct elf_file *file = open_in(*state, kinds[i][0]);

		check_functions(*state, kinds[i][0], file);
		elf_file_close(file);
	}
}

static void test_names_and_gaps(void **state)
{
	struct elf_file *file = open_in(*state, "pie");
	const struct elf_symbol *label = find(file, "bare_label"), *symbol;

	/*
	 * Two global names: the first in the alphabet. The label has no size and reaches to the
	 * next.
	 */
	symbol = elf_file_function_at(file, find(file, "other_name")->vaddr + 1);
	assert_string_equal(symbol->name, "global_function");
	assert_int_equal(label->type, STT_NOTYPE);
	assert_int_equal(label->size, 0);
	assert_string_equal(elf_file_function_at(file, label->vaddr + 2)->name, "bare_label");
	/* Data is no function, and neither is what lies nowhere. */
	assert_null(elf_file_function_at(file, find(file, "data_variable")->vaddr));
	assert_null(elf_file_function_at(file, 0));
	assert_null(elf_file_function_at(file, UINT64_MAX));
	assert_null(find(file, "program.c"));
	assert_null(find(file, "printf"));
	assert_non_null(find(file, "bss_variable"));
	elf_file_close(file);
}

static void test_contents(void **state)
{
	struct elf_file *file = open_in(*state, "pie");
	const struct elf_symbol *symbol = find(file, "constant");
	char text[9], path[PATH_MAX];
	uint64_t offset;
	size_t size;
	uint8_t *bytes;

	assert_int_equal(elf_file_read(file, symbol->vaddr, text, sizeof(text)), sizeof(text));
	assert_string_equal(text, "constant");
	assert_true(elf_file_vaddr_to_offset(file, symbol->vaddr, &offset));
	snprintf(path, sizeof(path), "%s/pie", (char *)*state);
	bytes = read_file(path, &size);
	assert_memory_equal(bytes + offset, "constant", 9);
	free(bytes);
	/* .bss has no contents. */
	symbol = find(file, "bss_variable");
	assert_int_equal(elf_file_read(file, symbol->vaddr + symbol->size - 1, text, 1), 0);
	assert_int_equal(elf_file_read(file, UINT64_MAX, text, sizeof(text)), 0);
	elf_file_close(file);
}

static void test_load_bias(void **state)
{
	struct elf_file *file = open_in(*state, "oneload");
	uint64_t offset, bias, vaddr = find(file, "main")->vaddr;

	assert_true(elf_file_vaddr_to_offset(file, vaddr, &offset));
	assert_true(elf_file_load_bias(file, 0x7f0000000000 + (vaddr & ~0xfffull), 0x1000,
				       offset & ~0xfffull, &bias));
	assert_int_equal(bias, 0x7f0000000000);
	assert_false(elf_file_load_bias(file, 0x7f0000000000, 0x1000, 1 << 30, &bias));
	elf_file_close(file);
}

static void test_what_is_no_program(void **state)
{
	const char *folder = *state;
	struct elf_file *file;
	char path[PATH_MAX];
	size_t size, count;
	uint8_t *bytes;

	assert_int_equal(elf_file_open("/nonexistent", &file), -ENOENT);
	assert_null(file);
	assert_int_equal(elf_file_open(folder, &file), -ENOEXEC);
	snprintf(path, sizeof(path), "%s/program.c", folder);
	assert_int_equal(elf_file_open(path, &file), -ENOEXEC);
	run("mkfifo %s/fifo", folder);
	snprintf(path, sizeof(path), "%s/fifo", folder);
	assert_int_equal(elf_file_open(path, &file), -ENOEXEC);
	snprintf(path, sizeof(path), "%s/pie", folder);
	bytes = read_file(path, &size);
	bytes[EI_DATA] = ELFDATA2MSB;
	assert_int_equal(elf_file_open_memory(bytes, size, &file), -EINVAL);
	free(bytes);
	/* In a relocatable file values are no addresses. */
	file = open_in(folder, "relocatable.o");
	elf_file_symbols(file, &count);
	assert_int_equal(count, 0);
	elf_file_close(file);
	elf_file_close(NULL);
}

static void test_go_is_told(void **state)
{
	struct elf_file *file;

	run("cd %s && head -c 64 /dev/zero > blob && objcopy --add-section .go.buildinfo=blob pie go",
	    (char *)*state);
	file = open_in(*state, "go");
	assert_true(elf_file_is_go(file));
	elf_file_close(file);
}

/* Asks everything that can be asked; the answers do not matter, that there are some does. */
static void use_everything(struct elf_file *file)
{
	size_t count;
	const struct elf_symbol *symbols = elf_file_symbols(file, &count);
	uint64_t got, begins;
	uint8_t bytes[256];

	for (size_t i = 0; i < count; i += 1 + count / 16) {
		volatile size_t length = strlen(symbols[i].name);

		(void)length;
		elf_file_function_at(file, symbols[i].vaddr + 1);
		elf_file_vaddr_to_offset(file, symbols[i].vaddr, &got);
		elf_file_offset_to_vaddr(file, symbols[i].vaddr, &got);
		elf_file_read(file, symbols[i].vaddr, bytes, sizeof(bytes));
		instruction_check_boundary(file, symbols[i].vaddr, symbols[i].vaddr + 32, &begins);
	}
	elf_file_load_bias(file, 0x1000, 0x100000, 0, &got);
	elf_file_build_id(file, bytes, sizeof(bytes));
	elf_file_is_go(file);
	elf_file_is_64bit(file);
}

static void try_image(const uint8_t *image, size_t size, const char *scratch)
{
	struct elf_file *file;
	uint8_t *copy = malloc(size ? size : 1); /* of the exact size, for ASAN */
	int fd;

	assert_non_null(copy);
	memcpy(copy, image, size);
	if (!elf_file_open_memory(copy, size, &file)) {
		use_everything(file);
		elf_file_close(file);
	}
	fd = open(scratch, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, copy, size), (ssize_t)size);
	if (!elf_file_open_fd(fd, &file)) {
		use_everything(file);
		elf_file_close(file);
	}
	close(fd);
	free(copy);
}

/*
 * Changes bytes mostly where they matter: ELF, program and section headers, and symbols at the end.
 */
static void mutate(uint8_t *bytes, size_t size, uint64_t *seed)
{
	static const uint8_t nasty[] = { 0x00, 0xff, 0x7f, 0x80, 0x01 };
	uint64_t changes = 1 + next_random(seed) % 12;

	while (changes-- > 0) {
		uint64_t kind = next_random(seed) % 3, at = next_random(seed);

		at = kind == 0 ? at % 1024 : kind == 1 ? size - 1 - at % 2304 : at % size;
		bytes[at] = next_random(seed) % 2 ? nasty[next_random(seed) % sizeof(nasty)] :
						    (uint8_t)next_random(seed);
	}
	memcpy(bytes, ELFMAG, SELFMAG);
}

static void test_malformed_files(void **state)
{
	char path[PATH_MAX], scratch[PATH_MAX];
	uint8_t *bytes, *mutant;
	uint64_t seed = 0x2545f4914f6cdd1d;
	size_t size;

	snprintf(path, sizeof(path), "%s/pie", (char *)*state);
	snprintf(scratch, sizeof(scratch), "%s/scratch", (char *)*state);
	bytes = read_file(path, &size);
	mutant = malloc(size);
	assert_non_null(mutant);
	for (size_t length = 0; length < size; length += length < 1100 ? 37 : 997)
		try_image(bytes, length, scratch);
	for (int i = 0; i < 400; i++) {
		memcpy(mutant, bytes, size);
		mutate(mutant, size, &seed);
		try_image(mutant, size, scratch);
	}
	free(mutant);
	free(bytes);
}

/* The file shrinks under our hands after it was opened. */
static void test_file_that_shrinks(void **state)
{
	struct elf_file *file;
	char path[PATH_MAX];

	run("cd %s && cp static shrinking", (char *)*state);
	snprintf(path, sizeof(path), "%s/shrinking", (char *)*state);
	assert_int_equal(elf_file_open(path, &file), 0);
	assert_int_equal(truncate(path, 100), 0);
	use_everything(file);
	elf_file_close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbols_are_those_of_readelf),
		cmocka_unit_test(test_segments_and_header_are_those_of_readelf),
		cmocka_unit_test(test_functions_are_those_of_addr2line),
		cmocka_unit_test(test_names_and_gaps),
		cmocka_unit_test(test_contents),
		cmocka_unit_test(test_load_bias),
		cmocka_unit_test(test_what_is_no_program),
		cmocka_unit_test(test_go_is_told),
		cmocka_unit_test(test_malformed_files),
		cmocka_unit_test(test_file_that_shrinks),
	};

	return cmocka_run_group_tests(tests, build, clean);
}

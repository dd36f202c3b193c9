// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Separate debug files: those that objcopy makes and links to are found where they may lie, and give the symbols
 * that readelf tells of the whole program; what does not belong to the program, or is damaged, is not used.
 */
#include "test_folder.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/wait.h>
#include <zlib.h>

#include "object/debug_file.h"
#include "elf_in_folder.h"
#include "random.h"

static const char source[] =
	"#define KEEP __attribute__((noinline, used))\n"
	"int data = 5;\n"
	"KEEP static int hidden(int x) { return x * 3 + data; }\n"
	"KEEP int shown(int x) { return hidden(x) + NUMBER; }\n"
	"extern int __GI_shown(int) __attribute__((alias(\"shown\"), visibility(\"hidden\")));\n"
	"int main(void) { return shown(2); }\n";

/* program, stripped, with the link; whole, as it was linked; its debug file is NAME.debug in a folder. */
static void build(const char *folder, const char *flags)
{
	write_file(folder, "program.c", source);
	run("cd %s && mkdir -p store && gcc -O1 -DNUMBER=1 -rdynamic %s program.c -o whole && "
	    "objcopy --only-keep-debug whole store/program.debug && "
	    "strip -o bare whole && "
	    "objcopy --add-gnu-debuglink=store/program.debug bare program",
	    folder, flags);
}

static int build_program(void **state)
{
	*state = folder_new();
	build(*state, "-Wl,--build-id");
	return 0;
}

static int build_without_id(void **state)
{
	*state = folder_new();
	build(*state, "-Wl,--build-id=none");
	return 0;
}

static bool has(struct elf_file *file, const char *name, uint64_t vaddr)
{
	size_t count;
	const struct elf_symbol *symbols = elf_file_symbols(file, &count);

	for (size_t i = 0; i < count; i++) {
		if (symbols[i].vaddr == vaddr && !strcmp(symbols[i].name, name))
			return true;
	}
	return false;
}

/* Every function and variable that readelf tells of another file. */
static size_t check_symbols(struct elf_file *file, const char *folder, const char *other)
{
	FILE *output =
		output_of("readelf -sW %s/%s 2>/dev/null | awk '$7 ~ /^[0-9]+$/ && $2 !~ /^0+$/ && "
			  "$4 ~ /^(FUNC|OBJECT|IFUNC)$/ { sub(/@.*/, \"\", $8); "
			  "print $2, $8 }'",
			  folder, other);
	size_t checked = 0;
	char name[1024];
	uint64_t vaddr;

	while (fscanf(output, "%" SCNx64 " %1023s", &vaddr, name) == 2) {
		if (!has(file, name, vaddr))
			fail_msg("no %s at %#" PRIx64, name, vaddr);
		checked++;
	}
	assert_int_equal(pclose(output), 0);
	return checked;
}

static void check_found(const char *folder, const char *where)
{
	struct elf_file *file = open_in(folder, "program");
	char path[PATH_MAX], real[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, where);
	assert_non_null(realpath(path, real));
	assert_non_null(elf_file_debug_path(file));
	assert_string_equal(elf_file_debug_path(file), real);
	assert_true(check_symbols(file, folder, "whole") >= 6);
	elf_file_close(file);
}

/* The program has its .dynsym, and nothing else. */
static void check_not_found(const char *folder)
{
	struct elf_file *file = open_in(folder, "program");

	assert_non_null(find(file, "shown"));
	assert_null(find(file, "hidden"));
	assert_null(elf_file_debug_path(file));
	elf_file_close(file);
}

static void test_beside(void **state)
{
	check_not_found(*state);
	run("cd %s && mkdir .debug && cp store/program.debug .debug", (char *)*state);
	check_found(*state, ".debug/program.debug");
	run("cd %s && cp store/program.debug .", (char *)*state);
	check_found(*state, "program.debug");
	/* One that does not belong to it is passed over. */
	run("cd %s && echo >>program.debug", (char *)*state);
	check_found(*state, ".debug/program.debug");
	run("cd %s && echo >>.debug/program.debug", (char *)*state);
	check_not_found(*state);
}

static void test_by_link_and_by_descriptor(void **state)
{
	char path[PATH_MAX];
	struct elf_file *file;
	int fd;

	run("cd %s && cp store/program.debug . && mkdir elsewhere && ln -s ../program elsewhere/other",
	    (char *)*state);
	file = open_in(*state, "elsewhere/other");
	assert_non_null(find(file, "hidden"));
	elf_file_close(file);
	snprintf(path, sizeof(path), "%s/program", (char *)*state);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(elf_file_open_fd(fd, &file), 0);
	assert_true(check_symbols(file, *state, "whole") >= 6);
	elf_file_close(file);
	close(fd);
}

/* Offsets are those of the program, not of the debug file; of two names the global one is told. */
static void test_addresses_are_the_programs(void **state)
{
	struct elf_file *file;
	const struct elf_symbol *symbol;
	uint8_t *bytes, code[16];
	uint64_t offset, vaddr;
	char path[PATH_MAX];
	size_t size;
	FILE *output;

	run("cd %s && cp store/program.debug .", (char *)*state);
	file = open_in(*state, "program");
	symbol = find(file, "hidden");
	assert_int_equal(symbol->bind, STB_LOCAL);
	output = output_of("objdump -h %s/whole | awk '$2 == \".text\" { print $4, $6 }'",
			   (char *)*state);
	assert_int_equal(fscanf(output, "%" SCNx64 " %" SCNx64, &vaddr, &offset), 2);
	pclose(output);
	offset += symbol->vaddr - vaddr;
	snprintf(path, sizeof(path), "%s/whole", (char *)*state);
	bytes = read_file(path, &size);
	assert_int_equal(elf_file_read(file, symbol->vaddr, code, sizeof(code)), sizeof(code));
	assert_memory_equal(code, bytes + offset, sizeof(code));
	assert_true(elf_file_vaddr_to_offset(file, symbol->vaddr, &vaddr));
	assert_int_equal(vaddr, offset);
	assert_ptr_equal(elf_file_function_at(file, symbol->vaddr + 1), symbol);
	assert_non_null(find(file, "__GI_shown"));
	symbol = find(file, "shown");
	assert_string_equal(elf_file_function_at(file, symbol->vaddr)->name, "shown");
	free(bytes);
	elf_file_close(file);
}

/* A program that has its symbols does without, but says where its debug file is. */
static void test_own_symbols_are_enough(void **state)
{
	struct elf_file *file;

	run("cd %s && cp store/program.debug . && objcopy --strip-symbol=hidden "
	    "--add-gnu-debuglink=program.debug whole program",
	    (char *)*state);
	file = open_in(*state, "program");
	assert_non_null(find(file, "main"));
	assert_null(find(file, "hidden"));
	assert_non_null(elf_file_debug_path(file));
	elf_file_close(file);
}

static void test_another_build_id(void **state)
{
	run("cd %s && gcc -O1 -DNUMBER=1000 -Wl,--build-id program.c -o other && "
	    "objcopy --only-keep-debug other program.debug && "
	    "objcopy --add-gnu-debuglink=program.debug bare program",
	    (char *)*state);
	check_not_found(*state);
	/* Without a build id the checksum has to do. */
	run("cd %s && objcopy -R .note.gnu.build-id bare noid && "
	    "objcopy --add-gnu-debuglink=program.debug noid program",
	    (char *)*state);
	struct elf_file *file = open_in(*state, "program");

	assert_non_null(elf_file_debug_path(file));
	elf_file_close(file);
}

/* Each has the checksum that the program names. */
static void test_what_is_no_debug_file(void **state)
{
	static const char *const makers[] = {
		"cp program.c program.debug",
		": >program.debug",
		"head -c 900 store/program.debug >program.debug",
		"head -c -1 store/program.debug >program.debug",
		"echo 'int f(void) { return 1; }' >f.c && gcc -m32 -nostdlib -shared f.c -o program.debug || "
		"{ cp store/program.debug . && printf '\\1' | dd of=program.debug bs=1 seek=4 conv=notrunc status=none; }",
		"cp store/program.debug . && "
		"printf '\\267' | dd of=program.debug bs=1 seek=18 conv=notrunc status=none",
	};

	for (size_t i = 0; i < sizeof(makers) / sizeof(*makers); i++) {
		run("cd %s && { %s; } && objcopy --add-gnu-debuglink=program.debug bare program",
		    (char *)*state, makers[i]);
		check_not_found(*state);
	}
	run("cd %s && rm program.debug && mkfifo program.debug", (char *)*state);
	check_not_found(*state);
	run("cd %s && rm program.debug && ln -s /dev/zero program.debug", (char *)*state);
	check_not_found(*state);
	run("cd %s && rm program.debug && ln -s program.debug program.debug", (char *)*state);
	check_not_found(*state);
}

/* Links that are damaged, or lead to other folders. */
static void test_damaged_links(void **state)
{
	static const char *const links[] = { "",
					     "x",
					     "program.debug",
					     "program.debug\\0",
					     "program.debug\\0\\0\\0\\1\\2\\3",
					     "\\0\\0\\0\\0\\0\\0\\0\\0",
					     "store/program.debug\\0" };
	char *folder = *state;

	run("cd %s && cp store/program.debug .", folder);
	check_found(folder, "program.debug");
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++) {
		run("cd %s && printf '%s' >link && objcopy --dump-section .gnu_debuglink=sum program copy && "
		    "%s && objcopy --add-section .gnu_debuglink=link bare damaged",
		    folder, links[i], strchr(links[i], '/') ? "tail -c 4 sum >>link" : ":");
		struct elf_file *file = open_in(folder, "damaged");

		assert_null(elf_file_debug_path(file));
		elf_file_close(file);
	}
}

/* Where the program's link has its checksum. */
static size_t checksum_offset(const char *folder)
{
	FILE *output = output_of("readelf -SW %s/program | sed -n 's/.*[.]gnu_debuglink *//p' | "
				 "awk '{ print $3, $4 }'",
				 folder);
	size_t offset, size;

	assert_int_equal(fscanf(output, "%zx %zx", &offset, &size), 2);
	pclose(output);
	return offset + size - 4;
}

static void write_bytes(const char *folder, const char *name, const uint8_t *bytes, size_t size)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static void use_everything(struct elf_file *file)
{
	size_t count;
	const struct elf_symbol *symbols = elf_file_symbols(file, &count);

	for (size_t i = 0; i < count; i++) {
		assert_true(strlen(symbols[i].name) > 0);
		elf_file_function_at(file, symbols[i].vaddr);
	}
	elf_file_debug_path(file);
}

/* Damaged anywhere, mostly in its headers and symbols; but with the checksum that the program names. */
static void test_damaged_debug_files(void **state)
{
	uint8_t *debug, *program, *mutant;
	size_t debug_size, program_size, at = checksum_offset(*state), used = 0;
	uint64_t seed = 0x2545f4914f6cdd1d;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/store/program.debug", (char *)*state);
	debug = read_file(path, &debug_size);
	snprintf(path, sizeof(path), "%s/program", (char *)*state);
	program = read_file(path, &program_size);
	mutant = malloc(debug_size);
	assert_non_null(mutant);
	for (int i = 0; i < 300; i++) {
		struct elf_file *file;
		uint32_t checksum;

		memcpy(mutant, debug, debug_size);
		for (int k = 0; k < 4; k++) {
			uint64_t where = next_random(&seed);

			where = where % 3 == 0 ? where % 64 :
						 debug_size - 1 - where % (debug_size - 1024);
			mutant[where] = (uint8_t)next_random(&seed);
		}
		checksum = (uint32_t)crc32(0, mutant, (uInt)debug_size);
		memcpy(program + at, &checksum, sizeof(checksum));
		write_bytes(*state, "program.debug", mutant, debug_size);
		write_bytes(*state, "program", program, program_size);
		file = open_in(*state, "program");
		use_everything(file);
		used += elf_file_debug_path(file) != NULL;
		elf_file_close(file);
	}
	print_message("%zu of 300 damaged files were used\n", used);
	assert_true(used > 30 && used < 300);
	free(mutant);
	free(program);
	free(debug);
}

/* A process whose files are those of a folder; -1 when that may not be. */
static pid_t process_in(const char *folder)
{
	int ready[2];
	char state = 0;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		state = chroot(folder) ? 'n' : 'y';
		if (write(ready[1], &state, 1) == 1)
			pause();
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(read(ready[0], &state, 1), 1);
	close(ready[0]);
	close(ready[1]);
	if (state == 'y')
		return pid;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return -1;
}

/* In another root: by build id first, then by the link below /usr/lib/debug. */
static void test_of_another_root(void **state)
{
	char *folder = *state, path[PATH_MAX], expected[PATH_MAX];
	struct elf_file *file;
	pid_t pid = process_in(folder);

	if (pid < 0) {
		print_message("[ SKIPPED ] chroot() wants root\n");
		return;
	}
	run("cd %s && mkdir -p usr/lib/debug/opt opt && cp program opt && "
	    "cp store/program.debug usr/lib/debug/opt",
	    folder);
	snprintf(path, sizeof(path), "/proc/%d/root/opt/program", pid);
	assert_int_equal(elf_file_open(path, &file), 0);
	snprintf(expected, sizeof(expected), "/proc/%d/root/usr/lib/debug/opt/program.debug", pid);
	assert_non_null(elf_file_debug_path(file));
	assert_string_equal(elf_file_debug_path(file), expected);
	assert_non_null(find(file, "hidden"));
	elf_file_close(file);
	run("cd %s && id=$(readelf -n whole | sed -n 's/.*Build ID: //p') && rest=${id#??} && "
	    "two=${id%%$rest} && mkdir -p usr/lib/debug/.build-id/$two && "
	    "cp store/program.debug usr/lib/debug/.build-id/$two/$rest.debug",
	    folder);
	assert_int_equal(elf_file_open(path, &file), 0);
	assert_non_null(strstr(elf_file_debug_path(file), "/usr/lib/debug/.build-id/"));
	assert_true(check_symbols(file, folder, "whole") >= 6);
	elf_file_close(file);
	/* There, but of another build. */
	run("cd %s && rm -r usr/lib/debug/opt && gcc -DNUMBER=77 -Wl,--build-id program.c -o other && "
	    "cp other usr/lib/debug/.build-id/*/*.debug",
	    folder);
	assert_int_equal(elf_file_open(path, &file), 0);
	assert_null(elf_file_debug_path(file));
	assert_null(find(file, "hidden"));
	elf_file_close(file);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* The debug file of the C library, where one is installed. */
static void test_installed(void **state)
{
	FILE *output = output_of("gcc -print-file-name=libc.so.6");
	char path[PATH_MAX], other[PATH_MAX];
	const struct elf_symbol *symbol;
	struct elf_file *file;

	(void)state;
	assert_int_equal(fscanf(output, "%4095s", path), 1);
	pclose(output);
	assert_int_equal(elf_file_open(path, &file), 0);
	if (!elf_file_debug_path(file)) {
		print_message("[ SKIPPED ] no debug file of the C library here\n");
		elf_file_close(file);
		return;
	}
	snprintf(other, sizeof(other), "../..%s", elf_file_debug_path(file));
	assert_true(check_symbols(file, "/usr/lib", other) > 3000);
	symbol = find(file, "malloc");
	assert_string_equal(elf_file_function_at(file, symbol->vaddr + 1)->name, "malloc");
	assert_non_null(symbol->version);
	elf_file_close(file);
}

int main(void)
{
#define WITH_PROGRAM(test) cmocka_unit_test_setup_teardown(test, build_program, remove_folder)
	const struct CMUnitTest tests[] = {
		WITH_PROGRAM(test_beside),
		WITH_PROGRAM(test_by_link_and_by_descriptor),
		WITH_PROGRAM(test_addresses_are_the_programs),
		WITH_PROGRAM(test_own_symbols_are_enough),
		WITH_PROGRAM(test_another_build_id),
		WITH_PROGRAM(test_what_is_no_debug_file),
		WITH_PROGRAM(test_damaged_links),
		WITH_PROGRAM(test_of_another_root),
		cmocka_unit_test_setup_teardown(test_beside, build_without_id, remove_folder),
		cmocka_unit_test_setup_teardown(test_damaged_debug_files, build_without_id,
						remove_folder),
		cmocka_unit_test(test_installed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

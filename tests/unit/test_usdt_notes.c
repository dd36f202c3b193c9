// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Notes of USDT probes: of files made here, damaged ones, and all that is installed; by readelf. */
#include "test_folder.h"

#include <elf.h>
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>

#include "elf_in_folder.h"
#include "object/usdt_args.h"
#include "object/usdt_notes.h"
#include "random.h"

/* What sys/sdt.h has the assembler write, without it. */
static const char source[] =
	".macro probe provider, name, arguments, semaphore=0\n"
	"990: nop\n.pushsection .note.stapsdt,\"?\",\"note\"\n.balign 4\n"
	".4byte 992f-991f, 994f-993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n"
	"993: .8byte 990b\n.8byte _.stapsdt.base\n.8byte \\semaphore\n"
	".asciz \"\\provider\"\n.asciz \"\\name\"\n.asciz \"\\arguments\"\n994: .balign 4\n.popsection\n.endm\n"
	".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n.weak _.stapsdt.base\n"
	".hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n.popsection\n"
	".macro label name, type\n.globl \\name\n.type \\name, @\\type\n\\name:\n.endm\n"
	".section .probes,\"aw\",\"progbits\"\n.balign 2\nlabel semaphore, object\n.2byte 0\n"
	".data\nlabel counter, object\n.4byte 0, 0\n"
	".text\n.globl _start\n_start: nop\nlabel first, function\nprobe app,plain,\"\"\n"
	"label second, function\nprobe app,full,\"8@$1 -4@counter+4(%rip)\",semaphore\n"
	"label third, function\nprobe app,full,\"8@%rdi -4@%esi\",semaphore\nhlt\n";

static const char *const links[] = { "-static -no-pie", "-pie -Wl,--no-dynamic-linker", "-shared" };

static void build(const char *folder, const char *flags)
{
	write_file(folder, "p.S", source);
	run("cd %s && gcc -nostdlib -nostartfiles %s p.S -o p", folder, flags);
}

static void check_notes(struct elf_file *file, uint64_t moved)
{
	struct usdt_notes notes;

	assert_int_equal(usdt_notes_read(file, &notes), 0);
	assert_int_equal(notes.count, 3);
	assert_int_equal(notes.damaged, 0);
	assert_string_equal(notes.list[0].provider, "app");
	assert_string_equal(notes.list[0].name, "plain");
	assert_string_equal(notes.list[0].arguments, "");
	assert_int_equal(notes.list[0].vaddr, find(file, "first")->vaddr + moved);
	assert_int_equal(notes.list[0].semaphore, 0);
	assert_string_equal(notes.list[1].name, "full");
	assert_string_equal(notes.list[1].arguments, "8@$1 -4@counter+4(%rip)");
	assert_int_equal(notes.list[1].vaddr, find(file, "second")->vaddr + moved);
	assert_int_equal(notes.list[1].semaphore, find(file, "semaphore")->vaddr + moved);
	assert_int_equal(notes.list[2].vaddr, find(file, "third")->vaddr + moved);
	usdt_notes_free(&notes);
	assert_null(notes.list);
}

static void test_links(void **state)
{
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		struct elf_file *file;

		build(*state, links[i]);
		file = open_in(*state, "p");
		check_notes(file, 0);
		elf_file_close(file);
	}
}

/* As prelink leaves a file: all has moved but the notes. */
static void test_prelinked(void **state)
{
	struct elf_file *file;

	build(*state, "-static -no-pie");
	run("cd %s && objcopy --change-section-address .stapsdt.base+0x1000 p moved 2>/dev/null",
	    (char *)*state);
	file = open_in(*state, "moved");
	check_notes(file, 0x1000);
	elf_file_close(file);
}

static void test_symbols(void **state)
{
	struct usdt_arguments arguments;
	struct elf_file *file;
	uint64_t counter;

	build(*state, "-static -no-pie");
	file = open_in(*state, "p");
	counter = find(file, "counter")->vaddr;
	usdt_arguments_parse(EM_X86_64,
			     "4@counter(%rip) 4@4+counter(%rip) 8@$counter 4@none(%rip) 4@%eax",
			     &arguments);
	usdt_arguments_resolve(&arguments, file, 0x1000);
	assert_int_equal(arguments.list[0].offset, counter - 0x1000);
	assert_int_equal(arguments.list[1].offset, counter + 4 - 0x1000);
	assert_int_equal(arguments.list[2].offset, counter);
	assert_string_equal(arguments.list[3].unreadable,
			    "is at a symbol that the file does not have, or has twice");
	assert_null(arguments.list[4].unreadable);
	usdt_arguments_parse(EM_AARCH64, "4@[x0, #:lo12:counter+4]", &arguments);
	usdt_arguments_resolve(&arguments, file, 0x1000);
	assert_int_equal(arguments.list[0].offset, (counter + 4) & 0xfff);
	elf_file_close(file);
}

static int read_error(const char *folder, const char *name)
{
	struct elf_file *file = open_in(folder, name);
	struct usdt_notes notes;
	int err = usdt_notes_read(file, &notes);

	usdt_notes_free(&notes);
	elf_file_close(file);
	return err;
}

static void test_none(void **state)
{
	write_file(*state, "n.S", ".globl _start\n_start: hlt\n");
	run("cd %s && gcc -nostdlib -static n.S -o n", (char *)*state);
	assert_int_equal(read_error(*state, "n"), -ENOENT);
	write_file(*state, "o.S",
		   ".globl _start\n_start: hlt\n.section .note.stapsdt,\"\",\"note\"\n.4byte 4, 4, 3\n"
		   ".asciz \"GNU\"\n.4byte 7\n");
	run("cd %s && gcc -nostdlib -static o.S -o o", (char *)*state);
	assert_int_equal(read_error(*state, "o"), -ENOENT);
	run("cd %s && objcopy --set-section-flags .note.stapsdt= o o", (char *)*state);
	write_file(*state, "d.S",
		   ".globl _start\n_start: hlt\n.section .note.stapsdt,\"\",\"note\"\n.4byte 8, 27, 3\n"
		   ".asciz \"stapsdt\"\n.8byte 1, 2, 3\n.ascii \"abc\\0\"\n");
	run("cd %s && gcc -nostdlib -static d.S -o d", (char *)*state);
	assert_int_equal(read_error(*state, "d"), -ENOEXEC);
}

/* Cut anywhere, and any byte another one: fewer probes, never what lies outside. */
static void test_damaged(void **state)
{
	uint64_t seed = 3, probes = 0;
	char path[PATH_MAX];
	uint8_t *bytes, *copy;
	size_t size;

	build(*state, links[1]);
	snprintf(path, sizeof(path), "%s/p", (char *)*state);
	bytes = read_file(path, &size);
	for (unsigned i = 0; i < 3000; i++) {
		size_t length = i & 1 ? size : size - next_random(&seed) % size;
		struct usdt_notes notes;
		struct elf_file *file;

		copy = malloc(length);
		memcpy(copy, bytes, length);
		for (unsigned k = 0; k < 40; k++)
			copy[next_random(&seed) % length] = (uint8_t)next_random(&seed);
		if (!elf_file_open_memory(copy, length, &file)) {
			if (!usdt_notes_read(file, &notes))
				for (size_t k = 0; k < notes.count; k++)
					probes += strlen(notes.list[k].arguments) +
						  strlen(notes.list[k].provider) + 1;
			usdt_notes_free(&notes);
			elf_file_close(file);
		}
		free(copy);
	}
	assert_true(probes > 0);
	free(bytes);
}

/* ---- all that is installed ---------------------------------------------------------------------- */

/* nftw() takes no context. */
static struct {
	size_t files, probes, arguments, vectors, not_known;
} installed;

static void count_arguments(struct elf_file *file, const struct usdt_note *note, const char *path)
{
	struct usdt_arguments arguments;

	usdt_arguments_parse(elf_file_machine(file), note->arguments, &arguments);
	for (size_t i = 0; i < arguments.count; i++) {
		const char *why = arguments.list[i].unreadable;

		installed.arguments++;
		installed.vectors += why && strstr(why, "vector") != NULL;
		if (why != usdt_unknown)
			continue;
		installed.not_known++;
		print_message("%s: %s:%s: argument %zu of \"%s\" is not understood\n", path,
			      note->provider, note->name, i + 1, note->arguments);
	}
}

static int count_file(const char *path, const struct stat *status, int type, struct FTW *at)
{
	struct usdt_notes notes;
	struct elf_file *file;

	(void)at;
	if (type != FTW_F || !S_ISREG(status->st_mode) ||
	    (!(status->st_mode & 0100) && !strstr(path, ".so")) || elf_file_open(path, &file))
		return 0;
	if (elf_file_is_64bit(file) && !usdt_notes_read(file, &notes)) {
		installed.files++;
		installed.probes += notes.count;
		if (notes.damaged)
			fail_msg("%s: %zu damaged notes", path, notes.damaged);
		for (size_t i = 0; i < notes.count; i++) {
			uint64_t offset;

			if (!elf_file_vaddr_to_offset(file, notes.list[i].vaddr, &offset) ||
			    !elf_file_offset_is_executable(file, offset))
				fail_msg("%s: 0x%" PRIx64 " is no code", path, notes.list[i].vaddr);
			count_arguments(file, &notes.list[i], path);
		}
		usdt_notes_free(&notes);
	}
	elf_file_close(file);
	return 0;
}

static void test_installed(void **state)
{
	(void)state;
	nftw("/usr/bin", count_file, 64, FTW_PHYS);
	nftw("/usr/sbin", count_file, 64, FTW_PHYS);
	nftw("/usr/lib", count_file, 64, FTW_PHYS);
	print_message("%zu files, %zu probes, %zu arguments, %zu of them in vector registers\n",
		      installed.files, installed.probes, installed.arguments, installed.vectors);
	assert_int_equal(installed.not_known, 0);
}

/* "provider name 0xpc 0xsemaphore arguments" for each. */
static void write_ours(const char *path, const char *folder)
{
	struct usdt_notes notes;
	struct elf_file *file;
	char ours[PATH_MAX];
	FILE *to;

	snprintf(ours, sizeof(ours), "%s/ours", folder);
	to = fopen(ours, "w");
	assert_non_null(to);
	assert_int_equal(elf_file_open(path, &file), 0);
	assert_int_equal(usdt_notes_read(file, &notes), 0);
	for (size_t i = 0; i < notes.count; i++)
		fprintf(to, "%s %s 0x%016" PRIx64 " 0x%016" PRIx64 " %s\n", notes.list[i].provider,
			notes.list[i].name, notes.list[i].vaddr, notes.list[i].semaphore,
			notes.list[i].arguments);
	usdt_notes_free(&notes);
	elf_file_close(file);
	fclose(to);
}

static void test_readelf(void **state)
{
	FILE *files = output_of(
		"ls /usr/lib/x86_64-linux-gnu/libstdc++.so.6 /usr/bin/python3 "
		"/usr/lib/postgresql/*/bin/postgres /usr/lib/jvm/*/lib/server/libjvm.so "
		"/usr/lib/x86_64-linux-gnu/libc.so.6 /usr/bin/qemu-system-x86_64 2>/dev/null; "
		"echo %s/p",
		(char *)*state);
	char path[PATH_MAX], theirs[PATH_MAX];
	struct stat status;

	build(*state, links[1]);
	while (fgets(path, sizeof(path), files)) {
		path[strcspn(path, "\n")] = '\0';
		run("readelf -nW %s 2>/dev/null | sed -n 's/^.*Provider: //p; s/^ *Name: //p; "
		    "s/^ *Location: \\(.*\\), Base: .*, Semaphore: /\\1 /p; s/^ *Arguments: *//p' | "
		    "paste -d ' ' - - - - >%s/theirs",
		    path, (char *)*state);
		snprintf(theirs, sizeof(theirs), "%s/theirs", (char *)*state);
		assert_int_equal(stat(theirs, &status), 0);
		if (!status.st_size)
			continue;
		write_ours(path, *state);
		run("cd %s && diff -u theirs ours", (char *)*state);
		run("wc -l <%s/ours | tr '\\n' ' '; echo probes of %s agree", (char *)*state, path);
	}
	pclose(files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_links),	cmocka_unit_test(test_prelinked),
		cmocka_unit_test(test_symbols), cmocka_unit_test(test_none),
		cmocka_unit_test(test_damaged), cmocka_unit_test(test_installed),
		cmocka_unit_test(test_readelf),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

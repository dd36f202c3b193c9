/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A live process as a target of unwind_walk(): its mappings with their tables, its memory and the
 * registers that the test has taken.
 */
#ifndef TRACER_TEST_UNWIND_PROCESS_H
#define TRACER_TEST_UNWIND_PROCESS_H

#include "test_folder.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/uio.h>

#include "object/elf_file.h"
#include "unwind/ehframe.h"
#include "unwind/table.h"
#include "unwind/walk.h"

#define MAX_MAPPINGS   256
#define GENERAL	       16
#define THREAD_POINTER 58 /* DWARF's number of fs.base */

struct mapping {
	uint64_t start, end, bias;
	char path[PATH_MAX];
	struct unwind_table *table; /* NULL: it has none */
};

struct process {
	pid_t pid;
	struct mapping *mappings; /* the executable ones */
	size_t count;
	uint64_t general[GENERAL]; /* DWARF's order */
	uint64_t thread_pointer;   /* fs.base */
};

__attribute__((unused)) static int process_read(void *data, uint64_t address, uint64_t *value)
{
	const struct process *process = data;
	struct iovec local = { value, 8 }, remote = { (void *)(uintptr_t)address, 8 };

	return process_vm_readv(process->pid, &local, 1, &remote, 1, 0) == 8 ? 0 : -EFAULT;
}

__attribute__((unused)) static int process_general(void *data, unsigned number, uint64_t *value)
{
	const struct process *process = data;

	if (number != THREAD_POINTER && number >= GENERAL)
		return -ENOENT;
	*value = number == THREAD_POINTER ? process->thread_pointer : process->general[number];
	return 0;
}

__attribute__((unused)) static struct mapping *process_mapping(const struct process *process,
							       uint64_t ip)
{
	for (size_t i = 0; i < process->count; i++) {
		if (ip >= process->mappings[i].start && ip < process->mappings[i].end)
			return &process->mappings[i];
	}
	return NULL;
}

__attribute__((unused)) static int process_find(void *data, uint64_t ip,
						const struct unwind_table **table, uint64_t *bias)
{
	const struct mapping *mapping = process_mapping(data, ip);

	if (!mapping)
		return -EFAULT;
	if (!mapping->table)
		return -ENOENT;
	*table = mapping->table;
	*bias = mapping->bias;
	return 0;
}

static struct elf_file *open_mapping(const struct process *process, const struct mapping *mapping,
				     uint8_t **image)
{
	size_t size = mapping->end - mapping->start;
	struct iovec remote = { (void *)(uintptr_t)mapping->start, size }, local;
	struct elf_file *file = NULL;

	if (*mapping->path == '/') {
		elf_file_open(mapping->path, &file);
	} else if (!strcmp(mapping->path, "[vdso]")) {
		*image = malloc(size);
		assert_non_null(*image);
		local = (struct iovec){ *image, size };
		assert_int_equal(process_vm_readv(process->pid, &local, 1, &remote, 1, 0), size);
		elf_file_open_memory(*image, size, &file);
	}
	return file;
}

/* Tables, by path, that stay until the test ends: mappings come and go, and programs with them. */
struct known_table {
	struct known_table *next;
	char path[PATH_MAX];
	struct unwind_table *table;
};

static struct unwind_table *table_of(struct elf_file *file, const char *path)
{
	static struct known_table *all;
	struct known_table *known = all;
	struct cfi_rows rows;

	while (known && strcmp(known->path, path))
		known = known->next;
	if (known)
		return known->table;
	known = calloc(1, sizeof(*known));
	assert_non_null(known);
	strcpy(known->path, path);
	assert_int_equal(ehframe_read(file, &rows), 0);
	if (rows.count)
		assert_int_equal(unwind_table_new(&rows, &known->table), 0);
	cfi_rows_free(&rows);
	known->next = all;
	all = known;
	return known->table;
}

static void load_table(const struct process *process, struct mapping *mapping, uint64_t offset)
{
	uint8_t *image = NULL;
	struct elf_file *file = open_mapping(process, mapping, &image);

	if (file && elf_file_load_bias(file, mapping->start, mapping->end - mapping->start, offset,
				       &mapping->bias))
		mapping->table = table_of(file, mapping->path);
	elf_file_close(file);
	free(image);
}

__attribute__((unused)) static void process_close(struct process *process)
{
	free(process->mappings);
	memset(process, 0, sizeof(*process));
}

__attribute__((unused)) static void process_open(struct process *process, pid_t pid)
{
	char line[PATH_MAX + 200], execute;
	FILE *maps;

	*process = (struct process){ .pid = pid };
	process->mappings = calloc(MAX_MAPPINGS, sizeof(*process->mappings));
	assert_non_null(process->mappings);
	snprintf(line, sizeof(line), "/proc/%d/maps", (int)pid);
	maps = fopen(line, "r");
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		struct mapping *mapping = &process->mappings[process->count];
		uint64_t offset;

		*mapping->path = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*2c%c%*c %" SCNx64 " %*s %*s %4095[^\n]",
			   &mapping->start, &mapping->end, &execute, &offset, mapping->path) < 4 ||
		    execute != 'x')
			continue;
		load_table(process, mapping, offset);
		assert_true(++process->count < MAX_MAPPINGS);
	}
	fclose(maps);
}

__attribute__((unused)) static struct unwind_target process_target(struct process *process)
{
	return (struct unwind_target){
		.machine = UNWIND_X86_64,
		.find = process_find,
		.read = process_read,
		.general = process_general,
		.data = process,
	};
}

#endif

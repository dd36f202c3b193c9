// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * tables FILE...
 *
 * Builds the unwind table of each ELF file as user/unwind/builder.c does, a few times, and prints a line:
 * FILE, bytes of code, of table, rows, rules, and the shortest build in ns. A file that has none is left out.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "object/elf_file.h"
#include "unwind/ehframe.h"
#include "unwind/table.h"

#define ROUNDS 5

struct built {
	uint64_t ns;
	size_t code, table, rows, rules;
};

static size_t code_bytes(const struct elf_file *file)
{
	uint64_t vaddr, size;
	size_t sum = 0;

	for (size_t i = 0; elf_file_code(file, i, &vaddr, &size); i++)
		sum += size;
	return sum;
}

static int build(struct elf_file *file, struct built *built)
{
	struct unwind_table *table = NULL;
	struct cfi_rows rows;
	int err = ehframe_read(file, &rows);

	if (err)
		return err;
	err = rows.count ? unwind_table_new(&rows, &table) : -1;
	cfi_rows_free(&rows);
	if (err)
		return err;
	built->code = code_bytes(file);
	built->rows = table->row_count;
	built->rules = table->rule_count;
	built->table = table->row_count * sizeof(*table->rows) +
		       table->page_count * sizeof(*table->pages) +
		       table->rule_count * sizeof(*table->rules);
	unwind_table_free(table);
	return 0;
}

static int build_once(const char *path, struct built *built)
{
	uint64_t start = clock_now();
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;
	struct elf_file *file = NULL;

	if (fd < 0)
		return -1;
	err = elf_file_open_fd(fd, &file);
	if (!err)
		err = build(file, built);
	elf_file_close(file);
	close(fd);
	built->ns = clock_now() - start;
	return err;
}

static int build_best(const char *path, struct built *best)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct built built = {};

		if (build_once(path, &built))
			return -1;
		if (!i || built.ns < best->ns)
			*best = built;
	}
	return 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct built best = {};

		if (build_best(argv[i], &best))
			continue;
		printf("%s %zu %zu %zu %zu %" PRIu64 "\n", argv[i], best.code, best.table,
		       best.rows, best.rules, best.ns);
	}
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ELF files that a test has made in its folder, and their symbols by name. Included after test_folder.h. */
#ifndef TRACER_TEST_ELF_IN_FOLDER_H
#define TRACER_TEST_ELF_IN_FOLDER_H

#include "object/elf_file.h"

static inline struct elf_file *open_in(const char *folder, const char *name)
{
	struct elf_file *file;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(elf_file_open(path, &file), 0);
	assert_non_null(file);
	return file;
}

/* The first of that name, or NULL. */
static inline const struct elf_symbol *find(struct elf_file *file, const char *name)
{
	size_t count;
	const struct elf_symbol *symbols = elf_file_symbols(file, &count);

	for (size_t i = 0; i < count; i++) {
		if (!strcmp(symbols[i].name, name))
			return &symbols[i];
	}
	return NULL;
}

#endif

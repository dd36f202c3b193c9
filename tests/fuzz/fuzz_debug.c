// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * libFuzzer target: a whole ELF file with DWARF, everything that user/debug/ offers asked of it, and values shown by
 * its types, of which fewer bytes may be there than they have.
 * Run by `make fuzz`. Seeds: such files.
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../unit/debug_walk.h"
#include "debug/line_at.h"
#include "value/render.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the seeds' programs have. */
static const char *const functions[] = { "main", "step", "ns::T::f", "f", "_ZN2ns1T1fEi", NULL };
static const char *const variables[] = { "v", "ns::v", "t", "calls", "ns::T::f::calls", "e", NULL };
static const char *const files[] = { "seed.c", "seed.cc", "none/seed.c", NULL };

static void show_values(struct debug_type *type)
{
	static const uint8_t bytes[] = { 1, 0xff, 0x80, 7, 0,	 0,    'a', 0xc3,
					 0, 1,	  2,	3, 0xff, 0xff, 0xff };
	struct value_type *copy = type ? value_type_from_debug(type) : NULL;
	struct leaves leaves = {};

	if (!copy)
		return;
	for (size_t size = 0; size <= sizeof(bytes); size += 5)
		value_render(&leaves, "v", copy, bytes, size);
	value_render_number(&leaves, "v", copy, UINT64_MAX / 3);
	leaves_free(&leaves);
	value_type_free(copy);
}

static void show_variables(struct debug_info *info)
{
	struct debug_variables found;

	for (size_t i = 0; variables[i]; i++) {
		if (debug_variables_named(info, variables[i], &found))
			continue;
		for (size_t k = 0; k < found.count && k < 16; k++)
			show_values(found.list[k].type);
		debug_variables_free(&found);
	}
}

static void show_functions(struct debug_info *info)
{
	struct debug_functions found;
	struct debug_signature signature;
	const char *file;
	unsigned int line;

	for (size_t i = 0; functions[i]; i++) {
		if (debug_functions_named(info, functions[i], &found))
			continue;
		for (size_t k = 0; k < found.count && k < 16; k++) {
			debug_line_at(info, found.list[k].entry + 4, &file, &line);
			if (debug_signature_read(info, &found.list[k], found.list[k].entry,
						 &signature))
				continue;
			show_values(signature.returns);
			for (size_t n = 0; n < signature.count && n < 16; n++)
				show_values(signature.parameters[n].type);
			debug_signature_free(&signature);
		}
		debug_functions_free(&found);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct debug_info *info;

	if (fd < 0)
		return 0;
	if (write(fd, data, size) == (ssize_t)size && !debug_info_open_fd(fd, &info)) {
		walk_debug_info(info, functions, variables, files);
		show_variables(info);
		show_functions(info);
		debug_info_close(info);
	}
	close(fd);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The instructions by which a function returns. */
#ifndef TRACER_RETURN_SITES_H
#define TRACER_RETURN_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;
struct elf_symbol;

struct return_sites {
	uint64_t *vaddr; /* ascending; to be freed */
	size_t count;
	bool has_tail_calls; /* it may also end by a jump to another function */
};

/*
 * Decodes the function from its beginning. 0; -ENODATA when its size is not known; -ENOEXEC when not all of it can
 * be decoded; -EFBIG, -ENOTSUP (no machine of ours) or -ENOMEM. *found is to be freed in any case.
 */
int return_sites_find(const struct elf_file *file, const struct elf_symbol *function,
		      struct return_sites *found);
void return_sites_free(struct return_sites *found);

#endif

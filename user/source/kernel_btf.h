/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the kernel's BTF is asked for without parsing all of it. */
#ifndef TRACER_KERNEL_BTF_H
#define TRACER_KERNEL_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Its bytes, in memory of ours. */
struct kernel_btf {
	void *bytes;
	size_t size;
	bool is_mapped;
};

/* 0 or -errno. */
int kernel_btf_open(struct kernel_btf *btf);
void kernel_btf_close(struct kernel_btf *btf);
/* The id of the function of that name; 0 when there is none, or no BTF. */
uint32_t kernel_btf_function(const char *name);
/* The same in the bytes of a BTF. */
uint32_t btf_bytes_function(const void *bytes, size_t size, const char *name);

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the kernel's BTF is asked for without parsing all of it, as libbpf would: that takes some 20 ms. */
#ifndef TRACER_KERNEL_BTF_H
#define TRACER_KERNEL_BTF_H

#include <stddef.h>
#include <stdint.h>

/* The id of the function of that name; 0 when there is none, or no BTF. */
uint32_t kernel_btf_function(const char *name);
/* The same in the bytes of a BTF. */
uint32_t btf_bytes_function(const void *bytes, size_t size, const char *name);

#endif

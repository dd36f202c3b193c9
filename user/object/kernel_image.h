/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where the running kernel and its modules lie, and which build it is. */
#ifndef TRACER_KERNEL_IMAGE_H
#define TRACER_KERNEL_IMAGE_H

#include <stddef.h>
#include <stdint.h>

/* Addresses of the kernel's own code: [_text, _etext). 0, or -errno (-EPERM: they are hidden). */
int kernel_image_text(uint64_t *begin, uint64_t *end);
/* The kernel's build id (/sys/kernel/notes), at most size bytes; its length, 0 when it is not told. */
size_t kernel_image_build_id(uint8_t *id, size_t size);

/*
 * Calls for each module with an address (/proc/modules), until the callback gives something else than 0: that.
 * Modules that hide their address are passed over; no modules at all is no error.
 */
typedef int (*kernel_module_fn)(void *context, const char *name, uint64_t address, uint64_t size);
int kernel_image_each_module(kernel_module_fn callback, void *context);
/* The same from a given file, for tests. */
int kernel_image_each_module_of(const char *path, kernel_module_fn callback, void *context);

#endif

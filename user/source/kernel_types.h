/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's types that our programs are fitted by, in a file for libbpf: see btf_excerpt.h. */
#ifndef TRACER_KERNEL_TYPES_H
#define TRACER_KERNEL_TYPES_H

struct bpf_object;

/* A file without anything in it yet, to be named kernel_types_path() when an object is opened. A descriptor, or -errno. */
int kernel_types_open(void);
#define KERNEL_TYPES_PATH 32 /* bytes */
void kernel_types_path(int fd, char path[KERNEL_TYPES_PATH]);
/* Before the object is loaded. 0 or -errno. */
int kernel_types_write(int fd, const struct bpf_object *object);

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The types of a BTF one after another, in its bytes: libbpf, which makes a table of all of them first, takes some
 * 20 ms for a kernel's. See Documentation/bpf/btf.rst of the kernel. A damaged one has fewer.
 */
#ifndef TRACER_BTF_BYTES_H
#define TRACER_BTF_BYTES_H

#include <linux/btf.h>
#include <stddef.h>
#include <stdint.h>

/* Newer than the headers may be. */
#define BTF_BYTES_DECL_TAG 17
#define BTF_BYTES_TYPE_TAG 18
#define BTF_BYTES_ENUM64   19

/* The bytes stay the caller's. */
struct btf_bytes {
	const char *types, *strings;
	size_t types_size, strings_size;
};

/* 0, or -EBADMSG. */
int btf_bytes_open(struct btf_bytes *btf, const void *bytes, size_t size);
/*
 * The type at that place, which is 0 at first and becomes the next one's; NULL behind the last, or where what follows
 * is no type. The first is type 1: 0 is void, which is not there.
 */
const struct btf_type *btf_bytes_next(const struct btf_bytes *btf, size_t *at);
/* A name; "" when it has none. */
const char *btf_bytes_name(const struct btf_bytes *btf, uint32_t offset);

#endif

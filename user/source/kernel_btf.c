// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A BTF is a header, types one after another, whose ids are their places in that row, and strings: see
 * Documentation/bpf/btf.rst of the kernel.
 */
#include "kernel_btf.h"

#include <fcntl.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"
/* Newer than the headers may be. */
#define KIND_DECL_TAG 17
#define KIND_TYPE_TAG 18
#define KIND_ENUM64   19

/* The bytes of a type, with what follows it; 0 for a kind that is not known. */
static size_t type_size(const struct btf_type *type)
{
	size_t count = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case KIND_DECL_TAG:
		return sizeof(*type) + sizeof(uint32_t);
	case BTF_KIND_ARRAY:
		return sizeof(*type) + sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return sizeof(*type) + count * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return sizeof(*type) + count * sizeof(struct btf_enum);
	case KIND_ENUM64:
		return sizeof(*type) + count * 3 * sizeof(uint32_t);
	case BTF_KIND_FUNC_PROTO:
		return sizeof(*type) + count * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return sizeof(*type) + count * sizeof(struct btf_var_secinfo);
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case KIND_TYPE_TAG:
		return sizeof(*type);
	default:
		return 0;
	}
}

static bool is_function(const struct btf_type *type, const char *strings, size_t strings_size,
			const char *name)
{
	size_t length = strlen(name) + 1;

	return BTF_INFO_KIND(type->info) == BTF_KIND_FUNC && type->name_off < strings_size &&
	       strings_size - type->name_off >= length &&
	       !memcmp(strings + type->name_off, name, length);
}

static bool lies_within(size_t size, size_t begin, size_t offset, size_t length)
{
	return begin <= size && offset <= size - begin && length <= size - begin - offset;
}

uint32_t btf_bytes_function(const void *bytes, size_t size, const char *name)
{
	const struct btf_header *header = bytes;
	const char *types, *strings;
	uint32_t id = 1; /* 0 is void, which is not there */

	if (size < sizeof(*header) || header->magic != BTF_MAGIC ||
	    (header->hdr_len + header->type_off) % sizeof(uint32_t) ||
	    !lies_within(size, header->hdr_len, header->type_off, header->type_len) ||
	    !lies_within(size, header->hdr_len, header->str_off, header->str_len))
		return 0;
	types = (const char *)bytes + header->hdr_len + header->type_off;
	strings = (const char *)bytes + header->hdr_len + header->str_off;
	for (size_t at = 0; header->type_len - at >= sizeof(struct btf_type); id++) {
		const struct btf_type *type = (const void *)(types + at);
		size_t length = type_size(type);

		if (is_function(type, strings, header->str_len, name))
			return id;
		if (!length || length > header->type_len - at)
			return 0;
		at += length;
	}
	return 0;
}

/* Kernels before 6.16 cannot map it, and give a page at a time. */
static void *read_all(int fd, size_t size)
{
	char *bytes = malloc(size ? size : 1);
	size_t done = 0;
	ssize_t got = 1;

	while (bytes && done < size && got > 0) {
		got = read(fd, bytes + done, size - done);
		done += got > 0 ? (size_t)got : 0;
	}
	if (done == size)
		return bytes;
	free(bytes);
	return NULL;
}

static uint32_t find_in(int fd, size_t size, const char *name)
{
	void *mapped = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	void *bytes = mapped == MAP_FAILED ? read_all(fd, size) : mapped;
	uint32_t id = bytes ? btf_bytes_function(bytes, size, name) : 0;

	if (mapped != MAP_FAILED)
		munmap(mapped, size);
	else
		free(bytes);
	return id;
}

uint32_t kernel_btf_function(const char *name)
{
	int fd = open(KERNEL_BTF, O_RDONLY | O_CLOEXEC);
	struct stat status;
	uint32_t id = 0;

	if (fd < 0)
		return 0;
	if (!fstat(fd, &status) && status.st_size > 0)
		id = find_in(fd, (size_t)status.st_size, name);
	close(fd);
	return id;
}

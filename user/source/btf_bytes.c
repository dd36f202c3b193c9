// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "btf_bytes.h"

#include <errno.h>
#include <stdbool.h>

/* The bytes of a type, with what follows it; 0 for a kind that is not known. */
static size_t type_size(const struct btf_type *type)
{
	size_t count = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_BYTES_DECL_TAG:
		return sizeof(*type) + sizeof(uint32_t);
	case BTF_KIND_ARRAY:
		return sizeof(*type) + sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return sizeof(*type) + count * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return sizeof(*type) + count * sizeof(struct btf_enum);
	case BTF_BYTES_ENUM64:
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
	case BTF_BYTES_TYPE_TAG:
		return sizeof(*type);
	default:
		return 0;
	}
}

static bool lies_within(size_t size, size_t begin, size_t offset, size_t length)
{
	return begin <= size && offset <= size - begin && length <= size - begin - offset;
}

int btf_bytes_open(struct btf_bytes *btf, const void *bytes, size_t size)
{
	const struct btf_header *header = bytes;

	if (size < sizeof(*header) || header->magic != BTF_MAGIC ||
	    (header->hdr_len + header->type_off) % sizeof(uint32_t) ||
	    !lies_within(size, header->hdr_len, header->type_off, header->type_len) ||
	    !lies_within(size, header->hdr_len, header->str_off, header->str_len))
		return -EBADMSG;
	btf->types = (const char *)bytes + header->hdr_len + header->type_off;
	btf->types_size = header->type_len;
	btf->strings = (const char *)bytes + header->hdr_len + header->str_off;
	btf->strings_size = header->str_len;
	/* so that every name ends */
	if (!btf->strings_size || btf->strings[btf->strings_size - 1])
		return -EBADMSG;
	return 0;
}

const struct btf_type *btf_bytes_next(const struct btf_bytes *btf, size_t *at)
{
	const struct btf_type *type = (const void *)(btf->types + *at);
	size_t size;

	if (btf->types_size - *at < sizeof(*type))
		return NULL;
	size = type_size(type);
	if (!size || size > btf->types_size - *at)
		return NULL;
	*at += size;
	return type;
}

const char *btf_bytes_name(const struct btf_bytes *btf, uint32_t offset)
{
	return offset < btf->strings_size ? btf->strings + offset : "";
}

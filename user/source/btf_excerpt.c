// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "btf_excerpt.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "btf_bytes.h"

#define WANTED_SLOTS 1024 /* a power of two, and more than twice as many as there are names */
#define MOST_DEPTH   64	  /* structures within structures; of a BTF that is one there are fewer */

struct name {
	const char *text;
	size_t length;
};

struct excerpt {
	struct btf_bytes from;
	struct btf *to;
	int pointer; /* the id there of what all pointers are */
	struct name wanted[WANTED_SLOTS];
	size_t wanted_count;
	uint32_t *places; /* of the types, by id */
	uint32_t count;
	int *ids; /* what they are there; 0 not yet */
};

/* ---- names -------------------------------------------------------------------------------------- */

static size_t essential_length(const char *name)
{
	const char *flavour = strstr(name, "___");

	return flavour && flavour != name ? (size_t)(flavour - name) : strlen(name);
}

/* FNV-1a */
static size_t hash_of(const char *text, size_t length)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (uint8_t)text[i]) * 16777619u;
	return hash & (WANTED_SLOTS - 1);
}

/* Where the name is, or would be. */
static struct name *find_name(struct excerpt *excerpt, const char *text, size_t length)
{
	size_t at = hash_of(text, length);
	struct name *name = &excerpt->wanted[at];

	while (name->text && (name->length != length || memcmp(name->text, text, length))) {
		at = (at + 1) & (WANTED_SLOTS - 1);
		name = &excerpt->wanted[at];
	}
	return name;
}

static bool can_be_wanted(uint32_t kind)
{
	return kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION || kind == BTF_KIND_ENUM ||
	       kind == BTF_BYTES_ENUM64;
}

static int note_wanted(struct excerpt *excerpt, const struct btf *wants)
{
	for (uint32_t id = 1; id < btf__type_cnt(wants); id++) {
		const struct btf_type *type = btf__type_by_id(wants, id);
		const char *text = btf__name_by_offset(wants, type->name_off);
		size_t length = text ? essential_length(text) : 0;
		struct name *name;

		if (!length || !can_be_wanted(BTF_INFO_KIND(type->info)))
			continue;
		name = find_name(excerpt, text, length);
		if (name->text)
			continue;
		if (++excerpt->wanted_count > WANTED_SLOTS / 2)
			return -E2BIG;
		*name = (struct name){ text, length };
	}
	return 0;
}

static bool is_wanted(struct excerpt *excerpt, const struct btf_type *type)
{
	const char *text;

	if (!can_be_wanted(BTF_INFO_KIND(type->info)) || !type->name_off)
		return false;
	text = btf_bytes_name(&excerpt->from, type->name_off);
	return find_name(excerpt, text, strlen(text))->text != NULL;
}

/* ---- types -------------------------------------------------------------------------------------- */

static int copy_type(struct excerpt *excerpt, uint32_t id, unsigned depth);

static const struct btf_type *type_of(const struct excerpt *excerpt, uint32_t id)
{
	return (const void *)(excerpt->from.types + excerpt->places[id]);
}

static const char *name_of(const struct excerpt *excerpt, uint32_t offset)
{
	const char *name = btf_bytes_name(&excerpt->from, offset);

	return *name ? name : NULL;
}

static int copy_int(struct excerpt *excerpt, const struct btf_type *type)
{
	uint32_t info = *(const uint32_t *)(type + 1);

	return btf__add_int(excerpt->to, name_of(excerpt, type->name_off), type->size,
			    (int)BTF_INT_ENCODING(info));
}

static int copy_enum(struct excerpt *excerpt, const struct btf_type *type)
{
	const struct btf_enum *values = (const void *)(type + 1);
	int id = btf__add_enum(excerpt->to, name_of(excerpt, type->name_off), type->size), err = 0;

	for (uint32_t i = 0; id > 0 && !err && i < BTF_INFO_VLEN(type->info); i++)
		err = btf__add_enum_value(excerpt->to, name_of(excerpt, values[i].name_off),
					  values[i].val);
	return err ? err : id;
}

static int copy_enum64(struct excerpt *excerpt, const struct btf_type *type)
{
	const uint32_t *values = (const void *)(type + 1); /* name, lower half, upper half */
	int id = btf__add_enum64(excerpt->to, name_of(excerpt, type->name_off), type->size,
				 BTF_INFO_KFLAG(type->info));
	int err = 0;

	for (uint32_t i = 0; id > 0 && !err && i < BTF_INFO_VLEN(type->info); i++)
		err = btf__add_enum64_value(excerpt->to, name_of(excerpt, values[3 * i]),
					    values[3 * i + 1] | (uint64_t)values[3 * i + 2] << 32);
	return err ? err : id;
}

static int copy_array(struct excerpt *excerpt, const struct btf_type *type, unsigned depth)
{
	const struct btf_array *array = (const void *)(type + 1);
	int element = copy_type(excerpt, array->type, depth + 1);
	int index = copy_type(excerpt, array->index_type, depth + 1);

	if (element < 0 || index < 0)
		return element < 0 ? element : index;
	return btf__add_array(excerpt->to, index, element, array->nelems);
}

static int add_members(struct excerpt *excerpt, const struct btf_type *type)
{
	const struct btf_member *members = (const void *)(type + 1);
	bool has_sizes = BTF_INFO_KFLAG(type->info);
	int err = 0;

	for (uint32_t i = 0; !err && i < BTF_INFO_VLEN(type->info); i++) {
		uint32_t offset = members[i].offset;

		err = btf__add_field(excerpt->to, name_of(excerpt, members[i].name_off),
				     copy_type(excerpt, members[i].type, 0),
				     has_sizes ? BTF_MEMBER_BIT_OFFSET(offset) : offset,
				     has_sizes ? BTF_MEMBER_BITFIELD_SIZE(offset) : 0);
	}
	return err;
}

/* The members' types first: a structure's members follow it. */
static int copy_structure(struct excerpt *excerpt, const struct btf_type *type, unsigned depth)
{
	const struct btf_member *members = (const void *)(type + 1);
	const char *name = name_of(excerpt, type->name_off);
	int id, err;

	for (uint32_t i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		int member = copy_type(excerpt, members[i].type, depth + 1);

		if (member < 0)
			return member;
	}
	id = BTF_INFO_KIND(type->info) == BTF_KIND_STRUCT ?
		     btf__add_struct(excerpt->to, name, type->size) :
		     btf__add_union(excerpt->to, name, type->size);
	if (id < 0)
		return id;
	err = add_members(excerpt, type);
	return err ? err : id;
}

static int copy_new(struct excerpt *excerpt, const struct btf_type *type, unsigned depth)
{
	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
		return copy_int(excerpt, type);
	case BTF_KIND_FLOAT:
		return btf__add_float(excerpt->to, name_of(excerpt, type->name_off), type->size);
	case BTF_KIND_ENUM:
		return copy_enum(excerpt, type);
	case BTF_BYTES_ENUM64:
		return copy_enum64(excerpt, type);
	case BTF_KIND_ARRAY:
		return copy_array(excerpt, type, depth);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return copy_structure(excerpt, type, depth);
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_BYTES_TYPE_TAG:
		return copy_type(excerpt, type->type, depth + 1);
	case BTF_KIND_PTR:
		return excerpt->pointer;
	default:
		return -EBADMSG;
	}
}

/* Its id in the excerpt, or -errno. */
static int copy_type(struct excerpt *excerpt, uint32_t id, unsigned depth)
{
	int copy;

	if (!id)
		return 0;
	if (id > excerpt->count || depth > MOST_DEPTH)
		return -EBADMSG;
	if (excerpt->ids[id])
		return excerpt->ids[id];
	copy = copy_new(excerpt, type_of(excerpt, id), depth);
	if (copy > 0)
		excerpt->ids[id] = copy;
	return copy;
}

/* ---- all of it ---------------------------------------------------------------------------------- */

static int find_types(struct excerpt *excerpt)
{
	size_t room = excerpt->from.types_size / sizeof(struct btf_type) + 2;
	size_t at = 0, before = 0;

	excerpt->places = malloc(room * sizeof(*excerpt->places));
	excerpt->ids = calloc(room, sizeof(*excerpt->ids));
	if (!excerpt->places || !excerpt->ids)
		return -ENOMEM;
	for (; btf_bytes_next(&excerpt->from, &at); before = at)
		excerpt->places[++excerpt->count] = (uint32_t)before;
	return 0;
}

static int copy_wanted(struct excerpt *excerpt)
{
	int result = 0;

	excerpt->to = btf__new_empty();
	if (!excerpt->to)
		return -ENOMEM;
	excerpt->pointer = result = btf__add_ptr(excerpt->to, 0);
	for (uint32_t id = 1; result >= 0 && id <= excerpt->count; id++)
		if (is_wanted(excerpt, type_of(excerpt, id)))
			result = copy_type(excerpt, id, 0);
	return result < 0 ? result : 0;
}

int btf_excerpt(const void *bytes, size_t size, const struct btf *wants, struct btf **result)
{
	struct excerpt *excerpt = calloc(1, sizeof(*excerpt));
	int err = excerpt ? btf_bytes_open(&excerpt->from, bytes, size) : -ENOMEM;

	if (!err)
		err = note_wanted(excerpt, wants);
	if (!err)
		err = find_types(excerpt);
	if (!err)
		err = copy_wanted(excerpt);
	if (!err) {
		*result = excerpt->to;
		excerpt->to = NULL;
	}
	if (excerpt) {
		btf__free(excerpt->to);
		free(excerpt->places);
		free(excerpt->ids);
	}
	free(excerpt);
	return err;
}

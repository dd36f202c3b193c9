// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A row is its kind, its path and its text, one byte and two strings, in a block that only grows. */
#include "leaves.h"

#include <stdlib.h>
#include <string.h>

void leaves_clear(struct leaves *leaves)
{
	leaves->used = 0;
	leaves->count = 0;
	leaves->no_memory = false;
}

void leaves_free(struct leaves *leaves)
{
	free(leaves->bytes);
	*leaves = (struct leaves){};
}

static bool make_room(struct leaves *leaves, size_t bytes)
{
	size_t room = leaves->room ? leaves->room : 256;
	char *grown;

	while (room - leaves->used < bytes)
		room *= 2;
	if (room == leaves->room)
		return true;
	grown = realloc(leaves->bytes, room);
	if (!grown) {
		leaves->no_memory = true;
		return false;
	}
	leaves->bytes = grown;
	leaves->room = room;
	return true;
}

static void append(struct leaves *leaves, const void *bytes, size_t size)
{
	memcpy(leaves->bytes + leaves->used, bytes, size);
	leaves->used += size;
}

void leaves_add(struct leaves *leaves, const char *path, enum leaf_kind kind, const char *text,
		size_t bytes)
{
	size_t path_bytes = strlen(path) + 1, length = strnlen(text, bytes);
	char kind_byte = (char)kind;

	if (!make_room(leaves, 1 + path_bytes + length + 1))
		return;
	append(leaves, &kind_byte, 1);
	append(leaves, path, path_bytes);
	append(leaves, text, length);
	append(leaves, "", 1);
	leaves->count++;
}

/* The string at *at, which ends within the block; NULL: it does not. */
static const char *take_string(const char *bytes, size_t used, size_t *at)
{
	const char *string = bytes + *at;
	size_t length = strnlen(string, used - *at);

	if (length == used - *at)
		return NULL;
	*at += length + 1;
	return string;
}

bool leaves_next(const struct leaves *leaves, size_t *at, struct leaf *leaf)
{
	if (*at >= leaves->used)
		return false;
	leaf->kind = (enum leaf_kind)(unsigned char)leaves->bytes[(*at)++];
	leaf->path = take_string(leaves->bytes, leaves->used, at);
	leaf->text = leaf->path ? take_string(leaves->bytes, leaves->used, at) : NULL;
	return leaf->text && leaf->kind >= LEAF_NUMBER && leaf->kind < LEAF_KINDS;
}

bool leaves_find(const struct leaves *leaves, const char *path, struct leaf *leaf)
{
	size_t at = 0;

	while (leaves_next(leaves, &at, leaf))
		if (!strcmp(leaf->path, path))
			return true;
	return false;
}

size_t leaves_encoded(const struct leaves *leaves, size_t most, const void **bytes)
{
	size_t at = 0, whole = 0;
	struct leaf leaf;

	*bytes = leaves->bytes;
	while (leaves_next(leaves, &at, &leaf) && at <= most)
		whole = at;
	return whole;
}

bool leaves_decode(struct leaves *leaves, const void *bytes, size_t size)
{
	bool is_sound = true;
	struct leaf leaf;
	size_t at = 0;

	leaves_clear(leaves);
	if (!size)
		return true;
	if (!make_room(leaves, size))
		return false;
	append(leaves, bytes, size);
	while (is_sound && at < size) {
		is_sound = leaves_next(leaves, &at, &leaf);
		leaves->count++;
	}
	if (!is_sound)
		leaves_clear(leaves);
	return is_sound;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../bpf/plan.h"
#include "render.h"

struct found {
	const uint8_t *bytes;
	size_t size;
	bool is_fault;
};

struct value_item *value_list_add(struct value_list *list, const char *name)
{
	struct value_item *grown = reallocarray(list->items, list->count + 1, sizeof(*grown));

	if (!grown)
		return NULL;
	list->items = grown;
	grown[list->count] = (struct value_item){ .name = strdup(name) };
	if (!grown[list->count].name)
		return NULL;
	return &grown[list->count++];
}

void value_list_free(struct value_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].name);
		free(list->items[i].why);
		value_type_free(list->items[i].type);
	}
	free(list->items);
	*list = (struct value_list){};
}

/* Where each capture is: their number, or -1. */
static int find_captures(const uint8_t *bytes, size_t size, struct found found[PLAN_CAPTURES])
{
	size_t at = 0;
	int count = 0;

	while (at < size && count < PLAN_CAPTURES) {
		struct rec_capture head;

		if (size - at < sizeof(head))
			return -1;
		memcpy(&head, bytes + at, sizeof(head));
		at += sizeof(head);
		if (head.size > size - at)
			return -1;
		found[count++] = (struct found){ bytes + at, head.size, head.is_fault };
		at += (head.size + 7u) & ~7u;
	}
	return at == size ? count : -1;
}

/* Up to size bytes. */
static void copy_found(const struct found *found, void *to, size_t size)
{
	if (found->bytes)
		memcpy(to, found->bytes, found->size < size ? found->size : size);
}

static uint64_t number_of(const struct found *found)
{
	uint64_t number = 0;

	copy_found(found, &number, sizeof(number));
	return number;
}

static void render_text(const struct value_item *item, const char *text, size_t length, bool is_cut,
			struct leaves *leaves)
{
	leaves_add(leaves, item->name, is_cut ? LEAF_CUT_STRING : LEAF_STRING, text,
		   length < item->most ? length : item->most);
}

/* A NULL pointer has no string. */
static void render_string(const struct value_item *item, const struct found *found,
			  struct leaves *leaves)
{
	size_t length = found->size < sizeof(uint64_t) ? 0 : found->size - sizeof(uint64_t);

	if (number_of(found))
		render_text(item, (const char *)found->bytes + sizeof(uint64_t), length,
			    length > item->most, leaves);
	else
		leaves_add(leaves, item->name, LEAF_ADDRESS, "0x0", 3);
}

/* Its parts one behind the other, as they would be in memory. */
static void render_parts(const struct value_item *item, const struct found *found,
			 struct leaves *leaves)
{
	uint8_t bytes[CAPTURE_MOST] = {};
	size_t used = 0;

	for (uint32_t i = 0; i < item->count; i++) {
		size_t size = item->part_bytes[i];

		if (size > sizeof(bytes) - used)
			size = sizeof(bytes) - used;
		copy_found(&found[i], bytes + used, size);
		used += size;
	}
	value_render(leaves, item->name, item->type, bytes, used);
}

static void render_item(const struct value_item *item, const struct found *found,
			struct leaves *leaves)
{
	switch (item->form) {
	case VALUE_IN_NUMBER:
		value_render_number(leaves, item->name, item->type, number_of(found));
		break;
	case VALUE_IN_STRING:
		render_string(item, found, leaves);
		break;
	case VALUE_IN_TEXT:
		render_text(item, (const char *)found[1].bytes, found[1].size,
			    number_of(found) > found[1].size, leaves);
		break;
	default:
		render_parts(item, found, leaves);
	}
}

static bool has_fault(const struct value_item *item, const struct found *found)
{
	for (uint32_t i = 0; i < item->count; i++)
		if (found[i].is_fault)
			return true;
	return false;
}

/* What could not be read is told with the address that was followed, where that is known. */
static void render_fault(const struct value_item *item, const struct found *found,
			 struct leaves *leaves)
{
	char text[48] = "fault";

	for (uint32_t i = 0; i < item->count; i++)
		if (found[i].is_fault && found[i].size == sizeof(uint64_t))
			snprintf(text, sizeof(text), "fault at 0x%llx",
				 (unsigned long long)number_of(&found[i]));
	leaves_add(leaves, item->name, LEAF_MISSING, text, sizeof(text));
}

/* A string may be a constant of the program that has not been touched yet. */
static bool read_string(const struct value_item *item, const struct found *found,
			value_read_fn read, void *context, struct leaves *leaves)
{
	char text[CAPTURE_MOST];
	size_t most = item->most + 1, there, length;

	if (!read || item->form != VALUE_IN_STRING || found->size != sizeof(uint64_t) ||
	    most > sizeof(text))
		return false;
	there = read(context, number_of(found), text, most);
	length = strnlen(text, there);
	if (length == there && there < most)
		return false; /* it does not end there */
	render_text(item, text, length, length > item->most, leaves);
	return true;
}

bool value_list_render(const struct value_list *list, const void *captured, size_t size,
		       value_read_fn read, void *context, struct leaves *leaves)
{
	struct found found[PLAN_CAPTURES] = {};
	int count = find_captures(captured, size, found);

	if (count < 0)
		return false;
	for (size_t i = 0; i < list->count; i++) {
		const struct value_item *item = &list->items[i];

		if (item->form == VALUE_NOWHERE)
			leaves_add(leaves, item->name, LEAF_MISSING, item->why, strlen(item->why));
		else if (item->first + item->count > (uint32_t)count)
			return false;
		else if (!has_fault(item, &found[item->first]))
			render_item(item, &found[item->first], leaves);
		else if (!read_string(item, &found[item->first], read, context, leaves))
			render_fault(item, &found[item->first], leaves);
	}
	return true;
}

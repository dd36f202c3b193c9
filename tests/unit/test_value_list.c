// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* From what the kernel captured to rows; a ring's bytes are not believed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "value/list.h"
#include "../../bpf/plan.h"

struct wire {
	uint8_t bytes[4096];
	size_t used;
};

static void add_capture(struct wire *wire, bool is_fault, const void *bytes, size_t size)
{
	struct rec_capture head = { .size = (uint16_t)size, .is_fault = is_fault };

	memcpy(wire->bytes + wire->used, &head, sizeof(head));
	memcpy(wire->bytes + wire->used + sizeof(head), bytes, size);
	wire->used += sizeof(head) + ((size + 7) & ~7ul);
}

static void add_number(struct wire *wire, uint64_t number)
{
	add_capture(wire, false, &number, sizeof(number));
}

/* An address, and what was read there. */
static void add_string(struct wire *wire, const char *text)
{
	char bytes[512] = {};

	bytes[0] = text ? 1 : 0;
	if (text)
		memcpy(bytes + 8, text, strlen(text));
	add_capture(wire, false, bytes, 8 + (text ? strlen(text) : 0));
}

static struct value_item *add_item(struct value_list *list, const char *name, enum value_form form,
				   uint32_t first, uint32_t count)
{
	struct value_item *item = value_list_add(list, name);

	assert_non_null(item);
	item->form = form;
	item->first = first;
	item->count = count;
	return item;
}

/* One of each form, seven captures in all. */
static void make_list(struct value_list *list)
{
	struct value_item *item;

	item = add_item(list, "n", VALUE_IN_NUMBER, 0, 1);
	item->type = value_type_number(VALUE_INTEGER, 4, true);
	add_item(list, "s", VALUE_IN_STRING, 1, 1)->most = 4;
	add_item(list, "t", VALUE_IN_TEXT, 2, 2)->most = 4;
	item = add_item(list, "b", VALUE_IN_BYTES, 4, 2);
	item->type = value_type_number(VALUE_OTHER, 12, false);
	item->part_bytes[0] = 8;
	item->part_bytes[1] = 4;
	item = add_item(list, "f", VALUE_IN_NUMBER, 6, 1);
	item->type = value_type_number(VALUE_POINTER, 8, false);
	item = add_item(list, "m", VALUE_NOWHERE, 0, 0);
	item->why = strdup("optimized out");
	assert_non_null(item->why);
}

static void make_wire(struct wire *wire, const char *string, uint64_t text_bytes)
{
	const uint64_t address = 0xbad;

	*wire = (struct wire){};
	add_number(wire, 0xfffffff9);
	add_string(wire, string);
	add_number(wire, text_bytes);
	add_capture(wire, false, "wxyz", text_bytes < 4 ? text_bytes : 4);
	add_number(wire, 0x0807060504030201);
	add_number(wire, 0xffffffff0c0b0a09);
	add_capture(wire, true, &address, sizeof(address));
}

static char *rows_of(const struct value_list *list, const void *bytes, size_t size)
{
	struct leaves leaves = {};
	char *text = NULL, *copy = malloc(size ? size : 1);
	size_t room = 0, at = 0;
	FILE *stream = open_memstream(&text, &room);
	struct leaf leaf;
	bool is_sound;

	assert_non_null(stream);
	assert_non_null(copy);
	memcpy(copy, bytes, size);
	is_sound = value_list_render(list, copy, size, NULL, NULL, &leaves);
	free(copy);
	while (is_sound && leaves_next(&leaves, &at, &leaf))
		fprintf(stream, "%s:%d:%s;", leaf.path, leaf.kind, leaf.text);
	fclose(stream);
	leaves_free(&leaves);
	if (is_sound)
		return text;
	free(text);
	return NULL;
}

static void expect(const struct value_list *list, const struct wire *wire, const char *wanted)
{
	char *text = rows_of(list, wire->bytes, wire->used);

	assert_non_null(text);
	assert_string_equal(text, wanted);
	free(text);
}

static void test_forms(void **state)
{
	struct value_list list = {};
	struct wire wire;

	(void)state;
	make_list(&list);
	make_wire(&wire, "abcd", 3);
	expect(&list, &wire,
	       "n:1:-7;s:5:abcd;t:5:wxy;b:3:0x0c0b0a090807060504030201;f:7:fault at 0xbad;m:7:optimized out;");
	/* one more than is shown says that it goes on */
	make_wire(&wire, "abcde", 5);
	expect(&list, &wire,
	       "n:1:-7;s:6:abcd;t:6:wxyz;b:3:0x0c0b0a090807060504030201;f:7:fault at 0xbad;m:7:optimized out;");
	make_wire(&wire, NULL, 0);
	expect(&list, &wire,
	       "n:1:-7;s:3:0x0;t:5:;b:3:0x0c0b0a090807060504030201;f:7:fault at 0xbad;m:7:optimized out;");
	value_list_free(&list);
}

static void test_too_few(void **state)
{
	struct value_list list = {};
	struct wire wire;

	(void)state;
	make_list(&list);
	make_wire(&wire, "abcd", 3);
	for (size_t size = 0; size < wire.used; size++)
		assert_null(rows_of(&list, wire.bytes, size));
	value_list_free(&list);
}

static void test_any_bytes(void **state)
{
	struct value_list list = {};
	uint64_t seed = 1;
	struct wire wire;

	(void)state;
	make_list(&list);
	for (int round = 0; round < 20000; round++) {
		make_wire(&wire, "abcd", 3);
		for (int i = 0; i < 3; i++)
			wire.bytes[next_random(&seed) % wire.used] = (uint8_t)next_random(&seed);
		free(rows_of(&list, wire.bytes, wire.used));
	}
	value_list_free(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_too_few),
		cmocka_unit_test(test_any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parts of variables, and what pointers lead to, against the layout that the compiler chose. */
#include "debug_program.h"

#include <errno.h>

#include "aim/variable_path.h"

static const char paths_c[] =
	"struct inner { char tag; long x; unsigned bit : 3; };\n"
	"struct node { int key; struct inner in; struct node *next; struct inner *table; void *raw; };\n"
	"struct node first; struct node *list = &first; int *numbers[4]; int *number;\n"
	"__thread struct node *of_thread; struct unknown; struct unknown *closed;\n"
	"int main(void) { list->next = list; number = numbers[0]; of_thread = list;\n"
	"  return first.key + (closed != 0) + *number; }\n";

/* offsetof(struct node): key 0, in 8 (tag 0, x 8, bit 16; 24 long), next 32, table 40, raw 48 */
struct path_case {
	const char *path, *symbol;
	uint64_t at; /* from the symbol */
	size_t pointers;
	uint64_t offsets[3];
	uint64_t size;
};

static const struct path_case cases[] = {
	{ "first", "first", 0, 0, { 0 }, 56 },
	{ "first.in.x", "first", 16, 0, { 0 }, 8 },
	{ "list", "list", 0, 0, { 0 }, 8 },
	{ "*list", "list", 0, 1, { 0 }, 56 },
	{ "list->key", "list", 0, 1, { 0 }, 4 },
	{ "list->in.x", "list", 0, 1, { 16 }, 8 },
	{ "list->next->in.tag", "list", 0, 2, { 32, 8 }, 1 },
	{ "*list->next", "list", 0, 2, { 32, 0 }, 56 },
	{ "first.next->next->key", "first", 32, 2, { 32, 0 }, 4 },
	{ "list->table[2].x", "list", 0, 2, { 40, 56 }, 8 },
	{ "list[1].key", "list", 0, 1, { 56 }, 4 },
	{ "numbers[3]", "numbers", 24, 0, { 0 }, 8 },
	{ "*numbers[3]", "numbers", 24, 1, { 0 }, 4 },
	{ "numbers[1][5]", "numbers", 8, 1, { 20 }, 4 },
	{ "*number", "number", 0, 1, { 0 }, 4 },
	{ "*list->raw", "list", 0, 2, { 48, 0 }, 0 },
	{ "of_thread->key", "of_thread", 0, 1, { 0 }, 4 },
};

static void check_case(struct debug_info *info, const char *folder, const struct path_case *wanted)
{
	struct variable_part part;
	char why[128] = "", symbol[32];
	int err = variable_path_find(info, wanted->path, &part, why);

	snprintf(symbol, sizeof(symbol), "%s$", wanted->symbol);
	if (err)
		fail_msg("%s: %d %s", wanted->path, err, why);
	assert_int_equal(part.vaddr, symbol_value(folder, symbol, 0) + wanted->at);
	assert_int_equal(part.is_thread_local, !strcmp(wanted->symbol, "of_thread"));
	assert_int_equal(part.pointer_count, wanted->pointers);
	for (size_t i = 0; i < wanted->pointers; i++)
		assert_int_equal(part.offsets[i], wanted->offsets[i]);
	assert_int_equal(part.size, wanted->size);
}

static const struct {
	const char *path, *why;
} errors[] = {
	{ "first->key", "this is no pointer that could be followed: ->key" },
	{ "*first", "this is no pointer that could be followed: *first" },
	{ "**number", "this is no pointer that could be followed: **number" },
	{ "list.key", "a pointer's members are behind ->, not .: key" },
	{ "list->", "there is no name behind ->" },
	{ "first.", "there is no name behind ." },
	{ "list->kez", "there is no member kez" },
	{ "list->in.bit", "only whole bytes can be watched, and this is a bit-field: bit" },
	{ "list->raw->x", "there is no member x" },
	{ "list->raw[1]", "how long an element is is not known: [1]" },
	{ "closed->x", "there is no member x" },
	{ "closed[1]", "how long an element is is not known: [1]" },
	{ "first[0]", "this is no array: [0]" },
	{ "numbers[4]", "the array is not that long: [4]" },
	{ "numbers[4", "this is no index: [4" },
	{ "list[99999999999]", "this is no index: [99999999999]" },
	{ "list->key[0]", "this is no array: [0]" },
	{ "list->next->next->next->next->next->next->next->next->key",
	  "these are too many pointers to follow: ->key" },
	{ "number[1]x", "this is no part of a variable: x" },
};

static void check_errors(struct debug_info *info)
{
	struct variable_part part;

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		char why[128] = "";

		assert_int_equal(variable_path_find(info, errors[i].path, &part, why), -EINVAL);
		assert_string_equal(why, errors[i].why);
	}
	assert_int_equal(variable_path_find(info, "*no_such", &part, (char[128]){ 0 }), -ENOENT);
	assert_int_equal(variable_path_find(info, "*", &part, (char[128]){ 0 }), -ENOENT);
}

static void test_paths(void **state)
{
	write_file(*state, "paths.c", paths_c);
	for (size_t i = 0; i < DEBUG_BUILDS; i++) {
		struct debug_info *info;

		build_program(*state, &debug_builds[i], "paths.c");
		info = open_program(*state, "program");
		for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++)
			check_case(info, *state, &cases[k]);
		check_errors(info);
		debug_info_close(info);
	}
}

static void test_has_parts(void **state)
{
	static const char *const names[] = { "a", "ns::a", "operator-", "a-b", "a>b" };
	static const char *const paths[] = { "*a", "a.b", "a[1]", "a->b", "**a" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_false(variable_path_has_parts(names[i]));
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		assert_true(variable_path_has_parts(paths[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_paths, make_folder, remove_folder),
		cmocka_unit_test(test_has_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

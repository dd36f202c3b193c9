// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Excerpts of a BTF, member by member against the whole as libbpf reads it; of the running kernel's, and of damaged ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <bpf/btf.h>

#include "source/btf_excerpt.h"
#include "source/kernel_btf.h"

/* ---- two types, of two BTFs -------------------------------------------------------------------- */

static const struct btf_type *plain(const struct btf *btf, uint32_t id)
{
	const struct btf_type *type = btf__type_by_id(btf, id);

	while (btf_is_mod(type) || btf_is_typedef(type))
		type = btf__type_by_id(btf, type->type);
	return type;
}

static void assert_same(const struct btf *left, uint32_t left_id, const struct btf *right,
			uint32_t right_id);

static void assert_same_name(const struct btf *left, uint32_t left_name, const struct btf *right,
			     uint32_t right_name)
{
	assert_string_equal(btf__name_by_offset(left, left_name),
			    btf__name_by_offset(right, right_name));
}

static void assert_same_members(const struct btf *left, const struct btf_type *a,
				const struct btf *right, const struct btf_type *b)
{
	for (uint32_t i = 0; i < btf_vlen(a); i++) {
		const struct btf_member *x = &btf_members(a)[i], *y = &btf_members(b)[i];

		assert_same_name(left, x->name_off, right, y->name_off);
		assert_int_equal(btf_member_bit_offset(a, i), btf_member_bit_offset(b, i));
		assert_int_equal(btf_member_bitfield_size(a, i), btf_member_bitfield_size(b, i));
		assert_same(left, x->type, right, y->type);
	}
}

static void assert_same_values(const struct btf *left, const struct btf_type *a,
			       const struct btf *right, const struct btf_type *b)
{
	for (uint32_t i = 0; i < btf_vlen(a); i++) {
		if (btf_is_enum(a)) {
			assert_same_name(left, btf_enum(a)[i].name_off, right,
					 btf_enum(b)[i].name_off);
			assert_int_equal(btf_enum(a)[i].val, btf_enum(b)[i].val);
		} else {
			assert_same_name(left, btf_enum64(a)[i].name_off, right,
					 btf_enum64(b)[i].name_off);
			assert_int_equal(btf_enum64_value(&btf_enum64(a)[i]),
					 btf_enum64_value(&btf_enum64(b)[i]));
		}
	}
}

static void assert_same(const struct btf *left, uint32_t left_id, const struct btf *right,
			uint32_t right_id)
{
	const struct btf_type *a = plain(left, left_id), *b = plain(right, right_id);

	assert_int_equal(btf_kind(a), btf_kind(b));
	if (btf_is_ptr(a)) {
		assert_int_equal(b->type, 0);
		return;
	}
	if (btf_is_array(a)) {
		assert_int_equal(btf_array(a)->nelems, btf_array(b)->nelems);
		assert_same(left, btf_array(a)->type, right, btf_array(b)->type);
		return;
	}
	assert_same_name(left, a->name_off, right, b->name_off);
	assert_int_equal(a->size, b->size);
	assert_int_equal(btf_vlen(a), btf_vlen(b));
	if (btf_is_composite(a))
		assert_same_members(left, a, right, b);
	else if (btf_is_any_enum(a))
		assert_same_values(left, a, right, b);
	else if (btf_is_int(a))
		assert_int_equal(btf_int_encoding(a), btf_int_encoding(b));
}

static void assert_has(const struct btf *excerpt, const struct btf *whole, const char *name,
		       uint32_t kind)
{
	int left = btf__find_by_name_kind(whole, name, kind);
	int right = btf__find_by_name_kind(excerpt, name, kind);

	assert_true(left > 0);
	assert_true(right > 0);
	assert_same(whole, (uint32_t)left, excerpt, (uint32_t)right);
}

/* ---- one that is made here ---------------------------------------------------------------------- */

/* Members go to the type that was added last: what they are of comes before. */
static struct btf *make(void)
{
	struct btf *btf = btf__new_empty();
	int number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	int real = btf__add_float(btf, "double", 8);
	int pointer = btf__add_ptr(btf, (int)btf__type_cnt(btf) + 2); /* to inner */
	int inner, either, colour, large, array, shade;

	btf__add_struct(btf, "left_out", 4);
	assert_int_equal(btf__add_field(btf, "alone", number, 0, 0), 0);
	inner = btf__add_struct(btf, "inner", 16);
	assert_int_equal(inner, btf__type_by_id(btf, (uint32_t)pointer)->type);
	assert_int_equal(btf__add_field(btf, "low", number, 0, 3), 0);
	assert_int_equal(btf__add_field(btf, "high", number, 3, 5), 0);
	assert_int_equal(btf__add_field(btf, "next", pointer, 64, 0), 0);
	either = btf__add_union(btf, NULL, 8);
	assert_int_equal(btf__add_field(btf, "one", number, 0, 0), 0);
	assert_int_equal(btf__add_field(btf, "other", real, 0, 0), 0);
	colour = btf__add_enum(btf, "colour", 4);
	assert_int_equal(btf__add_enum_value(btf, "red", 1), 0);
	assert_int_equal(btf__add_enum_value(btf, "blue", -5), 0);
	large = btf__add_enum64(btf, "large", 8, true);
	assert_int_equal(btf__add_enum64_value(btf, "larger", 1ull << 40), 0);
	array = btf__add_array(btf, number, btf__add_typedef(btf, "inner_t", inner), 3);
	array = btf__add_const(btf, array);
	shade = btf__add_volatile(btf, colour);
	btf__add_struct(btf, "outer", 80);
	assert_int_equal(btf__add_field(btf, "items", array, 0, 0), 0);
	assert_int_equal(btf__add_field(btf, NULL, either, 384, 0), 0);
	assert_int_equal(btf__add_field(btf, "colour", shade, 448, 0), 0);
	assert_int_equal(btf__add_field(btf, "large", large, 512, 0), 0);
	return btf;
}

/* What a program has of these: as much as it needs, and under a name of its own. */
static struct btf *wants(void)
{
	struct btf *btf = btf__new_empty();

	btf__add_struct(btf, "outer___before_5_14", 0);
	btf__add_enum(btf, "colour", 4);
	btf__add_struct(btf, "not_there", 0);
	btf__add_struct(btf, "___", 0);
	return btf;
}

static void test_made(void **state)
{
	struct btf *whole = make(), *wanted = wants(), *excerpt = NULL;
	uint32_t size;
	const void *bytes = btf__raw_data(whole, &size);

	(void)state;
	assert_int_equal(btf_excerpt(bytes, size, wanted, &excerpt), 0);
	assert_has(excerpt, whole, "outer", BTF_KIND_STRUCT);
	assert_has(excerpt, whole, "colour", BTF_KIND_ENUM);
	assert_true(btf__find_by_name_kind(excerpt, "left_out", BTF_KIND_STRUCT) < 0);
	assert_true(btf__find_by_name_kind(excerpt, "not_there", BTF_KIND_STRUCT) < 0);
	btf__free(excerpt);
	btf__free(wanted);
	btf__free(whole);
}

/* Each byte changed, and cut short everywhere: an excerpt or none, and nothing beyond is read. */
static void test_damaged(void **state)
{
	struct btf *whole = make(), *wanted = wants(), *excerpt;
	uint32_t size;
	const void *bytes = btf__raw_data(whole, &size);

	(void)state;
	for (uint32_t i = 0; i < 2 * size; i++) {
		uint32_t length = i < size ? size : i - size;
		uint8_t *copy = malloc(length + 1);

		memcpy(copy, bytes, length);
		if (i < size)
			copy[i] ^= 0xff;
		excerpt = NULL;
		if (!btf_excerpt(copy, length, wanted, &excerpt))
			btf__free(excerpt);
		else
			assert_null(excerpt);
		free(copy);
	}
	btf__free(wanted);
	btf__free(whole);
}

/* ---- the running kernel's ------------------------------------------------------------------------ */

static void test_kernel(void **state)
{
	static const char *const structures[] = { "task_struct",   "mm_struct", "vm_area_struct",
						  "signal_struct", "pt_regs",	"uprobe_task" };
	struct btf *whole = btf__parse("/sys/kernel/btf/vmlinux", NULL), *excerpt = NULL;
	struct btf *wanted = btf__new_empty();
	struct kernel_btf kernel;

	(void)state;
	if (!whole) {
		btf__free(wanted);
		print_message("[ SKIPPED ] this kernel has no BTF\n");
		skip();
	}
	for (size_t i = 0; i < sizeof(structures) / sizeof(*structures); i++)
		btf__add_struct(wanted, structures[i], 0);
	btf__add_enum(wanted, "bpf_func_id", 4);
	assert_int_equal(kernel_btf_open(&kernel), 0);
	assert_int_equal(btf_excerpt(kernel.bytes, kernel.size, wanted, &excerpt), 0);
	for (size_t i = 0; i < sizeof(structures) / sizeof(*structures); i++)
		assert_has(excerpt, whole, structures[i], BTF_KIND_STRUCT);
	assert_has(excerpt, whole, "bpf_func_id", BTF_KIND_ENUM);
	assert_true(btf__type_cnt(excerpt) < btf__type_cnt(whole) / 10);
	kernel_btf_close(&kernel);
	btf__free(excerpt);
	btf__free(wanted);
	btf__free(whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_made),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Functions in a BTF: as libbpf finds them, in one that is made here; and in damaged ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <bpf/btf.h>

#include "source/kernel_btf.h"

/* One type of each kind before the functions, so that each must be passed over. */
static struct btf *make(void)
{
	struct btf *btf = btf__new_empty();
	int number, proto, structure;

	assert_non_null(btf);
	number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	structure = btf__add_struct(btf, "pair", 8);
	assert_int_equal(btf__add_field(btf, "first", number, 0, 0), 0);
	assert_int_equal(btf__add_field(btf, "uprobe_mmap", number, 32, 0), 0);
	btf__add_array(btf, number, number, 3);
	btf__add_ptr(btf, structure);
	btf__add_union(btf, "either", 4);
	btf__add_enum(btf, "colour", 4);
	assert_int_equal(btf__add_enum_value(btf, "red", 1), 0);
	btf__add_enum64(btf, "large", 8, false);
	assert_int_equal(btf__add_enum64_value(btf, "larger", 1ull << 40), 0);
	btf__add_fwd(btf, "later", BTF_FWD_STRUCT);
	btf__add_typedef(btf, "uprobe_mmap", number);
	btf__add_volatile(btf, number);
	btf__add_const(btf, number);
	btf__add_restrict(btf, number);
	btf__add_float(btf, "double", 8);
	btf__add_var(btf, "variable", BTF_VAR_STATIC, number);
	btf__add_datasec(btf, ".data", 4);
	assert_int_equal(btf__add_datasec_var_info(btf, number, 0, 4), 0);
	btf__add_decl_tag(btf, "tag", structure, -1);
	btf__add_type_tag(btf, "user", number);
	proto = btf__add_func_proto(btf, number);
	assert_int_equal(btf__add_func_param(btf, "argument", number), 0);
	assert_true(btf__add_func(btf, "uprobe_mmap_more", BTF_FUNC_STATIC, proto) > 0);
	assert_true(btf__add_func(btf, "uprobe_mmap", BTF_FUNC_STATIC, proto) > 0);
	return btf;
}

static void test_found(void **state)
{
	struct btf *btf = make();
	const void *bytes;
	uint32_t size;

	(void)state;
	bytes = btf__raw_data(btf, &size);
	assert_int_equal(btf_bytes_function(bytes, size, "uprobe_mmap"),
			 btf__find_by_name_kind(btf, "uprobe_mmap", BTF_KIND_FUNC));
	assert_int_equal(btf_bytes_function(bytes, size, "uprobe_mma"), 0);
	assert_int_equal(btf_bytes_function(bytes, size, "pair"), 0);
	btf__free(btf);
}

/* In memory of just that size, so that the sanitizer sees what lies beyond. */
static void test_cut_short(void **state)
{
	struct btf *btf = make();
	const void *bytes;
	uint32_t size;

	(void)state;
	bytes = btf__raw_data(btf, &size);
	for (uint32_t length = 0; length < size; length++) {
		void *part = malloc(length + 1);

		memcpy(part, bytes, length);
		assert_int_equal(btf_bytes_function(part, length, "uprobe_mmap"), 0);
		free(part);
	}
	btf__free(btf);
}

/* Each byte changed: whatever is found, nothing beyond is read. */
static void test_damaged(void **state)
{
	struct btf *btf = make();
	const void *bytes;
	uint32_t size;
	uint8_t *copy;

	(void)state;
	bytes = btf__raw_data(btf, &size);
	copy = malloc(size);
	for (uint32_t i = 0; i < size; i++) {
		memcpy(copy, bytes, size);
		copy[i] ^= 0xff;
		btf_bytes_function(copy, size, "uprobe_mmap");
	}
	free(copy);
	btf__free(btf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_cut_short),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

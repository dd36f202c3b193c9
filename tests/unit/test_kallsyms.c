// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Kernel symbols from files made here, well-formed and not. */
#include "test_folder.h"

#include <errno.h>

#include "object/kallsyms.h"

static int load(const char *text, struct kallsyms **symbols)
{
	char *folder = folder_new(), path[PATH_MAX];
	int err;

	write_file(folder, "kallsyms", text);
	snprintf(path, sizeof(path), "%s/kallsyms", folder);
	err = kallsyms_load_file(path, symbols);
	folder_remove(folder);
	return err;
}

static void check_at(const struct kallsyms *symbols, uint64_t address, const char *name,
		     const char *module)
{
	const struct kernel_symbol *symbol = kallsyms_at(symbols, address);

	if (!name) {
		assert_null(symbol);
		return;
	}
	assert_non_null(symbol);
	assert_string_equal(symbol->name, name);
	assert_string_equal(symbol->module, module);
}

static const char whole[] = "0000000000001000 A per_cpu_thing\n"
			    "ffffffff81000000 T _stext\n"
			    "ffffffff81000000 T _text\n"
			    "ffffffff81000000 t local_start\n"
			    "ffffffff81000100 t helper\n"
			    "ffffffff81000100 T plain_name\n"
			    "ffffffff81000100 W weak_name\n"
			    "ffffffff81000200 T last_function\n"
			    "ffffffff81000300 T _etext\n"
			    "ffffffff81800000 D table\n"
			    "ffffffff81800040 b counter\n"
			    "ffffffffc0000000 t module_init\t[ext4]\n"
			    "ffffffffc0000080 t module_work\t[ext4]\n"
			    "ffffffffc0100000 t other_module\t[nf_tables]\n"
			    "ffffffffc0200000 t bpf_prog_6deef7357e7b4530_first\t[bpf]\n"
			    "ffffffffc0200400 t bpf_prog_11223344aabbccdd_second\t[bpf]\n";

static void test_addresses(void **state)
{
	struct kallsyms *symbols;

	(void)state;
	assert_int_equal(load(whole, &symbols), 0);
	check_at(symbols, 0xffffffff81000000, "_stext", "kernel");
	check_at(symbols, 0xffffffff810000ff, "_stext", "kernel");
	check_at(symbols, 0xffffffff81000100, "plain_name", "kernel");
	check_at(symbols, 0xffffffff810001ff, "plain_name", "kernel");
	check_at(symbols, 0xffffffff810002ff, "last_function", "kernel");
	/* The kernel's text ends at _etext; data is no text; below everything is nothing. */
	check_at(symbols, 0xffffffff81000300, NULL, NULL);
	check_at(symbols, 0xffffffff81200000, NULL, NULL);
	check_at(symbols, 0xffffffff81800004, NULL, NULL);
	check_at(symbols, 0xffffffff81900000, NULL, NULL);
	check_at(symbols, 0x10, NULL, NULL);
	check_at(symbols, 0x1010, NULL, NULL);
	check_at(symbols, 0xffffffffc0000040, "module_init", "ext4");
	check_at(symbols, 0xffffffffc0000100, "module_work", "ext4");
	/* Between two modules is neither. */
	check_at(symbols, 0xffffffffc0080000, NULL, NULL);
	check_at(symbols, 0xffffffffc0100010, "other_module", "nf_tables");
	check_at(symbols, 0xffffffffc0200010, "bpf_prog_6deef7357e7b4530_first", "bpf");
	check_at(symbols, 0xffffffffc0200410, "bpf_prog_11223344aabbccdd_second", "bpf");
	check_at(symbols, UINT64_MAX, NULL, NULL);
	kallsyms_free(symbols);
}

static void test_names(void **state)
{
	const struct kernel_symbol *symbol;
	struct kallsyms *symbols;
	uint64_t size;

	(void)state;
	assert_int_equal(load(whole, &symbols), 0);
	symbol = kallsyms_find(symbols, "table", &size);
	assert_non_null(symbol);
	assert_int_equal(symbol->address, 0xffffffff81800000);
	assert_int_equal(symbol->type, 'D');
	assert_int_equal(size, 0x40);
	symbol = kallsyms_find(symbols, "helper", &size);
	assert_non_null(symbol);
	assert_int_equal(size, 0x100);
	assert_null(kallsyms_find(symbols, "helpe", &size));
	assert_null(kallsyms_find(symbols, "", &size));
	kallsyms_free(symbols);
}

static void test_programs_that_come_later(void **state)
{
	struct kallsyms *symbols;

	(void)state;
	assert_int_equal(load(whole, &symbols), 0);
	assert_int_equal(kallsyms_add(symbols, 0xffffffffc0300000, 0x100, "bpf_prog_old"), 0);
	check_at(symbols, 0xffffffffc0300000, "bpf_prog_old", "bpf");
	check_at(symbols, 0xffffffffc03000ff, "bpf_prog_old", "bpf");
	/* The newer one in the same memory. */
	assert_int_equal(kallsyms_add(symbols, 0xffffffffc0300080, 0x40, "bpf_prog_new"), 0);
	check_at(symbols, 0xffffffffc0300080, "bpf_prog_new", "bpf");
	check_at(symbols, 0xffffffffc0300000, "bpf_prog_old", "bpf");
	check_at(symbols, 0xffffffffc03000c0, "bpf_prog_old", "bpf");
	kallsyms_free(symbols);
}

static void test_malformed_lines_are_left_out(void **state)
{
	struct kallsyms *symbols;
	uint64_t size;

	(void)state;
	assert_int_equal(load("\n"
			      "garbage\n"
			      "ffffffff81000000\n"
			      "ffffffff81000000 \n"
			      "ffffffff81000000 T\n"
			      "ffffffff81000000 T \n"
			      "ffffffff81000000 TT double_type\n"
			      "xyz T bad_address\n"
			      "ffffffff8100000000 T long_address\n"
			      " T no_address\n"
			      "ffffffff81000000 T good\n"
			      "ffffffff81000010 T open_module\t[ext4\n"
			      "ffffffff81000010 T empty_module\t[]\n"
			      "ffffffff81000010 T no_brackets\text4\n"
			      "ffffffff81000020 T no_newline",
			      &symbols),
			 0);
	check_at(symbols, 0xffffffff81000018, "good", "kernel");
	check_at(symbols, 0xffffffff81000020, "no_newline", "kernel");
	assert_null(kallsyms_find(symbols, "double_type", &size));
	assert_null(kallsyms_find(symbols, "long_address", &size));
	assert_null(kallsyms_find(symbols, "bad_address", &size));
	assert_null(kallsyms_find(symbols, "open_module", &size));
	assert_null(kallsyms_find(symbols, "empty_module", &size));
	assert_null(kallsyms_find(symbols, "no_brackets", &size));
	kallsyms_free(symbols);
}

static void test_hidden_addresses(void **state)
{
	struct kallsyms *symbols;
	uint64_t size;

	(void)state;
	assert_int_equal(load("0000000000000000 T _stext\n0000000000000000 t helper\n", &symbols),
			 -EPERM);
	assert_non_null(symbols);
	assert_null(kallsyms_find(symbols, "helper", &size));
	check_at(symbols, 0, NULL, NULL);
	/* It still takes what the side-band tells. */
	assert_int_equal(kallsyms_add(symbols, 0xffffffffc0300000, 0x100, "bpf_prog"), 0);
	check_at(symbols, 0xffffffffc0300010, "bpf_prog", "bpf");
	kallsyms_free(symbols);
}

static void test_empty_and_missing(void **state)
{
	struct kallsyms *symbols;

	(void)state;
	assert_int_equal(load("", &symbols), 0);
	check_at(symbols, 0xffffffff81000000, NULL, NULL);
	kallsyms_free(symbols);
	assert_int_equal(kallsyms_load_file("/nonexistent", &symbols), -ENOENT);
	assert_non_null(symbols);
	check_at(symbols, 0xffffffff81000000, NULL, NULL);
	kallsyms_free(symbols);
	kallsyms_free(NULL);
}

/* As many lines as a real kernel has: all are found. */
static void test_many(void **state)
{
	const unsigned int count = 200000;
	char *text = malloc(count * 40ul), *at = text, name[32];
	struct kallsyms *symbols;

	(void)state;
	assert_non_null(text);
	for (unsigned int i = 0; i < count; i++)
		at += sprintf(at, "%016llx t function_%u\n", 0xffffffff81000000ull + i * 16ull, i);
	assert_int_equal(load(text, &symbols), 0);
	for (unsigned int i = 0; i < count - 1; i += 997) {
		snprintf(name, sizeof(name), "function_%u", i);
		check_at(symbols, 0xffffffff81000000ull + i * 16ull + 15, name, "kernel");
	}
	kallsyms_free(symbols);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_programs_that_come_later),
		cmocka_unit_test(test_malformed_lines_are_left_out),
		cmocka_unit_test(test_hidden_addresses),
		cmocka_unit_test(test_empty_and_missing),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where the kernel and its modules are: of files made for it, and of this machine beside what others say. */
#include "perf_data_file.h"

#include <errno.h>
#include <inttypes.h>

#include "object/kernel_image.h"
#include "perf_output.h"

struct seen {
	char text[512];
	int result;
};

static int note(void *context, const char *name, uint64_t address, uint64_t size)
{
	struct seen *seen = context;
	size_t used = strlen(seen->text);

	snprintf(seen->text + used, sizeof(seen->text) - used, "%s %" PRIx64 " %" PRIu64 "\n", name,
		 address, size);
	return seen->result;
}

static const char modules[] = "ext4 737280 1 - Live 0xffffffffc0100000\n"
			      "jbd2 122880 2 ext4,other, Live 0xffffffffc00e0000 (OE)\n"
			      "hidden 4096 0 - Live 0x0000000000000000\n"
			      "cut 123\n"
			      "\n"
			      "loading 8192 0 - Loading 0xffffffffc0200000\n";

static void test_modules(void **state)
{
	struct seen seen = {};
	const char *path = *state;

	put_file(path, (const uint8_t *)modules, sizeof(modules) - 1);
	assert_int_equal(kernel_image_each_module_of(path, note, &seen), 0);
	assert_string_equal(seen.text, "ext4 ffffffffc0100000 737280\n"
				       "jbd2 ffffffffc00e0000 122880\n"
				       "loading ffffffffc0200000 8192\n");
	seen = (struct seen){ .result = -E2BIG };
	assert_int_equal(kernel_image_each_module_of(path, note, &seen), -E2BIG);
	assert_string_equal(seen.text, "ext4 ffffffffc0100000 737280\n");
	assert_int_equal(kernel_image_each_module_of("/nonexistent", note, &seen), 0);
}

/* What grep finds in kallsyms. */
static uint64_t symbol_address(const char *name)
{
	FILE *output = output_of("grep ' [A-Za-z] %s$' /proc/kallsyms", name);
	char *line = next_line(output);
	uint64_t address = line ? strtoull(line, NULL, 16) : 0;

	free(line);
	pclose(output);
	return address;
}

static void test_text(void **state)
{
	uint64_t begin = 0, end = 0, first = symbol_address("_text");
	int err = kernel_image_text(&begin, &end);

	(void)state;
	if (!first) {
		assert_true(err == -EPERM || err == -ENOENT);
		skip();
	}
	assert_int_equal(err, 0);
	assert_true(begin == first);
	assert_true(end == symbol_address("_etext"));
}

static void test_build_id(void **state)
{
	uint8_t id[20];
	char text[2 * sizeof(id) + 1] = "", *line;
	size_t size = kernel_image_build_id(id, sizeof(id));
	FILE *output;

	(void)state;
	need_perf();
	for (size_t i = 0; i < size; i++)
		snprintf(text + 2 * i, 3, "%02x", id[i]);
	output = output_of("perf buildid-list -k 2>/dev/null");
	line = next_line(output);
	pclose(output);
	assert_string_equal(line ? line : "", text);
	free(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FILE_TEST(test_modules),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_build_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The records of AUX data in perf.data, byte for byte (little endian, as every machine that is tested). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perf_data/auxtrace.h"

static const struct auxtrace_span example = {
	.size = 0x1122334455667788,
	.offset = 0x0102030405060708,
	.reference = 0xa1a2a3a4a5a6a7a8,
	.idx = 0x31323334,
	.tid = 0x41424344,
	.cpu = AUXTRACE_NO_ID,
};

static void test_record(void **state)
{
	static const uint8_t expected[AUXTRACE_BYTES] = {
		71,   0,    0,	  0,	0,    0,    48,	  0,	/* type, misc, size */
		0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, /* size */
		0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01, /* offset */
		0xa8, 0xa7, 0xa6, 0xa5, 0xa4, 0xa3, 0xa2, 0xa1, /* reference */
		0x34, 0x33, 0x32, 0x31, 0x44, 0x43, 0x42, 0x41, /* idx, tid */
		0xff, 0xff, 0xff, 0xff, 0,    0,    0,	  0,	/* cpu, reserved */
	};
	uint8_t bytes[AUXTRACE_BYTES];

	(void)state;
	memset(bytes, 0xee, sizeof(bytes));
	auxtrace_build(&example, bytes);
	assert_memory_equal(bytes, expected, sizeof(bytes));
}

/* The size in the record is that of data and padding. */
static void test_padding(void **state)
{
	static const uint8_t padding[] = { 0, 7, 6, 5, 4, 3, 2, 1 };

	(void)state;
	for (uint64_t size = 0; size < 100; size++) {
		const struct auxtrace_span span = { .size = size };
		uint8_t bytes[AUXTRACE_BYTES];
		uint64_t written;

		assert_int_equal(auxtrace_padding(size), padding[size % 8]);
		auxtrace_build(&span, bytes);
		memcpy(&written, bytes + 8, sizeof(written));
		assert_int_equal(written, (size + 7) / 8 * 8);
	}
}

static void test_decode(void **state)
{
	struct perf_event_header *header = malloc(AUXTRACE_BYTES);
	struct auxtrace_span span;

	(void)state;
	assert_non_null(header);
	auxtrace_build(&example, (uint8_t *)header);
	assert_int_equal(auxtrace_decode(header, &span), 0);
	assert_int_equal(span.size, example.size);
	assert_int_equal(span.offset, example.offset);
	assert_int_equal(span.reference, example.reference);
	assert_int_equal(span.idx, example.idx);
	assert_int_equal(span.tid, example.tid);
	assert_int_equal(span.cpu, example.cpu);
	for (unsigned size = 0; size < AUXTRACE_BYTES; size++) {
		header->size = (uint16_t)size;
		assert_int_equal(auxtrace_decode(header, &span), -EBADMSG);
	}
	free(header);
}

static void test_decode_unaligned(void **state)
{
	struct perf_event_header *header = malloc(AUXTRACE_BYTES);
	struct auxtrace_span span;

	(void)state;
	assert_non_null(header);
	auxtrace_build(&example, (uint8_t *)header);
	for (uint64_t size = 0; size < 64; size++) {
		memcpy((uint8_t *)header + 8, &size, sizeof(size));
		assert_int_equal(auxtrace_decode(header, &span), size % 8 ? -EBADMSG : 0);
	}
	free(header);
}

static void test_info(void **state)
{
	static const uint64_t words[] = { 0x0102030405060708, 9 };
	static const uint8_t expected[] = {
		70, 0, 0, 0, 0, 0, 32, 0, /* type, misc, size */
		1,  0, 0, 0, 0, 0, 0,  0, /* decoder, reserved */
		8,  7, 6, 5, 4, 3, 2,  1, 9, 0, 0, 0, 0, 0, 0, 0,
	};
	uint8_t bytes[sizeof(expected)];

	(void)state;
	assert_int_equal(auxtrace_info_build(AUXTRACE_INTEL_PT, words, 2, bytes, sizeof(bytes)),
			 sizeof(expected));
	assert_memory_equal(bytes, expected, sizeof(expected));
	assert_int_equal(auxtrace_info_build(AUXTRACE_ARM_SPE, NULL, 0, bytes, 16), 16);
	assert_int_equal(bytes[6], 16);
	assert_int_equal(bytes[8], 4);
}

static void test_info_room(void **state)
{
	static const uint64_t words[8191];
	uint8_t *bytes = malloc(UINT16_MAX);

	(void)state;
	assert_non_null(bytes);
	for (size_t room = 0; room < 32; room++)
		assert_int_equal(auxtrace_info_build(AUXTRACE_INTEL_PT, words, 2, bytes, room),
				 -ENOSPC);
	/* As many as 16 bits can say, and one more. */
	assert_int_equal(auxtrace_info_build(AUXTRACE_INTEL_PT, words, 8189, bytes, UINT16_MAX),
			 65528);
	assert_int_equal(auxtrace_info_build(AUXTRACE_INTEL_PT, words, 8190, bytes, SIZE_MAX),
			 -E2BIG);
	assert_int_equal(auxtrace_info_build(AUXTRACE_INTEL_PT, words, SIZE_MAX, bytes, SIZE_MAX),
			 -E2BIG);
	free(bytes);
}

static void test_index(void **state)
{
	static const uint8_t expected[] = { 8, 7, 6, 5, 4, 3, 2, 1, 48, 0, 0, 0, 0, 0, 0, 0 };
	uint8_t bytes[AUXTRACE_INDEX_BYTES];

	(void)state;
	auxtrace_index_build(0x0102030405060708, bytes);
	assert_memory_equal(bytes, expected, sizeof(expected));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record), cmocka_unit_test(test_padding),
		cmocka_unit_test(test_decode), cmocka_unit_test(test_decode_unaligned),
		cmocka_unit_test(test_info),   cmocka_unit_test(test_info_room),
		cmocka_unit_test(test_index),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

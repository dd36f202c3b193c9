// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Records about AUX areas, put together by hand as include/uapi/linux/perf_event.h has them, and decoded
 * from copies of exactly their size: the address sanitizer sees reads beyond.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/aux_record.h"

#define MOST_TRAILER 64

/* Up to four 64-bit words behind the header, then the sample id. */
static struct perf_event_header *make(uint32_t type, const uint64_t *body, size_t body_size,
				      size_t trailer)
{
	size_t size = sizeof(struct perf_event_header) + body_size + trailer;
	struct perf_event_header *header = malloc(size);

	assert_non_null(header);
	memset(header, 0xee, size);
	*header = (struct perf_event_header){ .type = type, .size = (uint16_t)size };
	memcpy(header + 1, body, body_size);
	return header;
}

static void test_aux(void **state)
{
	const uint64_t body[] = { 0x1122334455667788, 0x99aabbccddeeff, PERF_AUX_FLAG_TRUNCATED };

	(void)state;
	for (size_t trailer = 0; trailer <= MOST_TRAILER; trailer += 8) {
		struct perf_event_header *header =
			make(PERF_RECORD_AUX, body, sizeof(body), trailer);
		struct record record = { .time = 5, .cpu = 6, .pid = 7, .tid = 8 };

		assert_int_equal(aux_record_decode(header, trailer, &record), 0);
		assert_int_equal(record.kind, RECORD_AUX);
		assert_int_equal(record.aux.offset, 0x1122334455667788);
		assert_int_equal(record.aux.size, 0x99aabbccddeeff);
		assert_int_equal(record.aux.flags, PERF_AUX_FLAG_TRUNCATED);
		assert_int_equal(record.time, 5);
		assert_int_equal(record.cpu, 6);
		assert_int_equal(record.pid, 7);
		assert_int_equal(record.tid, 8);
		free(header);
	}
}

static void test_aux_flags(void **state)
{
	const uint64_t flags[] = { 0,
				   PERF_AUX_FLAG_TRUNCATED,
				   PERF_AUX_FLAG_OVERWRITE,
				   PERF_AUX_FLAG_PARTIAL,
				   PERF_AUX_FLAG_COLLISION,
				   UINT64_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		const uint64_t body[] = { 0, 0, flags[i] };
		struct perf_event_header *header = make(PERF_RECORD_AUX, body, sizeof(body), 0);
		struct record record = { 0 };

		assert_int_equal(aux_record_decode(header, 0, &record), 0);
		assert_int_equal(record.aux.flags, flags[i]);
		free(header);
	}
}

static void test_itrace_start(void **state)
{
	const uint64_t body[] = { 0x0000020200000101 }; /* pid first: little endian */

	(void)state;
	for (size_t trailer = 0; trailer <= MOST_TRAILER; trailer += 8) {
		struct perf_event_header *header =
			make(PERF_RECORD_ITRACE_START, body, sizeof(body), trailer);
		struct record record = { .time = 5, .cpu = 6 };

		assert_int_equal(aux_record_decode(header, trailer, &record), 0);
		assert_int_equal(record.kind, RECORD_ITRACE_START);
		assert_int_equal(record.pid, 0x101);
		assert_int_equal(record.tid, 0x202);
		assert_int_equal(record.time, 5);
		free(header);
	}
}

static void check_short(uint32_t type, size_t body_size)
{
	const uint64_t body[4] = { 0 };

	for (size_t size = 0; size <= sizeof(body); size++) {
		for (size_t trailer = 0; trailer <= 48; trailer += 8) {
			/* As much as is said to be behind the body, less what the body lacks. */
			struct perf_event_header *header = make(type, body, size, trailer);
			struct record record = { 0 };
			int err = aux_record_decode(header, trailer, &record);

			assert_int_equal(err, size < body_size ? -EBADMSG : 0);
			/* One that ends before its sample id does. */
			err = aux_record_decode(header, trailer + size + 1, &record);
			assert_int_equal(err, -EBADMSG);
			free(header);
		}
	}
}

static void test_short(void **state)
{
	(void)state;
	check_short(PERF_RECORD_AUX, 24);
	check_short(PERF_RECORD_ITRACE_START, 8);
}

/* The sums of the check must not wrap. */
static void test_size_zero(void **state)
{
	struct perf_event_header header = { .type = PERF_RECORD_AUX };
	struct record record = { 0 };

	(void)state;
	assert_int_equal(aux_record_decode(&header, 0, &record), -EBADMSG);
	assert_int_equal(aux_record_decode(&header, SIZE_MAX, &record), -EBADMSG);
	header.size = UINT16_MAX;
	assert_int_equal(aux_record_decode(&header, SIZE_MAX, &record), -EBADMSG);
}

static void test_other_types(void **state)
{
	const uint64_t body[4] = { 0 };

	(void)state;
	for (uint32_t type = 0; type < 100; type++) {
		struct perf_event_header *header = make(type, body, sizeof(body), 0);
		struct record record = { 0 };
		int err = aux_record_decode(header, 0, &record);

		if (type == PERF_RECORD_AUX || type == PERF_RECORD_ITRACE_START)
			assert_int_equal(err, 0);
		else
			assert_int_equal(err, -ENOMSG);
		free(header);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_aux),	     cmocka_unit_test(test_aux_flags),
		cmocka_unit_test(test_itrace_start), cmocka_unit_test(test_short),
		cmocka_unit_test(test_size_zero),    cmocka_unit_test(test_other_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Samples of every layout, put together by hand (perf_sample_wire.h): each bit of sample_type alone, all, and
 * many mixtures; decoded from copies of exactly their size.
 */
#include "perf_sample_wire.h"

#include <errno.h>

#include "record/order.h"

/* Also that it has its id where the layout says. */
static void check_layout(const struct perf_layout *layout)
{
	bool has_id = layout->sample_type & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER);
	struct record record;
	struct wire wire;
	uint64_t id = 0;
	void *bytes;

	make_sample(&wire, layout);
	bytes = copy_of(&wire);
	memset(&record, 0x5a, sizeof(record));
	assert_int_equal(record_from_perf_layout(layout, bytes, &record), 0);
	check_sample(&record, layout);
	assert_int_equal(perf_layout_event_id(layout, bytes, &id), has_id);
	assert_int_equal(id, has_id ? ID : 0);
	free(bytes);
}

static void test_each_bit(void **state)
{
	(void)state;
	for (uint64_t bit = 1; bit <= ALL_BITS; bit <<= 1) {
		struct perf_layout alone = layout_of(bit);
		struct perf_layout all_but = layout_of(ALL_BITS & ~bit);

		check_layout(&alone);
		check_layout(&all_but);
	}
}

static void test_none_and_all(void **state)
{
	struct perf_layout none = layout_of(0), all = layout_of(ALL_BITS);

	(void)state;
	check_layout(&none);
	check_layout(&all);
}

static void test_read_formats(void **state)
{
	(void)state;
	for (uint64_t format = 0; format < PERF_FORMAT_MAX; format++) {
		struct perf_layout layout =
			layout_of(PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_TIME);

		layout.read_format = format;
		check_layout(&layout);
	}
}

static void test_mixtures(void **state)
{
	uint64_t seed = 20040404;

	(void)state;
	for (unsigned i = 0; i < 5000; i++) {
		struct perf_layout layout = random_layout(&seed);

		check_layout(&layout);
	}
}

static void test_no_registers(void **state)
{
	struct perf_layout layout =
		layout_of(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_INTR);
	struct record record;
	struct wire wire;
	void *bytes;

	(void)state;
	begin(&wire, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	add64(&wire, PERF_SAMPLE_REGS_ABI_NONE); /* a kernel thread has none */
	add64(&wire, 0);			 /* and no stack: nothing follows */
	add64(&wire, PERF_SAMPLE_REGS_ABI_NONE);
	set_size(&wire, wire.size);
	bytes = copy_of(&wire);
	assert_int_equal(record_from_perf_layout(&layout, bytes, &record), 0);
	assert_null(record.sample.regs);
	assert_int_equal(record.sample.regs_mask, 0);
	assert_null(record.sample.stack);
	assert_int_equal(record.sample.stack_size, 0);
	free(bytes);
}

/* The kernel pads raw bytes so that what follows is aligned; others would misplace our pointers. */
static void test_unaligned_raw(void **state)
{
	struct perf_layout layout = layout_of(PERF_SAMPLE_RAW);
	struct record record;
	struct wire wire;
	void *bytes;

	(void)state;
	begin(&wire, PERF_RECORD_SAMPLE, 0);
	add32(&wire, 3);
	add_bytes(&wire, "abcd", 4);
	set_size(&wire, wire.size);
	bytes = copy_of(&wire);
	assert_int_equal(record_from_perf_layout(&layout, bytes, &record), -EBADMSG);
	free(bytes);
}

/* ---- the order keeps samples ------------------------------------------------------------------ */

static int check_kept(void *context, const struct record *record)
{
	check_sample(record, context);
	assert_true((const uint8_t *)record->sample.chain > record->sample.wire);
	assert_true((const uint8_t *)record->sample.chain <
		    record->sample.wire + record->sample.wire_size);
	return 0;
}

static void test_kept_by_order(void **state)
{
	struct perf_layout layout = layout_of(ALL_BITS);
	struct record_order *order = record_order_new();
	struct record record;
	struct wire wire;
	void *bytes;

	(void)state;
	assert_non_null(order);
	make_sample(&wire, &layout);
	bytes = copy_of(&wire);
	assert_int_equal(record_from_perf_layout(&layout, bytes, &record), 0);
	assert_int_equal(record_order_add(order, &record), 0);
	memset(bytes, 0xee, wire.size);
	free(bytes);
	assert_int_equal(record_order_flush(order, UINT64_MAX, check_kept, &layout), 0);
	assert_int_equal(record_order_pending(order), 0);
	record_order_free(order);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_bit),      cmocka_unit_test(test_none_and_all),
		cmocka_unit_test(test_read_formats),  cmocka_unit_test(test_mixtures),
		cmocka_unit_test(test_no_registers),  cmocka_unit_test(test_unaligned_raw),
		cmocka_unit_test(test_kept_by_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

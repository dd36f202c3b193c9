// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What our samples carry beyond perf's fields: there and back, and what is none of it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "perf_data/own_sample.h"

static const struct source_info breakpoint = { .kind = REC_BREAKPOINT,
					       .length = 4,
					       .access = "rw" };

static const char values[] = "\1fd\0003";

/* Of an exact size, so that a read beyond it is found. */
static bool decode(const void *bytes, size_t size, struct own_sample *own)
{
	void *copy = malloc(size ? size : 1);
	bool is_own;

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	is_own = own_sample_decode(copy, size, own);
	if (is_own && own->value_bytes)
		assert_memory_equal(own->values, values, sizeof(values));
	own->values = NULL;
	free(copy);
	return is_own;
}

static void there_and_back(const struct record_event *event, const struct source_info *source)
{
	struct source_info described = { .name = "kept", .period = 7 };
	uint8_t bytes[OWN_SAMPLE_MOST];
	struct record_event restored = { .period = 9 };
	struct own_sample own, again;
	size_t size;

	own_sample_of(event, source, &own);
	own.user = STACK_GUESS;
	own.kernel = STACK_COMPLETE;
	own.exact[0] = 3;
	own.exact[1] = 511;
	own.exact_count = 2;
	own.values = values;
	own.has_values = true;
	own.value_bytes = sizeof(values);
	size = own_sample_encode(&own, bytes);
	assert_true(size <= sizeof(bytes));
	assert_true(decode(bytes, size, &again));
	own.values = NULL;
	assert_memory_equal(&own, &again, sizeof(own));
	own_sample_restore(&again, &restored);
	own_sample_describe(&again, &described);
	assert_int_equal(restored.kind, event->kind);
	assert_int_equal(restored.flags, event->flags);
	assert_int_equal(restored.state, event->state);
	assert_memory_equal(restored.arg, event->arg, sizeof(event->arg));
	assert_int_equal(restored.call_ns, event->call_ns);
	assert_int_equal(restored.ip, event->ip);
	assert_int_equal(restored.old_value, event->old_value);
	assert_int_equal(restored.new_value, event->new_value);
	assert_int_equal(restored.period, 9);
	assert_int_equal(described.kind, event->kind);
	assert_int_equal(described.length, source->length);
	assert_string_equal(described.access, source->access);
	assert_int_equal(described.is_usdt, source->is_usdt);
	assert_string_equal(described.name, "kept");
	/* what perf adds to fill a record up */
	assert_true(decode(bytes, size, &again));
	for (size_t less = 0; less < size; less++)
		assert_false(decode(bytes, less, &again));
}

static void test_kinds(void **state)
{
	const struct source_info source = { .period = 1 };
	const struct source_info usdt = { .kind = REC_UPROBE, .is_usdt = true };
	const struct record_event sample = { .kind = REC_SAMPLE, .flags = EVENT_KERNEL_MODE };
	const struct record_event call = { .kind = REC_UPROBE,
					   .arg = { 1, 2, UINT64_MAX, 4, 5, 6 } };
	const struct record_event back = { .kind = REC_URETPROBE, .arg = { 1ull << 63 } };
	const struct record_event taken = { .kind = REC_LATENCY,
					    .arg = { 7 },
					    .call_ns = 1ull << 40 };
	const struct record_event wait = { .kind = REC_OFFCPU,
					   .flags = EVENT_STILL_BLOCKED,
					   .state = 2 };
	const struct record_event store = { .kind = REC_BREAKPOINT,
					    .flags = EVENT_OLD_KNOWN | EVENT_NEW_KNOWN,
					    .ip = 0x401000,
					    .old_value = 1,
					    .new_value = UINT64_MAX };

	(void)state;
	there_and_back(&sample, &source);
	there_and_back(&call, &source);
	there_and_back(&call, &usdt);
	there_and_back(&back, &source);
	there_and_back(&taken, &source);
	there_and_back(&wait, &source);
	there_and_back(&store, &breakpoint);
}

static void refuse(const struct own_sample *own, size_t at, uint8_t value)
{
	uint8_t bytes[OWN_SAMPLE_MOST];
	struct own_sample decoded;
	size_t size = own_sample_encode(own, bytes);

	bytes[at] = value;
	assert_false(decode(bytes, size, &decoded));
}

static void test_others(void **state)
{
	const struct own_sample own = { .kind = REC_UPROBE, .access = "w" };
	struct own_sample decoded;

	(void)state;
	assert_false(own_sample_decode(NULL, 0, &decoded));
	assert_false(decode("raw bytes 12", 12, &decoded));
	for (size_t i = 0; i < 8; i++)
		refuse(&own, i, 0xff); /* magic and version */
	refuse(&own, 8, REC_STACK);
	refuse(&own, 8, REC_KIND_MAX);
	refuse(&own, 9, STACK_END_MAX);
	refuse(&own, 10, STACK_END_MAX);
	refuse(&own, 11, OWN_SAMPLE_EXACT + 1);
	refuse(&own, 27, 'x'); /* an access without its end */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

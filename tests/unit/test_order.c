// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Records in order of time: side-band, then stacks, then events a round later; see order.h. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/order.h"
#include "random.h"

#define MOST 2048

#define KINDS (RECORD_SWITCH + 1) /* of records */

/* What was handed on, by the number that each record carries as its tid. */
struct log {
	size_t count;
	uint32_t id[MOST];
	size_t stop_at; /* the record, counted from 1, that is answered with answer */
	int answer;
};

static int take(void *context, const struct record *record)
{
	struct log *log = context;

	assert_true(log->count < MOST);
	if (record->kind == RECORD_STACK_COPY)
		assert_int_equal(record_copy_stack(&record->copy)[0], 7);
	log->id[log->count++] = record->tid;
	return log->count == log->stop_at ? log->answer : 0;
}

static struct record make(enum record_kind kind, uint64_t time, uint32_t id)
{
	static const uint64_t ip[2] = { 0x1000, 0x2000 };
	static const uint8_t wire[RECORD_COPY_STACK_AT + 16] = { [RECORD_COPY_STACK_AT] = 7 };
	struct record record = { .kind = kind, .time = time, .tid = id };

	if (kind == RECORD_MMAP)
		record.mmap.path = "/bin/true";
	else if (kind == RECORD_COMM)
		record.comm.comm = "true";
	else if (kind == RECORD_KSYMBOL)
		record.ksymbol.name = "bpf_prog";
	else if (kind == RECORD_CGROUP)
		record.cgroup.path = "/user.slice";
	else if (kind == RECORD_SAMPLE)
		record.sample = (struct record_sample){ .wire = wire, .wire_size = sizeof(wire) };
	else if (kind == RECORD_STACK)
		record.stack = (struct record_stack){ .depth = 2, .ip = ip };
	else if (kind == RECORD_STACK_COPY)
		record.copy = (struct record_stack_copy){ .size = 16, .wire = wire };
	return record;
}

static void add(struct record_order *order, enum record_kind kind, uint64_t time, uint32_t id)
{
	struct record record = make(kind, time, id);

	assert_int_equal(record_order_add(order, &record), 0);
}

/* Flushes, and compares what is handed on with the numbers wanted: "1 2 3 ". */
static void expect(struct record_order *order, uint64_t limit, const char *wanted)
{
	struct log log = {};
	char got[1024] = "";
	size_t length = 0;

	assert_int_equal(record_order_flush(order, limit, take, &log), 0);
	for (size_t i = 0; i < log.count; i++)
		length += (size_t)snprintf(got + length, sizeof(got) - length, "%u ", log.id[i]);
	assert_string_equal(got, wanted);
}

static int set_up(void **state)
{
	*state = record_order_new();
	return *state ? 0 : -1;
}

static int tear_down(void **state)
{
	record_order_free(*state);
	return 0;
}

static void test_by_time(void **state)
{
	struct record_order *order = *state;

	add(order, RECORD_COMM, 30, 3);
	add(order, RECORD_COMM, 10, 1);
	add(order, RECORD_COMM, 40, 4);
	add(order, RECORD_COMM, 20, 2);
	assert_int_equal(record_order_pending(order), 4);
	expect(order, 100, "1 2 3 4 ");
	assert_int_equal(record_order_pending(order), 0);
}

/* At the limit is due, behind it is not. */
static void test_limit(void **state)
{
	struct record_order *order = *state;

	add(order, RECORD_STACK, 101, 3);
	add(order, RECORD_STACK, 100, 2);
	add(order, RECORD_STACK, 99, 1);
	add(order, RECORD_COMM, 101, 13);
	add(order, RECORD_COMM, 100, 12);
	expect(order, 98, "");
	assert_int_equal(record_order_pending(order), 5);
	expect(order, 100, "12 1 2 ");
	assert_int_equal(record_order_pending(order), 2);
	expect(order, 101, "13 3 ");
}

/* All side-band is one stream: kinds do not matter, times do. */
static void test_side_band_is_one(void **state)
{
	struct record_order *order = *state;

	add(order, RECORD_LOST, 1, 1);
	add(order, RECORD_KSYMBOL, 2, 2);
	add(order, RECORD_EXIT, 3, 3);
	add(order, RECORD_FORK, 4, 4);
	add(order, RECORD_COMM, 5, 5);
	add(order, RECORD_MMAP, 6, 6);
	add(order, RECORD_FORK, 7, 7);
	expect(order, 10, "1 2 3 4 5 6 7 ");
}

/* Side-band, stacks, events, whatever their times. */
static void test_kinds(void **state)
{
	struct record_order *order = *state;

	expect(order, 50, "");
	add(order, RECORD_EVENT, 10, 31);
	add(order, RECORD_STACK, 11, 21);
	add(order, RECORD_MMAP, 40, 11);
	add(order, RECORD_EVENT, 12, 32);
	add(order, RECORD_STACK, 10, 20);
	add(order, RECORD_EXIT, 41, 12);
	expect(order, 60, "11 12 20 21 31 32 ");
}

/* Events up to the limit of the call before. */
static void test_events_wait_a_round(void **state)
{
	struct record_order *order = *state;

	add(order, RECORD_EVENT, 10, 1);
	add(order, RECORD_EVENT, 20, 2);
	add(order, RECORD_STACK, 21, 9);
	expect(order, 20, "");
	assert_int_equal(record_order_pending(order), 3);
	add(order, RECORD_EVENT, 15, 3);
	add(order, RECORD_EVENT, 21, 4);
	expect(order, 30, "9 1 3 2 ");
	expect(order, 40, "4 ");
	assert_int_equal(record_order_pending(order), 0);
}

/* A stack with a later time than the event that names it comes first. */
static void test_stack_after_its_event(void **state)
{
	struct record_order *order = *state;

	add(order, RECORD_EVENT, 100, 2);
	expect(order, 100, "");
	add(order, RECORD_STACK, 105, 1);
	expect(order, 200, "1 2 ");
}

static void test_everything(void **state)
{
	struct record_order *order = *state;

	add(order, RECORD_EVENT, UINT64_MAX, 6);
	add(order, RECORD_EVENT, 5, 5);
	add(order, RECORD_STACK, UINT64_MAX, 4);
	add(order, RECORD_STACK, UINT64_MAX - 1, 3);
	add(order, RECORD_MMAP, UINT64_MAX, 2);
	add(order, RECORD_MMAP, 0, 1);
	expect(order, UINT64_MAX, "1 2 3 4 5 6 ");
	assert_int_equal(record_order_pending(order), 0);
}

/* Equal times keep the order in which they came, more of them than the array first has. */
static void test_stable(void **state)
{
	static const enum record_kind kinds[] = { RECORD_EVENT, RECORD_STACK, RECORD_FORK };
	struct record_order *order = *state;
	struct log log = {};

	for (uint32_t i = 0; i < 1500; i++)
		add(order, kinds[i % 3], 7, i / 3 + (2 - i % 3) * 500);
	assert_int_equal(record_order_flush(order, UINT64_MAX, take, &log), 0);
	assert_int_equal(log.count, 1500);
	for (uint32_t i = 0; i < 1500; i++)
		assert_int_equal(log.id[i], i);
}

/* Over several rounds too: what stays behind is still before what comes later. */
static void test_stable_over_rounds(void **state)
{
	struct record_order *order = *state;

	for (uint32_t round = 0; round < 5; round++) {
		add(order, RECORD_COMM, 50, round);
		add(order, RECORD_COMM, 49 - round, 100 + round);
		expect(order, 10, "");
	}
	expect(order, 50, "104 103 102 101 100 0 1 2 3 4 ");
}

/* ---- copies --------------------------------------------------------------------------------- */

static int check_payload(void *context, const struct record *record)
{
	const uint64_t *ip = record->stack.ip;
	size_t *seen = context;

	(*seen)++;
	switch (record->kind) {
	case RECORD_MMAP:
		assert_string_equal(record->mmap.path, "/usr/bin/a");
		assert_int_equal(record->mmap.start, 0x5000);
		break;
	case RECORD_COMM:
		assert_string_equal(record->comm.comm, "");
		assert_true(record->comm.is_exec);
		break;
	case RECORD_KSYMBOL:
		assert_string_equal(record->ksymbol.name, "bpf_prog_1");
		assert_int_equal(record->ksymbol.address, 0x6000);
		break;
	case RECORD_STACK:
		assert_int_equal(record->stack.depth, record->tid);
		for (uint32_t i = 0; i < record->stack.depth; i++)
			assert_int_equal(ip[i], i * 3 + 1);
		break;
	default:
		fail();
	}
	return 0;
}

/* Adds a record that points to size bytes; then there is no trace of it but in the order. */
static void add_copied(struct record_order *order, struct record *record, const void **pointer,
		       const void *bytes, size_t size)
{
	void *copy = malloc(size ? size : 1);

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	*pointer = copy;
	assert_int_equal(record_order_add(order, record), 0);
	memset(copy, 0xee, size);
	free(copy);
	memset(record, 0xee, sizeof(*record));
}

static void add_string(struct record_order *order, struct record record, const char *string)
{
	const void **pointer = (const void **)&record.mmap.path;

	if (record.kind == RECORD_COMM)
		pointer = (const void **)&record.comm.comm;
	else if (record.kind == RECORD_KSYMBOL)
		pointer = (const void **)&record.ksymbol.name;
	add_copied(order, &record, pointer, string, strlen(string) + 1);
}

static void add_stack(struct record_order *order, uint32_t depth)
{
	struct record record = { .kind = RECORD_STACK, .tid = depth, .stack = { .depth = depth } };
	uint64_t ip[TRACER_MAX_STACK];

	for (uint32_t i = 0; i < depth; i++)
		ip[i] = i * 3 + 1;
	add_copied(order, &record, (const void **)&record.stack.ip, ip, depth * sizeof(ip[0]));
}

static void test_payload_is_copied(void **state)
{
	struct record_order *order = *state;
	size_t seen = 0;

	add_string(order, (struct record){ .kind = RECORD_MMAP, .mmap = { .start = 0x5000 } },
		   "/usr/bin/a");
	add_string(order, (struct record){ .kind = RECORD_COMM, .comm = { .is_exec = true } }, "");
	add_string(order,
		   (struct record){ .kind = RECORD_KSYMBOL, .ksymbol = { .address = 0x6000 } },
		   "bpf_prog_1");
	for (uint32_t depth = 0; depth <= TRACER_MAX_STACK; depth++)
		add_stack(order, depth);
	assert_int_equal(record_order_flush(order, UINT64_MAX, check_payload, &seen), 0);
	assert_int_equal(seen, 3 + TRACER_MAX_STACK + 1);
}

static void test_whole_record_is_kept(void **state)
{
	struct record_order *order = *state;
	struct record record = make(RECORD_EVENT, 5, 6);
	struct log log = {};

	record.pid = 8;
	record.cpu = 9;
	assert_int_equal(record_order_add(order, &record), 0);
	memset(&record, 0xee, sizeof(record));
	assert_int_equal(record_order_flush(order, UINT64_MAX, take, &log), 0);
	assert_int_equal(log.id[0], 6);
}

/* What was never handed on is freed with the order: the leak checker watches. */
static void test_free_with_pending(void **state)
{
	struct record_order *order = record_order_new();

	(void)state;
	assert_non_null(order);
	for (uint32_t i = 0; i < 1000; i++)
		add(order, i % KINDS, i, i);
	expect(order, 3, "0 1 2 3 ");
	record_order_free(order);
	record_order_free(NULL);
}

/* ---- what the callback answers -------------------------------------------------------------- */

static void test_callback_stops(void **state)
{
	struct record_order *order = *state;
	struct log log = { .stop_at = 3, .answer = -EPIPE };

	add(order, RECORD_EVENT, 1, 5);
	add(order, RECORD_STACK, 2, 3);
	add(order, RECORD_COMM, 3, 1);
	add(order, RECORD_STACK, 3, 4);
	add(order, RECORD_COMM, 4, 2);
	assert_int_equal(record_order_flush(order, UINT64_MAX, take, &log), -EPIPE);
	assert_int_equal(log.count, 3);
	assert_int_equal(log.id[2], 3);
	assert_int_equal(record_order_pending(order), 2); /* the third counts as handed over */
	expect(order, UINT64_MAX, "4 5 ");
	assert_int_equal(record_order_pending(order), 0);
}

/* What remains is still in order with what comes in between. */
static void test_callback_stops_and_more_comes(void **state)
{
	struct record_order *order = *state;
	struct log log = { .stop_at = 1, .answer = -1 };

	for (uint32_t i = 0; i < 5; i++)
		add(order, RECORD_COMM, 10 * i, i);
	assert_int_equal(record_order_flush(order, 100, take, &log), -1);
	assert_int_equal(log.count, 1);
	add(order, RECORD_COMM, 15, 15);
	add(order, RECORD_COMM, 101, 101);
	expect(order, 100, "1 15 2 3 4 ");
	assert_int_equal(record_order_pending(order), 1);
}

/* Only a negative return stops. */
static void test_positive_return_does_not_stop(void **state)
{
	struct record_order *order = *state;
	struct log log = { .stop_at = 2, .answer = 1 };

	for (uint32_t i = 0; i < 5; i++)
		add(order, RECORD_COMM, i, i);
	assert_true(record_order_flush(order, 100, take, &log) >= 0);
	assert_int_equal(log.count, 5);
	assert_int_equal(record_order_pending(order), 0);
}

/* A stack that cannot be walked yet comes again, and no event that may name it passes it by. */
static void test_again(void **state)
{
	struct record_order *order = *state;
	struct log log = { .stop_at = 2, .answer = -EAGAIN };

	add(order, RECORD_COMM, 1, 1);
	add(order, RECORD_STACK_COPY, 2, 2);
	add(order, RECORD_STACK, 3, 3);
	add(order, RECORD_EVENT, 4, 4);
	assert_int_equal(record_order_flush(order, 10, take, &log), -EAGAIN);
	assert_int_equal(log.count, 2);
	assert_int_equal(record_order_pending(order), 3);
	expect(order, 11, "2 3 4 ");
}

static void test_empty(void **state)
{
	struct record_order *order = *state;

	assert_int_equal(record_order_pending(order), 0);
	expect(order, 5, "");
	expect(order, UINT64_MAX, "");
}

/* ---- against a reference -------------------------------------------------------------------- */

#define RECORDS 100000
#define ROUNDS	125
#define A_ROUND (RECORDS / ROUNDS)

/* A record as one number: phase, time, arrival. Sorting the numbers is the order wanted. */
#define KEY(phase, time, id) ((uint64_t)(phase) << 60 | (uint64_t)(time) << 24 | (id))

struct reference {
	uint64_t waiting[RECORDS];
	size_t waiting_count;
	uint64_t due[RECORDS];
	size_t due_count;
	size_t seen, wrong, total;
};

static int compare_numbers(const void *left_, const void *right_)
{
	const uint64_t *left = left_, *right = right_;

	return (*left > *right) - (*left < *right);
}

static uint64_t phase_of(enum record_kind kind)
{
	if (kind == RECORD_EVENT || kind == RECORD_SAMPLE || kind == RECORD_SWITCH)
		return 3;
	return kind == RECORD_STACK || kind == RECORD_STACK_COPY ? 2 : 1;
}

static int take_referred(void *context, const struct record *record)
{
	struct reference *reference = context;
	uint64_t key = KEY(phase_of(record->kind), record->time, record->tid);

	reference->wrong += reference->seen >= reference->due_count ||
			    reference->due[reference->seen] != key;
	reference->seen++;
	return 0;
}

/* Moves what is due from waiting to due, and sorts it. */
static void refer(struct reference *reference, uint64_t limit, uint64_t event_limit)
{
	size_t kept = 0;

	reference->due_count = reference->seen = 0;
	for (size_t i = 0; i < reference->waiting_count; i++) {
		uint64_t key = reference->waiting[i];
		uint64_t time = key >> 24 & 0xfffffffff;

		if (time <= (key >> 60 == 3 ? event_limit : limit))
			reference->due[reference->due_count++] = key;
		else
			reference->waiting[kept++] = key;
	}
	reference->waiting_count = kept;
	if (reference->due_count)
		qsort(reference->due, reference->due_count, sizeof(uint64_t), compare_numbers);
}

static void flush_both(struct record_order *order, struct reference *reference, uint64_t limit,
		       uint64_t event_limit)
{
	refer(reference, limit, event_limit);
	assert_int_equal(record_order_flush(order, limit, take_referred, reference), 0);
	assert_int_equal(reference->wrong, 0);
	assert_int_equal(reference->seen, reference->due_count);
	assert_int_equal(record_order_pending(order), reference->waiting_count);
	reference->total += reference->seen;
}

/* Times of a round spread over that round and the next two, with many that are equal. */
static void test_random(void **state)
{
	struct reference *reference = calloc(1, sizeof(*reference));
	struct record_order *order = *state;
	uint64_t seed = 42, last_limit = 0;

	assert_non_null(reference);
	for (uint32_t id = 0; id < RECORDS; id++) {
		enum record_kind kind = next_random(&seed) % KINDS;
		uint64_t time = 1 + id + next_random(&seed) % (2 * A_ROUND) / 16 * 16;

		add(order, kind, time, id);
		reference->waiting[reference->waiting_count++] = KEY(phase_of(kind), time, id);
		if (id % A_ROUND == A_ROUND - 1) {
			flush_both(order, reference, id, last_limit);
			last_limit = id;
		}
	}
	flush_both(order, reference, UINT64_MAX, UINT64_MAX);
	assert_int_equal(reference->total, RECORDS);
	free(reference);
}

/* All at once. */
static void test_random_at_once(void **state)
{
	struct reference *reference = calloc(1, sizeof(*reference));
	struct record_order *order = *state;
	uint64_t seed = 4711;

	assert_non_null(reference);
	for (uint32_t id = 0; id < RECORDS; id++) {
		enum record_kind kind = next_random(&seed) % KINDS;
		uint64_t time = next_random(&seed) % 5000;

		add(order, kind, time, id);
		reference->waiting[reference->waiting_count++] = KEY(phase_of(kind), time, id);
	}
	flush_both(order, reference, UINT64_MAX, UINT64_MAX);
	assert_int_equal(reference->total, RECORDS);
	free(reference);
}

#define ORDER_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ORDER_TEST(test_by_time),
		ORDER_TEST(test_limit),
		ORDER_TEST(test_side_band_is_one),
		ORDER_TEST(test_events_wait_a_round),
		ORDER_TEST(test_stack_after_its_event),
		ORDER_TEST(test_everything),
		ORDER_TEST(test_stable),
		ORDER_TEST(test_stable_over_rounds),
		ORDER_TEST(test_payload_is_copied),
		ORDER_TEST(test_whole_record_is_kept),
		cmocka_unit_test(test_free_with_pending),
		ORDER_TEST(test_callback_stops),
		ORDER_TEST(test_callback_stops_and_more_comes),
		ORDER_TEST(test_random),
		ORDER_TEST(test_random_at_once),
		ORDER_TEST(test_positive_return_does_not_stop),
		ORDER_TEST(test_again),
		ORDER_TEST(
			test_kinds), /* these two flush an empty order: the sanitizer may end it */
		ORDER_TEST(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

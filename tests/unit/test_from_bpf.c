// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What BPF programs send, decoded: all of it, and nothing that is not there. Each record is
 * decoded from a copy of exactly its size, so that the address sanitizer sees a read beyond.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/from_bpf.h"
#include "random.h"

#define FRAMES 5

struct wire_stack {
	struct rec_stack head;
	uint64_t ip[TRACER_MAX_STACK + 1];
};

/* Any record. What a kind does not have is left as it was. */
union wire {
	struct rec_head head;
	struct rec_event event;
	struct rec_uprobe uprobe;
	struct rec_uretprobe uretprobe;
	struct rec_breakpoint breakpoint;
	struct rec_offcpu offcpu;
	struct rec_latency latency;
	struct wire_stack stack;
	struct rec_stack_copy copy;
	unsigned char bytes[sizeof(struct rec_stack_copy)];
};

static const size_t event_sizes[REC_KIND_MAX] = {
	[REC_SAMPLE] = sizeof(struct rec_sample),
	[REC_UPROBE] = sizeof(struct rec_uprobe),
	[REC_URETPROBE] = sizeof(struct rec_uretprobe),
	[REC_BREAKPOINT] = sizeof(struct rec_breakpoint),
	[REC_OFFCPU] = sizeof(struct rec_offcpu),
	[REC_LATENCY] = sizeof(struct rec_latency),
};

static union wire make_event(enum rec_kind kind)
{
	union wire wire = {};

	wire.event = (struct rec_event){
		.head = { .time = 0x0102030405060708,
			  .kind = (uint16_t)kind,
			  .size = (uint16_t)event_sizes[kind],
			  .cpu = 0x1ff,
			  .flags = EVENT_KERNEL_MODE | EVENT_RUNNABLE },
		.tgid = 0x11121314,
		.tid = 0x21222324,
		.user_stack = 0x3132333435363738,
		.kernel_stack = 0xf1f2f3f4f5f6f7f8,
		.comm = "worker",
	};
	return wire;
}

static union wire make_stack(uint16_t depth)
{
	union wire wire = {};

	wire.stack.head = (struct rec_stack){
		.head = { .time = 77,
			  .kind = REC_STACK,
			  .size = (uint16_t)(sizeof(struct rec_stack) + depth * 8),
			  .cpu = 3 },
		.id = 0xabcdef0123456789,
		.tgid = 4242,
		.depth = depth,
		.space = STACK_USER,
		.end = STACK_FP_ROOT,
	};
	for (unsigned i = 0; i < TRACER_MAX_STACK + 1; i++)
		wire.stack.ip[i] = 0x7f0000000000 + i;
	return wire;
}

static union wire make_copy(uint32_t bytes)
{
	union wire wire = {};

	wire.copy = (struct rec_stack_copy){
		.head = { .time = 78,
			  .kind = REC_STACK_COPY,
			  .size = (uint16_t)(offsetof(struct rec_stack_copy, stack) + bytes),
			  .cpu = 2 },
		.id = 0xabcdef0123456780,
		.tgid = 4243,
		.stack_bytes = bytes,
		.return_count = 2,
		.at_entry = 1,
		.max_stack = 127,
		.holes = 6,
		.ip = 1,
		.sp = 2,
		.fp = 3,
		.link = 4,
		.trampoline = 5,
		.general = { [31] = 6 },
		.returns = { { 7, 8 }, { 9, 10 } },
	};
	for (uint32_t i = 0; i < bytes; i++)
		wire.copy.stack[i] = (uint8_t)(i * 7);
	return wire;
}

static union wire make(enum rec_kind kind)
{
	if (kind == REC_STACK_COPY)
		return make_copy(100);
	return kind == REC_STACK ? make_stack(FRAMES) : make_event(kind);
}

static void *copy_of(const void *bytes, size_t size)
{
	void *copy = malloc(size);

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	return copy;
}

/* Whatever was decoded may be used: all of it lies within the data. */
static void check_decoded(const struct record *record, const unsigned char *data, size_t size)
{
	const unsigned char *ip = (const void *)record->stack.ip;

	if (record->kind == RECORD_STACK) {
		assert_true(record->stack.depth <= TRACER_MAX_STACK);
		assert_true(ip == data + sizeof(struct rec_stack));
		assert_true(ip + record->stack.depth * 8 <= data + size);
		assert_true(record->stack.space == STACK_USER ||
			    record->stack.space == STACK_KERNEL);
		assert_true(record->stack.end < STACK_END_MAX);
		return;
	}
	if (record->kind == RECORD_STACK_COPY) {
		assert_true(record->copy.return_count <= TRACER_COPY_RETURNS);
		assert_true(record_copy_stack(&record->copy) ==
			    data + offsetof(struct rec_stack_copy, stack));
		assert_true(record_copy_stack(&record->copy) + record->copy.size <= data + size);
		assert_true(record->copy.max_stack > 0 &&
			    record->copy.max_stack <= TRACER_MAX_STACK);
		return;
	}
	assert_int_equal(record->kind, RECORD_EVENT);
	assert_true(record->event.kind >= REC_SAMPLE && record->event.kind < REC_KIND_MAX);
	assert_true(strnlen(record->event.comm, sizeof(record->event.comm)) <= TRACER_COMM);
}

/* The result of decoding so many bytes; the record is not kept. */
static int try_decode(const union wire *wire, size_t size)
{
	void *data = copy_of(wire, size);
	struct record record;
	int result = record_from_bpf(data, size, &record);

	if (!result)
		check_decoded(&record, data, size);
	free(data);
	return result;
}

/* Decodes an event, which has no pointers: the bytes are gone on return. */
static struct record decode_event(const union wire *wire)
{
	void *data = copy_of(wire, wire->head.size);
	struct record record;

	memset(&record, 0x5a, sizeof(record));
	assert_int_equal(record_from_bpf(data, wire->head.size, &record), 0);
	free(data);
	assert_int_equal(record.kind, RECORD_EVENT);
	return record;
}

static void check_common(const struct record *record, enum rec_kind kind)
{
	assert_int_equal(record->time, 0x0102030405060708);
	assert_int_equal(record->cpu, 0x1ff);
	assert_int_equal(record->pid, 0x11121314);
	assert_int_equal(record->tid, 0x21222324);
	assert_int_equal(record->event.kind, kind);
	assert_int_equal(record->event.flags, EVENT_KERNEL_MODE | EVENT_RUNNABLE);
	assert_int_equal(record->event.user_stack, 0x3132333435363738);
	assert_int_equal(record->event.kernel_stack, 0xf1f2f3f4f5f6f7f8);
	assert_string_equal(record->event.comm, "worker");
}

static void test_sample(void **state)
{
	union wire wire = make_event(REC_SAMPLE);
	struct record record = decode_event(&wire);

	(void)state;
	check_common(&record, REC_SAMPLE);
	assert_int_equal(record.event.site, 0);
	assert_int_equal(record.event.arg[0], 0);
	assert_int_equal(record.event.blocked_ns, 0);
}

static void test_uprobe(void **state)
{
	union wire wire = make_event(REC_UPROBE);
	struct record record;

	(void)state;
	wire.uprobe.site = 0x5152535455565758;
	for (unsigned i = 0; i < TRACER_ARGS; i++)
		wire.uprobe.arg[i] = 0xa1a2a3a4a5a6a700 + i;
	record = decode_event(&wire);
	check_common(&record, REC_UPROBE);
	assert_int_equal(record.event.site, 0x5152535455565758);
	for (unsigned i = 0; i < TRACER_ARGS; i++)
		assert_int_equal(record.event.arg[i], 0xa1a2a3a4a5a6a700 + i);
}

static void test_uretprobe(void **state)
{
	union wire wire = make_event(REC_URETPROBE);
	struct record record;

	(void)state;
	wire.uretprobe.site = 6;
	wire.uretprobe.ret = (uint64_t)-1;
	record = decode_event(&wire);
	check_common(&record, REC_URETPROBE);
	assert_int_equal(record.event.site, 6);
	assert_int_equal(record.event.arg[0], (uint64_t)-1);
	assert_int_equal(record.event.arg[1], 0);
}

static void test_breakpoint(void **state)
{
	union wire wire = make_event(REC_BREAKPOINT);
	struct record record;

	(void)state;
	wire.breakpoint.site = 0x601040;
	wire.breakpoint.ip = 0x401136;
	wire.breakpoint.old_value = 41;
	wire.breakpoint.new_value = 42;
	wire.breakpoint.store_length = 7;
	record = decode_event(&wire);
	check_common(&record, REC_BREAKPOINT);
	assert_int_equal(record.event.site, 0x601040);
	assert_int_equal(record.event.ip, 0x401136);
	assert_int_equal(record.event.old_value, 41);
	assert_int_equal(record.event.new_value, 42);
	assert_int_equal(record.event.store_length, 7);
}

static void test_offcpu(void **state)
{
	union wire wire = make_event(REC_OFFCPU);
	struct record record;

	(void)state;
	wire.offcpu.blocked_ns = 0x6162636465666768;
	wire.offcpu.state = 0x402;
	record = decode_event(&wire);
	check_common(&record, REC_OFFCPU);
	assert_int_equal(record.event.blocked_ns, 0x6162636465666768);
	assert_int_equal(record.event.state, 0x402);
}

static void test_latency(void **state)
{
	union wire wire = make_event(REC_LATENCY);
	struct record record;

	(void)state;
	wire.latency.site = 0x77;
	wire.latency.ret = 0x5152535455565758;
	wire.latency.ns = 0x6162636465666768;
	record = decode_event(&wire);
	check_common(&record, REC_LATENCY);
	assert_int_equal(record.event.site, 0x77);
	assert_int_equal(record.event.arg[0], 0x5152535455565758);
	assert_int_equal(record.event.call_ns, 0x6162636465666768);
}

static void check_stack(uint16_t depth)
{
	union wire wire = make_stack(depth);
	void *data = copy_of(&wire, wire.head.size);
	struct record record;

	assert_int_equal(record_from_bpf(data, wire.head.size, &record), 0);
	assert_int_equal(record.kind, RECORD_STACK);
	assert_int_equal(record.time, 77);
	assert_int_equal(record.cpu, 3);
	assert_int_equal(record.pid, 4242);
	assert_int_equal(record.stack.id, 0xabcdef0123456789);
	assert_int_equal(record.stack.space, STACK_USER);
	assert_int_equal(record.stack.end, STACK_FP_ROOT);
	assert_int_equal(record.stack.depth, depth);
	for (unsigned i = 0; i < depth; i++)
		assert_int_equal(record.stack.ip[i], 0x7f0000000000 + i);
	free(data);
}

static void test_stack(void **state)
{
	(void)state;
	for (uint16_t depth = 0; depth <= TRACER_MAX_STACK; depth++)
		check_stack(depth);
}

/* The whole field, without a terminator: the copy has one. */
static void test_copy(void **state)
{
	union wire wire = make_copy(1000);
	const struct record_stack_copy *copy;
	struct record record;

	(void)state;
	assert_int_equal(record_from_bpf(&wire, wire.head.size, &record), 0);
	copy = &record.copy;
	assert_int_equal(record.kind, RECORD_STACK_COPY);
	assert_int_equal(record.time, 78);
	assert_int_equal(record.cpu, 2);
	assert_int_equal(record.pid, 4243);
	assert_int_equal(copy->id, 0xabcdef0123456780);
	assert_int_equal(copy->ip, 1);
	assert_int_equal(copy->sp, 2);
	assert_int_equal(copy->fp, 3);
	assert_int_equal(copy->link, 4);
	assert_int_equal(copy->trampoline, 5);
	assert_true(copy->at_entry);
	assert_int_equal(copy->max_stack, 127);
	assert_int_equal(copy->holes, 6);
	assert_int_equal(record_copy_register(copy, 31), 6);
	assert_int_equal(copy->return_count, 2);
	assert_int_equal(record_copy_return(copy, 1).at, 9);
	assert_int_equal(record_copy_return(copy, 1).address, 10);
	assert_int_equal(copy->size, 1000);
	assert_memory_equal(record_copy_stack(copy), wire.copy.stack, 1000);
	/* what counts something beyond its bounds is refused */
	wire.copy.return_count = TRACER_COPY_RETURNS + 1;
	assert_int_equal(try_decode(&wire, wire.head.size), -EBADMSG);
	wire.copy.return_count = 0;
	wire.copy.max_stack = 0;
	assert_int_equal(try_decode(&wire, wire.head.size), -EBADMSG);
	wire.copy.max_stack = TRACER_MAX_STACK + 1;
	assert_int_equal(try_decode(&wire, wire.head.size), -EBADMSG);
	wire.copy.max_stack = TRACER_MAX_STACK;
	wire.copy.stack_bytes = 1001;
	assert_int_equal(try_decode(&wire, wire.head.size), -EBADMSG);
}

static void test_unterminated_comm(void **state)
{
	union wire wire = make_event(REC_SAMPLE);
	struct record record;

	(void)state;
	memset(wire.event.comm, 'x', TRACER_COMM);
	record = decode_event(&wire);
	assert_string_equal(record.event.comm, "xxxxxxxxxxxxxxxx");
}

/* A perf ring pads what it carries: bytes after the record are none of it. */
static void test_padding(void **state)
{
	(void)state;
	for (int kind = REC_STACK; kind < REC_KIND_MAX; kind++) {
		union wire wire = make(kind);

		for (size_t padding = 0; padding < 8; padding++)
			assert_int_equal(try_decode(&wire, wire.head.size + padding), 0);
	}
}

static void test_truncated(void **state)
{
	(void)state;
	for (int kind = REC_STACK; kind < REC_KIND_MAX; kind++) {
		union wire wire = make(kind);

		for (size_t size = 0; size < wire.head.size; size++)
			assert_int_equal(try_decode(&wire, size), -EBADMSG);
	}
}

/* The same, and the header agrees with the number of bytes. */
static void test_truncated_consistently(void **state)
{
	(void)state;
	for (int kind = REC_STACK; kind < REC_KIND_MAX; kind++) {
		union wire wire = make(kind);
		size_t whole = wire.head.size;

		for (size_t size = 0; size < whole; size++) {
			wire.head.size = (uint16_t)size;
			assert_int_equal(try_decode(&wire, size), -EBADMSG);
		}
	}
}

static void test_unknown_kind(void **state)
{
	union wire wire = make_event(REC_UPROBE);

	(void)state;
	for (unsigned kind = 0; kind <= UINT16_MAX; kind++) {
		wire.head.kind = (uint16_t)kind;
		if (!kind || kind >= REC_KIND_MAX)
			assert_int_equal(try_decode(&wire, wire.head.size), -EBADMSG);
	}
}

static void test_size_beyond_the_bytes(void **state)
{
	(void)state;
	for (int kind = REC_STACK; kind < REC_KIND_MAX; kind++) {
		union wire wire = make(kind);
		size_t whole = wire.head.size;

		for (size_t size = whole + 1; size <= UINT16_MAX; size++) {
			wire.head.size = (uint16_t)size;
			assert_int_equal(try_decode(&wire, whole), -EBADMSG);
		}
	}
}

/* An event has the size of its kind: with another one it is another program's record. */
static void test_size_is_not_the_kinds(void **state)
{
	(void)state;
	for (int kind = REC_SAMPLE; kind < REC_KIND_MAX; kind++) {
		union wire wire = make_event(kind);

		for (uint16_t size = 0; size <= 256; size++) {
			wire.head.size = size;
			assert_int_equal(try_decode(&wire, 256),
					 size == event_sizes[kind] ? 0 : -EBADMSG);
		}
	}
}

static void test_kind_of_another_size(void **state)
{
	(void)state;
	for (int kind = REC_SAMPLE; kind < REC_KIND_MAX; kind++) {
		union wire wire = make_event(kind);

		for (int other = REC_SAMPLE; other < REC_KIND_MAX; other++) {
			wire.head.kind = (uint16_t)other;
			assert_int_equal(try_decode(&wire, wire.head.size),
					 event_sizes[other] == event_sizes[kind] ? 0 : -EBADMSG);
		}
	}
}

static void test_stack_depth_beyond_the_bytes(void **state)
{
	union wire wire = make_stack(FRAMES);

	(void)state;
	for (unsigned depth = FRAMES + 1; depth <= UINT16_MAX; depth++) {
		wire.stack.head.depth = (uint16_t)depth;
		assert_int_equal(try_decode(&wire, wire.head.size), -EBADMSG);
	}
}

/* As many bytes as it would take are there. */
static void test_stack_depth_over_the_maximum(void **state)
{
	union wire wire = make_stack(TRACER_MAX_STACK + 1);

	(void)state;
	assert_int_equal(try_decode(&wire, wire.head.size), -EBADMSG);
}

/* Depth and size say the same, however many bytes there are. */
static void test_stack_size_is_not_the_depths(void **state)
{
	union wire wire = make_stack(FRAMES);

	(void)state;
	for (uint16_t depth = 0; depth <= 2 * FRAMES; depth++) {
		wire.stack.head.depth = depth;
		assert_int_equal(try_decode(&wire, sizeof(struct rec_stack) + 2 * FRAMES * 8),
				 depth == FRAMES ? 0 : -EBADMSG);
	}
}

static void test_stack_space(void **state)
{
	union wire wire = make_stack(FRAMES);

	(void)state;
	for (unsigned space = 0; space <= UINT8_MAX; space++) {
		wire.stack.head.space = (uint8_t)space;
		assert_int_equal(try_decode(&wire, wire.head.size),
				 space == STACK_USER || space == STACK_KERNEL ? 0 : -EBADMSG);
	}
}

static void test_stack_end(void **state)
{
	union wire wire = make_stack(FRAMES);

	(void)state;
	for (unsigned end = STACK_COMPLETE; end <= UINT8_MAX; end++) {
		wire.stack.head.end = (uint8_t)end;
		assert_int_equal(try_decode(&wire, wire.head.size),
				 end < STACK_END_MAX ? 0 : -EBADMSG);
	}
}

/* Zero is no end: a field that nobody filled in must not pass for one. */
static void test_stack_end_zero(void **state)
{
	union wire wire = make_stack(FRAMES);

	(void)state;
	wire.stack.head.end = 0;
	assert_int_equal(try_decode(&wire, wire.head.size), -EBADMSG);
}

/* A few bytes changed, mostly in the header and the fixed part, and now and then another length. */
static size_t mutate(union wire *wire, uint64_t *seed)
{
	size_t size = wire->head.size;

	for (uint32_t changes = next_random(seed) % 4; changes; changes--)
		wire->bytes[next_random(seed) % size] = (unsigned char)next_random(seed);
	for (uint32_t changes = next_random(seed) % 3; changes; changes--)
		wire->bytes[8 + next_random(seed) % 8] = (unsigned char)(next_random(seed) % 8);
	if (next_random(seed) % 4 == 0)
		size = next_random(seed) % (size + 16);
	return size;
}

static void test_mutations(void **state)
{
	unsigned decoded = 0, refused = 0;
	uint64_t seed = 20240229;

	(void)state;
	for (unsigned i = 0; i < 10000; i++) {
		union wire wire = make((int)(REC_STACK + i % (REC_KIND_MAX - REC_STACK)));
		int result = try_decode(&wire, mutate(&wire, &seed));

		assert_true(result == 0 || result == -EBADMSG);
		decoded += !result;
		refused += result != 0;
	}
	assert_true(decoded > 1000); /* or the mutations prove nothing */
	assert_true(refused > 1000);
}

/* The raw data of a perf record stands 4 behind a multiple of 8: see bpf_side.c, take_raw(). */
static void test_perf_ring_alignment(void **state)
{
	union wire wire = make_event(REC_BREAKPOINT);
	unsigned char *bytes = malloc(4 + wire.head.size);
	struct record record;

	(void)state;
	assert_non_null(bytes);
	memcpy(bytes + 4, &wire, wire.head.size);
	assert_int_equal(record_from_bpf(bytes + 4, wire.head.size, &record), 0);
	check_common(&record, REC_BREAKPOINT);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sample),
		cmocka_unit_test(test_uprobe),
		cmocka_unit_test(test_uretprobe),
		cmocka_unit_test(test_breakpoint),
		cmocka_unit_test(test_offcpu),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_stack),
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_unterminated_comm),
		cmocka_unit_test(test_padding),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_truncated_consistently),
		cmocka_unit_test(test_unknown_kind),
		cmocka_unit_test(test_size_beyond_the_bytes),
		cmocka_unit_test(test_stack_depth_beyond_the_bytes),
		cmocka_unit_test(test_stack_depth_over_the_maximum),
		cmocka_unit_test(test_stack_space),
		cmocka_unit_test(test_stack_end),
		cmocka_unit_test(test_mutations),
		cmocka_unit_test(test_size_is_not_the_kinds),
		cmocka_unit_test(test_kind_of_another_size),
		cmocka_unit_test(test_stack_size_is_not_the_depths),
		cmocka_unit_test(test_stack_end_zero),
		cmocka_unit_test(test_perf_ring_alignment), /* last: the sanitizer may end it */
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

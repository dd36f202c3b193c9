// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Records of every layout, put together by hand as the kernel's perf_output_sample() writes them: each
 * bit of sample_type alone, all, and many mixtures; decoded from copies of exactly their size.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "record/order.h"
#include "record/perf_layout.h"
#include "random.h"

#define ALL_BITS (PERF_SAMPLE_MAX - 1)
#define ID_BITS                                                                        \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

#define IP	 0xffffffff81234567
#define TIME	 0x0102030405060708
#define ADDRESS	 0x7fffdeadbeef
#define ID	 4711
#define PERIOD	 999999
#define CGROUP	 0x5555
#define MISC	 (PERF_RECORD_MISC_USER | PERF_RECORD_MISC_EXACT_IP)
#define REGS	 0xff0fff
#define STACK	 64
#define STACK_IS 40

struct wire {
	size_t size;
	unsigned char bytes[4096];
};

static const uint64_t chain[] = { PERF_CONTEXT_KERNEL, 0xffffffff81000001, PERF_CONTEXT_USER,
				  0x401000, 0x402000 };
static const char raw[12] = "raw bytes..";

static void add_bytes(struct wire *wire, const void *bytes, size_t size)
{
	assert_true(wire->size + size <= sizeof(wire->bytes));
	memcpy(wire->bytes + wire->size, bytes, size);
	wire->size += size;
}

static void add16(struct wire *wire, uint16_t value)
{
	add_bytes(wire, &value, sizeof(value));
}

static void add32(struct wire *wire, uint32_t value)
{
	add_bytes(wire, &value, sizeof(value));
}

static void add64(struct wire *wire, uint64_t value)
{
	add_bytes(wire, &value, sizeof(value));
}

static void add_if(struct wire *wire, uint64_t asked, uint64_t value)
{
	if (asked)
		add64(wire, value);
}

static void add_string(struct wire *wire, const char *string)
{
	add_bytes(wire, string, strlen(string) + 1);
	while (wire->size % 8)
		add_bytes(wire, "", 1);
}

static void set_size(struct wire *wire, size_t size)
{
	uint16_t value = (uint16_t)size;

	memcpy(wire->bytes + offsetof(struct perf_event_header, size), &value, sizeof(value));
	wire->size = size;
}

static void begin(struct wire *wire, uint32_t type, uint16_t misc)
{
	memset(wire, 0, sizeof(*wire));
	add32(wire, type);
	add16(wire, misc);
	add16(wire, 0);
}

static void add_pair(struct wire *wire, uint64_t asked, uint32_t first, uint32_t second)
{
	if (!asked)
		return;
	add32(wire, first);
	add32(wire, second);
}

/* ---- samples -------------------------------------------------------------------------------- */

static void add_counters(struct wire *wire, uint64_t format)
{
	unsigned count = format & PERF_FORMAT_GROUP ? 3 : 1;

	if (format & PERF_FORMAT_GROUP)
		add64(wire, count);
	else
		add64(wire, 1000);
	add_if(wire, format & PERF_FORMAT_TOTAL_TIME_ENABLED, 70);
	add_if(wire, format & PERF_FORMAT_TOTAL_TIME_RUNNING, 60);
	for (unsigned i = 0; i < count; i++) {
		add_if(wire, format & PERF_FORMAT_GROUP, 1000 + i);
		add_if(wire, format & PERF_FORMAT_ID, 2000 + i);
		add_if(wire, format & PERF_FORMAT_LOST, 3000 + i);
	}
}

static void add_branches(struct wire *wire, uint64_t branch_type)
{
	add64(wire, 2);
	add_if(wire, branch_type & PERF_SAMPLE_BRANCH_HW_INDEX, 5);
	for (unsigned i = 0; i < 6; i++)
		add64(wire, 0xb0 + i);
}

static void add_regs(struct wire *wire, uint64_t mask)
{
	add64(wire, PERF_SAMPLE_REGS_ABI_64);
	for (unsigned i = 0; i < 64; i++)
		add_if(wire, mask >> i & 1, 0x9000 + i);
}

static void add_stack(struct wire *wire)
{
	uint8_t stack[STACK];

	for (unsigned i = 0; i < STACK; i++)
		stack[i] = (uint8_t)(i + 1);
	add64(wire, STACK);
	add_bytes(wire, stack, STACK);
	add64(wire, STACK_IS);
}

static void add_front(struct wire *wire, uint64_t type)
{
	add_if(wire, type & PERF_SAMPLE_IDENTIFIER, ID);
	add_if(wire, type & PERF_SAMPLE_IP, IP);
	add_pair(wire, type & PERF_SAMPLE_TID, 11, 12);
	add_if(wire, type & PERF_SAMPLE_TIME, TIME);
	add_if(wire, type & PERF_SAMPLE_ADDR, ADDRESS);
	add_if(wire, type & PERF_SAMPLE_ID, ID);
	add_if(wire, type & PERF_SAMPLE_STREAM_ID, 0x1234);
	add_pair(wire, type & PERF_SAMPLE_CPU, 3, 0xffff);
	add_if(wire, type & PERF_SAMPLE_PERIOD, PERIOD);
}

static void make_sample(struct wire *wire, const struct perf_layout *layout)
{
	uint64_t type = layout->sample_type;

	begin(wire, PERF_RECORD_SAMPLE, MISC);
	add_front(wire, type);
	if (type & PERF_SAMPLE_READ)
		add_counters(wire, layout->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		add64(wire, sizeof(chain) / sizeof(*chain));
		add_bytes(wire, chain, sizeof(chain));
	}
	if (type & PERF_SAMPLE_RAW) {
		add32(wire, sizeof(raw));
		add_bytes(wire, raw, sizeof(raw));
	}
	if (type & PERF_SAMPLE_BRANCH_STACK)
		add_branches(wire, layout->branch_sample_type);
	if (type & PERF_SAMPLE_REGS_USER)
		add_regs(wire, layout->sample_regs_user);
	if (type & PERF_SAMPLE_STACK_USER)
		add_stack(wire);
	add_if(wire, type & PERF_SAMPLE_WEIGHT_TYPE, 0xaaaa);
	add_if(wire, type & PERF_SAMPLE_DATA_SRC, 0xbbbb);
	add_if(wire, type & PERF_SAMPLE_TRANSACTION, 0xcccc);
	if (type & PERF_SAMPLE_REGS_INTR)
		add_regs(wire, layout->sample_regs_intr);
	add_if(wire, type & PERF_SAMPLE_PHYS_ADDR, 0xdddd);
	add_if(wire, type & PERF_SAMPLE_CGROUP, CGROUP);
	add_if(wire, type & PERF_SAMPLE_DATA_PAGE_SIZE, 4096);
	add_if(wire, type & PERF_SAMPLE_CODE_PAGE_SIZE, 4096);
	if (type & PERF_SAMPLE_AUX) {
		add64(wire, 16);
		add64(wire, 1);
		add64(wire, 2);
	}
	set_size(wire, wire->size);
}

static void *copy_of(const struct wire *wire)
{
	size_t size = wire->size < 8 ? 8 : wire->size;
	void *copy = malloc(size);

	assert_non_null(copy);
	memcpy(copy, wire->bytes, size);
	return copy;
}

static void check_counters(const struct record_sample *sample, uint64_t format)
{
	unsigned count = format & PERF_FORMAT_GROUP ? 3 : 1;

	assert_int_equal(sample->counter_count, count);
	assert_int_equal(sample->enabled, format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 70 : 0);
	assert_int_equal(sample->running, format & PERF_FORMAT_TOTAL_TIME_RUNNING ? 60 : 0);
	for (unsigned i = 0; i < count; i++) {
		struct record_counter counter = record_sample_counter(sample, i);

		assert_int_equal(counter.value, 1000 + i);
		assert_int_equal(counter.id, format & PERF_FORMAT_ID ? 2000 + i : 0);
		assert_int_equal(counter.lost, format & PERF_FORMAT_LOST ? 3000 + i : 0);
	}
}

static void check_chain(const struct record_sample *sample, uint64_t type)
{
	if (!(type & PERF_SAMPLE_CALLCHAIN)) {
		assert_null(sample->chain);
		assert_int_equal(sample->chain_count, 0);
		return;
	}
	assert_int_equal(sample->chain_count, sizeof(chain) / sizeof(*chain));
	assert_memory_equal(sample->chain, chain, sizeof(chain));
}

static void check_regs(const struct record_sample *sample, uint64_t type, uint64_t mask)
{
	unsigned index = 0;

	assert_int_equal(sample->regs_mask, type & PERF_SAMPLE_REGS_USER ? mask : 0);
	assert_int_equal(sample->regs_abi,
			 type & PERF_SAMPLE_REGS_USER ? PERF_SAMPLE_REGS_ABI_64 : 0);
	for (unsigned i = 0; i < 64; i++) {
		if (sample->regs_mask >> i & 1)
			assert_int_equal(sample->regs[index++], 0x9000 + i);
	}
}

static void check_stack(const struct record_sample *sample, uint64_t type)
{
	if (!(type & PERF_SAMPLE_STACK_USER)) {
		assert_null(sample->stack);
		return;
	}
	assert_int_equal(sample->stack_asked, STACK);
	assert_int_equal(sample->stack_size, STACK_IS);
	for (unsigned i = 0; i < STACK; i++)
		assert_int_equal(sample->stack[i], i + 1);
}

static void check_sample(const struct record *record, const struct perf_layout *layout)
{
	const struct record_sample *sample = &record->sample;
	uint64_t type = layout->sample_type;

	assert_int_equal(record->kind, RECORD_SAMPLE);
	assert_int_equal(record->time, type & PERF_SAMPLE_TIME ? TIME : 0);
	assert_int_equal(record->pid, type & PERF_SAMPLE_TID ? 11 : UINT32_MAX);
	assert_int_equal(record->tid, type & PERF_SAMPLE_TID ? 12 : UINT32_MAX);
	assert_int_equal(record->cpu, type & PERF_SAMPLE_CPU ? 3 : UINT32_MAX);
	assert_int_equal(sample->misc, MISC);
	assert_int_equal(sample->ip, type & PERF_SAMPLE_IP ? IP : 0);
	assert_int_equal(sample->address, type & PERF_SAMPLE_ADDR ? ADDRESS : 0);
	assert_int_equal(sample->period, type & PERF_SAMPLE_PERIOD ? PERIOD : 0);
	assert_int_equal(sample->cgroup, type & PERF_SAMPLE_CGROUP ? CGROUP : 0);
	assert_int_equal(sample->event_id,
			 type & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER) ? ID : 0);
	if (type & PERF_SAMPLE_READ)
		check_counters(sample, layout->read_format);
	check_chain(sample, type);
	if (type & PERF_SAMPLE_RAW) {
		assert_int_equal(sample->raw_size, sizeof(raw));
		assert_memory_equal(sample->raw, raw, sizeof(raw));
	}
	check_regs(sample, type, layout->sample_regs_user);
	check_stack(sample, type);
}

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

static struct perf_layout layout_of(uint64_t type)
{
	struct perf_event_attr attr = {
		.sample_type = type,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX,
		.sample_regs_user = REGS,
		.sample_regs_intr = REGS << 1,
		.sample_id_all = 1,
	};
	struct perf_layout layout;

	perf_layout_of(&attr, &layout);
	return layout;
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

static struct perf_layout random_layout(uint64_t *seed)
{
	struct perf_layout layout = layout_of(next_random(seed) & ALL_BITS);

	layout.read_format = next_random(seed) % PERF_FORMAT_MAX;
	layout.branch_sample_type = next_random(seed) & PERF_SAMPLE_BRANCH_HW_INDEX;
	layout.sample_regs_user = (uint64_t)next_random(seed) << 32 | next_random(seed);
	layout.sample_regs_intr = next_random(seed);
	layout.sample_id_all = next_random(seed) % 2;
	return layout;
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

/* Every size but the right one is too short. */
static void test_truncated(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		struct perf_layout layout = random_layout(&seed);
		struct wire whole, wire;

		make_sample(&whole, &layout);
		for (size_t size = 0; size < whole.size; size++) {
			struct record record;
			void *bytes;

			wire = whole;
			set_size(&wire, size);
			bytes = copy_of(&wire);
			assert_int_equal(record_from_perf_layout(&layout, bytes, &record),
					 -EBADMSG);
			free(bytes);
		}
	}
}

/* Each 8 bytes of a sample in turn become a number that is too large for any count or size. */
static void test_huge_numbers(void **state)
{
	static const uint64_t huge[] = { UINT64_MAX, UINT64_MAX / 8 + 1, 1ull << 32, 8192,
					 UINT64_MAX / 24 + 1 };
	struct perf_layout layout = layout_of(ALL_BITS);
	unsigned refused = 0;
	struct wire whole, wire;

	(void)state;
	make_sample(&whole, &layout);
	for (size_t at = 8; at < whole.size; at += 8) {
		for (size_t i = 0; i < sizeof(huge) / sizeof(*huge); i++) {
			struct record record;
			void *bytes;

			wire = whole;
			memcpy(wire.bytes + at, &huge[i], 8);
			bytes = copy_of(&wire);
			refused += record_from_perf_layout(&layout, bytes, &record) == -EBADMSG;
			free(bytes);
		}
	}
	/* the counts of counters, chain, branches; the sizes of raw, stack (twice), AUX */
	assert_in_range(refused, 7 * 4, 7 * 5 + 4);
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

/* ---- the others ------------------------------------------------------------------------------- */

/* What sample_id_all appends. */
static void end(struct wire *wire, const struct perf_layout *layout)
{
	uint64_t type = layout->sample_id_all ? layout->sample_type : 0;

	add_pair(wire, type & PERF_SAMPLE_TID, 71, 72);
	add_if(wire, type & PERF_SAMPLE_TIME, TIME);
	add_if(wire, type & PERF_SAMPLE_ID, ID);
	add_if(wire, type & PERF_SAMPLE_STREAM_ID, 0x4321);
	add_pair(wire, type & PERF_SAMPLE_CPU, 5, 0);
	add_if(wire, type & PERF_SAMPLE_IDENTIFIER, ID);
	set_size(wire, wire->size);
}

/* To be freed by the caller. */
static void *decode(const struct wire *wire, const struct perf_layout *layout,
		    struct record *record)
{
	bool is_said = layout->sample_id_all;
	uint64_t type = layout->sample_type;
	void *bytes = copy_of(wire);

	memset(record, 0x5a, sizeof(*record));
	assert_int_equal(record_from_perf_layout(layout, bytes, record), 0);
	if (is_said && type & PERF_SAMPLE_TIME)
		assert_int_equal(record->time, TIME);
	assert_int_equal(record->cpu, is_said && type & PERF_SAMPLE_CPU ? 5 : UINT32_MAX);
	return bytes;
}

static void check_mmap(const struct perf_layout *layout, uint16_t misc, uint32_t protection)
{
	struct record record;
	struct wire wire;
	void *bytes;

	begin(&wire, PERF_RECORD_MMAP, misc);
	add_pair(&wire, 1, 101, 102);
	add64(&wire, 0x400000);
	add64(&wire, 0x2000);
	add64(&wire, 0x1000);
	add_string(&wire, "/bin/a");
	end(&wire, layout);
	bytes = decode(&wire, layout, &record);
	assert_int_equal(record.kind, RECORD_MMAP);
	assert_int_equal(record.pid, 101);
	assert_int_equal(record.tid, 102);
	assert_int_equal(record.mmap.start, 0x400000);
	assert_int_equal(record.mmap.length, 0x2000);
	assert_int_equal(record.mmap.file_offset, 0x1000);
	assert_int_equal(record.mmap.protection, protection);
	assert_int_equal(record.mmap.misc, misc);
	assert_int_equal(record.mmap.inode, 0);
	assert_string_equal(record.mmap.path, "/bin/a");
	free(bytes);
}

static void make_build_id(struct wire *wire, const struct perf_layout *layout, uint8_t size)
{
	uint8_t head[4] = { size };

	begin(wire, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID);
	add_pair(wire, 1, 101, 102);
	add64(wire, 0x400000);
	add64(wire, 0x2000);
	add64(wire, 0x1000);
	add_bytes(wire, head, 4);
	add_bytes(wire, "0123456789abcdefghij", 20);
	add_pair(wire, 1, PROT_READ, MAP_PRIVATE);
	add_string(wire, "/bin/a");
	end(wire, layout);
}

static void check_build_id(const struct perf_layout *layout)
{
	struct record record;
	struct wire wire;
	void *bytes;

	for (uint8_t size = 0; size <= RECORD_BUILD_ID; size++) {
		make_build_id(&wire, layout, size);
		bytes = decode(&wire, layout, &record);
		assert_int_equal(record.mmap.build_id_size, size);
		assert_memory_equal(record.mmap.build_id, "0123456789abcdefghij", size);
		assert_int_equal(record.mmap.protection, PROT_READ);
		assert_int_equal(record.mmap.inode, 0);
		assert_string_equal(record.mmap.path, "/bin/a");
		free(bytes);
	}
	make_build_id(&wire, layout, RECORD_BUILD_ID + 1);
	bytes = copy_of(&wire);
	assert_int_equal(record_from_perf_layout(layout, bytes, &record), -EBADMSG);
	free(bytes);
}

static void check_lost(const struct perf_layout *layout)
{
	bool has_id = layout->sample_id_all &&
		      layout->sample_type & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER);
	struct record record;
	struct wire wire;
	uint64_t id = 0;
	void *bytes;

	begin(&wire, PERF_RECORD_LOST_SAMPLES, 0);
	add64(&wire, 123);
	end(&wire, layout);
	bytes = decode(&wire, layout, &record);
	assert_int_equal(record.kind, RECORD_LOST_SAMPLES);
	assert_int_equal(record.lost.count, 123);
	assert_int_equal(record.lost.event_id, has_id ? ID : 0);
	assert_int_equal(perf_layout_event_id(layout, bytes, &id), has_id);
	assert_int_equal(id, has_id ? ID : 0);
	free(bytes);

	begin(&wire, PERF_RECORD_LOST, 0);
	add64(&wire, 77);
	add64(&wire, 456);
	end(&wire, layout);
	bytes = decode(&wire, layout, &record);
	assert_int_equal(record.kind, RECORD_LOST);
	assert_int_equal(record.lost.count, 456);
	assert_int_equal(record.lost.event_id, 77);
	free(bytes);
}

static void check_throttle(const struct perf_layout *layout, uint32_t type)
{
	struct record record;
	struct wire wire;
	void *bytes;

	begin(&wire, type, 0);
	add64(&wire, TIME);
	add64(&wire, 88);
	add64(&wire, 89);
	end(&wire, layout);
	bytes = decode(&wire, layout, &record);
	assert_int_equal(record.kind, RECORD_THROTTLE);
	assert_int_equal(record.time, TIME); /* its own, when there is no other */
	assert_int_equal(record.throttle.event_id, 88);
	assert_int_equal(record.throttle.is_end, type == PERF_RECORD_UNTHROTTLE);
	free(bytes);
}

static void check_task(const struct perf_layout *layout)
{
	struct record record;
	struct wire wire;
	void *bytes;

	begin(&wire, PERF_RECORD_FORK, 0);
	add_pair(&wire, 1, 301, 302);
	add_pair(&wire, 1, 303, 304);
	add64(&wire, TIME);
	end(&wire, layout);
	bytes = decode(&wire, layout, &record);
	assert_int_equal(record.kind, RECORD_FORK);
	assert_int_equal(record.time, TIME);
	assert_int_equal(record.pid, 301);
	assert_int_equal(record.tid, 303);
	assert_int_equal(record.fork.parent_pid, 302);
	assert_int_equal(record.fork.parent_tid, 304);
	free(bytes);
}

static void check_cgroup(const struct perf_layout *layout)
{
	struct record record;
	struct wire wire;
	void *bytes;

	begin(&wire, PERF_RECORD_CGROUP, 0);
	add64(&wire, CGROUP);
	add_string(&wire, "/user.slice");
	end(&wire, layout);
	bytes = decode(&wire, layout, &record);
	assert_int_equal(record.kind, RECORD_CGROUP);
	assert_int_equal(record.cgroup.id, CGROUP);
	assert_string_equal(record.cgroup.path, "/user.slice");
	free(bytes);
}

static void check_aux(const struct perf_layout *layout)
{
	bool has_tid = layout->sample_id_all && layout->sample_type & PERF_SAMPLE_TID;
	struct record record;
	struct wire wire;
	void *bytes;

	begin(&wire, PERF_RECORD_AUX, 0);
	add64(&wire, 0x10000);
	add64(&wire, 0x800);
	add64(&wire, PERF_AUX_FLAG_TRUNCATED);
	end(&wire, layout);
	bytes = decode(&wire, layout, &record);
	assert_int_equal(record.kind, RECORD_AUX);
	assert_int_equal(record.aux.offset, 0x10000);
	assert_int_equal(record.aux.size, 0x800);
	assert_int_equal(record.aux.flags, PERF_AUX_FLAG_TRUNCATED);
	assert_int_equal(record.tid, has_tid ? 72 : UINT32_MAX);
	free(bytes);

	begin(&wire, PERF_RECORD_ITRACE_START, 0);
	add_pair(&wire, 1, 21, 22);
	end(&wire, layout);
	bytes = decode(&wire, layout, &record);
	assert_int_equal(record.kind, RECORD_ITRACE_START);
	assert_int_equal(record.pid, 21);
	assert_int_equal(record.tid, 22);
	free(bytes);
}

static void check_switch(const struct perf_layout *layout, uint32_t type, uint16_t misc)
{
	bool has_tid = layout->sample_id_all && layout->sample_type & PERF_SAMPLE_TID;
	bool is_wide = type == PERF_RECORD_SWITCH_CPU_WIDE;
	struct record record;
	struct wire wire;
	void *bytes;

	begin(&wire, type, misc);
	add_pair(&wire, is_wide, 31, 32);
	end(&wire, layout);
	bytes = decode(&wire, layout, &record);
	assert_int_equal(record.kind, RECORD_SWITCH);
	assert_int_equal(record.pid, has_tid ? 71 : UINT32_MAX);
	assert_int_equal(record.switched.other_pid, is_wide ? 31 : UINT32_MAX);
	assert_int_equal(record.switched.other_tid, is_wide ? 32 : UINT32_MAX);
	assert_int_equal(record.switched.is_out, !!(misc & PERF_RECORD_MISC_SWITCH_OUT));
	assert_int_equal(record.switched.is_preempted,
			 !!(misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT));
	free(bytes);
}

static void check_others(const struct perf_layout *layout)
{
	check_mmap(layout, PERF_RECORD_MISC_USER, PROT_EXEC);
	check_mmap(layout, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA, PROT_READ);
	check_build_id(layout);
	check_lost(layout);
	check_throttle(layout, PERF_RECORD_THROTTLE);
	check_throttle(layout, PERF_RECORD_UNTHROTTLE);
	check_task(layout);
	check_cgroup(layout);
	check_aux(layout);
	check_switch(layout, PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT);
	check_switch(layout, PERF_RECORD_SWITCH_CPU_WIDE,
		     PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
	check_switch(layout, PERF_RECORD_SWITCH_CPU_WIDE, 0);
}

/* Every set of fields that the sample id can have, with and without it. */
static void test_every_sample_id(void **state)
{
	static const uint64_t bits[] = { PERF_SAMPLE_TID, PERF_SAMPLE_TIME,
					 PERF_SAMPLE_ID,  PERF_SAMPLE_STREAM_ID,
					 PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER };

	(void)state;
	for (unsigned set = 0; set < 1 << 6; set++) {
		uint64_t type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN;
		struct perf_layout layout;

		for (unsigned i = 0; i < 6; i++)
			type |= set >> i & 1 ? bits[i] : 0;
		layout = layout_of(type);
		assert_int_equal(perf_layout_id_size(&layout),
				 8 * __builtin_popcountll(type & ID_BITS));
		check_others(&layout);
		layout.sample_id_all = false;
		assert_int_equal(perf_layout_id_size(&layout), 0);
		check_others(&layout);
	}
}

static void test_unknown_types(void **state)
{
	static const uint32_t types[] = { 0,
					  PERF_RECORD_READ,
					  PERF_RECORD_NAMESPACES,
					  PERF_RECORD_BPF_EVENT,
					  PERF_RECORD_MAX,
					  68,
					  UINT32_MAX };
	struct perf_layout layout = layout_of(ALL_BITS);

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		struct record record;
		struct wire wire;
		void *bytes;

		begin(&wire, types[i], 0);
		end(&wire, &layout);
		bytes = copy_of(&wire);
		assert_int_equal(record_from_perf_layout(&layout, bytes, &record), -ENOMSG);
		free(bytes);
	}
}

static void mutate(struct wire *wire, uint64_t *seed)
{
	size_t size = wire->size;

	for (uint32_t changes = next_random(seed) % 8; changes; changes--)
		wire->bytes[next_random(seed) % size] = (unsigned char)next_random(seed);
	if (next_random(seed) % 4 == 0)
		wire->bytes[0] = (unsigned char)(next_random(seed) % 24);
	if (next_random(seed) % 3 == 0)
		size = next_random(seed) % (size / 8 + 4) * 8;
	set_size(wire, size);
}

/* Reads all a record points to, so that the address sanitizer sees it. */
static uint64_t touch(const struct record *record)
{
	const struct record_sample *sample = &record->sample;
	uint64_t sum = 0;

	if (record->kind != RECORD_SAMPLE)
		return 0;
	for (uint64_t i = 0; i < sample->chain_count; i++)
		sum += sample->chain[i];
	for (uint64_t i = 0; i < sample->stack_size; i++)
		sum += sample->stack[i];
	for (uint64_t i = 0; i < sample->raw_size; i++)
		sum += ((const uint8_t *)sample->raw)[i];
	for (uint64_t i = 0; i < sample->counter_count; i++)
		sum += record_sample_counter(sample, i).lost;
	for (int i = 0; i < __builtin_popcountll(sample->regs_mask); i++)
		sum += sample->regs[i];
	return sum;
}

static void test_mutations(void **state)
{
	unsigned decoded = 0, refused = 0;
	uint64_t seed = 31415926;
	uint64_t sum = 0;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		struct perf_layout layout = random_layout(&seed);
		struct record record;
		struct wire wire;
		void *bytes;
		int result;

		make_sample(&wire, &layout);
		mutate(&wire, &seed);
		bytes = copy_of(&wire);
		result = record_from_perf_layout(&layout, bytes, &record);
		assert_true(result == 0 || result == -EBADMSG || result == -ENOMSG);
		if (!result)
			sum += touch(&record);
		free(bytes);
		decoded += result == 0;
		refused += result == -EBADMSG;
	}
	assert_true(sum > 0);
	assert_true(decoded > 1000); /* or the mutations prove nothing */
	assert_true(refused > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_bit),      cmocka_unit_test(test_none_and_all),
		cmocka_unit_test(test_read_formats),  cmocka_unit_test(test_mixtures),
		cmocka_unit_test(test_truncated),     cmocka_unit_test(test_huge_numbers),
		cmocka_unit_test(test_no_registers),  cmocka_unit_test(test_unaligned_raw),
		cmocka_unit_test(test_kept_by_order), cmocka_unit_test(test_every_sample_id),
		cmocka_unit_test(test_unknown_types), cmocka_unit_test(test_mutations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A sample of every layout, as the kernel's perf_output_sample() writes it, and its check when it is decoded. */
#ifndef TRACER_PERF_SAMPLE_WIRE_H
#define TRACER_PERF_SAMPLE_WIRE_H

#include "perf_wire.h"
#include "random.h"
#include "record/perf_layout.h"

#define ALL_BITS (PERF_SAMPLE_MAX - 1)

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

static const uint64_t chain[] = { PERF_CONTEXT_KERNEL, 0xffffffff81000001, PERF_CONTEXT_USER,
				  0x401000, 0x402000 };
static const char raw[12] = "raw bytes..";

static inline void add_counters(struct wire *wire, uint64_t format)
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

static inline void add_branches(struct wire *wire, uint64_t branch_type)
{
	add64(wire, 2);
	add_if(wire, branch_type & PERF_SAMPLE_BRANCH_HW_INDEX, 5);
	for (unsigned i = 0; i < 6; i++)
		add64(wire, 0xb0 + i);
}

static inline void add_regs(struct wire *wire, uint64_t mask)
{
	add64(wire, PERF_SAMPLE_REGS_ABI_64);
	for (unsigned i = 0; i < 64; i++)
		add_if(wire, mask >> i & 1, 0x9000 + i);
}

static inline void add_stack(struct wire *wire)
{
	uint8_t stack[STACK];

	for (unsigned i = 0; i < STACK; i++)
		stack[i] = (uint8_t)(i + 1);
	add64(wire, STACK);
	add_bytes(wire, stack, STACK);
	add64(wire, STACK_IS);
}

static inline void add_front(struct wire *wire, uint64_t type)
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

static inline void make_sample(struct wire *wire, const struct perf_layout *layout)
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

static inline void check_counters(const struct record_sample *sample, uint64_t format)
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

static inline void check_chain(const struct record_sample *sample, uint64_t type)
{
	if (!(type & PERF_SAMPLE_CALLCHAIN)) {
		assert_null(sample->chain);
		assert_int_equal(sample->chain_count, 0);
		return;
	}
	assert_int_equal(sample->chain_count, sizeof(chain) / sizeof(*chain));
	assert_memory_equal(sample->chain, chain, sizeof(chain));
}

static inline void check_regs(const struct record_sample *sample, uint64_t type, uint64_t mask)
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

static inline void check_stack(const struct record_sample *sample, uint64_t type)
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

static inline void check_sample(const struct record *record, const struct perf_layout *layout)
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

static inline struct perf_layout layout_of(uint64_t type)
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

static inline struct perf_layout random_layout(uint64_t *seed)
{
	struct perf_layout layout = layout_of(next_random(seed) & ALL_BITS);

	layout.read_format = next_random(seed) % PERF_FORMAT_MAX;
	layout.branch_sample_type = next_random(seed) & PERF_SAMPLE_BRANCH_HW_INDEX;
	layout.sample_regs_user = (uint64_t)next_random(seed) << 32 | next_random(seed);
	layout.sample_regs_intr = next_random(seed);
	layout.sample_id_all = next_random(seed) % 2;
	return layout;
}

#endif

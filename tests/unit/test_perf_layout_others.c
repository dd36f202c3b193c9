// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Records that are no samples, with every sample id that can be behind them, and those of unknown types. */
#include "perf_sample_wire.h"

#include <errno.h>
#include <sys/mman.h>

#define ID_BITS                                                                        \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_sample_id),
		cmocka_unit_test(test_unknown_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

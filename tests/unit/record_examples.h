/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records as the tests of perf.data write them, and what a wire form decodes to. */
#ifndef TRACER_RECORD_EXAMPLES_H
#define TRACER_RECORD_EXAMPLES_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "record/perf_layout.h"

static const uint64_t chain[] = {
	PERF_CONTEXT_KERNEL, 0xffffffff81000010, PERF_CONTEXT_USER, 0x401234, 0x401010,
	0x7f0000001000
};
#define CHAIN (sizeof(chain) / sizeof(*chain))

static inline struct record make_sample(uint64_t time)
{
	return (struct record){
		.kind = RECORD_SAMPLE,
		.time = time,
		.pid = 100,
		.tid = 101,
		.cpu = 2,
		.sample = {
			.misc = PERF_RECORD_MISC_USER,
			.ip = 0x401234,
			.address = 0x7ffc00000000,
			.period = 777,
			.cgroup = 42,
			.chain = chain,
			.chain_count = CHAIN,
			.raw = "raw bytes 12",
			.raw_size = 12,
		},
	};
}

static inline struct record make_mmap(bool has_build_id)
{
	struct record record = {
		.kind = RECORD_MMAP,
		.time = 1000,
		.pid = 100,
		.tid = 100,
		.mmap = {
			.start = 0x400000,
			.length = 0x10000,
			.file_offset = 0x1000,
			.protection = PROT_READ | PROT_EXEC,
			.path = "/opt/none/app",
		},
	};

	if (!has_build_id) {
		record.mmap.inode = 0x1234;
		record.mmap.major = 8;
		record.mmap.minor = 1;
		return record;
	}
	record.mmap.build_id_size = RECORD_BUILD_ID;
	for (uint8_t i = 0; i < RECORD_BUILD_ID; i++)
		record.mmap.build_id[i] = (uint8_t)(0xa0 + i);
	return record;
}

static inline struct record make_comm(uint64_t time, uint32_t tid, const char *comm, bool is_exec)
{
	return (struct record){
		.kind = RECORD_COMM,
		.time = time,
		.pid = 100,
		.tid = tid,
		.comm = { .comm = comm, .is_exec = is_exec },
	};
}

static inline struct record make_task(enum record_kind kind, uint64_t time)
{
	return (struct record){
		.kind = kind,
		.time = time,
		.pid = 100,
		.tid = 101,
		.fork = { .parent_pid = 100, .parent_tid = 100 },
	};
}

static inline struct record decode(const struct perf_layout *layout, const void *bytes)
{
	struct record record;

	assert_int_equal(record_from_perf_layout(layout, bytes, &record), 0);
	return record;
}

#endif

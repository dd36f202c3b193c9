// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Side-band records, put together by hand as include/uapi/linux/perf_event.h has them, with the
 * sample id behind each. They are decoded from copies of exactly their size: the address
 * sanitizer sees reads beyond.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "record/from_perf.h"
#include "perf_wire.h"

#define HEADER	sizeof(struct perf_event_header)
#define TRAILER 24 /* pid, tid, time, cpu, reserved */
#define TIME	0x0102030405060708

/* Appends the sample id, and says how long it has become. */
static void end(struct wire *wire)
{
	add32(wire, 71);
	add32(wire, 72);
	add64(wire, TIME);
	add32(wire, 513);
	add32(wire, 0);
	set_size(wire, wire->size);
}

static void make_mmap2(struct wire *wire, const char *path)
{
	begin(wire, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	add32(wire, 101);
	add32(wire, 102);
	add64(wire, 0x7f1122334000);
	add64(wire, 0x1a000);
	add64(wire, 0x2000);
	add32(wire, 253);
	add32(wire, 9);
	add64(wire, 0x1122334455667788);
	add64(wire, 0xaaaaaaaa); /* generation */
	add32(wire, PROT_READ | PROT_EXEC);
	add32(wire, MAP_PRIVATE);
	add_string(wire, path);
	end(wire);
}

static void make_comm(struct wire *wire, uint16_t misc, const char *comm)
{
	begin(wire, PERF_RECORD_COMM, misc);
	add32(wire, 201);
	add32(wire, 202);
	add_string(wire, comm);
	end(wire);
}

static void make_task(struct wire *wire, uint32_t type)
{
	begin(wire, type, 0);
	add32(wire, 301);
	add32(wire, 302); /* parent's pid */
	add32(wire, 303);
	add32(wire, 304); /* parent's tid */
	add64(wire, 0xbbbbbbbbbbbbbbbb);
	end(wire);
}

static void make_ksymbol(struct wire *wire, uint16_t flags, const char *name)
{
	begin(wire, PERF_RECORD_KSYMBOL, 0);
	add64(wire, 0xffffffffc0123000);
	add32(wire, 0x234);
	add16(wire, PERF_RECORD_KSYMBOL_TYPE_BPF);
	add16(wire, flags);
	add_string(wire, name);
	end(wire);
}

static void make_lost(struct wire *wire)
{
	begin(wire, PERF_RECORD_LOST, 0);
	add64(wire, 0xcccccccccccccccc); /* the event's id */
	add64(wire, 0x123456789a);
	end(wire);
}

static const uint32_t all_types[] = { PERF_RECORD_MMAP2, PERF_RECORD_COMM,    PERF_RECORD_FORK,
				      PERF_RECORD_EXIT,	 PERF_RECORD_KSYMBOL, PERF_RECORD_LOST };

#define TYPES (sizeof(all_types) / sizeof(all_types[0]))

static void make(struct wire *wire, uint32_t type)
{
	if (type == PERF_RECORD_MMAP2)
		make_mmap2(wire, "/usr/lib/libc.so.6");
	else if (type == PERF_RECORD_COMM)
		make_comm(wire, 0, "worker");
	else if (type == PERF_RECORD_KSYMBOL)
		make_ksymbol(wire, 0, "bpf_prog_0123456789abcdef");
	else if (type == PERF_RECORD_LOST)
		make_lost(wire);
	else
		make_task(wire, type);
}

static const char *string_of(const struct record *record)
{
	if (record->kind == RECORD_MMAP)
		return record->mmap.path;
	if (record->kind == RECORD_COMM)
		return record->comm.comm;
	return record->kind == RECORD_KSYMBOL ? record->ksymbol.name : NULL;
}

/* A string lies within the record, and so does its end, before the sample id. */
static void check_string(const struct record *record, const char *bytes, size_t size)
{
	const char *string = string_of(record);

	if (!string)
		return;
	assert_true(string > bytes);
	assert_true(string + strlen(string) < bytes + size - TRAILER);
}

/* The result of decoding; the record is not kept. */
static int try_decode(const struct wire *wire)
{
	void *bytes = copy_of(wire);
	struct record record;
	int result = record_from_perf(bytes, &record);

	if (!result)
		check_string(&record, bytes, wire->size);
	free(bytes);
	return result;
}

/* The copy it points into is to be freed by the caller. */
static void *decode(const struct wire *wire, struct record *record)
{
	void *bytes = copy_of(wire);

	memset(record, 0x5a, sizeof(*record));
	assert_int_equal(record_from_perf(bytes, record), 0);
	assert_int_equal(record->time, TIME);
	assert_int_equal(record->cpu, 513);
	check_string(record, bytes, wire->size);
	return bytes;
}

static void test_mmap2(void **state)
{
	struct record record;
	struct wire wire;
	void *bytes;

	(void)state;
	make_mmap2(&wire, "/usr/lib/libc.so.6");
	bytes = decode(&wire, &record);
	assert_int_equal(record.kind, RECORD_MMAP);
	assert_int_equal(record.pid, 101);
	assert_int_equal(record.tid, 102);
	assert_int_equal(record.mmap.start, 0x7f1122334000);
	assert_int_equal(record.mmap.length, 0x1a000);
	assert_int_equal(record.mmap.file_offset, 0x2000);
	assert_int_equal(record.mmap.inode, 0x1122334455667788);
	assert_int_equal(record.mmap.major, 253);
	assert_int_equal(record.mmap.minor, 9);
	assert_int_equal(record.mmap.protection, PROT_READ | PROT_EXEC);
	assert_string_equal(record.mmap.path, "/usr/lib/libc.so.6");
	free(bytes);
}

/* From none to the longest there is: every number of padding bytes. */
static void test_mmap2_paths(void **state)
{
	char path[PATH_MAX] = "";
	struct record record;
	struct wire wire;

	(void)state;
	for (size_t length = 0; length < PATH_MAX; length += length < 32 ? 1 : 29) {
		void *bytes;

		memset(path, 'p', length);
		path[length] = 0;
		make_mmap2(&wire, path);
		bytes = decode(&wire, &record);
		assert_string_equal(record.mmap.path, path);
		free(bytes);
	}
}

static void check_comm(uint16_t misc, const char *comm, bool is_exec)
{
	struct record record;
	struct wire wire;
	void *bytes;

	make_comm(&wire, misc, comm);
	bytes = decode(&wire, &record);
	assert_int_equal(record.kind, RECORD_COMM);
	assert_int_equal(record.pid, 201);
	assert_int_equal(record.tid, 202);
	assert_string_equal(record.comm.comm, comm);
	assert_int_equal(record.comm.is_exec, is_exec);
	free(bytes);
}

static void test_comm(void **state)
{
	(void)state;
	check_comm(0, "worker", false);
	check_comm(PERF_RECORD_MISC_COMM_EXEC, "worker", true);
	check_comm(PERF_RECORD_MISC_USER, "worker", false);
	check_comm((uint16_t)~PERF_RECORD_MISC_COMM_EXEC, "123456789012345", false);
	check_comm(UINT16_MAX, "", true);
}

static void check_task(uint32_t type, enum record_kind kind)
{
	struct record record;
	struct wire wire;
	void *bytes;

	make_task(&wire, type);
	bytes = decode(&wire, &record);
	assert_int_equal(record.kind, kind);
	assert_int_equal(record.pid, 301);
	assert_int_equal(record.tid, 303);
	if (kind == RECORD_FORK) {
		assert_int_equal(record.fork.parent_pid, 302);
		assert_int_equal(record.fork.parent_tid, 304);
	}
	free(bytes);
}

static void test_fork(void **state)
{
	(void)state;
	check_task(PERF_RECORD_FORK, RECORD_FORK);
}

static void test_exit(void **state)
{
	(void)state;
	check_task(PERF_RECORD_EXIT, RECORD_EXIT);
}

static void check_ksymbol(uint16_t flags, bool is_unregister)
{
	struct record record;
	struct wire wire;
	void *bytes;

	make_ksymbol(&wire, flags, "bpf_prog_0123");
	bytes = decode(&wire, &record);
	assert_int_equal(record.kind, RECORD_KSYMBOL);
	assert_int_equal(record.pid, 0); /* what a kind does not have is zero */
	assert_int_equal(record.tid, 0);
	assert_int_equal(record.ksymbol.address, 0xffffffffc0123000);
	assert_int_equal(record.ksymbol.length, 0x234);
	assert_int_equal(record.ksymbol.is_unregister, is_unregister);
	assert_string_equal(record.ksymbol.name, "bpf_prog_0123");
	free(bytes);
}

static void test_ksymbol(void **state)
{
	(void)state;
	check_ksymbol(0, false);
	check_ksymbol(PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER, true);
	check_ksymbol(2, false);
}

static void test_lost(void **state)
{
	struct record record;
	struct wire wire;
	void *bytes;

	(void)state;
	make_lost(&wire);
	bytes = decode(&wire, &record);
	assert_int_equal(record.kind, RECORD_LOST);
	assert_int_equal(record.pid, 0); /* what a kind does not have is zero */
	assert_int_equal(record.tid, 0);
	assert_int_equal(record.lost.count, 0x123456789a);
	free(bytes);
}

/* Sizes that the kernel could write. 0 to 7 are less than what says so. */
static void check_truncated(uint32_t type)
{
	struct wire whole, wire;

	make(&whole, type);
	for (size_t size = 0; size < whole.size; size += size < HEADER ? 1 : 8) {
		wire = whole;
		set_size(&wire, size);
		assert_int_equal(try_decode(&wire), -EBADMSG);
	}
}

static void test_truncated_mmap2(void **state)
{
	(void)state;
	check_truncated(PERF_RECORD_MMAP2);
}

static void test_truncated_comm(void **state)
{
	(void)state;
	check_truncated(PERF_RECORD_COMM);
}

static void test_truncated_ksymbol(void **state)
{
	(void)state;
	check_truncated(PERF_RECORD_KSYMBOL);
}

static void test_truncated_fork(void **state)
{
	(void)state;
	check_truncated(PERF_RECORD_FORK);
}

static void test_truncated_exit(void **state)
{
	(void)state;
	check_truncated(PERF_RECORD_EXIT);
}

static void test_truncated_lost(void **state)
{
	(void)state;
	check_truncated(PERF_RECORD_LOST);
}

/* Sizes that are no multiple of 8 the kernel never writes: the sample id would be misaligned. */
static void test_truncated_unaligned(void **state)
{
	struct wire whole, wire;

	(void)state;
	for (size_t i = 0; i < TYPES; i++) {
		make(&whole, all_types[i]);
		for (size_t size = 0; size < whole.size; size++) {
			wire = whole;
			set_size(&wire, size);
			assert_int_equal(try_decode(&wire), -EBADMSG);
		}
	}
}

/* The zeros of the sample id behind it must not pass for the string's end. */
static void check_unterminated(uint32_t type, size_t string)
{
	struct wire wire;
	size_t sample_id;

	make(&wire, type);
	sample_id = wire.size - TRAILER;
	memset(wire.bytes + string, 'x', sample_id - string);
	assert_int_equal(try_decode(&wire), -EBADMSG);
	wire.bytes[sample_id - 1] = 0; /* the last place where it can end */
	assert_int_equal(try_decode(&wire), 0);
	memset(wire.bytes + sample_id, 'x', TRAILER);
	wire.bytes[sample_id - 1] = 'x';
	assert_int_equal(try_decode(&wire), -EBADMSG);
}

static void test_unterminated(void **state)
{
	(void)state;
	check_unterminated(PERF_RECORD_MMAP2, 72);
	check_unterminated(PERF_RECORD_COMM, 16);
	check_unterminated(PERF_RECORD_KSYMBOL, 24);
}

/* No room for any string at all: fixed part and sample id only. */
static void test_no_string(void **state)
{
	static const size_t fixed[] = { 72, 16, 24 };
	static const uint32_t types[] = { PERF_RECORD_MMAP2, PERF_RECORD_COMM,
					  PERF_RECORD_KSYMBOL };
	struct wire wire;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		make(&wire, types[i]);
		set_size(&wire, fixed[i] + TRAILER);
		memset(wire.bytes + fixed[i], 0, TRAILER);
		assert_int_equal(try_decode(&wire), -EBADMSG);
	}
}

static bool is_known(uint32_t type)
{
	for (size_t i = 0; i < TYPES; i++) {
		if (all_types[i] == type)
			return true;
	}
	/* those that our side-band events do not ask for: test_perf_layout_others.c */
	return type == PERF_RECORD_MMAP || type == PERF_RECORD_THROTTLE ||
	       type == PERF_RECORD_UNTHROTTLE || type == PERF_RECORD_SAMPLE ||
	       (type >= PERF_RECORD_AUX && type <= PERF_RECORD_SWITCH_CPU_WIDE) ||
	       type == PERF_RECORD_CGROUP;
}

static void test_unknown_type(void **state)
{
	struct wire wire;

	(void)state;
	for (uint32_t type = 0; type < 70000; type++) {
		if (is_known(type))
			continue;
		begin(&wire, type, 0);
		add64(&wire, 1);
		end(&wire);
		assert_int_equal(try_decode(&wire), -ENOMSG);
	}
	begin(&wire, UINT32_MAX, 0);
	end(&wire); /* nothing but the sample id, as PERF_RECORD_SWITCH has it */
	assert_int_equal(try_decode(&wire), -ENOMSG);
}

static void test_mutations(void **state)
{
	unsigned decoded = 0, refused = 0;
	uint64_t seed = 19991231;
	struct wire wire;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		int result;

		make(&wire, all_types[i % TYPES]);
		mutate(&wire, &seed);
		result = try_decode(&wire);
		assert_true(result == 0 || result == -EBADMSG || result == -ENOMSG);
		decoded += result == 0;
		refused += result == -EBADMSG;
	}
	assert_true(decoded > 1000); /* or the mutations prove nothing */
	assert_true(refused > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mmap2),
		cmocka_unit_test(test_mmap2_paths),
		cmocka_unit_test(test_comm),
		cmocka_unit_test(test_fork),
		cmocka_unit_test(test_exit),
		cmocka_unit_test(test_ksymbol),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_truncated_mmap2),
		cmocka_unit_test(test_truncated_comm),
		cmocka_unit_test(test_truncated_ksymbol),
		cmocka_unit_test(test_truncated_fork),
		cmocka_unit_test(test_truncated_exit),
		cmocka_unit_test(test_truncated_lost),
		cmocka_unit_test(test_unterminated),
		cmocka_unit_test(test_no_string),
		cmocka_unit_test(test_unknown_type),
		cmocka_unit_test(test_mutations),
		cmocka_unit_test(test_truncated_unaligned), /* last: the sanitizer may end it */
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

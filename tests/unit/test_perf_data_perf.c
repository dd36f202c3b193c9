// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The reader on files that perf itself records here, with many options: each sample that perf script prints
 * must be read, with the same pid, tid, time, period, event name, ip and call chain; none more. Skipped
 * where perf cannot record.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf_data/reader.h"
#include "perf_output.h"

/* It computes in two processes, and runs a third. */
#define WORK                                                                         \
	"sh -c 'i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done; ls / >/dev/null; " \
	"(i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done)'"

struct lines {
	char **line;
	size_t count;
};

static void add_line(struct lines *lines, const char *line)
{
	lines->line = reallocarray(lines->line, lines->count + 1, sizeof(*lines->line));
	assert_non_null(lines->line);
	lines->line[lines->count] = strdup(line);
	assert_non_null(lines->line[lines->count++]);
}

static void free_lines(struct lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		free(lines->line[i]);
	free(lines->line);
	*lines = (struct lines){};
}

static void check_lines(struct lines *got, struct lines *wanted)
{
	assert_true(wanted->count > 0);
	qsort(got->line, got->count, sizeof(*got->line), compare_lines);
	qsort(wanted->line, wanted->count, sizeof(*wanted->line), compare_lines);
	for (size_t i = 0; i < got->count && i < wanted->count; i++)
		assert_string_equal(got->line[i], wanted->line[i]);
	assert_int_equal(got->count, wanted->count);
	free_lines(got);
	free_lines(wanted);
}

/* ---- what perf says ----------------------------------------------------------------------------- */

static FILE *run_perf_script(const char *folder, const char *fields)
{
	return output_of("perf script -i %s/perf.data --ns --no-inline %s 2>%s/errors", folder,
			 fields, folder);
}

/* A line a sample. */
static void perf_lines(const char *folder, struct lines *lines)
{
	FILE *output = run_perf_script(folder, "-G -F pid,tid,time,period,event,ip");
	char *line;

	while ((line = next_line(output))) {
		add_line(lines, line);
		free(line);
	}
	assert_int_equal(pclose(output), 0);
}

/* A block a sample, with a line for each address, becomes one line. */
static void perf_chains(const char *folder, struct lines *lines)
{
	FILE *output = run_perf_script(folder, "-F pid,tid,time,ip");
	char *line = NULL, *block = strdup("");
	size_t room = 0;

	while (getline(&line, &room, output) > 0) {
		char *longer;

		bool is_address = isspace((unsigned char)*line) && *block;

		squeeze(line);
		if (is_address) /* and no name behind it */
			line[strcspn(line, " ")] = 0;
		if (!*line && *block) {
			add_line(lines, block);
			*block = 0;
		}
		if (!*line)
			continue;
		assert_true(asprintf(&longer, "%s%s%s", block, *block ? " " : "", line) > 0);
		free(block);
		block = longer;
	}
	assert_string_equal(block, "");
	free(block);
	free(line);
	assert_int_equal(pclose(output), 0);
}

/* ---- what we read ------------------------------------------------------------------------------- */

struct reading {
	struct perf_data_reader *reader;
	struct lines samples, chains;
	struct lines garbage;	/* what chains begin with that are none */
	uint64_t counted[4096]; /* by id: the last value of a counter */
	size_t stacks, raws, forks, comms, maps, rounds;
	uint64_t lost;
};

/* perf script makes of a sample with a group's counters a line for each of them that has grown. */
static void add_sample(struct reading *reading, const struct record *record, const char *name,
		       uint64_t period)
{
	char line[256];

	snprintf(line, sizeof(line), "%d/%d %" PRIu64 ".%09" PRIu64 ": %" PRIu64 " %s: %" PRIx64,
		 record->pid, record->tid, record->time / 1000000000, record->time % 1000000000,
		 period, name, record->sample.ip);
	add_line(&reading->samples, line);
}

static const char *name_of(const struct reading *reading, uint64_t id)
{
	const struct perf_data_events *events = perf_data_reader_events(reading->reader);

	for (size_t i = 0; i < events->count; i++) {
		for (size_t j = 0; j < events->events[i].id_count; j++) {
			if (events->events[i].ids[j] == id)
				return events->events[i].name;
		}
	}
	fail_msg("no event has the id %" PRIu64, id);
	return NULL;
}

static void add_counters(struct reading *reading, const struct record *record)
{
	for (uint64_t i = 0; i < record->sample.counter_count; i++) {
		struct record_counter counter = record_sample_counter(&record->sample, i);
		uint64_t *last = &reading->counted[counter.id % 4096];

		if (counter.value > *last)
			add_sample(reading, record, name_of(reading, counter.id),
				   counter.value - *last);
		*last = counter.value;
	}
}

static bool is_mark(uint64_t value)
{
	return value == PERF_CONTEXT_KERNEL || value == PERF_CONTEXT_USER;
}

/* Without frame pointers a chain can have anything in it; of those with what looks like a mark perf drops all, or some. */
static bool is_garbage(const struct record_sample *sample)
{
	for (uint64_t i = 0; i < sample->chain_count; i++) {
		if (sample->chain[i] >= PERF_CONTEXT_MAX && !is_mark(sample->chain[i]))
			return true;
	}
	return false;
}

static void add_chain(struct reading *reading, const struct record *record)
{
	const struct record_sample *sample = &record->sample;
	char line[8192];
	size_t used;

	used = (size_t)snprintf(line, sizeof(line), "%d/%d %" PRIu64 ".%09" PRIu64 ":", record->pid,
				record->tid, record->time / 1000000000, record->time % 1000000000);
	if (is_garbage(sample)) {
		add_line(&reading->garbage, line);
		return;
	}
	for (uint64_t i = 0; i < sample->chain_count; i++) {
		if (is_mark(sample->chain[i]))
			continue;
		used += (size_t)snprintf(line + used, sizeof(line) - used, " %" PRIx64,
					 sample->chain[i]);
		assert_true(used < sizeof(line));
	}
	add_line(&reading->chains, line);
}

static void take_sample(struct reading *reading, const struct record *record,
			const struct perf_data_event *event)
{
	if (record->sample.counter_count)
		add_counters(reading, record);
	else
		add_sample(reading, record, event->name, record->sample.period);
	if (record->sample.chain)
		add_chain(reading, record);
	reading->stacks += record->sample.stack_size > 0 && record->sample.regs;
	reading->raws += record->sample.raw_size > 0;
}

static int take(void *context, const struct perf_data_record *record)
{
	struct reading *reading = context;
	struct record decoded;
	int err;

	if (record->header->type >= PERF_DATA_FIRST_OWN) {
		assert_null(record->event);
		reading->rounds += record->header->type == PERF_DATA_RECORD_FINISHED_ROUND;
		return 0;
	}
	assert_non_null(record->event);
	err = perf_data_record_decode(record, &decoded);
	if (err == -ENOMSG)
		return 0;
	assert_int_equal(err, 0);
	if (decoded.kind == RECORD_SAMPLE)
		take_sample(reading, &decoded, record->event);
	reading->forks += decoded.kind == RECORD_FORK;
	reading->comms += decoded.kind == RECORD_COMM;
	reading->maps += decoded.kind == RECORD_MMAP;
	if (decoded.kind == RECORD_LOST || decoded.kind == RECORD_LOST_SAMPLES)
		reading->lost += decoded.lost.count;
	return 0;
}

static void read_path(const char *path, struct reading *reading)
{
	struct perf_data_error error;
	int err = perf_data_reader_open(path, &reading->reader, &error);

	if (err)
		fail_msg("%s: %s", path, error.text);
	if (perf_data_reader_run(reading->reader, take, reading, &error))
		fail_msg("%s: %s", path, error.text);
	assert_false(perf_data_reader_is_unfinished(reading->reader));
	perf_data_reader_close(reading->reader);
}

static void read_recording(const char *folder, struct reading *reading)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/perf.data", folder);
	*reading = (struct reading){};
	read_path(path, reading);
}

/* ---- recordings --------------------------------------------------------------------------------- */

static bool perf_record(const char *folder, const char *options)
{
	char command[4096];

	snprintf(command, sizeof(command), "cd %s && perf record %s >out 2>errors", folder,
		 options);
	return system(command) == 0;
}

/* perf script moves the addresses of a chain, as files are mapped: their places in pages stay. */
static void keep_page_offsets(struct lines *lines)
{
	for (size_t i = 0; i < lines->count; i++) {
		char *to = strrchr(lines->line[i], ':') + 1, *from = to;

		while (*from) {
			uint64_t address = strtoull(from, &from, 16) & 0xfff;
			char text[8];
			size_t length = (size_t)snprintf(text, sizeof(text), " %" PRIx64, address);

			memcpy(to, text, length);
			to += length;
		}
		*to = 0;
	}
}

/* One line that begins so. */
static void drop_line(struct lines *lines, const char *begin)
{
	for (size_t i = 0; i < lines->count; i++) {
		if (strncmp(lines->line[i], begin, strlen(begin)) != 0)
			continue;
		free(lines->line[i]);
		lines->line[i] = lines->line[--lines->count];
		return;
	}
	fail_msg("perf script has no sample %s", begin);
}

static void check_chains(const char *folder, struct reading *reading)
{
	struct lines wanted = {}, *chains = &reading->chains;

	perf_chains(folder, &wanted);
	for (size_t i = 0; i < reading->garbage.count; i++)
		drop_line(&wanted, reading->garbage.line[i]);
	keep_page_offsets(&wanted);
	keep_page_offsets(chains);
	check_lines(chains, &wanted);
}

/* Compares all that is read with what perf script prints. */
static void check_file(const char *folder, struct reading *reading)
{
	struct lines samples = {};

	read_recording(folder, reading);
	perf_lines(folder, &samples);
	if (reading->chains.count + reading->garbage.count == reading->samples.count)
		check_chains(folder, reading);
	check_lines(&reading->samples, &samples);
	free_lines(&reading->chains);
	free_lines(&reading->garbage);
	assert_true(reading->comms > 0);
	assert_true(reading->maps > 0);
	assert_int_equal(reading->lost, 0);
}

/* Skips the test when perf cannot record so. */
static void check(const char *options, struct reading *reading)
{
	char *folder = folder_new();
	bool is_recorded = perf_record(folder, options);

	if (is_recorded)
		check_file(folder, reading);
	folder_remove(folder);
	if (!is_recorded)
		skip();
}

static void test_default(void **state)
{
	struct reading reading;

	(void)state;
	check("-o perf.data -- " WORK, &reading);
	assert_true(reading.forks >= 2);
	assert_true(reading.rounds > 0);
}

static void test_frame_pointers(void **state)
{
	struct reading reading;

	(void)state;
	check("-F 999 -g -o perf.data -- " WORK, &reading);
	assert_int_equal(reading.stacks, 0);
}

/* perf script unwinds: its chains are not what was recorded, but the kernel's part. */
static void test_dwarf(void **state)
{
	struct lines samples = {};
	char *folder = folder_new();
	struct reading reading = {};
	bool is_recorded =
		perf_record(folder, "-F 499 --call-graph dwarf,4096 -o perf.data -- " WORK);

	(void)state;
	if (is_recorded) {
		read_recording(folder, &reading);
		perf_lines(folder, &samples);
		assert_true(reading.stacks > samples.count / 2);
		check_lines(&reading.samples, &samples);
		free_lines(&reading.chains);
		free_lines(&reading.garbage);
	}
	folder_remove(folder);
	if (!is_recorded)
		skip();
}

static void test_all_cpus(void **state)
{
	struct reading reading;

	(void)state;
	check("-a -g -F 999 -o perf.data -- " WORK, &reading);
}

static void test_several_events(void **state)
{
	struct reading reading;

	(void)state;
	check("-e cpu-clock,task-clock:u,context-switches,page-faults -d -o perf.data -- " WORK,
	      &reading);
}

static void test_several_layouts(void **state)
{
	struct reading reading;

	(void)state;
	check("-e cpu-clock/call-graph=fp/,page-faults/period=1,call-graph=no/,task-clock/freq=99/ "
	      "-o perf.data -- " WORK,
	      &reading);
}

static void test_group(void **state)
{
	struct reading reading;

	(void)state;
	check("-F 999 -e '{cpu-clock,task-clock}' -g -o perf.data -- " WORK, &reading);
}

static void test_group_sampling(void **state)
{
	struct reading reading;

	(void)state;
	check("-F 999 -e '{cpu-clock,task-clock}:S' -o perf.data -- " WORK, &reading);
}

static void test_every_field(void **state)
{
	struct reading reading;

	(void)state;
	check("-F 999 -s -d -W --phys-data --data-page-size --code-page-size --all-cgroups "
	      "--user-regs=ip --intr-regs=ip,sp -g -o perf.data -- " WORK,
	      &reading);
}

static void test_per_thread(void **state)
{
	struct reading reading;

	(void)state;
	check("--per-thread -T -F 999 -o perf.data -- " WORK, &reading);
}

static void test_no_inherit(void **state)
{
	struct reading reading;

	(void)state;
	check("-i -c 1000000 -e cpu-clock -o perf.data -- " WORK, &reading);
}

static void test_clock(void **state)
{
	struct reading reading;

	(void)state;
	check("-k mono -F 999 -o perf.data -- " WORK, &reading);
}

static void test_build_ids_in_maps(void **state)
{
	struct reading reading;

	(void)state;
	check("--buildid-mmap -F 999 -o perf.data -- " WORK, &reading);
}

static void test_compressed(void **state)
{
	struct reading reading;

	(void)state;
	check("-z -F 4999 -g -o perf.data -- " WORK, &reading);
}

static void test_compressed_dwarf_sizes(void **state)
{
	struct reading reading;

	(void)state;
	check("-z -m 8 -F 999 --user-regs=sp,ip -g -o perf.data -- " WORK, &reading);
}

static void test_piped(void **state)
{
	struct reading reading;

	(void)state;
	check("-F 999 -g -o - -- " WORK " > perf.data;:", &reading);
	assert_true(reading.forks >= 2);
}

static void test_piped_several(void **state)
{
	struct reading reading;

	(void)state;
	check("-e cpu-clock/name=one/,page-faults:u -o - -- " WORK " > perf.data;:", &reading);
}

static void test_tracepoint(void **state)
{
	struct reading reading;

	(void)state;
	check("-e sched:sched_switch,sched:sched_wakeup -a -g -o perf.data -- " WORK, &reading);
	assert_true(reading.raws > 0);
}

static void test_piped_tracepoint(void **state)
{
	struct reading reading;

	(void)state;
	check("-e sched:sched_switch -a -o - -- " WORK " > perf.data;:", &reading);
	assert_true(reading.raws > 0);
}

/* Through a pipe, nothing of which can be read twice. */
static void test_from_pipe(void **state)
{
	FILE *pipe = output_of("perf record -q -F 999 -o - -- %s 2>/dev/null", WORK);
	struct reading reading = {};
	char path[64];
	int first = fgetc(pipe);

	(void)state;
	if (first == EOF) {
		pclose(pipe);
		skip();
	}
	pclose(pipe);
	pipe = output_of("perf record -q -F 999 -o - -- %s 2>/dev/null", WORK);
	snprintf(path, sizeof(path), "/dev/fd/%d", fileno(pipe));
	read_path(path, &reading);
	pclose(pipe);
	assert_true(reading.samples.count > 0);
	free_lines(&reading.samples);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_default),
		cmocka_unit_test(test_frame_pointers),
		cmocka_unit_test(test_dwarf),
		cmocka_unit_test(test_all_cpus),
		cmocka_unit_test(test_several_events),
		cmocka_unit_test(test_several_layouts),
		cmocka_unit_test(test_group),
		cmocka_unit_test(test_group_sampling),
		cmocka_unit_test(test_every_field),
		cmocka_unit_test(test_per_thread),
		cmocka_unit_test(test_no_inherit),
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_build_ids_in_maps),
		cmocka_unit_test(test_compressed),
		cmocka_unit_test(test_compressed_dwarf_sizes),
		cmocka_unit_test(test_piped),
		cmocka_unit_test(test_piped_several),
		cmocka_unit_test(test_tracepoint),
		cmocka_unit_test(test_piped_tracepoint),
		cmocka_unit_test(test_from_pipe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

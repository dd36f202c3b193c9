// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Events and processes written as a perf.data file, and what a reader finds in it. */
#include "output_fixture.h"

#include <linux/perf_event.h>
#include <sys/mman.h>

#include "perf_data/own_sample.h"
#include "perf_data_file.h"
#include "record/record.h"

#define PID	 5000001
#define BASE	 0x400000ull
#define SHIFT	 0x1000ull /* file offset of the mapping */
#define MAX_SEEN 16

struct setting {
	struct fixture f;
	struct objects *objects;
	struct tasks *tasks;
	struct object *file;
	struct output output;
	const struct source_info *sources[3];
	char *path;
};

struct seen {
	struct record samples[MAX_SEEN];
	uint64_t chains[MAX_SEEN][16];
	struct own_sample own[MAX_SEEN];
	char names[MAX_SEEN][32];
	size_t count, comms, forks, rounds;
	uint64_t lost;
	struct record_mmap map;
	uint64_t map_time;
};

static void apply(struct setting *s, struct record record)
{
	assert_int_equal(tasks_apply(s->tasks, &record), 0);
}

/* This very program, so that it has a build id. */
static void map_program(struct setting *s, uint64_t time)
{
	struct stat status;
	char path[PATH_MAX];

	assert_int_equal(stat("/proc/self/exe", &status), 0);
	assert_non_null(realpath("/proc/self/exe", path));
	apply(s, (struct record){ .kind = RECORD_MMAP,
				  .time = time,
				  .pid = PID,
				  .tid = PID,
				  .mmap = { .start = BASE,
					    .length = 0x100000,
					    .file_offset = SHIFT,
					    .protection = PROT_READ | PROT_EXEC,
					    .path = path } });
	s->file = objects_file(s->objects, 0, 0, 0, path, 0, 0, 0);
	assert_non_null(s->file);
}

static void open_setting(struct setting *s, const char *path)
{
	memset(s, 0, sizeof(*s));
	fixture_open(&s->f);
	s->objects = objects_new();
	s->tasks = tasks_new(s->objects);
	assert_non_null(s->tasks);
	map_program(s, 1000);
	s->sources[0] = &s->f.sample;
	s->sources[1] = &s->f.uprobe;
	s->sources[2] = &s->f.offcpu;
	s->f.uprobe.number = 1;
	s->f.offcpu.number = 2;
	s->f.sample.has_perf_event = true;
	s->f.sample.perf_type = PERF_TYPE_SOFTWARE;
	s->output = (struct output){ .ops = &output_perf_data,
				     .config = s->f.config,
				     .symbolizer = s->f.symbolizer,
				     .tasks = s->tasks,
				     .file = fopen(path, "w") };
	s->output.config.sources = s->sources;
	s->output.config.source_count = 3;
	assert_non_null(s->output.file);
	assert_int_equal(output_perf_data.open(&s->output), 0);
}

static void finish(struct setting *s)
{
	assert_int_equal(output_perf_data.finish(&s->output, s->f.counts, &s->f.summary), 0);
	output_perf_data.close(&s->output);
	assert_int_equal(fclose(s->output.file), 0);
	tasks_free(s->tasks);
	objects_free(s->objects);
	fixture_close(&s->f);
}

static int see(void *context, const struct perf_data_record *from)
{
	struct seen *seen = context;
	struct record record;

	seen->rounds += from->header->type == PERF_DATA_RECORD_FINISHED_ROUND;
	if (from->header->type >= PERF_DATA_FIRST_OWN)
		return 0;
	assert_int_equal(perf_data_record_decode(from, &record), 0);
	seen->comms += record.kind == RECORD_COMM;
	seen->forks += record.kind == RECORD_FORK;
	if (record.kind == RECORD_LOST)
		seen->lost += record.lost.count;
	if (record.kind == RECORD_MMAP && record.pid == PID) {
		seen->map = record.mmap;
		seen->map.path = strdup(record.mmap.path);
		seen->map_time = record.time;
	}
	if (record.kind != RECORD_SAMPLE)
		return 0;
	assert_true(seen->count < MAX_SEEN);
	assert_true(record.sample.chain_count <= 16);
	memcpy(seen->chains[seen->count], record.sample.chain,
	       record.sample.chain_count * sizeof(uint64_t));
	assert_true(own_sample_decode(record.sample.raw, record.sample.raw_size,
				      &seen->own[seen->count]));
	snprintf(seen->names[seen->count], sizeof(seen->names[0]), "%s", from->event->name);
	seen->samples[seen->count++] = record;
	return 0;
}

static void read_back(const char *path, struct seen *seen)
{
	struct perf_data_error error = {};

	memset(seen, 0, sizeof(*seen));
	assert_int_equal(try_file(path, see, seen, &error), 0);
}

static struct frame at(struct setting *s, uint64_t address)
{
	return (struct frame){ .object = s->file, .offset = address - BASE + SHIFT };
}

static void put(struct setting *s, uint64_t time, const struct source_info *source,
		const struct record_event *record, const struct stack *user,
		const struct stack *kernel)
{
	const struct event event = { .time = time,
				     .pid = PID,
				     .tid = PID + 1,
				     .cpu = 3,
				     .record = record,
				     .source = source,
				     .user = user,
				     .kernel = kernel };

	assert_int_equal(output_perf_data.event(&s->output, &event), 0);
}

/* Leaves stand where they are, callers one less, what was interrupted too where it is. */
static void test_stacks(void **state)
{
	const struct record_event call = { .kind = REC_UPROBE, .arg = { 11, 12, 13, 14, 15, 16 } };
	const struct record_event sample = { .kind = REC_SAMPLE, .flags = EVENT_KERNEL_MODE };
	const struct record_event back = { .kind = REC_URETPROBE, .arg = { 7 } };
	const uint64_t user_chain[] = { PERF_CONTEXT_USER, BASE,	BASE + 0x1f,
					BASE + 0x30,	   BASE + 0x3f, 0x7fffffffe000 - 1 };
	struct frame frames[5];
	struct setting s;
	struct stack *user, *kernel;
	struct seen seen;

	open_setting(&s, *state);
	frames[0] = at(&s, BASE);
	frames[1] = at(&s, BASE + 0x20);
	frames[2] = at(&s, BASE + 0x30);
	frames[2].exact = true;
	frames[3] = at(&s, BASE + 0x40);
	frames[4] = unknown_frame(&s.f, 0x7fffffffe000);
	user = new_stack(STACK_USER, STACK_GUESS, 5, frames);
	kernel = usual_kernel_stack(&s.f);
	put(&s, 5000, &s.f.uprobe, &call, user, NULL);
	put(&s, 6000, &s.f.sample, &sample, user, kernel);
	s.f.uprobe.kind = REC_URETPROBE;
	put(&s, 7000, &s.f.uprobe, &back, user, NULL);
	finish(&s);
	read_back(*state, &seen);
	assert_int_equal(seen.count, 3);
	assert_int_equal(seen.samples[0].sample.chain_count, 6);
	assert_memory_equal(seen.chains[0], user_chain, sizeof(user_chain));
	assert_true(seen.samples[0].sample.ip == BASE);
	assert_int_equal(seen.samples[0].sample.misc & PERF_RECORD_MISC_CPUMODE_MASK,
			 PERF_RECORD_MISC_USER);
	assert_string_equal(seen.names[0], "prog:probed_leaf");
	assert_int_equal(seen.own[0].user, STACK_GUESS);
	assert_int_equal(seen.own[0].value[5], 16);
	assert_int_equal(seen.own[0].exact_count, 1);
	assert_int_equal(seen.own[0].exact[0], 2);
	/* the kernel's first */
	assert_int_equal(seen.samples[1].sample.chain_count, 9);
	assert_true(seen.chains[1][0] == PERF_CONTEXT_KERNEL);
	assert_true(seen.chains[1][1] == kernel->frame[0].offset);
	assert_true(seen.chains[1][2] == kernel->frame[1].offset - 1);
	assert_memory_equal(seen.chains[1] + 3, user_chain, sizeof(user_chain));
	assert_true(seen.samples[1].sample.ip == kernel->frame[0].offset);
	assert_int_equal(seen.samples[1].sample.misc & PERF_RECORD_MISC_CPUMODE_MASK,
			 PERF_RECORD_MISC_KERNEL);
	assert_int_equal(seen.samples[1].sample.period, 10101010);
	assert_int_equal(seen.own[1].kernel, STACK_COMPLETE);
	assert_int_equal(seen.own[1].flags, EVENT_KERNEL_MODE);
	/* the function is gone: its leaf is a caller */
	assert_true(seen.chains[2][1] == BASE - 1);
	assert_int_equal(seen.own[2].value[0], 7);
	assert_int_equal(seen.lost, 3);
	free((char *)seen.map.path);
	free(user);
	free(kernel);
}

static void test_processes(void **state)
{
	const struct record_event wait = { .kind = REC_OFFCPU, .blocked_ns = 12345 };
	struct setting s;
	struct seen seen;

	open_setting(&s, *state);
	apply(&s, (struct record){ .kind = RECORD_COMM,
				   .time = 2000,
				   .pid = PID,
				   .tid = PID,
				   .comm = { .comm = "x" } });
	apply(&s, (struct record){ .kind = RECORD_FORK,
				   .time = 3000,
				   .pid = PID + 1,
				   .tid = PID + 1,
				   .fork = { .parent_pid = PID, .parent_tid = PID } });
	put(&s, 4000, &s.f.offcpu, &wait, NULL, NULL);
	put(&s, 9000000000, &s.f.offcpu, &wait, NULL, NULL);
	finish(&s);
	read_back(*state, &seen);
	assert_int_equal(seen.comms, 1);
	assert_int_equal(seen.forks, 1);
	assert_true(seen.rounds >= 1);
	assert_true(seen.map.start == BASE && seen.map.file_offset == SHIFT);
	assert_true(seen.map_time == 1000);
	assert_int_equal(seen.map.build_id_size, 20);
	assert_int_equal(seen.samples[0].sample.period, 12345);
	assert_string_equal(seen.names[0], "offcpu-time");
	assert_int_equal(seen.samples[0].sample.chain_count, 0);
	free((char *)seen.map.path);
}

static void test_full_disk(void **state)
{
	const struct record_event record = { .kind = REC_UPROBE };
	const struct source_info *sources[1];
	struct event event = { .time = 1, .record = &record };
	struct fixture f;

	(void)state;
	fixture_open(&f);
	event.source = sources[0] = &f.uprobe;
	f.config.sources = sources;
	f.config.source_count = 1;
	assert_int_equal(print_to_full_disk(&f, &output_perf_data, &event), -ENOSPC);
	fixture_close(&f);
}

static void test_pipe(void **state)
{
	struct output output = { .ops = &output_perf_data };
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	output.file = fdopen(ends[1], "w");
	assert_non_null(output.file);
	assert_int_equal(output_perf_data.open(&output), -ESPIPE);
	output_perf_data.close(&output);
	fclose(output.file);
	close(ends[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FILE_TEST(test_stacks),
		FILE_TEST(test_processes),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_pipe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

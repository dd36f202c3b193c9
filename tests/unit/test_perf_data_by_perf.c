// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Files of ours read by perf, which must say exactly what was put in. Skipped where there is no perf. */
#include "perf_data_recording.h"

#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "perf_output.h"
#include "ring/perf_ring.h"

/* Kernel addresses have names of the machine that reads: they are left out. */
static void expect_sample(FILE *output, unsigned i)
{
	char wanted[128], *line;

	snprintf(wanted, sizeof(wanted), "worker 100/101 [002] 5.%09llu: 777 %s:", i * STEP,
		 event_names[i % 3]);
	expect_line(output, wanted);
	line = next_line(output);
	assert_non_null(line);
	assert_int_equal(strncmp(line, "ffffffff81000010 ", 17), 0);
	assert_non_null(strstr(line, "([kernel.kallsyms])"));
	free(line);
	expect_line(output, "2234 [unknown] (/opt/none/app)");
	expect_line(output, "2010 [unknown] (/opt/none/app)");
	expect_line(output, "7f0000001000 [unknown] ([unknown])");
}

#define SCRIPT "perf script -i %s --ns -F comm,pid,tid,cpu,time,period,event,ip,sym,dso 2>/dev/null"

static void test_perf_script(void **state)
{
	FILE *output;

	need_perf();
	write_recording(*state, true);
	output = output_of(SCRIPT, (char *)*state);
	for (unsigned i = 0; i < SAMPLES; i++)
		expect_sample(output, i);
	assert_null(next_line(output));
	assert_int_equal(pclose(output), 0);
}

static bool has_line(const char *path, const char *command, const char *wanted)
{
	FILE *output = output_of("%s -i %s 2>&1", command, path);
	bool found = false;
	char *line;

	while ((line = next_line(output))) {
		found |= strstr(line, wanted) != NULL;
		free(line);
	}
	pclose(output);
	return found;
}

static void test_perf_header(void **state)
{
	static const char *const wanted[] = {
		"# hostname : some-host",
		"# os release : 6.1.0-test",
		"# perf version : 1.2.3",
		"# arch : x86_64",
		"# nrcpus online : 6",
		"# nrcpus avail : 8",
		"# total memory : 12345678 kB",
		"# cmdline : tracer --profile -o a file.data",
		"# event : name = cpu-clock",
		"# event : name = app:handle",
		"# event : name = off-cpu",
		"# time of first sample : 5.000000",
		"# time of last sample : 5.039000",
		"# clockid: monotonic (1)",
	};

	need_perf();
	write_recording(*state, true);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		if (!has_line(*state, "perf report --header-only", wanted[i]))
			fail_msg("no \"%s\"", wanted[i]);
	}
}

static void test_perf_report(void **state)
{
	need_perf();
	write_recording(*state, true);
	assert_true(has_line(*state, "perf report --stdio --no-children -g none",
			     "# Samples: 14 of event 'cpu-clock'"));
	assert_true(has_line(*state, "perf report --stdio --no-children -g none",
			     "# Samples: 13 of event 'off-cpu'"));
	assert_true(has_line(*state, "perf report --stdio --no-children -g none --sort comm",
			     "100.00% worker"));
}

static void test_perf_build_ids(void **state)
{
	FILE *output;

	need_perf();
	write_recording(*state, true);
	output = output_of("perf buildid-list -i %s 2>/dev/null", (char *)*state);
	expect_line(output, "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3 /opt/none/app");
	expect_line(output, "0102030405060708 /opt/none/small.so");
	assert_null(next_line(output));
	assert_int_equal(pclose(output), 0);
}

/* The lines of an output that say something. */
static unsigned count_lines(FILE *output)
{
	unsigned count = 0;
	char *line;

	while ((line = next_line(output))) {
		count++;
		free(line);
	}
	return count;
}

/* perf reads it, which it does not with its own. */
static void test_perf_unfinished(void **state)
{
	FILE *output;

	need_perf();
	write_recording(*state, false);
	output = output_of("perf script -i %s -G -F time,event 2>/dev/null", (char *)*state);
	assert_int_equal(count_lines(output), SAMPLES);
	pclose(output);
}

static void test_perf_aux(void **state)
{
	FILE *output;

	need_perf();
	write_aux(*state);
	output = output_of("perf script --no-itrace -i %s -G -F time,event 2>/dev/null",
			   (char *)*state);
	assert_int_equal(count_lines(output), AUX_PIECES);
	assert_int_equal(pclose(output), 0);
}

/* ---- records of the kernel ------------------------------------------------------------------------ */

static int open_event(uint64_t config, uint64_t *id, struct perf_event_attr *attr)
{
	int fd;

	*attr = make_attr(config);
	attr->size = sizeof(*attr);
	attr->sample_period = 200000; /* ns */
	attr->exclude_kernel = 1;
	fd = (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		assert_int_equal(ioctl(fd, PERF_EVENT_IOC_ID, id), 0);
	return fd;
}

static void compute(unsigned ms)
{
	clock_t end = clock() + (clock_t)ms * CLOCKS_PER_SEC / 1000;

	while (clock() < end)
		;
}

struct copying {
	struct perf_data_writer *writer;
	struct perf_layout layout;
	char *line[20000]; /* that perf script is to print */
	unsigned count;
};

static int copy_record(void *context, const struct perf_event_header *header)
{
	struct copying *copying = context;
	struct record record;
	char *line;

	assert_int_equal(perf_data_writer_put_raw(copying->writer, header), 0);
	if (header->type != PERF_RECORD_SAMPLE)
		return 0;
	record = decode(&copying->layout, header);
	assert_true(copying->count < 20000);
	assert_true(asprintf(&line, "%u/%u %llu.%09llu: %llu %s: %llx", record.pid, record.tid,
			     (unsigned long long)record.time / 1000000000,
			     (unsigned long long)record.time % 1000000000,
			     (unsigned long long)record.sample.period,
			     record.sample.event_id == 0 ? "?" : "EVENT",
			     (unsigned long long)record.sample.ip) > 0);
	copying->line[copying->count++] = line;
	return 0;
}

/* Names differ, so that the second event is told from the first; here both become EVENT. */
static void unify_name(char *line, unsigned *firsts, unsigned *seconds)
{
	static const char *const names[] = { "one", "two" };
	unsigned *counts[] = { firsts, seconds };

	for (size_t i = 0; i < 2; i++) {
		char *name = strstr(line, names[i]);

		if (!name)
			continue;
		(*counts[i])++;
		memmove(name + 5, name + 3, strlen(name + 3) + 1);
		memcpy(name, "EVENT", 5);
		return;
	}
}

static void check_copy(const char *path, struct copying *copying)
{
	FILE *output = output_of("perf script -i %s -G --ns -F pid,tid,time,period,event,ip "
				 "2>/dev/null",
				 path);
	unsigned firsts = 0, seconds = 0;
	char *lines[20000], *line;
	unsigned count = 0;

	while ((line = next_line(output))) {
		char longer[256];

		snprintf(longer, sizeof(longer), "%s", line);
		free(line);
		unify_name(longer, &firsts, &seconds);
		assert_true(count < 20000);
		lines[count++] = strdup(longer);
	}
	assert_int_equal(pclose(output), 0);
	assert_int_equal(count, copying->count);
	qsort(lines, count, sizeof(*lines), compare_lines);
	qsort(copying->line, count, sizeof(*lines), compare_lines);
	for (unsigned i = 0; i < count; i++) {
		assert_string_equal(lines[i], copying->line[i]);
		free(lines[i]);
		free(copying->line[i]);
	}
	assert_true(firsts > 10 && seconds > 10);
}

/* Two events of our own thread in one ring: their records are copied as they are. */
static void test_from_ring(void **state)
{
	static struct copying copying;
	struct perf_event_attr attrs[2];
	struct perf_data_info info = make_info();
	struct perf_ring *ring;
	uint64_t ids[2];
	FILE *file;
	int fds[2];

	need_perf();
	fds[0] = open_event(PERF_COUNT_SW_CPU_CLOCK, &ids[0], &attrs[0]);
	if (fds[0] < 0)
		skip();
	fds[1] = open_event(PERF_COUNT_SW_TASK_CLOCK, &ids[1], &attrs[1]);
	assert_true(fds[1] >= 0);
	assert_int_equal(perf_ring_open(fds[0], 1 << 20, &ring), 0);
	assert_int_equal(ioctl(fds[1], PERF_EVENT_IOC_SET_OUTPUT, fds[0]), 0);
	compute(300);
	ioctl(fds[0], PERF_EVENT_IOC_DISABLE, 0);
	ioctl(fds[1], PERF_EVENT_IOC_DISABLE, 0);
	file = fopen(*state, "w");
	assert_non_null(file);
	copying.count = 0;
	perf_layout_of(&attrs[0], &copying.layout);
	assert_int_equal(perf_data_writer_new(file, &copying.writer), 0);
	assert_int_equal(perf_data_writer_add_event(copying.writer, &attrs[0], "one", &ids[0], 1),
			 0);
	assert_int_equal(perf_data_writer_add_event(copying.writer, &attrs[1], "two", &ids[1], 1),
			 0);
	assert_true(perf_ring_consume(ring, copy_record, &copying) > 0);
	assert_int_equal(perf_data_writer_finish(copying.writer, &info), 0);
	perf_data_writer_free(copying.writer);
	fclose(file);
	perf_ring_close(ring);
	close(fds[0]);
	close(fds[1]);
	check_copy(*state, &copying);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FILE_TEST(test_perf_script),	 FILE_TEST(test_perf_header),
		FILE_TEST(test_perf_report),	 FILE_TEST(test_perf_build_ids),
		FILE_TEST(test_perf_unfinished), FILE_TEST(test_perf_aux),
		FILE_TEST(test_from_ring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

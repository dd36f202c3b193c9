// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads the AUX area of the test PMU (tests/vm/pmu), by the tracer's own readers, and accounts for every
 * word that the PMU made: it was read in its place, or it is missing exactly where a record says TRUNCATED.
 *
 *   aux_count [OPTION]... WORDS       until the PMU has made that many
 *
 *   -s         snapshot mode: one snapshot each WORDS, which must be the last words made, without a gap
 *   -n COUNT   snapshots (2)
 *   -o         in snapshot mode, the PMU's head starts again at the area's end
 *   -t         trace a child that runs and sleeps by turns, on whichever CPU; else CPU 0
 *   -a KIB     of AUX area (64)       -m KIB   of ring (64)
 *   -w WORDS   a tick (64)            -i US    a tick (500)
 *   -f FLAGS   PERF_AUX_FLAG_*, put on each so manyth record: -e COUNT (1)
 *   -r BYTES   most read a round (the area's size)
 *   -d MS      slept after each round (0: until the kernel wakes, or 3 s)
 *
 * Prints what it found, NAME VALUE a line. Exit status: 0, 1 when something is not accounted for (said on
 * stderr), 2 usage, 77 when there is no such PMU.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include "record/perf_layout.h"
#include "ring/aux_ring.h"
#include "ring/perf_ring.h"
#include "workload.h"

#define PMU	    "/sys/bus/event_source/devices/tracer_test/"
#define MOST_PLACES 65536
#define TIME_LIMIT  120 /* s; what takes longer hangs */

struct options {
	enum aux_mode mode;
	bool offset_head, task;
	unsigned snapshots, delay;
	size_t area, ring, most;
	uint64_t words_a_tick, interval, flags, every, words;
};

/* Positions in bytes, ascending. */
struct places {
	size_t count;
	uint64_t at[MOST_PLACES];
};

struct run {
	const struct options *options;
	int fd;
	pid_t child;
	struct perf_ring *ring;
	struct aux_ring *aux;
	/* from the area */
	uint64_t last_word; /* 0 before the first */
	uint64_t words_read, words_missing, bytes;
	uint64_t next_position;
	struct places gaps;
	/* from records */
	uint64_t records, record_bytes, next_offset, flagged;
	uint64_t seen_truncated, seen_partial, seen_collision;
	uint64_t itrace_starts, lost_records, other_records;
	struct places truncated;
	unsigned wrong;
};

__attribute__((format(printf, 2, 3))) static void wrong(struct run *run, const char *format, ...)
{
	va_list arguments;

	if (++run->wrong > 20)
		return;
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

static void die(const char *what, int err)
{
	fprintf(stderr, "aux_count: %s: %s\n", what, strerror(-err));
	exit(1);
}

static void add_place(struct run *run, struct places *places, uint64_t position)
{
	if (places->count == MOST_PLACES)
		wrong(run, "more gaps than can be kept");
	else
		places->at[places->count++] = position;
}

static uint64_t number_in(const char *path)
{
	FILE *file = fopen(path, "re");
	unsigned long long number;

	if (!file) {
		fprintf(stderr, "aux_count: no %s: the test PMU is not loaded\n", path);
		exit(77);
	}
	if (fscanf(file, "%llu", &number) != 1)
		die(path, -EINVAL);
	fclose(file);
	return number;
}

/* ---- what is read ----------------------------------------------------------------------------- */

static void take_word(struct run *run, uint64_t position, uint64_t word)
{
	if (word <= run->last_word) {
		wrong(run, "byte %llu: word %llu after %llu", (unsigned long long)position,
		      (unsigned long long)word, (unsigned long long)run->last_word);
	} else if (word > run->last_word + 1) {
		add_place(run, &run->gaps, position);
		run->words_missing += word - run->last_word - 1;
	}
	run->last_word = word;
	run->words_read++;
}

static int take_span(void *context, const struct aux_span *span)
{
	struct run *run = context;
	uint64_t position = span->from;

	if (span->from != run->next_position)
		wrong(run, "a span at %llu instead of %llu", (unsigned long long)span->from,
		      (unsigned long long)run->next_position);
	if (span->to - span->from > run->options->most)
		wrong(run, "more bytes in one round than asked for");
	for (int i = 0; i < 2; i++) {
		const uint64_t *words = span->piece[i].data;

		for (size_t n = 0; n < span->piece[i].size / 8; n++, position += 8)
			take_word(run, position, words[n]);
	}
	if (position != span->to)
		wrong(run, "the pieces of [%llu, %llu) end at %llu", (unsigned long long)span->from,
		      (unsigned long long)span->to, (unsigned long long)position);
	run->next_position = span->to;
	run->bytes += span->to - span->from;
	return 0;
}

static void take_aux(struct run *run, const struct record_aux *aux)
{
	bool full = run->options->mode == AUX_FULL;

	if (full && aux->offset != run->next_offset)
		wrong(run, "a record about %llu instead of %llu", (unsigned long long)aux->offset,
		      (unsigned long long)run->next_offset);
	if (full == !!(aux->flags & PERF_AUX_FLAG_OVERWRITE))
		wrong(run, "OVERWRITE is not what the mode is");
	run->next_offset = aux->offset + aux->size;
	run->records++;
	run->record_bytes += aux->size;
	run->seen_truncated += !!(aux->flags & PERF_AUX_FLAG_TRUNCATED);
	run->seen_partial += !!(aux->flags & PERF_AUX_FLAG_PARTIAL);
	run->seen_collision += !!(aux->flags & PERF_AUX_FLAG_COLLISION);
	if (aux->flags & PERF_AUX_FLAG_TRUNCATED)
		add_place(run, &run->truncated, run->next_offset);
	aux_ring_note(run->aux, aux->flags);
}

static int take_record(void *context, const struct perf_event_header *header)
{
	const struct perf_layout bare = { 0 }; /* the event asks for nothing */
	struct run *run = context;
	struct record record;
	int err = record_from_perf_layout(&bare, header, &record);

	if (!err && record.kind == RECORD_AUX)
		take_aux(run, &record.aux);
	else if (!err && record.kind == RECORD_ITRACE_START)
		run->itrace_starts++;
	else if (!err && record.kind == RECORD_LOST)
		run->lost_records++;
	else
		run->other_records++;
	return 0;
}

/* ---- the event -------------------------------------------------------------------------------- */

static uint64_t now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* Runs 3 ms, sleeps 1 ms. */
static pid_t start_child(void)
{
	pid_t child = fork();

	if (child < 0)
		die("fork", -errno);
	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		uint64_t until = now_ms() + 3;

		while (now_ms() < until)
			;
		usleep(1000);
	}
}

/* The fields are where the PMU's "format" says; the live test compares. */
static int open_event(const struct options *options, pid_t pid)
{
	struct perf_event_attr attr = {
		.type = (uint32_t)number_in(PMU "type"),
		.size = sizeof(attr),
		.config = options->words_a_tick | options->interval << 16,
		.config1 = options->flags | options->every << 16 |
			   (uint64_t)options->offset_head << 32,
		.disabled = 1,
	};
	long fd = syscall(SYS_perf_event_open, &attr, pid, pid < 0 ? 0 : -1, -1,
			  PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		die("perf_event_open", -errno);
	return (int)fd;
}

static void control(const struct run *run, unsigned long request)
{
	if (ioctl(run->fd, request, 0))
		die("ioctl", -errno);
}

static uint64_t words_made(const struct run *run)
{
	uint64_t count;

	if (read(run->fd, &count, sizeof(count)) != sizeof(count))
		die("read", -errno);
	return count;
}

static void wait_for_more(const struct run *run)
{
	struct pollfd poll_fd = { .fd = run->fd, .events = POLLIN };

	if (run->options->delay)
		usleep(run->options->delay * 1000);
	else
		poll(&poll_fd, 1, 3000);
}

static void read_ring(struct run *run)
{
	int count = perf_ring_consume(run->ring, take_record, run);

	if (count < 0)
		die("ring", count);
}

/* One round. What was read of the area, in bytes. */
static ssize_t read_once(struct run *run)
{
	ssize_t size;

	read_ring(run);
	size = aux_ring_read(run->aux, run->options->most, take_span, run);
	if (size < 0)
		die("AUX area", (int)size);
	return size;
}

/* ---- full mode -------------------------------------------------------------------------------- */

static void read_until(struct run *run, uint64_t words)
{
	uint64_t until = now_ms() + 1000 * TIME_LIMIT;

	while (words_made(run) < words) {
		int err;

		read_once(run);
		err = aux_ring_resume(run->aux);
		if (err)
			die("resume", err);
		if (now_ms() > until) {
			wrong(run, "hangs at word %llu", (unsigned long long)words_made(run));
			return;
		}
		wait_for_more(run);
	}
}

static bool has_place(const struct places *places, uint64_t position)
{
	for (size_t i = 0; i < places->count; i++) {
		if (places->at[i] == position)
			return true;
	}
	return false;
}

static void check_gaps(struct run *run)
{
	for (size_t i = 0; i < run->gaps.count; i++) {
		if (!has_place(&run->truncated, run->gaps.at[i]))
			wrong(run, "byte %llu: words are missing, and no record says so",
			      (unsigned long long)run->gaps.at[i]);
	}
}

static void run_full(struct run *run, uint64_t lost_before)
{
	uint64_t made, lost;

	read_until(run, run->options->words);
	control(run, PERF_EVENT_IOC_DISABLE);
	while (read_once(run))
		;
	made = words_made(run);
	lost = number_in(PMU "words_lost") - lost_before;
	if (made > run->last_word) { /* lost when nothing could follow any more */
		add_place(run, &run->gaps, run->next_position);
		run->words_missing += made - run->last_word;
	}
	check_gaps(run);
	if (run->words_read + lost != made || run->words_missing != lost)
		wrong(run, "of %llu words %llu were read, %llu are missing, the PMU lost %llu",
		      (unsigned long long)made, (unsigned long long)run->words_read,
		      (unsigned long long)run->words_missing, (unsigned long long)lost);
	if (run->record_bytes != run->bytes)
		wrong(run, "%llu bytes were read, records tell of %llu",
		      (unsigned long long)run->bytes, (unsigned long long)run->record_bytes);
	printf("made %llu\nlost %llu\n", (unsigned long long)made, (unsigned long long)lost);
}

/* ---- snapshot mode ---------------------------------------------------------------------------- */

static void take_snapshot(struct run *run)
{
	uint64_t made, kept, first;
	int err = aux_ring_snapshot_begin(run->aux);

	if (err)
		die("snapshot", err);
	made = words_made(run);
	kept = aux_ring_size(run->aux) / 8;
	if (kept > made)
		kept = made;
	first = made - kept + 1;
	run->last_word = first - 1;
	run->words_read = 0;
	/* Where it begins, when head counts all bytes; else take what it says. */
	run->next_position = (first - 1) * 8;
	if (run->options->offset_head && made > kept)
		run->next_position = made * 8 % aux_ring_size(run->aux);
	while (read_once(run))
		;
	if (run->words_read != kept || run->last_word != made || run->gaps.count)
		wrong(run, "snapshot of %llu words, %llu the last, of %llu made; %zu gaps",
		      (unsigned long long)run->words_read, (unsigned long long)run->last_word,
		      (unsigned long long)made, run->gaps.count);
	printf("snapshot %llu %llu\n", (unsigned long long)first, (unsigned long long)made);
	if (words_made(run) != made)
		wrong(run, "words were made while it was read");
	err = aux_ring_snapshot_end(run->aux);
	if (err)
		die("snapshot", err);
}

static void run_snapshots(struct run *run)
{
	uint64_t made = 0;

	for (unsigned i = 0; i < run->options->snapshots; i++) {
		uint64_t until = now_ms() + 1000 * TIME_LIMIT;

		while (words_made(run) < made + run->options->words && now_ms() < until) {
			if (read_once(run))
				wrong(run, "something to read outside of a snapshot");
			usleep(5000);
		}
		made = words_made(run);
		take_snapshot(run);
	}
	control(run, PERF_EVENT_IOC_DISABLE);
	read_ring(run);
}

/* ---- the whole -------------------------------------------------------------------------------- */

static void check_statistics(struct run *run)
{
	const struct aux_statistics *statistics = aux_ring_statistics(run->aux);

	if (statistics->bytes != run->bytes || statistics->skipped ||
	    statistics->truncated != run->seen_truncated ||
	    statistics->partial != run->seen_partial ||
	    statistics->collision != run->seen_collision ||
	    statistics->high_water > aux_ring_size(run->aux))
		wrong(run, "the statistics are not what happened");
	if (run->lost_records || run->other_records)
		wrong(run, "%llu records lost, %llu unknown", (unsigned long long)run->lost_records,
		      (unsigned long long)run->other_records);
	if (!run->itrace_starts)
		wrong(run, "no ITRACE_START");
}

static void print_result(const struct run *run)
{
	const struct aux_statistics *statistics = aux_ring_statistics(run->aux);

	printf("bytes %llu\nrecords %llu\ntruncated %llu\npartial %llu\ncollision %llu\n",
	       (unsigned long long)statistics->bytes, (unsigned long long)run->records,
	       (unsigned long long)statistics->truncated, (unsigned long long)statistics->partial,
	       (unsigned long long)statistics->collision);
	printf("resumed %llu\nhigh_water %zu\nsize %zu\nitrace_starts %llu\ngaps %zu\n",
	       (unsigned long long)statistics->resumed, statistics->high_water,
	       aux_ring_size(run->aux), (unsigned long long)run->itrace_starts, run->gaps.count);
}

static void run_all(struct run *run)
{
	const struct options *options = run->options;
	uint64_t lost_before = number_in(PMU "words_lost");
	int err = perf_ring_open(run->fd, options->ring, &run->ring);

	if (err)
		die("ring", err);
	err = aux_ring_open(run->fd, perf_ring_page(run->ring), options->area, options->mode,
			    &run->aux);
	if (err)
		die("AUX area", err);
	control(run, PERF_EVENT_IOC_ENABLE);
	if (options->mode == AUX_FULL)
		run_full(run, lost_before);
	else
		run_snapshots(run);
	check_statistics(run);
	print_result(run);
	aux_ring_close(run->aux);
	perf_ring_close(run->ring);
}

static uint64_t number(const char *text)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 0);

	if (end == text || *end) {
		fprintf(stderr, "aux_count: \"%s\" is not a number\n", text);
		exit(2);
	}
	return value;
}

static void parse_option(struct options *options, int option)
{
	switch (option) {
	case 's':
		options->mode = AUX_SNAPSHOT;
		return;
	case 'o':
		options->offset_head = true;
		return;
	case 't':
		options->task = true;
		return;
	case 'n':
		options->snapshots = (unsigned)number(optarg);
		return;
	case 'a':
		options->area = number(optarg) * 1024;
		return;
	case 'm':
		options->ring = number(optarg) * 1024;
		return;
	case 'w':
		options->words_a_tick = number(optarg);
		return;
	case 'i':
		options->interval = number(optarg);
		return;
	case 'f':
		options->flags = number(optarg);
		return;
	case 'e':
		options->every = number(optarg);
		return;
	case 'r':
		options->most = number(optarg);
		return;
	case 'd':
		options->delay = (unsigned)number(optarg);
		return;
	}
	exit(2);
}

static struct options parse(int argc, char **argv)
{
	struct options options = {
		.snapshots = 2,
		.area = 65536,
		.ring = 65536,
		.words_a_tick = 64,
		.interval = 500,
	};
	int option;

	while ((option = getopt(argc, argv, "sotn:a:m:w:i:f:e:r:d:")) != -1)
		parse_option(&options, option);
	if (argc - optind != 1)
		exit(2);
	options.words = number(argv[optind]);
	if (options.flags && !options.every)
		options.every = 1;
	if (!options.most)
		options.most = options.area;
	return options;
}

int main(int argc, char **argv)
{
	struct options options = parse(argc, argv);
	struct run *run = calloc(1, sizeof(*run));
	unsigned failed;

	if (!run)
		die("memory", -ENOMEM);
	run->options = &options;
	run->child = options.task ? start_child() : -1;
	run->fd = open_event(&options, run->child);
	run_all(run);
	if (run->child > 0)
		kill(run->child, SIGKILL);
	close(run->fd);
	failed = run->wrong;
	free(run);
	return failed ? 1 : 0;
}

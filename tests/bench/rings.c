// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * rings WAY BYTES EVENTS FILE COMMAND [ARG]...
 *
 * Records the page faults of COMMAND and its children, EVENTS records a fault, by WAY over rings of BYTES a
 * CPU, and writes what comes to FILE and nothing else: what a ring costs, without decoding, ordering and
 * naming. Prints a line each: records, lost, bytes (on the ring).
 *
 *	bpf-ring	tracer's own program for samples, without stacks, by BPF ring buffers
 *	perf-buffer	the same program, by bpf_perf_event_output
 *	perf-ring	no program: samples as `perf record` asks for them, by user/ring/ring_set.c
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpulist.h"
#include "ring/ring_set.h"
#include "source/bpf_side.h"
#include "source/perf_open.h"
#include "tracer.skel.h"

#define ROUND_MS    100 /* as the tracer */
#define FINISH_MS   100
#define FILE_BUFFER 65536

struct bench {
	bool by_bpf, use_ringbuf;
	size_t ring_bytes, events; /* of a ring; a fault */
	FILE *file;
	pid_t command;
	int go; /* closed: COMMAND may start */
	int epoll;
	struct cpulist cpus;
	int *fds; /* events * cpus.count, by events */
	size_t fd_count;
	struct bpf_side bpf;
	struct ring_set *rings;
	uint64_t records, lost, bytes;
	int status; /* of COMMAND */
};

/* ---- the command ------------------------------------------------------------------------------ */

static int start_command(struct bench *bench, char **command)
{
	int gate[2];
	char byte;

	if (pipe(gate))
		return -errno;
	bench->command = fork();
	if (!bench->command) {
		close(gate[1]);
		if (read(gate[0], &byte, 1) < 0)
			_exit(127);
		close(gate[0]);
		execvp(command[0], command);
		fprintf(stderr, "rings: %s: %s\n", command[0], strerror(errno));
		_exit(127);
	}
	close(gate[0]);
	bench->go = gate[1];
	return bench->command < 0 ? -errno : 0;
}

static bool has_ended(struct bench *bench)
{
	return waitpid(bench->command, &bench->status, WNOHANG) == bench->command;
}

static int watch(struct bench *bench, int fd, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.fd = fd };

	return epoll_ctl(bench->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

/* ---- the events ------------------------------------------------------------------------------- */

static struct perf_event_attr attr_of(const struct bench *bench)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME,
		.disabled = 1,
		.enable_on_exec = 1,
		.inherit = 1,
		.sample_id_all = 1,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)(bench->ring_bytes / 4),
	};
}

/* BPF programs are inherited with their events. */
static int attach(struct bench *bench, int fd, int cpu)
{
	int program;

	if (!bench->by_bpf) {
		int ring = ring_set_add(bench->rings, cpu, bench->command, fd);

		return ring < 0 ? ring : 0;
	}
	program = bpf_program__fd(bench->bpf.skeleton->progs.on_sample);
	return ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) ? -errno : 0;
}

static int open_events(struct bench *bench)
{
	struct perf_event_attr attr = attr_of(bench);

	bench->fds = calloc(bench->cpus.count * bench->events, sizeof(*bench->fds));
	if (!bench->fds)
		return -ENOMEM;
	for (size_t i = 0; i < bench->cpus.count * bench->events; i++) {
		int cpu = bench->cpus.cpus[i % bench->cpus.count];
		int fd = perf_open(&attr, bench->command, cpu, -1), err;

		if (fd < 0)
			return fd;
		bench->fds[bench->fd_count++] = fd;
		err = attach(bench, fd, cpu);
		if (err)
			return err;
	}
	return 0;
}

/* ---- the rings -------------------------------------------------------------------------------- */

static int open_bpf(struct bench *bench)
{
	struct tracer_config *config;
	int err = bpf_side_open(&bench->bpf);

	if (err)
		return err;
	config = bpf_side_config(&bench->bpf);
	config->target_mode = TARGET_ALL; /* the events are bound to the command */
	config->call_graph = CALL_GRAPH_NONE;
	config->max_stack = 1;
	bpf_program__set_autoload(bench->bpf.skeleton->progs.on_sample, true);
	err = bpf_side_load(&bench->bpf, bench->use_ringbuf, bench->ring_bytes);
	for (int cpu = 0; !err && cpu < bench->bpf.cpu_count; cpu++)
		if (bench->bpf.ring_fds[cpu] >= 0)
			err = watch(bench, bench->bpf.ring_fds[cpu], EPOLLIN | EPOLLET);
	if (!err)
		bpf_side_start(&bench->bpf, clock_now());
	return err;
}

static int open_rings(struct bench *bench)
{
	const struct ring_set_options options = { .bytes = bench->ring_bytes,
						  .epoll = bench->epoll };

	return bench->by_bpf ? open_bpf(bench) : ring_set_open(&options, &bench->rings);
}

static int write_bytes(struct bench *bench, const void *bytes, size_t size)
{
	return fwrite_unlocked(bytes, size, 1, bench->file) == 1 ? 0 : -EIO;
}

/* A ring buffer puts a header of 8 bytes before each record and rounds it up to 8. */
static int take_bpf(void *context, const void *data, size_t size)
{
	struct bench *bench = context;

	bench->records++;
	bench->bytes += (size + 7) / 8 * 8 + BPF_RINGBUF_HDR_SZ;
	return write_bytes(bench, data, size);
}

static int take_perf(void *context, size_t ring, const struct perf_event_header *record)
{
	struct bench *bench = context;

	(void)ring;
	if (record->type == PERF_RECORD_SAMPLE) {
		bench->records++;
		bench->bytes += record->size;
	}
	return write_bytes(bench, record, record->size);
}

static int consume(struct bench *bench)
{
	if (bench->by_bpf)
		return bpf_side_consume(&bench->bpf, take_bpf, bench);
	return ring_set_consume(bench->rings, take_perf, bench);
}

static int finish_bpf(struct bench *bench)
{
	uint64_t stats[STAT_MAX];
	int err = consume(bench);

	if (err >= 0)
		err = bpf_side_stats(&bench->bpf, stats);
	if (err < 0)
		return err;
	bench->lost = stats[STAT_LOST_RING] + stats[STAT_LOST_SCRATCH];
	if (bench->use_ringbuf)
		return 0;
	bench->bytes = 0;
	for (int cpu = 0; cpu < bench->bpf.cpu_count; cpu++)
		if (bench->bpf.perf_rings[cpu])
			bench->bytes += perf_ring_stats(bench->bpf.perf_rings[cpu])->bytes;
	return 0;
}

static int finish_perf(struct bench *bench)
{
	int err = ring_set_finish(bench->rings, FINISH_MS, take_perf, bench);

	for (size_t i = 0; i < ring_set_count(bench->rings); i++) {
		struct ring_set_stats ring;

		ring_set_stats(bench->rings, i, &ring);
		bench->lost += ring.stats.lost_records + ring.stats.lost_samples;
	}
	return err < 0 ? err : 0;
}

/* ------------------------------------------------------------------------------------------------ */

static int record(struct bench *bench)
{
	int pidfd = (int)syscall(SYS_pidfd_open, bench->command, 0), err;
	struct epoll_event events[16];

	if (pidfd < 0)
		return -errno;
	err = watch(bench, pidfd, EPOLLIN | EPOLLONESHOT);
	close(bench->go);
	bench->go = -1;
	while (err >= 0 && !has_ended(bench)) {
		if (epoll_wait(bench->epoll, events, 16, ROUND_MS) < 0 && errno != EINTR)
			err = -errno;
		else
			err = consume(bench);
	}
	for (size_t i = 0; i < bench->fd_count; i++)
		ioctl(bench->fds[i], PERF_EVENT_IOC_DISABLE, 0);
	close(pidfd);
	if (err < 0)
		return err;
	err = bench->by_bpf ? finish_bpf(bench) : finish_perf(bench);
	return err ? err : (fflush(bench->file) ? -errno : 0);
}

static int run(struct bench *bench, char **command)
{
	int err = cpulist_online(&bench->cpus);

	if (!err)
		err = start_command(bench, command);
	bench->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (!err && bench->epoll < 0)
		err = -errno;
	if (!err)
		err = open_rings(bench);
	if (!err)
		err = open_events(bench);
	return err ? err : record(bench);
}

static void release(struct bench *bench)
{
	if (bench->go >= 0 && bench->command > 0)
		kill(bench->command, SIGKILL);
	for (size_t i = 0; i < bench->fd_count; i++) {
		if (bench->rings)
			ring_set_remove(bench->rings, bench->fds[i]);
		close(bench->fds[i]);
	}
	ring_set_close(bench->rings);
	bpf_side_close(&bench->bpf);
	cpulist_free(&bench->cpus);
	free(bench->fds);
}

int main(int argc, char **argv)
{
	struct bench bench = { .go = -1, .epoll = -1 };
	int err;

	if (argc < 6) {
		fprintf(stderr,
			"usage: rings bpf-ring|perf-buffer|perf-ring BYTES EVENTS FILE COMMAND [ARG]...\n");
		return 2;
	}
	bpf_side_set_verbosity(0);
	bench.by_bpf = strcmp(argv[1], "perf-ring");
	bench.use_ringbuf = !strcmp(argv[1], "bpf-ring");
	bench.ring_bytes = strtoul(argv[2], NULL, 10);
	bench.events = strtoul(argv[3], NULL, 10);
	bench.file = fopen(argv[4], "we");
	err = bench.file ? 0 : -errno;
	if (!err)
		setvbuf(bench.file, NULL, _IOFBF, FILE_BUFFER);
	if (!err)
		err = run(&bench, argv + 5);
	if (err)
		fprintf(stderr, "rings: %s\n", strerror(-err));
	else
		printf("records %" PRIu64 "\nlost %" PRIu64 "\nbytes %" PRIu64 "\n", bench.records,
		       bench.lost, bench.bytes);
	release(&bench);
	return err || bench.status;
}

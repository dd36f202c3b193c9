// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * cost [-c] FILE COMMAND [ARG]...
 *
 * Runs COMMAND, exits as it does, and writes to FILE what it has cost, a line each:
 *
 *	cpu_ns N	CPU time of COMMAND's own process with all its threads, children not included
 *	wall_ns N
 *	peak_kib N	memory that COMMAND had at most, or one of its children, if that was more
 *	load_ns N	from its start until the last of its BPF programs was loaded
 *	ring_bytes N	that crossed its BPF ring buffers
 *	program NAME VERIFIED JITED RUNS NS
 *			instructions the verifier went through (0: this kernel does not say), bytes of code,
 *			how often it ran, and how long in all
 *
 * The kernel times programs while somebody asks it to; it is asked from here on until we exit. With -c it is
 * not asked, as that has a cost of its own, and only the first three lines are written.
 */
#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define POLL_NS	 20000000
#define MAX_KEPT 1024

/* Programs and rings of COMMAND. Our descriptors keep them when COMMAND has gone. */
struct kept {
	uint32_t id;
	int fd;
};

static struct kept programs[MAX_KEPT], rings[MAX_KEPT];
static size_t program_count, ring_count;

static uint64_t now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_BOOTTIME, &at); /* the clock of bpf_prog_info.load_time */
	return (uint64_t)at.tv_sec * 1000000000 + (uint64_t)at.tv_nsec;
}

static void keep(struct kept *all, size_t *count, uint32_t id, int (*open_id)(uint32_t))
{
	for (size_t i = 0; i < *count; i++)
		if (all[i].id == id)
			return;
	if (*count == MAX_KEPT)
		return;
	all[*count].id = id;
	all[*count].fd = open_id(id);
	*count += all[*count].fd >= 0;
}

/* One descriptor of COMMAND, as /proc describes it. */
static void keep_descriptor(FILE *info)
{
	unsigned id, type = 0;
	char line[256];

	while (fgets(line, sizeof(line), info)) {
		if (sscanf(line, "prog_id: %u", &id) == 1)
			keep(programs, &program_count, id, bpf_prog_get_fd_by_id);
		sscanf(line, "map_type: %u", &type);
		if (type == BPF_MAP_TYPE_RINGBUF && sscanf(line, "map_id: %u", &id) == 1)
			keep(rings, &ring_count, id, bpf_map_get_fd_by_id);
	}
}

static void keep_all(pid_t pid)
{
	char path[64], name[sizeof(path) + sizeof(((struct dirent *)0)->d_name)];
	struct dirent *entry;
	DIR *folder;
	FILE *info;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo", pid);
	folder = opendir(path);
	if (!folder)
		return;
	while ((entry = readdir(folder))) {
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		info = entry->d_name[0] != '.' ? fopen(name, "re") : NULL;
		if (!info)
			continue;
		keep_descriptor(info);
		fclose(info);
	}
	closedir(folder);
}

/* CPU time of a process that has ended and has not been waited for. */
static uint64_t cpu_ns(pid_t pid)
{
	struct timespec time;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &time))
		return 0;
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* What was ever written to a ring: its producer's position, which lies behind the consumer's page. */
static uint64_t ring_bytes(int fd)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t *position = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, (off_t)page);
	uint64_t bytes;

	if (position == MAP_FAILED)
		return 0;
	bytes = *position;
	munmap(position, page);
	return bytes;
}

static uint64_t write_programs(FILE *file)
{
	uint64_t loaded = 0;

	for (size_t i = 0; i < program_count; i++) {
		struct bpf_prog_info info = {};
		uint32_t size = sizeof(info);

		if (bpf_obj_get_info_by_fd(programs[i].fd, &info, &size))
			continue;
		fprintf(file, "program %s %u %u %llu %llu\n", info.name, info.verified_insns,
			info.jited_prog_len, (unsigned long long)info.run_cnt,
			(unsigned long long)info.run_time_ns);
		if (info.load_time > loaded)
			loaded = info.load_time;
	}
	return loaded;
}

static void write_programs_and_rings(FILE *file, uint64_t start)
{
	uint64_t bytes = 0, loaded;

	for (size_t i = 0; i < ring_count; i++)
		bytes += ring_bytes(rings[i].fd);
	fprintf(file, "ring_bytes %llu\n", (unsigned long long)bytes);
	loaded = write_programs(file);
	fprintf(file, "load_ns %llu\n", (unsigned long long)(loaded > start ? loaded - start : 0));
}

static void write_times(FILE *file, pid_t pid, uint64_t start, uint64_t end)
{
	fprintf(file, "cpu_ns %llu\nwall_ns %llu\n", (unsigned long long)cpu_ns(pid),
		(unsigned long long)(end - start));
}

/* Watches until the process has ended, and leaves it unwaited for. */
static void watch(pid_t pid)
{
	const struct timespec pause = { .tv_nsec = POLL_NS };
	siginfo_t ended = {};

	while (!waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) && !ended.si_pid) {
		keep_all(pid);
		nanosleep(&pause, NULL);
	}
}

static void wait_for_end(pid_t pid)
{
	siginfo_t ended;

	while (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT) && errno == EINTR)
		;
}

static pid_t start_command(char **command)
{
	pid_t pid = fork();

	if (!pid) {
		execvp(command[0], command);
		fprintf(stderr, "cost: %s: %s\n", command[0], strerror(errno));
		_exit(127);
	}
	return pid;
}

int main(int argc, char **argv)
{
	bool times_only = argc > 1 && !strcmp(argv[1], "-c");
	struct rusage usage;
	char **arguments = argv + 1 + times_only;
	uint64_t start;
	FILE *file;
	pid_t pid;
	int status;

	if (argc < 3 + times_only || !(file = fopen(arguments[0], "we"))) {
		fprintf(stderr, "usage: cost [-c] FILE COMMAND [ARG]...\n");
		return 2;
	}
	if (!times_only && bpf_enable_stats(BPF_STATS_RUN_TIME) < 0)
		fprintf(stderr, "cost: programs are not timed: %s\n", strerror(errno));
	start = now();
	pid = start_command(arguments + 1);
	if (pid < 0)
		return 1;
	if (times_only)
		wait_for_end(pid);
	else
		watch(pid);
	write_times(file, pid, start, now());
	if (wait4(pid, &status, 0, &usage) < 0)
		return 1;
	fprintf(file, "peak_kib %ld\n", usage.ru_maxrss);
	if (!times_only)
		write_programs_and_rings(file, start);
	fclose(file);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

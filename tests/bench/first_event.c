// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * first_event FILE TEXT COMMAND [ARG]...
 *
 * Starts COMMAND with standard output on a pipe, writes to FILE how many ns after the exec the first line came
 * that has TEXT in it, and ends COMMAND by SIGINT. Exits with 1 when no such line came in 20 s.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIMIT_NS   20000000000ull
#define END_NS	   5000000000ull /* that COMMAND has to end */
#define LINE_BYTES 4096

static uint64_t now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (uint64_t)at.tv_sec * 1000000000 + (uint64_t)at.tv_nsec;
}

static pid_t start(char **command, int *output)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		dup2(ends[1], STDOUT_FILENO);
		execvp(command[0], command);
		fprintf(stderr, "first_event: %s: %s\n", command[0], strerror(errno));
		_exit(127);
	}
	close(ends[1]);
	*output = ends[0];
	return pid;
}

/* What has come and is no line yet. */
struct lines {
	char text[LINE_BYTES + 1];
	size_t used;
};

/* Is there a whole line with the text? Keeps the rest of what came. */
static bool has_line(struct lines *lines, const char *text)
{
	char *begin = lines->text, *end;
	bool found = false;

	lines->text[lines->used] = '\0';
	while (!found && (end = strchr(begin, '\n'))) {
		*end = '\0';
		found = strstr(begin, text);
		begin = end + 1;
	}
	lines->used -= (size_t)(begin - lines->text);
	memmove(lines->text, begin, lines->used);
	if (lines->used == LINE_BYTES)
		lines->used = 0;
	return found;
}

static bool wait_for_line(int output, const char *text, uint64_t limit)
{
	static struct lines lines;

	while (now() < limit) {
		struct pollfd ready = { .fd = output, .events = POLLIN };
		ssize_t got;

		if (poll(&ready, 1, 100) <= 0)
			continue;
		got = read(output, lines.text + lines.used, LINE_BYTES - lines.used);
		if (got <= 0)
			return false;
		lines.used += (size_t)got;
		if (has_line(&lines, text))
			return true;
	}
	return false;
}

/* It may have more to say than a pipe holds. */
static void end(pid_t pid, int output)
{
	uint64_t limit = now() + END_NS;
	struct pollfd ready = { .fd = output, .events = POLLIN };
	char rest[LINE_BYTES];

	kill(-pid, SIGINT);
	while (now() < limit && (poll(&ready, 1, 100) <= 0 || read(output, rest, sizeof(rest)) > 0))
		;
	if (now() >= limit)
		kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	uint64_t begin = now(), came;
	int output = -1;
	bool found;
	FILE *file;
	pid_t pid;

	if (argc < 4) {
		fprintf(stderr, "usage: first_event FILE TEXT COMMAND [ARG]...\n");
		return 2;
	}
	pid = start(argv + 3, &output);
	if (pid < 0)
		return 1;
	found = wait_for_line(output, argv[2], begin + LIMIT_NS);
	came = now();
	end(pid, output);
	file = found ? fopen(argv[1], "we") : NULL;
	if (!file)
		return 1;
	fprintf(file, "%" PRIu64 "\n", came - begin);
	return fclose(file) ? 1 : 0;
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whom we record: running processes or threads, everything, or a COMMAND that we start, stopped. */
#ifndef TRACER_TARGET_H
#define TRACER_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "../../bpf/tracer.h"

struct rlimit;

struct target_request {
	const pid_t *pids;
	size_t pid_count;
	const pid_t *tids;
	size_t tid_count;
	char **command;		/* NULL-terminated, or NULL */
	bool inherit;		/* children and new threads too */
	bool interrupt_ignored; /* the COMMAND ignores SIGINT, as we did when we were started */
	const struct rlimit
		*descriptors; /* the COMMAND's RLIMIT_NOFILE: as it was when we were started */
};

struct target {
	enum target_mode mode;
	pid_t *pids; /* the processes, also those of single threads; none with TARGET_ALL; owned */
	size_t pid_count;
	pid_t *tids; /* TARGET_THREADS: the threads; owned */
	size_t tid_count;
	int *pidfds;   /* [pid_count]: readable when the process has exited; owned */
	pid_t command; /* the COMMAND's pid, 0 without one */
	bool command_stopped;
	bool command_ended;
	bool terminated;    /* the COMMAND was ended by us, not by itself */
	int command_status; /* as waitpid() gives it, once it has ended */
};

/*
 * Finds the tasks, or starts the COMMAND and stops it before its first instruction, with the program
 * already mapped. Says what is wrong. 0 or -errno; for a COMMAND that cannot be started -ENOENT or -EACCES
 * etc., as the shell would find.
 */
int target_open(const struct target_request *request, struct target *target);
/* Lets the COMMAND run. 0 or -errno. */
int target_resume(struct target *target);
/* Has the COMMAND ended? Reaps it without waiting. */
bool target_command_ended(struct target *target);
/* Have all processes ended? Never for TARGET_ALL. */
bool target_all_ended(const struct target *target);
/* Ends a COMMAND that still runs, as perf does, by SIGTERM; one that was never let go is killed. */
void target_terminate(struct target *target);
/* The exit status for the shell: the COMMAND's, 128 + signal; 0 without one, or when we ended it. */
int target_exit_status(const struct target *target);
void target_close(struct target *target);

#endif

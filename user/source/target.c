// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Targets. A COMMAND is traced with ptrace only until its exec has succeeded: then it stands before its
 * first instruction, everything is attached, and it is let go. Killing tracer meanwhile lets it go too.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/log.h"
#include "target.h"
#include "thread_list.h"

/* How long a COMMAND may take to end when it is asked to. */
#define TERMINATE_MS 5000

static int append(pid_t **list, size_t *count, pid_t pid)
{
	pid_t *grown = reallocarray(*list, *count + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	grown[(*count)++] = pid;
	*list = grown;
	return 0;
}

static bool contains(const pid_t *list, size_t count, pid_t pid)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == pid)
			return true;
	return false;
}

/* All threads of a process that are there now. */
static int add_threads(struct target *target, pid_t pid)
{
	struct thread_list threads = {};
	int err = thread_list_read(pid, &threads);

	for (size_t i = 0; !err && i < threads.count; i++)
		err = append(&target->tids, &target->tid_count, threads.tids[i]);
	thread_list_free(&threads);
	return err;
}

static int add_process(struct target *target, pid_t pid)
{
	int *grown, fd;

	if (contains(target->pids, target->pid_count, pid))
		return 0;
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (fd < 0)
		return -errno;
	grown = reallocarray(target->pidfds, target->pid_count + 1, sizeof(*grown));
	if (!grown) {
		close(fd);
		return -ENOMEM;
	}
	target->pidfds = grown;
	target->pidfds[target->pid_count] = fd;
	return append(&target->pids, &target->pid_count, pid);
}

static int add_pid(struct target *target, pid_t pid, bool inherit)
{
	pid_t tgid = thread_process(pid);
	int err;

	if (tgid < 0) {
		log_error("-p %d: there is no such process", pid);
		return -ESRCH;
	}
	if (tgid != pid) {
		log_error(
			"-p %d: that is a thread of process %d; use -t %d for the thread or -p %d for the process",
			pid, tgid, pid, tgid);
		return -ESRCH;
	}
	err = add_process(target, pid);
	if (!err && !inherit)
		err = add_threads(target, pid);
	if (err)
		log_error("-p %d: %s", pid, strerror(-err));
	return err;
}

static int add_tid(struct target *target, pid_t tid)
{
	pid_t tgid = thread_process(tid);
	int err;

	if (tgid < 0) {
		log_error("-t %d: there is no such thread", tid);
		return -ESRCH;
	}
	err = add_process(target, tgid);
	if (!err)
		err = append(&target->tids, &target->tid_count, tid);
	if (err)
		log_error("-t %d: %s", tid, strerror(-err));
	return err;
}

/* In the child: exec, or report why not through the pipe, which exec closes. */
static void __attribute__((noreturn)) run_command(const struct target_request *request, int report)
{
	char **command = request->command;
	int err;

	signal(SIGPIPE, SIG_DFL);
	if (request->interrupt_ignored)
		signal(SIGINT, SIG_IGN);
	setrlimit(RLIMIT_NOFILE, request->descriptors);
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0) {
		execvp(command[0], command);
		err = errno;
	} else {
		err = -errno; /* no fault of the command's */
	}
	if (write(report, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

/* Other signals may reach it before its exec, a resized terminal's SIGWINCH: it gets them, and goes on. */
static int wait_until_exec(pid_t pid, int *status)
{
	for (;;) {
		if (waitpid(pid, status, 0) < 0)
			return -errno;
		if (!WIFSTOPPED(*status) || WSTOPSIG(*status) == SIGTRAP)
			return 0;
		if (ptrace(PTRACE_CONT, pid, NULL, (void *)(long)WSTOPSIG(*status)))
			return -errno;
	}
}

static int wait_for_exec(struct target *target, const char *name, int report)
{
	int status, failure = 0;
	int err = wait_until_exec(target->command, &status);

	if (err)
		return err;
	if (WIFSTOPPED(status)) {
		target->command_stopped = true;
		return 0;
	}
	target->command_ended = true;
	target->command_status = status;
	if (read(report, &failure, sizeof(failure)) != sizeof(failure))
		failure = ECHILD;
	if (failure < 0)
		log_error(
			"%s: cannot be started stopped by ptrace: %s (is tracer itself being traced?)",
			name, strerror(-failure));
	else
		log_error("%s: cannot be run: %s", name, strerror(failure));
	return failure < 0 ? failure : -failure;
}

static int spawn(struct target *target, const struct target_request *request)
{
	int report[2];
	int err;

	if (pipe2(report, O_CLOEXEC))
		return -errno;
	target->command = fork();
	if (target->command < 0) {
		err = -errno;
		target->command = 0;
	} else if (target->command == 0) {
		run_command(request, report[1]);
	} else {
		close(report[1]);
		report[1] = -1;
		err = wait_for_exec(target, request->command[0], report[0]);
	}
	close(report[0]);
	if (report[1] >= 0)
		close(report[1]);
	return err;
}

static int open_command(const struct target_request *request, struct target *target)
{
	int err = spawn(target, request);

	if (err)
		return err;
	err = add_process(target, target->command);
	if (!err && !request->inherit)
		err = append(&target->tids, &target->tid_count, target->command);
	return err;
}

int target_open(const struct target_request *request, struct target *target)
{
	int err = 0;

	memset(target, 0, sizeof(*target));
	target->mode = TARGET_ALL;
	if (request->pid_count || request->command)
		target->mode = request->inherit ? TARGET_PROCESSES : TARGET_THREADS;
	if (request->tid_count)
		target->mode = TARGET_THREADS;
	for (size_t i = 0; !err && i < request->pid_count; i++)
		err = add_pid(target, request->pids[i], target->mode == TARGET_PROCESSES);
	for (size_t i = 0; !err && i < request->tid_count; i++)
		err = add_tid(target, request->tids[i]);
	if (!err && request->command)
		err = open_command(request, target);
	if (err) {
		target_terminate(target);
		target_close(target);
	}
	return err;
}

int target_resume(struct target *target)
{
	if (!target->command_stopped)
		return 0;
	target->command_stopped = false;
	return ptrace(PTRACE_DETACH, target->command, NULL, NULL) ? -errno : 0;
}

bool target_command_ended(struct target *target)
{
	if (target->command && !target->command_ended && !target->command_stopped)
		target->command_ended = waitpid(target->command, &target->command_status,
						WNOHANG) == target->command;
	return target->command_ended;
}

bool target_all_ended(const struct target *target)
{
	if (!target->pid_count)
		return false;
	for (size_t i = 0; i < target->pid_count; i++) {
		struct pollfd poll_fd = { .fd = target->pidfds[i], .events = POLLIN };

		if (poll(&poll_fd, 1, 0) <= 0)
			return false;
	}
	return true;
}

void target_terminate(struct target *target)
{
	struct pollfd exited = { .events = POLLIN };

	if (!target->command || target->terminated || target_command_ended(target))
		return;
	target->terminated = true;
	kill(target->command, target->command_stopped ? SIGKILL : SIGTERM);
	kill(target->command, SIGCONT); /* it may be stopped, and would never notice */
	target->command_stopped = false;
	if (!target->pid_count)
		return;
	exited.fd = target->pidfds[target->pid_count - 1];
	if (poll(&exited, 1, TERMINATE_MS) == 0)
		log_warn("process %d does not end on SIGTERM; it is left running", target->command);
	target_command_ended(target);
}

int target_exit_status(const struct target *target)
{
	if (!target->command || !target->command_ended || target->terminated)
		return 0;
	if (WIFSIGNALED(target->command_status))
		return 128 + WTERMSIG(target->command_status);
	return WEXITSTATUS(target->command_status);
}

void target_close(struct target *target)
{
	for (size_t i = 0; i < target->pid_count; i++)
		close(target->pidfds[i]);
	free(target->pids);
	free(target->tids);
	free(target->pidfds);
	target->pids = target->tids = NULL;
	target->pidfds = NULL;
	target->pid_count = target->tid_count = 0;
}

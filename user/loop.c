// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One epoll loop. Records do not wake it one by one: a ring that passes its mark does, or the timer. */
#include "loop.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/log.h"
#include "collector_perf.h"
#include "report.h"
#include "session_state.h"
#include "summarize_perf.h"

/*
 * How long records may lie in a ring that has not reached its wakeup mark. The first rounds are short, each as
 * long as all before it: who looks on sees at once that something comes.
 */
#define ROUND_MS       100
#define FIRST_ROUND_MS 1
/* At least between two dumps, which take some 10 ms each. */
#define DUMP_GAP_NS (100 * 1000000ull)
/* How often the live line is redrawn. */
#define LIVE_NS NSEC_PER_SEC

/* The only things a signal handler may touch. */
static volatile sig_atomic_t stop_requested;

static volatile sig_atomic_t dump_requested;

static void request_dump(int signal_number)
{
	(void)signal_number;
	dump_requested = 1;
}

static void request_stop(int signal_number)
{
	(void)signal_number;
	stop_requested = 1;
}

static void catch_signal(int number, int flags)
{
	struct sigaction action = { .sa_handler = request_stop, .sa_flags = flags }, before;

	/* nohup means it; but shells start background jobs with SIGINT ignored, and kill -INT them */
	if (stop_requested || sigaction(number, NULL, &before) ||
	    (number == SIGHUP && before.sa_handler == SIG_IGN))
		return;
	sigemptyset(&action.sa_mask);
	sigaction(number, &action, NULL);
}

void loop_catch_signals(bool recording)
{
	int flags = (int)SA_RESETHAND | (recording ? SA_RESTART : 0);

	catch_signal(SIGINT, flags);
	catch_signal(SIGTERM, flags);
	catch_signal(SIGHUP, flags);
	signal(SIGPIPE, SIG_IGN);
}

void loop_catch_dumps(void)
{
	struct sigaction action = { .sa_handler = request_dump, .sa_flags = SA_RESTART };

	sigemptyset(&action.sa_mask);
	sigaction(SIGUSR2, &action, NULL);
}

bool loop_is_stopped(void)
{
	return stop_requested;
}

static int watch(struct session *session, int fd, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.fd = fd };

	return epoll_ctl(session->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

int loop_create(struct session *session)
{
	if (session->epoll < 0)
		session->epoll = epoll_create1(EPOLL_CLOEXEC);
	return session->epoll < 0 ? -errno : 0;
}

int loop_open(struct session *session)
{
	int err;

	err = loop_create(session);
	if (err)
		return err;
	if (session->unwinding.library)
		err = watch(session, unwind_library_fd(session->unwinding.library), EPOLLIN);
	/* once: a process that has ended stays ended */
	for (size_t i = 0; !err && i < session->target.pid_count; i++)
		err = watch(session, session->target.pidfds[i], EPOLLIN | EPOLLONESHOT);
	/* edge-triggered: a ring that is not empty is no reason to wake, only one that reached its mark */
	for (int cpu = 0; !err && cpu < session->bpf.cpu_count; cpu++)
		if (session->bpf.ring_fds[cpu] >= 0)
			err = watch(session, session->bpf.ring_fds[cpu], EPOLLIN | EPOLLET);
	for (size_t i = 0; !err && session->sideband && i < sideband_fd_count(session->sideband);
	     i++)
		err = watch(session, sideband_fd(session->sideband, i), EPOLLIN | EPOLLET);
	return err;
}

static bool is_over(struct session *session)
{
	const struct options *options = session->options;

	if (stop_requested || collector_limit_reached(&session->collector))
		return true;
	if (options->duration_ns && clock_now() - session->start >= options->duration_ns)
		return true;
	if (session->target.command)
		return target_command_ended(&session->target);
	return target_all_ended(&session->target);
}

/* ms until the next round, not past the end of -d. */
static int wait_ms(const struct session *session, int round_ms)
{
	uint64_t ran = clock_now() - session->start, left;

	if (session->collector.trace_waits)
		return 0;
	if (!session->options->duration_ns)
		return round_ms;
	left = session->options->duration_ns > ran ? session->options->duration_ns - ran : 0;
	return left / 1000000 < (uint64_t)round_ms ? (int)(left / 1000000) + 1 : round_ms;
}

static void show_live_perf(const struct session *session, uint64_t now)
{
	const struct collector *collector = &session->collector;
	uint64_t lost = perf_lost(session->perf);

	report_live(seconds_between(session->start, now), collector->delivered + lost, lost,
		    collector->quality.total, collector->quality.by_end[STACK_COMPLETE]);
}

static void show_live(struct session *session, uint64_t *next)
{
	uint64_t now = clock_now(), stats[STAT_MAX];

	if (now < *next)
		return;
	*next = now + LIVE_NS;
	if (session->by_perf) {
		show_live_perf(session, now);
		return;
	}
	if (bpf_side_stats(&session->bpf, stats))
		return;
	report_live(seconds_between(session->start, now), stats[STAT_SEEN],
		    stats[STAT_LOST_RING] + stats[STAT_LOST_SCRATCH] + stats[STAT_LOST_TASK_TABLE] +
			    stats[STAT_LOST_RETURN_DEPTH],
		    stats[STAT_USER_STACKS], stats[STAT_USER_STACKS_COMPLETE]);
}

static bool keeps_back(const struct session *session)
{
	return session->collector.by_snapshot || session->collector.overwrites;
}

static int report_dump(const struct session *session, int count)
{
	if (count >= 0 && session->options->verbose)
		log_note("dump %u: %d records", session->collector.dumps, count);
	return count < 0 ? count : 0;
}

/* While rings are read they lose what comes: however often somebody asks, that must not be most of the time. */
static int dump_if_due(struct session *session)
{
	struct collector *collector = &session->collector;
	int err;

	if (!keeps_back(session) || !(dump_requested || collector->dump_wanted) ||
	    clock_now() < session->next_dump)
		return 0;
	dump_requested = 0;
	err = report_dump(session, collector_perf_dump(collector));
	session->next_dump = clock_now() + DUMP_GAP_NS;
	return err;
}

int loop_dump_last(struct session *session)
{
	struct collector *collector = &session->collector;
	/* what --dump-on waited for has been written, unless it happened again since */
	bool is_wanted = !collector->triggered || collector->dump_wanted || dump_requested;

	if (!keeps_back(session))
		return 0;
	return report_dump(session, collector_perf_last_dump(collector, is_wanted));
}

static int run_round(struct session *session)
{
	int err = collector_round(&session->collector);

	if (err >= 0)
		err = dump_if_due(session);
	if (err < 0)
		return err;
	return fflush(session->file) ? -errno : 0;
}

int loop_run(struct session *session)
{
	/* the live line and lines of events on the same terminal would tear each other */
	bool live = isatty(STDERR_FILENO) && !(session->file == stdout && isatty(STDOUT_FILENO));
	uint64_t next_live = session->start + LIVE_NS;
	struct epoll_event events[16];
	int round_ms = FIRST_ROUND_MS, err = 0;

	while (!err && !is_over(session)) {
		int count = epoll_wait(session->epoll, events, 16, wait_ms(session, round_ms));

		if (count < 0 && errno != EINTR)
			return -errno;
		for (int i = 0; session->perf && i < count; i++)
			perf_events_woken(session->perf, &events[i]);
		err = run_round(session);
		round_ms = round_ms < ROUND_MS / 2 ? 2 * round_ms : ROUND_MS;
		if (live)
			show_live(session, &next_live);
	}
	if (live)
		report_live_clear();
	return err;
}

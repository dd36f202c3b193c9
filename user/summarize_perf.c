// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "summarize_perf.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>

#include "base/log.h"
#include "session_state.h"

static uint64_t lost_in(const struct ring_set *rings)
{
	uint64_t lost = 0;

	for (size_t i = 0; rings && i < ring_set_count(rings); i++) {
		struct ring_set_stats ring;

		ring_set_stats(rings, i, &ring);
		lost += ring.stats.lost_records + ring.stats.lost_samples;
	}
	return lost;
}

uint64_t perf_lost(const struct perf_events *events)
{
	return lost_in(perf_events_rings(events)) + lost_in(perf_events_backward_rings(events));
}

static void report_ring(const struct ring_set_stats *ring)
{
	const struct perf_ring_stats *stats = &ring->stats;
	uint64_t lost = stats->lost_records + stats->lost_samples, all = stats->records + lost;
	char where[32];

	if (ring->cpu >= 0)
		snprintf(where, sizeof(where), "CPU %d", ring->cpu);
	else
		snprintf(where, sizeof(where), "thread %d", ring->tid);
	log_note("ring of %s: %zu KiB, at most %.0f %% full, %" PRIu64 " records, %" PRIu64
		 " lost (%.2f %%), "
		 "%" PRIu64 " wakeups, %u times enlarged",
		 where, ring->bytes / 1024, 100.0 * (double)stats->high_water / (double)ring->bytes,
		 stats->records, lost, all ? 100.0 * (double)lost / (double)all : 0, stats->wakeups,
		 ring->moves);
}

static void report_set(const struct ring_set *rings)
{
	for (size_t i = 0; rings && i < ring_set_count(rings); i++) {
		struct ring_set_stats ring;

		ring_set_stats(rings, i, &ring);
		report_ring(&ring);
	}
}

static void report_rings(const struct perf_events *events)
{
	struct rusage usage;

	report_set(perf_events_rings(events));
	report_set(perf_events_backward_rings(events));
	if (!getrusage(RUSAGE_SELF, &usage))
		log_note("the tracer itself: %ld context switches, of which %ld for want of something to do",
			 usage.ru_nvcsw + usage.ru_nivcsw, usage.ru_nvcsw);
}

/* What was not traced has no number of events: it is no loss of those, but it is said. */
static void report_traces(const struct session *session)
{
	const struct aux_areas *areas = perf_events_aux(session->perf);
	struct aux_statistics sum;
	size_t size;

	if (!aux_areas_count(areas))
		return;
	aux_areas_sum(areas, &sum, &size);
	log_note("AUX areas: %" PRIu64 " bytes of %zu areas of %zu KiB, at most %.0f %% full%s",
		 sum.bytes, aux_areas_count(areas), size / 1024,
		 100.0 * (double)sum.high_water / (double)size,
		 session->collector.by_snapshot ? ", in snapshots" : "");
	if (sum.truncated)
		log_warn("AUX areas: truncated %" PRIu64
			 " times, as there was no room, and nothing was traced until there was (a larger --aux-size helps)",
			 sum.truncated);
	if (sum.partial || sum.collision || sum.skipped)
		log_warn("AUX areas: %" PRIu64 " records partial, %" PRIu64
			 " with collisions, %" PRIu64 " bytes skipped: the trace has gaps",
			 sum.partial, sum.collision, sum.skipped);
}

static void report_dumps(const struct session *session)
{
	const struct collector *collector = &session->collector;

	if (collector->overwrites)
		log_note("only the newest samples were kept, as --overwrite says; written %u time%s",
			 collector->dumps, collector->dumps == 1 ? "" : "s");
	if (collector->triggered)
		log_note("what --dump-on names happened %" PRIu64 " time%s", collector->triggered,
			 collector->triggered == 1 ? "" : "s");
	else if (session->options->trigger_count)
		log_warn("what --dump-on names did not happen: what is written is from the end");
}

void summarize_perf(const struct session *session, struct run_summary *summary)
{
	summary->loss.ring_full = lost_in(perf_events_rings(session->perf));
	summary->loss.dumping = lost_in(perf_events_backward_rings(session->perf));
	report_traces(session);
	report_dumps(session);
	if (session->collector.throttled)
		log_warn("the kernel stopped an event %" PRIu64
			 " times for the rest of a tick, as its samples came too fast: a lower frequency",
			 session->collector.throttled);
	if (session->collector.quality.by_end[STACK_COPY_SHORT])
		log_note(
			"a larger part of each stack is copied by stack-size=, say -e 'cpu-clock/stack-size=65528/'");
	if (session->options->verbose)
		report_rings(session->perf);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "write_output.h"

#include <errno.h>

#include "session_state.h"

static int flush_file(struct session *session)
{
	return fflush(session->file) ? -errno : 0;
}

static int weigh_wall(struct session *session, struct counts *weighed)
{
	return wall_weigh(session->wall, session->collector.counts, session->infos[0],
			  session->options->by == BY_TID, weighed);
}

/* In a format without a place for them they are in the counts, or each call is an event. */
static int write_latencies(struct session *session)
{
	struct latencies *latencies = &session->collector.latencies;
	int err = 0;

	latencies_sort(latencies);
	for (size_t i = 0; session->output.ops->latency && !err && i < latencies->count; i++)
		err = session->output.ops->latency(&session->output, latencies->rows[i]);
	return err;
}

int write_output(struct session *session, const struct run_summary *summary)
{
	struct counts *weighed = NULL;
	int err = 0;

	if (session->wall) {
		weighed = counts_new();
		err = weighed ? weigh_wall(session, weighed) : -ENOMEM;
	}
	if (!err)
		err = write_latencies(session);
	if (!err)
		err = session->output.ops->finish(&session->output,
						  weighed ? weighed : session->collector.counts,
						  summary);
	if (!err)
		err = flush_file(session);
	counts_free(weighed);
	return err;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "placing.h"

#include <errno.h>

#include "base/log.h"
#include "options.h"

#define MAX_ROUNDS 20

static enum placement_mode mode_of(const struct options *options, const struct target *target,
				   bool counting)
{
	if (options->cgroup_count)
		return PLACE_CGROUP;
	if (target->mode == TARGET_ALL)
		return PLACE_CPUS;
	if (options->per_thread)
		return PLACE_PER_THREAD;
	return counting && !options->cpus.count && options->by != BY_CPU ? PLACE_COUNT :
									   PLACE_DEFAULT;
}

void placing_begin(struct placing *placing, const struct options *options,
		   const struct target *target, const struct cpulist *cpus, bool counting)
{
	placing->request = (struct placement_request){
		.mode = mode_of(options, target, counting),
		.target = target,
		.cpus = cpus,
		.cgroups = options->cgroups,
		.cgroup_count = options->cgroup_count,
		.inherit = options->inherit,
	};
}

/* Threads that have come since the places were made. */
static int count_new(const struct placing *placing)
{
	struct placement now = {};
	int err = placement_make(&placing->request, &now), fresh = 0;

	for (size_t i = 0; !err && i < now.tid_count; i++)
		fresh += !placement_has_thread(&placing->placement, now.tids[i]);
	placement_free(&now);
	/* when events have taken every descriptor, they say themselves what is missing */
	if (err == -ESRCH || err == -EMFILE)
		return 0;
	return err ? err : fresh;
}

int placing_open(struct placing *placing, int (*open)(void *context), void (*close)(void *context),
		 void *context)
{
	for (int round = 1;; round++) {
		int fresh, err;

		placement_free(&placing->placement);
		err = placement_make(&placing->request, &placing->placement);
		if (err == -ESRCH)
			log_error("the target has no thread any more");
		if (!err)
			err = open(context);
		if (err)
			return err;
		fresh = count_new(placing);
		if (fresh <= 0)
			return fresh;
		if (round == MAX_ROUNDS) {
			log_warn("threads were started all the time while events were being attached: %d or "
				 "more, and all that they start, are missing or in it twice (use -a, a COMMAND or "
				 "--engine bpf)",
				 fresh);
			return 0;
		}
		close(context);
	}
}

void placing_end(struct placing *placing)
{
	placement_free(&placing->placement);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Attaching the programs that keep the target up to date. */
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "../base/log.h"
#include "follow.h"
#include "tracer.skel.h"

int follow_attach(struct follow *follow, struct bpf_side *bpf)
{
	const struct tracer_bpf *skeleton = bpf->skeleton;
	const struct bpf_program *programs[] = { skeleton->progs.on_fork, skeleton->progs.on_exit,
						 skeleton->progs.on_exec,
						 skeleton->progs.on_latency_exit,
						 skeleton->progs.on_latency_exec };

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		int err;

		if (!bpf_program__autoload(programs[i]))
			continue; /* nothing needs it */
		follow->links[i] = bpf_program__attach(programs[i]);
		if (follow->links[i])
			continue;
		err = -errno;
		log_error("the tracepoint of %s cannot be attached: %s",
			  bpf_program__name(programs[i]), strerror(-err));
		return err;
	}
	return 0;
}

void follow_detach(struct follow *follow)
{
	for (size_t i = 0; i < sizeof(follow->links) / sizeof(follow->links[0]); i++) {
		bpf_link__destroy(follow->links[i]);
		follow->links[i] = NULL;
	}
}

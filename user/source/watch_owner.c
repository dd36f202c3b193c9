// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The kernel does not tell who has a debug register. A debugger shows in /proc, perf events nowhere. */
#include "watch_owner.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../base/escape.h"

static pid_t tracer_of(pid_t tid)
{
	char path[64], line[256];
	pid_t tracer = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "TracerPid: %d", &tracer) == 1)
			break;
	fclose(file);
	return tracer == getpid() ? 0 : tracer; /* a COMMAND is ours until it runs */
}

static void read_comm(pid_t pid, char *comm, size_t size)
{
	char path[64];
	FILE *file;

	snprintf(comm, size, "?");
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(comm, (int)size, file))
		comm[strcspn(comm, "\n")] = 0;
	fclose(file);
}

void watch_owner_describe(pid_t tid, uint32_t own, char *text, size_t size)
{
	pid_t tracer = tid > 0 ? tracer_of(tid) : 0;
	char ours[64] = "", comm[32], shown[128];

	if (own)
		snprintf(ours, sizeof(ours), "%u by other breakpoints of this run", own);
	if (tracer) {
		read_comm(tracer, comm, sizeof(comm));
		snprintf(text, size, "%s%sprocess %d (%s) debugs it and may have them", ours,
			 own ? ", and " : "", tracer, escape_terminal(shown, sizeof(shown), comm));
	} else if (own >= 4) {
		snprintf(text, size, "%s", ours);
	} else {
		snprintf(text, size,
			 "%s%sno debugger is attached, so perf events of other programs have them, which the "
			 "kernel does not show",
			 ours, own ? ", and " : "");
	}
}

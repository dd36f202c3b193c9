/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* /proc/PID/maps, line by line. */
#ifndef TRACER_PROC_MAPS_H
#define TRACER_PROC_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct proc_mapping {
	uint64_t start, end;
	uint64_t file_offset;
	uint64_t inode;
	uint32_t major, minor;
	uint32_t protection; /* PROT_* */
	char *path;	     /* "" when there is none; points into the text */
};

/*
 * The whole file as a NUL-terminated string, malloc'ed. 0 or -errno (-ESRCH: the process is gone).
 * A kernel thread's is empty.
 */
int proc_maps_read(pid_t pid, char **text);
/*
 * Takes the next well-formed line off *text, which it cuts into strings. false at the end:
 *	for (at = text; proc_maps_next(&at, &mapping);)
 */
bool proc_maps_next(char **text, struct proc_mapping *mapping);

/*
 * Pages of code that the process has mapped (mm_struct.exec_vm), which /proc/PID/status tells as the sum of
 * VmExe and VmLib. 0 or -errno (-ESRCH: gone, or a kernel thread).
 */
int proc_maps_code_pages(pid_t pid, uint32_t *pages);

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Opens the very file that a mapping is of, whatever its path leads to by now. */
#ifndef TRACER_MAPPED_FILE_H
#define TRACER_MAPPED_FILE_H

#include <stdint.h>
#include <sys/types.h>

/*
 * What /proc/PID/maps and PERF_RECORD_MMAP2 say of a mapping. inode 0: not known, believe the path.
 */
struct mapped_file {
	uint32_t major, minor;
	uint64_t inode;
	const char *path;
	pid_t pid; /* 0: by path only */
	uint64_t start, end;
};

/*
 * A read-only descriptor on a regular file: by /proc/PID/map_files, then /proc/PID/root + path,
 * then path. -errno when none of them leads to that file.
 */
int mapped_file_open(const struct mapped_file *mapped);

#endif

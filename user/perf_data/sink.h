/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A file being written. The first error is kept, and nothing is written after it. */
#ifndef TRACER_PERF_DATA_SINK_H
#define TRACER_PERF_DATA_SINK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct sink {
	FILE *file;	 /* not owned */
	uint64_t offset; /* of the next byte */
	int err;	 /* 0 or -errno */
};

void sink_put(struct sink *sink, const void *bytes, size_t size);
void sink_put32(struct sink *sink, uint32_t value);
void sink_put64(struct sink *sink, uint64_t value);
/* As feature sections have them: the size of the room, a multiple of 64, and the string in it. */
void sink_put_string(struct sink *sink, const char *string);
void sink_seek(struct sink *sink, uint64_t offset);
/* To the kernel. Returns the first error of all. */
int sink_flush(struct sink *sink);

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A file or a pipe read front to back through a buffer, with the offset of each byte known. */
#ifndef TRACER_PERF_DATA_INPUT_H
#define TRACER_PERF_DATA_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct input {
	int fd;
	bool is_owned, is_regular;
	uint64_t size;	 /* of a regular file, bytes */
	uint64_t offset; /* of the next byte */
	uint8_t *buffer;
	size_t at, filled;
};

/* The most that can be peeked at. */
#define INPUT_MOST (256u << 10)

/* "-" is stdin. 0 or -errno. input_close() also after an error. */
int input_open(struct input *input, const char *path);
void input_close(struct input *input);

/* The next size bytes (at most INPUT_MOST), valid until the next call: how many of them there are, or -errno. */
int input_peek(struct input *input, size_t size, const void **bytes);

/* 0, -ENODATA when the input ends before, or -errno. Where it has ended, offset says. */
int input_skip(struct input *input, uint64_t count);

/* For regular files. */
int input_seek(struct input *input, uint64_t offset);
/* The same, from anywhere: 0, -ENODATA when the file ends before, or -errno. */
int input_read_at(const struct input *input, uint64_t offset, void *bytes, size_t size);

#endif

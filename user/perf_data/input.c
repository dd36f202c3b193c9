// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A window on a file: what is left of it moves to the front before more is read behind it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input.h"

static int look_at(struct input *input)
{
	struct stat stat;

	if (fstat(input->fd, &stat))
		return -errno;
	if (S_ISDIR(stat.st_mode))
		return -EISDIR;
	input->is_regular = S_ISREG(stat.st_mode);
	input->size = input->is_regular ? (uint64_t)stat.st_size : UINT64_MAX;
	return 0;
}

int input_open(struct input *input, const char *path)
{
	*input = (struct input){ .fd = STDIN_FILENO };
	if (strcmp(path, "-")) {
		input->fd = open(path, O_RDONLY | O_CLOEXEC);
		if (input->fd < 0)
			return -errno;
		input->is_owned = true;
	}
	input->buffer = malloc(INPUT_MOST);
	return input->buffer ? look_at(input) : -ENOMEM;
}

void input_close(struct input *input)
{
	free(input->buffer);
	if (input->is_owned)
		close(input->fd);
	*input = (struct input){ .fd = -1 };
}

static size_t buffered(const struct input *input)
{
	return input->filled - input->at;
}

/* Adds what one read gives: its size, 0 at the end, or -errno. */
static ssize_t fill(struct input *input)
{
	ssize_t count;

	if (input->at) {
		memmove(input->buffer, input->buffer + input->at, buffered(input));
		input->filled -= input->at;
		input->at = 0;
	}
	do
		count = read(input->fd, input->buffer + input->filled, INPUT_MOST - input->filled);
	while (count < 0 && errno == EINTR);
	if (count < 0)
		return -errno;
	input->filled += (size_t)count;
	return count;
}

int input_peek(struct input *input, size_t size, const void **bytes)
{
	if (size > INPUT_MOST)
		return -EINVAL;
	while (buffered(input) < size) {
		ssize_t count = fill(input);

		if (count < 0)
			return (int)count;
		if (!count)
			break;
	}
	*bytes = input->buffer + input->at;
	return (int)(buffered(input) < size ? buffered(input) : size);
}

static void pass(struct input *input, size_t count)
{
	input->at += count;
	input->offset += count;
}

int input_skip(struct input *input, uint64_t count)
{
	while (count > buffered(input)) {
		ssize_t got;

		count -= buffered(input);
		pass(input, buffered(input));
		got = fill(input);
		if (got <= 0)
			return got < 0 ? (int)got : -ENODATA;
	}
	pass(input, (size_t)count);
	return 0;
}

int input_seek(struct input *input, uint64_t offset)
{
	if (offset > INT64_MAX)
		return -EINVAL;
	if (lseek(input->fd, (off_t)offset, SEEK_SET) < 0)
		return -errno;
	input->at = input->filled = 0;
	input->offset = offset;
	return 0;
}

int input_read_at(const struct input *input, uint64_t offset, void *bytes, size_t size)
{
	uint8_t *to = bytes;

	if (offset > INT64_MAX - size)
		return -ENODATA;
	while (size) {
		ssize_t count = pread(input->fd, to, size, (off_t)offset);

		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			return count < 0 ? -errno : -ENODATA;
		to += count;
		offset += (uint64_t)count;
		size -= (size_t)count;
	}
	return 0;
}

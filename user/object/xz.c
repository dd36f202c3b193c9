// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Bounded, as a small hostile file may unfold to any size. */
#include "xz.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>

/* For the decoder's dictionary; xz -9 wants 65 MiB. */
#define MAX_DICTIONARY ((uint64_t)128 << 20)

/* Symbols are packed to a fifth or so; the rest is for small ones. */
#define MAX_UNPACKED ((size_t)256 << 20)
#define MAX_RATIO    100
#define FIRST_SIZE   ((size_t)1 << 20)

static size_t most_unpacked(size_t packed_size)
{
	if (packed_size > (MAX_UNPACKED - FIRST_SIZE) / MAX_RATIO)
		return MAX_UNPACKED;
	return FIRST_SIZE + packed_size * MAX_RATIO;
}

/* Gives the decoder more room behind what it has written. */
static int make_room(lzma_stream *stream, size_t most, uint8_t **bytes)
{
	size_t used = stream->total_out, room = used ? 2 * used : FIRST_SIZE;
	uint8_t *grown;

	if (used >= most)
		return -EFBIG;
	if (room > most)
		room = most;
	grown = realloc(*bytes, room);
	if (!grown)
		return -ENOMEM;
	*bytes = grown;
	stream->next_out = grown + used;
	stream->avail_out = room - used;
	return 0;
}

static int error_of(lzma_ret result)
{
	switch (result) {
	case LZMA_OK:
	case LZMA_STREAM_END:
		return 0;
	case LZMA_MEM_ERROR:
		return -ENOMEM;
	case LZMA_MEMLIMIT_ERROR:
		return -EFBIG;
	default:
		return -EBADMSG;
	}
}

static int unpack(lzma_stream *stream, size_t most, uint8_t **bytes)
{
	lzma_ret result = LZMA_OK;
	int err = 0;

	while (!err && result != LZMA_STREAM_END) {
		if (!stream->avail_out)
			err = make_room(stream, most, bytes);
		if (!err) {
			result = lzma_code(stream, LZMA_FINISH);
			err = error_of(result);
		}
	}
	return err;
}

int xz_unpack(const uint8_t *packed, size_t packed_size, uint8_t **bytes, size_t *size)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	int err = error_of(lzma_stream_decoder(&stream, MAX_DICTIONARY, 0));

	*bytes = NULL;
	*size = 0;
	if (err)
		return err;
	stream.next_in = packed;
	stream.avail_in = packed_size;
	err = unpack(&stream, most_unpacked(packed_size), bytes);
	if (!err)
		*size = stream.total_out;
	lzma_end(&stream);
	if (err) {
		free(*bytes);
		*bytes = NULL;
	}
	return err;
}

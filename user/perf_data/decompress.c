// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A record may begin in one compressed record and end in the next: what is not whole is kept in front. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "decompress.h"

#define ROOM (256u << 10) /* more than twice a record, so each round gets on */

struct decompress {
	ZSTD_DStream *stream;
	size_t filled;
	uint8_t room[ROOM] __attribute__((aligned(8)));
};

struct decompress *decompress_new(void)
{
	struct decompress *decompress = malloc(sizeof(*decompress));

	if (!decompress)
		return NULL;
	decompress->filled = 0;
	decompress->stream = ZSTD_createDStream();
	if (decompress->stream)
		return decompress;
	free(decompress);
	return NULL;
}

void decompress_free(struct decompress *decompress)
{
	if (!decompress)
		return;
	ZSTD_freeDStream(decompress->stream);
	free(decompress);
}

/* Hands over what is there, and moves what was not taken to the front. */
static int hand_over(struct decompress *decompress, decompress_fn callback, void *context)
{
	int taken = callback(context, decompress->room, decompress->filled);

	if (taken < 0)
		return taken;
	decompress->filled -= (size_t)taken;
	memmove(decompress->room, decompress->room + taken, decompress->filled);
	return 0;
}

int decompress_add(struct decompress *decompress, const void *bytes, size_t size,
		   decompress_fn callback, void *context)
{
	ZSTD_inBuffer in = { .src = bytes, .size = size };
	for (;;) {
		ZSTD_outBuffer out = { .dst = decompress->room,
				       .size = ROOM,
				       .pos = decompress->filled };
		size_t result = ZSTD_decompressStream(decompress->stream, &out, &in);
		int err;

		if (ZSTD_isError(result))
			return -EBADMSG;
		decompress->filled = out.pos;
		err = hand_over(decompress, callback, context);
		if (err)
			return err;
		/* room left over: the stream has given all that it had */
		if (in.pos == in.size && out.pos < out.size)
			return 0;
	}
}

size_t decompress_pending(const struct decompress *decompress)
{
	return decompress->filled;
}

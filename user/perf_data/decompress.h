/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The zstd stream that runs through the compressed records of a perf.data file. */
#ifndef TRACER_PERF_DATA_DECOMPRESS_H
#define TRACER_PERF_DATA_DECOMPRESS_H

#include <stddef.h>
#include <stdint.h>

struct decompress;

/*
 * Takes what there is of records at bytes: returns how many of the size bytes it took, whole records only, or
 * a negative number, which is passed on.
 */
typedef int (*decompress_fn)(void *context, const uint8_t *bytes, size_t size);

/* NULL: no memory. */
struct decompress *decompress_new(void);
void decompress_free(struct decompress *decompress);

/*
 * Decompresses the next size bytes and hands over what comes out, aligned to 8, with what the callback did not
 * take before. 0, what the callback returned, or -EBADMSG.
 */
int decompress_add(struct decompress *decompress, const void *bytes, size_t size,
		   decompress_fn callback, void *context);
/* Bytes of a record that is not whole. */
size_t decompress_pending(const struct decompress *decompress);

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reading numbers out of untrusted bytes. A read past the end gives 0 and marks the reader as bad,
 * once and for all, so that a parser may look at the end of an entry only.
 */
#ifndef TRACER_READER_H
#define TRACER_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reader {
	const uint8_t *at;
	const uint8_t *end;
	bool bad;
};

/* DW_EH_PE_omit: there is no value. */
#define POINTER_OMITTED 0xff

struct reader reader_of(const uint8_t *bytes, size_t size);
size_t reader_left(const struct reader *reader);
bool reader_done(const struct reader *reader); /* at the end, or bad */
/* Little-endian, of 1 to 8 bytes. */
uint64_t reader_fixed(struct reader *reader, unsigned size);
uint64_t reader_uleb(struct reader *reader);
int64_t reader_sleb(struct reader *reader);
/* A part of size bytes, which is stepped over; an empty one when there are not so many. */
struct reader reader_part(struct reader *reader, uint64_t size);
/* A string up to its 0; NULL when there is none. */
const char *reader_string(struct reader *reader);
/*
 * A DW_EH_PE encoded pointer; vaddr is the address of the byte to be read first. Bases that only a
 * running program knows, and indirect pointers, make the reader bad.
 */
uint64_t reader_pointer(struct reader *reader, uint8_t encoding, uint64_t vaddr);
/* The same without looking at its base: to step over it, or for a length. */
uint64_t reader_pointer_value(struct reader *reader, uint8_t encoding, uint64_t vaddr);

#endif

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Fixed-width, LEB128 and DW_EH_PE numbers. */
#include "reader.h"

#include <string.h>

enum pointer_format {
	FORMAT_ABSOLUTE = 0x00,
	FORMAT_ULEB = 0x01,
	FORMAT_UDATA2 = 0x02,
	FORMAT_UDATA4 = 0x03,
	FORMAT_UDATA8 = 0x04,
	FORMAT_SLEB = 0x09,
	FORMAT_SDATA2 = 0x0a,
	FORMAT_SDATA4 = 0x0b,
	FORMAT_SDATA8 = 0x0c,
	FORMAT_MASK = 0x0f,
};

enum pointer_base {
	BASE_NONE = 0x00,
	BASE_PC = 0x10,
	BASE_ALIGNED = 0x50,
	BASE_MASK = 0x70,
	INDIRECT = 0x80,
};

struct reader reader_of(const uint8_t *bytes, size_t size)
{
	return (struct reader){ .at = bytes, .end = size ? bytes + size : bytes };
}

size_t reader_left(const struct reader *reader)
{
	return (size_t)(reader->end - reader->at);
}

bool reader_done(const struct reader *reader)
{
	return reader->bad || reader->at == reader->end;
}

static void spoil(struct reader *reader)
{
	reader->bad = true;
	reader->at = reader->end;
}

uint64_t reader_fixed(struct reader *reader, unsigned size)
{
	uint64_t value = 0;

	if (reader_left(reader) < size) {
		spoil(reader);
		return 0;
	}
	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)*reader->at++ << (8 * i);
	return value;
}

/* Bits beyond 64 are dropped, as other readers do. */
static uint64_t read_leb(struct reader *reader, unsigned *bits, uint8_t *last)
{
	uint64_t value = 0;

	*bits = 0;
	*last = 0x80;
	while (*last & 0x80) {
		if (reader->at == reader->end) {
			spoil(reader);
			return 0;
		}
		*last = *reader->at++;
		if (*bits < 64) {
			value |= (uint64_t)(*last & 0x7f) << *bits;
			*bits += 7;
		}
	}
	return value;
}

uint64_t reader_uleb(struct reader *reader)
{
	unsigned bits;
	uint8_t last;

	return read_leb(reader, &bits, &last);
}

int64_t reader_sleb(struct reader *reader)
{
	unsigned bits;
	uint8_t last;
	uint64_t value = read_leb(reader, &bits, &last);

	if (!reader->bad && bits < 64 && last & 0x40)
		value |= ~0ull << bits;
	return (int64_t)value;
}

struct reader reader_part(struct reader *reader, uint64_t size)
{
	struct reader part = reader_of(reader->at, 0);

	if (size > reader_left(reader)) {
		spoil(reader);
		return part;
	}
	part.end = part.at + size;
	reader->at += size;
	return part;
}

const char *reader_string(struct reader *reader)
{
	const char *string = (const char *)reader->at;
	size_t left = reader_left(reader);
	const uint8_t *end = left ? memchr(reader->at, 0, left) : NULL;

	if (!end) {
		spoil(reader);
		return NULL;
	}
	reader->at = end + 1;
	return string;
}

uint64_t reader_pointer_value(struct reader *reader, uint8_t encoding, uint64_t vaddr)
{
	if ((encoding & BASE_MASK) == BASE_ALIGNED)
		reader_part(reader, -vaddr & 7);
	switch (encoding & FORMAT_MASK) {
	case FORMAT_ABSOLUTE:
	case FORMAT_UDATA8:
	case FORMAT_SDATA8:
		return reader_fixed(reader, 8);
	case FORMAT_ULEB:
		return reader_uleb(reader);
	case FORMAT_SLEB:
		return (uint64_t)reader_sleb(reader);
	case FORMAT_UDATA2:
		return reader_fixed(reader, 2);
	case FORMAT_SDATA2:
		return (uint64_t)(int16_t)reader_fixed(reader, 2);
	case FORMAT_UDATA4:
		return reader_fixed(reader, 4);
	case FORMAT_SDATA4:
		return (uint64_t)(int32_t)reader_fixed(reader, 4);
	default:
		spoil(reader);
		return 0;
	}
}

uint64_t reader_pointer(struct reader *reader, uint8_t encoding, uint64_t vaddr)
{
	uint64_t value = reader_pointer_value(reader, encoding, vaddr);

	if (encoding & INDIRECT) {
		spoil(reader);
		return 0;
	}
	switch (encoding & BASE_MASK) {
	case BASE_NONE:
	case BASE_ALIGNED:
		return value;
	case BASE_PC:
		return value + vaddr;
	default:
		spoil(reader);
		return 0;
	}
}

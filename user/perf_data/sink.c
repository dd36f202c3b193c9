// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "sink.h"

/* errno is not set by all that can fail in stdio. */
static void fail(struct sink *sink)
{
	sink->err = errno ? -errno : -EIO;
}

void sink_put(struct sink *sink, const void *bytes, size_t size)
{
	if (sink->err || !size)
		return;
	errno = 0;
	if (fwrite(bytes, size, 1, sink->file) != 1)
		fail(sink);
	else
		sink->offset += size;
}

void sink_put32(struct sink *sink, uint32_t value)
{
	sink_put(sink, &value, sizeof(value));
}

void sink_put64(struct sink *sink, uint64_t value)
{
	sink_put(sink, &value, sizeof(value));
}

void sink_put_string(struct sink *sink, const char *string)
{
	static const char zeros[64];
	size_t size = strlen(string) + 1;
	size_t room = (size + sizeof(zeros) - 1) / sizeof(zeros) * sizeof(zeros);

	sink_put32(sink, (uint32_t)room);
	sink_put(sink, string, size);
	sink_put(sink, zeros, room - size);
}

void sink_seek(struct sink *sink, uint64_t offset)
{
	if (sink->err)
		return;
	errno = 0;
	if (fseeko(sink->file, (off_t)offset, SEEK_SET))
		fail(sink);
	else
		sink->offset = offset;
}

int sink_flush(struct sink *sink)
{
	errno = 0;
	if (!sink->err && fflush(sink->file))
		fail(sink);
	return sink->err;
}

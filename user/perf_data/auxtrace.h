/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * AUX data in perf.data: an AUXTRACE_INFO record that says which decoder, an AUXTRACE record before each
 * span of bytes, and in the header an index of these (feature AUXTRACE).
 *
 * The layout is perf's own (tools/lib/perf/include/perf/event.h), in this machine's byte order, like all of
 * a file that we write. perf 6.1 refuses a file with an INFO of a type it has no decoder for, whatever its
 * options. Without any INFO it refuses AUXTRACE records, but steps over them with --no-itrace. So leave the
 * INFO out for AUXTRACE_UNKNOWN.
 */
#ifndef TRACER_AUXTRACE_H
#define TRACER_AUXTRACE_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PERF_RECORD_AUXTRACE_INFO 70
#define PERF_RECORD_AUXTRACE	  71

/* perf's decoders. */
enum auxtrace_type {
	AUXTRACE_UNKNOWN,
	AUXTRACE_INTEL_PT,
	AUXTRACE_INTEL_BTS,
	AUXTRACE_CS_ETM,
	AUXTRACE_ARM_SPE,
	AUXTRACE_S390_CPUMSF,
	AUXTRACE_HISI_PTT,
};

#define AUXTRACE_NO_ID UINT32_MAX /* no such thread, or CPU */

/* The bytes that follow an AUXTRACE record. */
struct auxtrace_span {
	uint64_t size;	 /* bytes, without padding */
	uint64_t offset; /* of the first, among all that was written to that AUX area */
	uint64_t reference; /* tells apart areas of one index, if there are such; perf writes a time or a random number */
	uint32_t idx; /* of the AUX area, from 0: data of one are in order */
	uint32_t tid; /* whose area it is, or AUXTRACE_NO_ID */
	uint32_t cpu; /* likewise */
};

#define AUXTRACE_BYTES	     48
#define AUXTRACE_INFO_BYTES  16
#define AUXTRACE_INDEX_BYTES 16

/* Zeros to write behind that many bytes of data, so that what comes next is aligned. */
static inline size_t auxtrace_padding(uint64_t size)
{
	return (size_t)(-size & 7);
}

/* The record before a span, which is to be followed by its bytes and their padding. */
void auxtrace_build(const struct auxtrace_span *span, uint8_t bytes[AUXTRACE_BYTES]);

/*
 * Reads such a record, with header->size bytes there; the size is then that with padding, how far the next
 * record is behind it. Pure. 0, or -EBADMSG for one that is too short, or whose size is not aligned.
 */
int auxtrace_decode(const struct perf_event_header *header, struct auxtrace_span *span);

/*
 * The record that says what decodes it, with count words that mean something to that decoder alone. Its
 * bytes; -ENOSPC if there is not that much room; -E2BIG if a record cannot have as many.
 */
ssize_t auxtrace_info_build(enum auxtrace_type type, const uint64_t *words, size_t count,
			    uint8_t *bytes, size_t room);

/*
 * The AUXTRACE feature is the number of AUXTRACE records (64 bits), then for each of them one of these: where
 * in the file it is.
 */
void auxtrace_index_build(uint64_t file_offset, uint8_t bytes[AUXTRACE_INDEX_BYTES]);

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a perf.data file consists of, as the kernel tree's tools/perf/Documentation/perf.data-file-format.txt
 * and the files themselves have it. All in the byte order of the machine that wrote it.
 */
#ifndef TRACER_PERF_DATA_FORMAT_H
#define TRACER_PERF_DATA_FORMAT_H

#include <linux/perf_event.h>
#include <stdint.h>

#define PERF_DATA_MAGIC		"PERFILE2"
#define PERF_DATA_MAGIC_SWAPPED "2ELIFREP"
#define PERF_DATA_MAGIC_OLD	"PERFFILE"

struct perf_data_section {
	uint64_t offset, size; /* bytes in the file */
};

/* Its size tells it from that of a piped file, which is its first 16 bytes only. */
struct perf_data_header {
	char magic[8];
	uint64_t size;
	uint64_t attr_size; /* of an attr and the section of its ids */
	struct perf_data_section attrs, data, event_types;
	uint64_t features[4]; /* a bit each; their sections are listed behind the data */
};

#define PERF_DATA_PIPE_HEADER 16

_Static_assert(sizeof(struct perf_data_header) == 104, "as perf writes it");

enum perf_data_feature {
	PERF_DATA_TRACING_DATA = 1,
	PERF_DATA_BUILD_ID,
	PERF_DATA_HOSTNAME,
	PERF_DATA_OSRELEASE,
	PERF_DATA_VERSION,
	PERF_DATA_ARCH,
	PERF_DATA_NRCPUS,
	PERF_DATA_CPUDESC,
	PERF_DATA_CPUID,
	PERF_DATA_TOTAL_MEM,
	PERF_DATA_CMDLINE,
	PERF_DATA_EVENT_DESC,
	PERF_DATA_SAMPLE_TIME = 21,
	PERF_DATA_CLOCKID = 23,
	PERF_DATA_CLOCK_DATA = 29,
	PERF_DATA_FEATURES = 256,
};

/* Records that perf itself adds to those of the kernel. They have no sample id. */
enum perf_data_record_type {
	PERF_DATA_FIRST_OWN = 64,
	PERF_DATA_RECORD_ATTR = 64,
	PERF_DATA_RECORD_TRACING_DATA = 66,
	PERF_DATA_RECORD_BUILD_ID = 67,
	PERF_DATA_RECORD_FINISHED_ROUND = 68,
	PERF_DATA_RECORD_AUXTRACE = 71,
	PERF_DATA_RECORD_EVENT_UPDATE = 78,
	PERF_DATA_RECORD_FEATURE = 80,
	PERF_DATA_RECORD_COMPRESSED = 81,
	PERF_DATA_RECORD_COMPRESSED2 = 83,
};

enum { PERF_DATA_UPDATE_NAME = 2 };

/* Of a build id record: its size is said, in build_id[20]. */
#define PERF_DATA_MISC_BUILD_ID_SIZE (1 << 15)

struct perf_data_build_id_record {
	struct perf_event_header header;
	uint32_t pid; /* UINT32_MAX: the host's */
	uint8_t build_id[20], build_id_size, reserved[3];
	char path[];
};

/* size bytes follow the record. */
struct perf_data_auxtrace_record {
	struct perf_event_header header;
	uint64_t size, offset, reference;
	uint32_t index, tid, cpu, reserved;
};

/* size bytes follow the record. */
struct perf_data_tracing_record {
	struct perf_event_header header;
	uint32_t size;
};

#endif

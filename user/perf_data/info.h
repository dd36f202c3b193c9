/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a perf.data file says about the recording: its feature sections. Writer and reader share the struct. */
#ifndef TRACER_PERF_DATA_INFO_H
#define TRACER_PERF_DATA_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../record/record.h"

struct perf_data_build_id {
	uint32_t pid;  /* UINT32_MAX: the host's */
	uint16_t misc; /* PERF_RECORD_MISC_KERNEL or _USER */
	uint8_t size;
	uint8_t bytes[RECORD_BUILD_ID];
	char *path;
};

/* What is not said is NULL or 0. */
struct perf_data_info {
	char *host, *os_release, *version, *arch; /* version: of the tool that recorded */
	char *cpu, *cpu_id;
	uint32_t cpus_available, cpus_online;
	uint64_t memory; /* KiB */
	char **command;	 /* its words */
	size_t word_count;
	uint64_t first_time, last_time; /* ns, of samples */
	uint64_t clock_resolution; /* ns, of the clock of all times; 0: the kernel's perf clock */
	bool has_clock;
	uint32_t clock;			/* CLOCK_*, with has_clock */
	uint64_t wall_time, clock_time; /* the same moment, ns since 1970 and of that clock */
	struct perf_data_build_id *build_ids;
	size_t build_id_count;
};

struct perf_event_header;

/*
 * Takes a feature section of size bytes; those that are no part of the struct are passed over. 0, -ENOMEM
 * or -EBADMSG. What it allocates perf_data_info_free() frees.
 */
int perf_data_info_add(struct perf_data_info *info, unsigned feature, const void *data,
		       size_t size);
/* Takes a PERF_RECORD_HEADER_BUILD_ID of header->size bytes. 0, -ENOMEM or -EBADMSG. */
int perf_data_info_add_build_id(struct perf_data_info *info, const void *record, size_t size);
void perf_data_info_free(struct perf_data_info *info);

#endif

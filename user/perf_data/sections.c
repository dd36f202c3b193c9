// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "../base/clock.h"
#include "format.h"
#include "sections.h"
#include "writer.h"

static uint64_t bit_if(bool is_there, unsigned feature)
{
	return is_there ? 1ull << feature : 0;
}

uint64_t sections_of(const struct perf_data_info *info)
{
	return bit_if(info->build_id_count, PERF_DATA_BUILD_ID) |
	       bit_if(info->host, PERF_DATA_HOSTNAME) |
	       bit_if(info->os_release, PERF_DATA_OSRELEASE) |
	       bit_if(info->version, PERF_DATA_VERSION) | bit_if(info->arch, PERF_DATA_ARCH) |
	       bit_if(info->cpu, PERF_DATA_CPUDESC) | bit_if(info->cpu_id, PERF_DATA_CPUID) |
	       bit_if(info->cpus_available, PERF_DATA_NRCPUS) |
	       bit_if(info->memory, PERF_DATA_TOTAL_MEM) |
	       bit_if(info->word_count, PERF_DATA_CMDLINE) | bit_if(true, PERF_DATA_EVENT_DESC) |
	       bit_if(info->last_time, PERF_DATA_SAMPLE_TIME) |
	       bit_if(info->clock_resolution, PERF_DATA_CLOCKID) |
	       bit_if(info->has_clock, PERF_DATA_CLOCK_DATA);
}

static void put_command(struct sink *sink, const struct perf_data_info *info)
{
	sink_put32(sink, (uint32_t)info->word_count);
	for (size_t i = 0; i < info->word_count; i++)
		sink_put_string(sink, info->command[i]);
}

static void put_events(struct sink *sink, const struct perf_data_events *events)
{
	sink_put32(sink, (uint32_t)events->count);
	sink_put32(sink, sizeof(struct perf_event_attr));
	for (size_t i = 0; i < events->count; i++) {
		const struct perf_data_event *event = &events->events[i];

		sink_put(sink, &event->attr, sizeof(event->attr));
		sink_put32(sink, (uint32_t)event->id_count);
		sink_put_string(sink, event->name);
		sink_put(sink, event->ids, event->id_count * sizeof(*event->ids));
	}
}

static void put_build_id(struct sink *sink, const struct perf_data_build_id *id)
{
	static const char zeros[64];
	size_t length = strlen(id->path) + 1;
	size_t room = (length + sizeof(zeros) - 1) / sizeof(zeros) * sizeof(zeros);
	struct perf_data_build_id_record record = {
		.header = {
			.type = PERF_DATA_RECORD_BUILD_ID,
			.misc = (uint16_t)(id->misc | PERF_DATA_MISC_BUILD_ID_SIZE),
			.size = (uint16_t)(sizeof(record) + room),
		},
		.pid = id->pid,
		.build_id_size = id->size,
	};

	memcpy(record.build_id, id->bytes, id->size);
	sink_put(sink, &record, sizeof(record));
	sink_put(sink, id->path, length);
	sink_put(sink, zeros, room - length);
}

static void put_build_ids(struct sink *sink, const struct perf_data_info *info)
{
	for (size_t i = 0; i < info->build_id_count; i++)
		put_build_id(sink, &info->build_ids[i]);
}

static void put_clock(struct sink *sink, const struct perf_data_info *info)
{
	sink_put32(sink, 1); /* version */
	sink_put32(sink, info->clock);
	sink_put64(sink, info->wall_time);
	sink_put64(sink, info->clock_time);
}

static const char *string_of(const struct perf_data_info *info, unsigned feature)
{
	switch (feature) {
	case PERF_DATA_HOSTNAME:
		return info->host;
	case PERF_DATA_OSRELEASE:
		return info->os_release;
	case PERF_DATA_VERSION:
		return info->version;
	case PERF_DATA_ARCH:
		return info->arch;
	case PERF_DATA_CPUDESC:
		return info->cpu;
	case PERF_DATA_CPUID:
		return info->cpu_id;
	}
	return NULL;
}

void sections_put(struct sink *sink, unsigned feature, const struct perf_data_info *info,
		  const struct perf_data_events *events)
{
	switch (feature) {
	case PERF_DATA_BUILD_ID:
		put_build_ids(sink, info);
		break;
	case PERF_DATA_NRCPUS:
		sink_put32(sink, info->cpus_available);
		sink_put32(sink, info->cpus_online);
		break;
	case PERF_DATA_TOTAL_MEM:
		sink_put64(sink, info->memory);
		break;
	case PERF_DATA_CMDLINE:
		put_command(sink, info);
		break;
	case PERF_DATA_EVENT_DESC:
		put_events(sink, events);
		break;
	case PERF_DATA_SAMPLE_TIME:
		sink_put64(sink, info->first_time);
		sink_put64(sink, info->last_time);
		break;
	case PERF_DATA_CLOCKID:
		sink_put64(sink, info->clock_resolution);
		break;
	case PERF_DATA_CLOCK_DATA:
		put_clock(sink, info);
		break;
	default:
		sink_put_string(sink, string_of(info, feature));
	}
}

/* ---- this machine -------------------------------------------------------------------------------- */

static uint64_t ns_of(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * NSEC_PER_SEC + (uint64_t)time->tv_nsec;
}

static void read_clocks(struct perf_data_info *info)
{
	struct timespec wall, resolution;

	clock_getres(CLOCK_MONOTONIC, &resolution);
	clock_gettime(CLOCK_REALTIME, &wall);
	info->clock_time = clock_now();
	info->wall_time = ns_of(&wall);
	info->clock_resolution = ns_of(&resolution);
	info->clock = CLOCK_MONOTONIC;
	info->has_clock = true;
}

int perf_data_info_of_machine(struct perf_data_info *info)
{
	struct utsname name;
	struct sysinfo system;

	if (uname(&name) || sysinfo(&system))
		return -errno;
	info->host = strdup(name.nodename);
	info->os_release = strdup(name.release);
	info->arch = strdup(name.machine);
	if (!info->host || !info->os_release || !info->arch)
		return -ENOMEM;
	info->cpus_available = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	info->cpus_online = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	info->memory = (uint64_t)system.totalram * system.mem_unit / 1024;
	read_clocks(info);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Feature sections into struct perf_data_info. */
#include <errno.h>
#include <stdlib.h>

#include "format.h"
#include "info.h"
#include "section_string.h"

static int add_string(struct bytes *bytes, char **to)
{
	const char *string = section_string(bytes);
	char *copy;

	if (!string)
		return -EBADMSG;
	copy = strdup(string);
	if (!copy)
		return -ENOMEM;
	free(*to);
	*to = copy;
	return 0;
}

static void free_command(struct perf_data_info *info)
{
	for (size_t i = 0; i < info->word_count; i++)
		free(info->command[i]);
	free(info->command);
	info->command = NULL;
	info->word_count = 0;
}

static int add_command(struct perf_data_info *info, struct bytes *bytes)
{
	uint32_t count = bytes_take32(bytes);
	int err = 0;

	/* each word has its size, at least */
	if (count > (uint64_t)(bytes->end - bytes->at) / sizeof(uint32_t))
		return -EBADMSG;
	free_command(info);
	info->command = calloc((size_t)count + 1, sizeof(*info->command));
	if (!info->command)
		return -ENOMEM;
	while (!err && info->word_count < count) {
		err = add_string(bytes, &info->command[info->word_count]);
		info->word_count += !err;
	}
	return err;
}

static void set_cpus(struct perf_data_info *info, struct bytes *bytes)
{
	info->cpus_available = bytes_take32(bytes);
	info->cpus_online = bytes_take32(bytes);
}

static void set_times(struct perf_data_info *info, struct bytes *bytes)
{
	info->first_time = bytes_take64(bytes);
	info->last_time = bytes_take64(bytes);
}

static void set_clock(struct perf_data_info *info, struct bytes *bytes)
{
	if (bytes_take32(bytes) != 1) /* of another version we know nothing */
		return;
	info->clock = bytes_take32(bytes);
	info->wall_time = bytes_take64(bytes);
	info->clock_time = bytes_take64(bytes);
	info->has_clock = !bytes->failed;
}

/* What is the same in every build id record; those of old files do not say how long the id is. */
static void read_build_id(const uint8_t *record, struct perf_data_build_id *id)
{
	struct perf_data_build_id_record wire;

	memcpy(&wire, record, sizeof(wire));
	id->pid = wire.pid;
	id->misc = wire.header.misc & PERF_RECORD_MISC_CPUMODE_MASK;
	id->size = RECORD_BUILD_ID;
	if (wire.header.misc & PERF_DATA_MISC_BUILD_ID_SIZE && wire.build_id_size < RECORD_BUILD_ID)
		id->size = wire.build_id_size;
	memcpy(id->bytes, wire.build_id, RECORD_BUILD_ID);
}

int perf_data_info_add_build_id(struct perf_data_info *info, const void *record, size_t size)
{
	const char *path = (const char *)record + sizeof(struct perf_data_build_id_record);
	struct perf_data_build_id *ids, id = {};

	if (size <= sizeof(struct perf_data_build_id_record) ||
	    !memchr(path, 0, size - sizeof(struct perf_data_build_id_record)))
		return -EBADMSG;
	read_build_id(record, &id);
	id.path = strdup(path);
	if (!id.path)
		return -ENOMEM;
	ids = reallocarray(info->build_ids, info->build_id_count + 1, sizeof(*ids));
	if (!ids) {
		free(id.path);
		return -ENOMEM;
	}
	ids[info->build_id_count++] = id;
	info->build_ids = ids;
	return 0;
}

static int add_build_ids(struct perf_data_info *info, struct bytes *bytes)
{
	int err = 0;

	while (!err && bytes->at < bytes->end) {
		const uint8_t *record = bytes->at;
		struct perf_event_header header;
		const void *head = bytes_take(bytes, sizeof(header));

		if (!head)
			return -EBADMSG;
		memcpy(&header, head, sizeof(header));
		if (header.size < sizeof(header) ||
		    !bytes_take(bytes, header.size - sizeof(header)))
			return -EBADMSG;
		err = perf_data_info_add_build_id(info, record, header.size);
	}
	return err;
}

static char **string_of(struct perf_data_info *info, unsigned feature)
{
	switch (feature) {
	case PERF_DATA_HOSTNAME:
		return &info->host;
	case PERF_DATA_OSRELEASE:
		return &info->os_release;
	case PERF_DATA_VERSION:
		return &info->version;
	case PERF_DATA_ARCH:
		return &info->arch;
	case PERF_DATA_CPUDESC:
		return &info->cpu;
	case PERF_DATA_CPUID:
		return &info->cpu_id;
	}
	return NULL;
}

int perf_data_info_add(struct perf_data_info *info, unsigned feature, const void *data, size_t size)
{
	struct bytes bytes = { .at = data, .end = (const uint8_t *)data + size };
	char **string = string_of(info, feature);

	if (string)
		return add_string(&bytes, string);
	switch (feature) {
	case PERF_DATA_CMDLINE:
		return add_command(info, &bytes);
	case PERF_DATA_BUILD_ID:
		return add_build_ids(info, &bytes);
	case PERF_DATA_NRCPUS:
		set_cpus(info, &bytes);
		break;
	case PERF_DATA_TOTAL_MEM:
		info->memory = bytes_take64(&bytes);
		break;
	case PERF_DATA_SAMPLE_TIME:
		set_times(info, &bytes);
		break;
	case PERF_DATA_CLOCKID:
		info->clock_resolution = bytes_take64(&bytes);
		break;
	case PERF_DATA_CLOCK_DATA:
		set_clock(info, &bytes);
		break;
	}
	return bytes.failed ? -EBADMSG : 0;
}

void perf_data_info_free(struct perf_data_info *info)
{
	free(info->host);
	free(info->os_release);
	free(info->version);
	free(info->arch);
	free(info->cpu);
	free(info->cpu_id);
	free_command(info);
	for (size_t i = 0; i < info->build_id_count; i++)
		free(info->build_ids[i].path);
	free(info->build_ids);
	*info = (struct perf_data_info){};
}

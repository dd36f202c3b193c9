// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * libFuzzer target: the input is a perf.data file, of either form; all of its records are decoded, and all
 * that they point to is read. Run by `make fuzz`.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perf_data/reader.h"
#include "../unit/touch_sample.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int truth)
{
	if (!truth)
		abort();
}

static int take(void *context, const struct perf_data_record *record)
{
	struct record decoded;
	uint64_t *sum = context;

	if (perf_data_record_decode(record, &decoded))
		return 0;
	if (decoded.kind == RECORD_SAMPLE)
		*sum += touch_sample(&decoded.sample);
	else if (decoded.kind == RECORD_MMAP)
		*sum += strlen(decoded.mmap.path) + decoded.mmap.build_id_size;
	else if (decoded.kind == RECORD_COMM)
		*sum += strlen(decoded.comm.comm);
	return 0;
}

static void read_info(const struct perf_data_info *info)
{
	for (size_t i = 0; i < info->word_count; i++)
		check(strlen(info->command[i]) < UINT32_MAX);
	for (size_t i = 0; i < info->build_id_count; i++)
		check(info->build_ids[i].size <= RECORD_BUILD_ID && info->build_ids[i].path);
}

static void put(int fd, const uint8_t *data, size_t size)
{
	check(!ftruncate(fd, 0));
	check(pwrite(fd, data, size, 0) == (ssize_t)size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct perf_data_reader *reader;
	struct perf_data_error error;
	uint64_t sum = 0;
	char path[64];
	int err;

	if (fd < 0)
		fd = memfd_create("perf.data", MFD_CLOEXEC);
	check(fd >= 0);
	put(fd, data, size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = perf_data_reader_open(path, &reader, &error);
	check(err == 0 || err == -EBADMSG);
	if (err)
		return 0;
	err = perf_data_reader_run(reader, take, &sum, &error);
	check(err == 0 || err == -EBADMSG);
	check(!err == !error.text[0]);
	read_info(perf_data_reader_info(reader));
	perf_data_reader_close(reader);
	return 0;
}

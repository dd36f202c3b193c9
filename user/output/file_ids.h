/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Build ids of the files that a recording is about: those that ran, not what is in their place by now. */
#ifndef TRACER_FILE_IDS_H
#define TRACER_FILE_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../record/record.h"

struct object;
struct perf_data_info;
struct perf_data_writer;

struct file_id {
	const struct object *object;
	bool is_hit;  /* a frame lies in it: the caller sets it */
	uint8_t size; /* 0: it has none */
	uint8_t bytes[RECORD_BUILD_ID];
};

struct file_ids {
	const struct perf_data_info *recorded; /* of a replay: what its file lists; else NULL */
	bool kernel_is_hit;		       /* the caller sets it */
	struct file_id *files; /* by object->id; object is NULL where none was asked for */
	size_t count;
};

/* NULL for what is no file, and without memory. Valid until the next call. */
struct file_id *file_ids_get(struct file_ids *ids, const struct object *object);
/* Adds those that were hit to the file, as perf does it. 0 or -errno. */
int file_ids_put(const struct file_ids *ids, struct perf_data_writer *writer);
void file_ids_free(struct file_ids *ids);

#endif

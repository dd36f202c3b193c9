/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tables of all objects: each is built once, whichever processes and files it is in, when something
 * first wants it, and known to walks by a number. Equal build ids share a table.
 */
#ifndef TRACER_LIBRARY_H
#define TRACER_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"
#include "table.h"

struct object;
struct unwind_library;

struct unwind_library_config {
	struct unwind_memory_ops memory;
	uint64_t memory_limit; /* bytes */
	/* What walks read: [object_count], zeroed; the first stands for code without a file. */
	struct unwind_object *objects;
	uint32_t object_count;
};

struct unwind_library_stats {
	size_t tables;	       /* that are there now */
	uint64_t memory_bytes; /* of chunks */
	uint64_t build_ns;     /* of all builds, one after the other */
	size_t no_room;	       /* objects left without a table: the memory limit */
	size_t no_number;      /* the same: more objects than numbers */
	size_t failed;	       /* files that could not be read, or tables that could not be made */
};

/* 0 or -errno. */
int unwind_library_new(const struct unwind_library_config *config, struct unwind_library **library);
void unwind_library_free(struct unwind_library *library);

/*
 * The number that walks find the object's table under; it is wanted from now on. 0 for an object that
 * cannot have one.
 */
uint32_t unwind_library_want(struct unwind_library *library, const struct object *object);
/* The load bias of a mapping, length bytes from file offset on at start. false: it holds no code. */
bool unwind_library_bias(struct unwind_library *library, const struct object *object,
			 uint64_t start, uint64_t length, uint64_t offset, uint64_t *bias);
/*
 * The table of an object, and the address that offset has in its file. 0; -ENOENT: has none; -EAGAIN:
 * not yet.
 */
int unwind_library_find(struct unwind_library *library, const struct object *object,
			uint64_t offset, const struct unwind_table **table, uint64_t *vaddr);

/* Takes what has been built since. true when there was something. */
bool unwind_library_collect(struct unwind_library *library);
/* Waits until something has been built, and takes it. false when nothing is being built. */
bool unwind_library_wait(struct unwind_library *library);
/* Readable when there is something to collect. */
int unwind_library_fd(const struct unwind_library *library);

/*
 * Giving up what no process uses any more: begin, mark each number in use, end. A table goes that was
 * not marked the last two times, or, if room is short, this time.
 */
void unwind_library_sweep_begin(struct unwind_library *library);
void unwind_library_sweep_mark(struct unwind_library *library, uint32_t number);
void unwind_library_sweep_end(struct unwind_library *library);
/* Did a table find no room since the last sweep? */
bool unwind_library_is_short(const struct unwind_library *library);

void unwind_library_stats(const struct unwind_library *library, struct unwind_library_stats *stats);

#endif

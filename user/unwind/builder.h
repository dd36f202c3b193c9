/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Builds tables in a thread of its own: a big library takes a second, in which rings must be read. The
 * smallest of those wanted is built first. The thread alone touches the table memory.
 */
#ifndef TRACER_BUILDER_H
#define TRACER_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"
#include "table.h"

struct unwind_builder;

/* A table in table memory. Its arrays are there, not the heap's. */
struct built_table {
	struct unwind_table view;
	struct unwind_object where; /* state is UNWIND_READY */
	uint32_t head, head_units;  /* rules and pages */
	uint32_t rows, row_units;
};

struct build_result {
	uint32_t number; /* as given with the job */
	/* 0; -ENOENT: the file says nothing about unwinding; -ENOSPC: no room; another -errno */
	int err;
	struct built_table table;
	uint64_t build_ns;
	size_t code_bytes, bad_entries;
};

/* memory stays the caller's. 0 or -errno. */
int unwind_builder_new(struct unwind_memory *memory, struct unwind_builder **builder);
/* Ends when the job at hand is done; what is queued is dropped. */
void unwind_builder_free(struct unwind_builder *builder);
/* The table of an ELF file; fd is taken over. fd -1: of the vDSO. 0 or -ENOMEM. */
int unwind_builder_add(struct unwind_builder *builder, uint32_t number, int fd);
/* Gives a table's memory back; no new walk may be led to it. 0 or -ENOMEM: it stays taken. */
int unwind_builder_release(struct unwind_builder *builder, const struct built_table *table);
/* Takes a finished build. false when there is none (yet). */
bool unwind_builder_next(struct unwind_builder *builder, struct build_result *result);
/* Waits until a build is finished, or there is none to wait for. */
void unwind_builder_wait(struct unwind_builder *builder);
/* Readable while there are finished builds. */
int unwind_builder_fd(const struct unwind_builder *builder);

#endif

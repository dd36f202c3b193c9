/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From WHERE as a person writes it to what it means in its file: an address there, a length, a kind of access. */
#ifndef TRACER_WATCH_VARIABLE_H
#define TRACER_WATCH_VARIABLE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../aim/variable_path.h"
#include "thread_local.h"
#include "watch_split.h"

struct object;
struct objects;
struct probe_option;

struct watch_variable {
	uint32_t type; /* HW_BREAKPOINT_R | W | X */
	bool at_entry; /* execution of a function's first instruction */
	bool in_kernel;
	bool is_thread_local;
	bool is_of_program;	     /* of what the process runs, not of a library */
	const struct object *object; /* whose address vaddr is; NULL: it is one of the memory */
	uint64_t file_start;	     /* the address that the file gives its first byte */
	uint64_t vaddr;		     /* or an offset in the file's thread-local block */
	size_t pointer_count;	     /* to be followed, as struct variable_part has it */
	uint64_t offsets[VARIABLE_PATH_POINTERS];
	uint64_t size;			 /* bytes; 0: not known */
	struct thread_local_block block; /* of a thread-local variable of the program */
	char debug_path[PATH_MAX];	 /* the file that would have DWARF of it; "" none */
};

/* For process pid; 0: an address or a kernel symbol. Says what is wrong. 0 or -errno. */
int watch_variable_resolve(const struct probe_option *option, pid_t pid, struct objects *objects,
			   struct watch_variable *variable);
/* An address with the same last bits as it will have, where it is not known yet and nothing lies askew. */
uint64_t watch_variable_likely_address(const struct watch_variable *variable);
/*
 * The parts it is watched in, if it lies at address, of which only the last bits matter. Says what is wrong.
 * 0 or -errno.
 */
int watch_variable_split(const struct probe_option *option, const struct watch_variable *variable,
			 uint64_t address, struct watch_parts *parts);

#endif

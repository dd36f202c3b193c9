/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Who had what mapped where, and when. Address spaces keep their history: each mapping is valid
 * from a time to a time, so a stack is resolved against the maps of its own moment, whatever has
 * happened since (exec, dlclose, exit, a pid used again).
 */
#ifndef TRACER_TASKS_H
#define TRACER_TASKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "listener.h"

struct mapping;
struct objects;
struct object;
struct record;
struct tasks;

/* An address, made independent of process and load address. */
struct frame {
	struct object *object;
	/* File offset for OBJECT_FILE and OBJECT_VDSO, the address itself for the others. */
	uint64_t offset;
	/* Execution stands there, and has not called from there: for callers that a signal interrupted. */
	bool exact;
};

struct tasks *tasks_new(struct objects *objects);
void tasks_free(struct tasks *tasks);
/* They are those of a recording made before: nothing that /proc says now is about them. */
void tasks_set_recorded(struct tasks *tasks);

/* Is told of all that is known now, then of all that becomes known, once it is. */
void tasks_set_listener(struct tasks *tasks, const struct tasks_listener *listener);

/*
 * Reads /proc/PID/maps and the comms of its threads as the state before everything: valid from time
 * (ns). Does nothing when the process is known already. 0 or -errno (-ESRCH: it is gone).
 */
int tasks_scan(struct tasks *tasks, pid_t pid, uint64_t time);
/* Every process of /proc. Those that vanish meanwhile are no error. 0 or -errno. */
int tasks_scan_all(struct tasks *tasks, uint64_t time);

bool tasks_is_known(const struct tasks *tasks, pid_t pid);
/* Calls for each process that is known now, until the callback gives something else than 0: that. */
int tasks_each(const struct tasks *tasks, int (*callback)(void *context, pid_t pid), void *context);

/*
 * Takes a side-band record (RECORD_MMAP, COMM, FORK, EXIT); others are ignored. A mapping without
 * PROT_EXEC only ends what it covers; those of the kernel itself are only told on. 0 or -ENOMEM.
 */
int tasks_apply(struct tasks *tasks, const struct record *record);

/*
 * Normalises an address of a process at a time. Always gives an object: OBJECT_UNKNOWN when no
 * mapping was known there. Kernel addresses are the caller's business.
 */
void tasks_resolve(struct tasks *tasks, pid_t pid, uint64_t time, uint64_t ip, struct frame *frame);

/*
 * The reverse: where a frame was in a process at a time; of several places one. False when it was
 * nowhere.
 */
bool tasks_locate(const struct tasks *tasks, pid_t pid, uint64_t time, const struct frame *frame,
		  uint64_t *ip);

/*
 * The nearest code of files around an address of a process at a time: address_space_around(). False: the process is not
 * known.
 */
bool tasks_code_around(const struct tasks *tasks, pid_t pid, uint64_t time, uint64_t address,
		       const struct mapping *around[2]);
/*
 * The last comm known for a thread at or before time; NULL when unknown. Valid until the next
 * tasks_apply.
 */
const char *tasks_comm(struct tasks *tasks, pid_t pid, pid_t tid, uint64_t time);

/*
 * Address of a file offset in a process, now. 0 when that object is not mapped there.
 * An offset that elf_file_vaddr_to_offset() gave for a place in .bss is good, too.
 * For breakpoints on symbols, and for probes whose site is given as an address.
 */
uint64_t tasks_address_of(struct tasks *tasks, pid_t pid, const struct object *object,
			  uint64_t offset);

/* pid of the process as seen from inside its own pid namespace (NSpid), pid itself when unknown. */
pid_t tasks_namespace_pid(pid_t pid);

#endif

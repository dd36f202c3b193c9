/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where in a process a place of an object is now. */
#ifndef TRACER_LOCATE_H
#define TRACER_LOCATE_H

#include <stdint.h>
#include <sys/types.h>

struct object;
struct objects;

/* As tasks_address_of(). */
uint64_t locate_offset(const struct objects *objects, pid_t pid, const struct object *object,
		       uint64_t offset);

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a mapping is a mapping of, told by its name. */
#ifndef TRACER_MAPPING_OBJECT_H
#define TRACER_MAPPING_OBJECT_H

#include <stdbool.h>

#include "mapped_file.h"
#include "object.h"

/* Has a mapping of this name memory of its own, no file's (JIT code, heap, shared memory)? */
bool mapping_is_anonymous(const char *path);
/* Its object. NULL only without memory. */
struct object *mapping_object(struct objects *objects, const struct mapped_file *mapped);

#endif

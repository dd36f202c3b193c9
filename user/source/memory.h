/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory of another process. */
#ifndef TRACER_MEMORY_H
#define TRACER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* All of it, or false with errno set. */
bool memory_read(pid_t pid, uint64_t address, void *buffer, size_t size);

#endif

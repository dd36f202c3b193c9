/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Table memory that nobody shares with us: for walks in user space only. */
#ifndef TRACER_PRIVATE_MEMORY_H
#define TRACER_PRIVATE_MEMORY_H

#include "memory.h"

struct unwind_memory_ops private_memory_ops(void);

#endif

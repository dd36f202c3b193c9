/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How Go's functions begin on arm64. */
#ifndef TRACER_GO_CHECK_ARM64_H
#define TRACER_GO_CHECK_ARM64_H

#include <stddef.h>
#include <stdint.h>

/*
 * code: a function of Go, as much of it as is known, in bytes. The number of those up to behind its look at the stack's
 * limit, after which it may begin again; 0 when there is none, or when something jumps there past it.
 */
size_t go_check_arm64(const uint8_t *code, size_t size);

#endif

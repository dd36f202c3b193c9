/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TRACER_DEMANGLE_H
#define TRACER_DEMANGLE_H

/*
 * C++ (Itanium) and Rust (legacy and v0) names as people write them, by libiberty; Rust hashes
 * removed. A malloc'ed string, or NULL when name is not mangled (or would be longer than 64 KiB).
 */
char *demangle(const char *name);

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Paths of source files, compared without looking at the file system: the sources may be elsewhere. */
#ifndef TRACER_DEBUG_PATH_MATCH_H
#define TRACER_DEBUG_PATH_MATCH_H

#include <stdbool.h>
#include <stddef.h>

/* Copies a path without "." and with ".." resolved; it is cut where size ends. */
void path_normalize(const char *path, char *normal, size_t size);
/*
 * Does a normalized path mean that file of a line table, normalized too? By whole parts from the end:
 * all of the path if it is relative; if it is absolute, all of both, or all of a file that is relative.
 */
bool path_means(const char *path, const char *file);
/* The last part. */
const char *path_last_part(const char *path);

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Opening a path that somebody else chose. What it leads to is looked at (O_PATH) before it is opened:
 * opening a device or a fifo can block or have effects.
 */
#ifndef TRACER_REGULAR_FILE_H
#define TRACER_REGULAR_FILE_H

/* A read-only descriptor; -errno, -EINVAL when it is no regular file. */
int regular_file_open(const char *path);

#endif

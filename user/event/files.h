/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Small files and folders of sysfs and tracefs. */
#ifndef TRACER_EVENT_FILES_H
#define TRACER_EVENT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an attribute of sysfs can hold: a page. */
#define FILE_LINE_SIZE 4096

/* The first line without its newline, of the file that the format names. 0, -E2BIG or -errno. */
int file_line(char line[FILE_LINE_SIZE], const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A line that is one decimal number. 0, -EINVAL or -errno. */
int file_number(uint64_t *value, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool file_exists(const char *format, ...) __attribute__((format(printf, 1, 2)));

struct names {
	char **names; /* sorted, with numbers in them by their value */
	size_t count;
};

/* What is in a folder, without what begins with a '.'. 0, or -errno; -ENOENT if there is no such folder. */
int folder_names(struct names *names, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void names_free(struct names *names);

#endif

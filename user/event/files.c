// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Small files and folders of sysfs and tracefs. */
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/values.h"

static bool is_path(int length)
{
	return length >= 0 && length < PATH_MAX;
}

static int read_line(char line[FILE_LINE_SIZE], const char *path)
{
	FILE *file = fopen(path, "re");
	size_t length;
	int err = 0;

	if (!file)
		return -errno;
	errno = 0;
	length = fread(line, 1, FILE_LINE_SIZE - 1, file);
	if (ferror(file))
		err = errno ? -errno : -EIO;
	fclose(file);
	if (err)
		return err;
	line[length] = '\0';
	if (strcspn(line, "\n") == FILE_LINE_SIZE - 1)
		return -E2BIG;
	line[strcspn(line, "\n")] = '\0';
	return 0;
}

int file_line(char line[FILE_LINE_SIZE], const char *format, ...)
{
	char path[PATH_MAX];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(path, sizeof(path), format, arguments);
	va_end(arguments);
	return is_path(length) ? read_line(line, path) : -ENAMETOOLONG;
}

int file_number(uint64_t *value, const char *format, ...)
{
	char path[PATH_MAX], line[FILE_LINE_SIZE];
	va_list arguments;
	int length, err;

	va_start(arguments, format);
	length = vsnprintf(path, sizeof(path), format, arguments);
	va_end(arguments);
	err = is_path(length) ? read_line(line, path) : -ENAMETOOLONG;
	return err ? err : number_parse(line, value);
}

bool file_exists(const char *format, ...)
{
	char path[PATH_MAX];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(path, sizeof(path), format, arguments);
	va_end(arguments);
	return is_path(length) && access(path, F_OK) == 0;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Takes the entries over. */
static int take_names(struct names *names, struct dirent **entries, size_t count)
{
	int err;

	names->names = calloc(count + 1, sizeof(*names->names));
	err = names->names ? 0 : -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (!err) {
			names->names[i] = strdup(entries[i]->d_name);
			err = names->names[i] ? 0 : -ENOMEM;
			names->count += !err;
		}
		free(entries[i]);
	}
	if (err)
		names_free(names);
	return err;
}

int folder_names(struct names *names, const char *format, ...)
{
	struct dirent **entries = NULL;
	char path[PATH_MAX];
	va_list arguments;
	int length, count, err;

	*names = (struct names){};
	va_start(arguments, format);
	length = vsnprintf(path, sizeof(path), format, arguments);
	va_end(arguments);
	if (!is_path(length))
		return -ENAMETOOLONG;
	count = scandir(path, &entries, is_visible, versionsort);
	if (count < 0)
		return -errno;
	err = take_names(names, entries, (size_t)count);
	free(entries);
	return err;
}

void names_free(struct names *names)
{
	for (size_t i = 0; names->names && i < names->count; i++)
		free(names->names[i]);
	free(names->names);
	*names = (struct names){};
}

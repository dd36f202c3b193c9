// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Comparing paths from their ends. */
#include "path_match.h"

#include <string.h>

/* Where the last part of so many characters begins. */
static size_t part_start(const char *text, size_t length)
{
	while (length && text[length - 1] != '/')
		length--;
	return length;
}

/* Takes a part off, unless there is none, or it is a ".." itself. */
static bool drop_part(const char *normal, size_t *length)
{
	size_t start = part_start(normal, *length);

	if (start == *length || (*length - start == 2 && !strncmp(normal + start, "..", 2)))
		return false;
	*length = start > 1 ? start - 1 : start;
	return true;
}

static void add_part(char *normal, size_t *length, size_t size, const char *part, size_t part_size)
{
	bool slash = *length && normal[*length - 1] != '/';

	if (*length + slash + part_size >= size)
		return;
	if (slash)
		normal[(*length)++] = '/';
	memcpy(normal + *length, part, part_size);
	*length += part_size;
}

void path_normalize(const char *path, char *normal, size_t size)
{
	size_t length = 0;

	if (*path == '/')
		normal[length++] = '/';
	while (*path) {
		size_t part = strcspn(path, "/");

		if (part == 2 && !strncmp(path, "..", 2)) {
			if (!drop_part(normal, &length) && *normal != '/')
				add_part(normal, &length, size, path, part);
		} else if (part && !(part == 1 && *path == '.')) {
			add_part(normal, &length, size, path, part);
		}
		path += part;
		path += *path == '/';
	}
	normal[length] = '\0';
}

/* Are the last parts of text all of those of end? */
static bool ends_in(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	if (!end_length || end_length > length || strcmp(text + length - end_length, end) != 0)
		return false;
	return end_length == length || text[length - end_length - 1] == '/';
}

bool path_means(const char *path, const char *file)
{
	if (*path != '/')
		return ends_in(file, path);
	return *file == '/' ? !strcmp(path, file) : ends_in(path, file);
}

const char *path_last_part(const char *path)
{
	return path + part_start(path, strlen(path));
}

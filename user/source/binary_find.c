// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The file that a person means by a name: a path, a library of the target, or where the system keeps it. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe_site.h"

static const char *const library_folders[] = {
#if defined(__x86_64__)
	"/lib/x86_64-linux-gnu",
	"/usr/lib/x86_64-linux-gnu",
#elif defined(__aarch64__)
	"/lib/aarch64-linux-gnu",
	"/usr/lib/aarch64-linux-gnu",
#endif
	"/lib64",
	"/usr/lib64",
	"/lib",
	"/usr/lib",
	"/usr/local/lib",
};

static int take_file(const char *candidate, char path[PATH_MAX])
{
	struct stat status;

	if (!realpath(candidate, path))
		return -errno;
	if (stat(path, &status))
		return -errno;
	return S_ISREG(status.st_mode) ? 0 : -ENOENT;
}

/* Does file name "libc.so.6" or "libc-2.31.so" go by the short name "libc"? */
static bool is_library_of_name(const char *file, const char *name)
{
	size_t length = strlen(name);

	if (!strcmp(file, name))
		return true;
	if (strncmp(file, name, length))
		return false;
	return !strncmp(file + length, ".so", 3) ||
	       (file[length] == '-' && strstr(file + length, ".so"));
}

static int find_in_process(const char *name, pid_t pid, char path[PATH_MAX])
{
	char maps[64], line[PATH_MAX + 128];
	int err = -ENOENT;
	FILE *file;

	snprintf(maps, sizeof(maps), "/proc/%d/maps", pid);
	file = fopen(maps, "re");
	if (!file)
		return -errno;
	while (err && fgets(line, sizeof(line), file)) {
		char *start = strchr(line, '/');

		if (!start)
			continue;
		start[strcspn(start, "\n")] = 0;
		if (is_library_of_name(strrchr(start, '/') + 1, name))
			err = take_file(start, path);
	}
	fclose(file);
	return err;
}

static int find_in_folder(const char *name, const char *folder, char path[PATH_MAX])
{
	char candidate[PATH_MAX];
	struct dirent *entry;
	int err = -ENOENT;
	DIR *dir = opendir(folder);

	if (!dir)
		return -errno;
	while (err && (entry = readdir(dir))) {
		if (!is_library_of_name(entry->d_name, name))
			continue;
		if (snprintf(candidate, sizeof(candidate), "%s/%s", folder, entry->d_name) <
		    (int)sizeof(candidate))
			err = take_file(candidate, path);
	}
	closedir(dir);
	return err;
}

static int find_on_path(const char *name, char path[PATH_MAX])
{
	const char *list = getenv("PATH");
	char candidate[PATH_MAX];

	while (list && *list) {
		size_t length = strcspn(list, ":");
		int written =
			snprintf(candidate, sizeof(candidate), "%.*s/%s", (int)length, list, name);

		if (written < (int)sizeof(candidate) && !access(candidate, X_OK) &&
		    !take_file(candidate, path))
			return 0;
		list += length;
		list += *list == ':';
	}
	return -ENOENT;
}

int binary_find(const char *name, const pid_t *pids, size_t pid_count, char path[PATH_MAX])
{
	bool is_library = !strncmp(name, "lib", 3);

	if (strchr(name, '/'))
		return take_file(name, path);
	for (size_t i = 0; i < pid_count; i++)
		if (!find_in_process(name, pids[i], path))
			return 0;
	if (!is_library && !find_on_path(name, path))
		return 0;
	for (size_t i = 0; i < sizeof(library_folders) / sizeof(library_folders[0]); i++)
		if (!find_in_folder(name, library_folders[i], path))
			return 0;
	return find_on_path(name, path);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The file that a person means by a name: a path, a library of the target, or where the system keeps it. */
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/log.h"
#include "../object/elf_file.h"
#include "binary.h"

#if defined(__x86_64__)
#define OWN_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#endif

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

/* Links of /proc are not resolved: behind them may be another mount namespace, or a deleted file. */
static int take_file(const char *candidate, char path[PATH_MAX])
{
	struct stat status;

	if (!strncmp(candidate, "/proc/", 6))
		snprintf(path, PATH_MAX, "%s", candidate);
	else if (!realpath(candidate, path))
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

/* The fields of a line of /proc/PID/maps that tell a file; the path ends the line. */
struct mapped_line {
	unsigned long long inode;
	char *path;
};

static bool parse_line(char *line, struct mapped_line *mapped)
{
	mapped->path = strchr(line, '/');
	if (!mapped->path || sscanf(line, "%*s %*s %*s %*s %llu", &mapped->inode) != 1)
		return false;
	mapped->path[strcspn(mapped->path, "\n")] = 0;
	return true;
}

/* The file as we see it, if it is the same one; else as the process does. */
static int take_mapped(pid_t pid, const struct mapped_line *mapped, char path[PATH_MAX])
{
	char inside[PATH_MAX];
	struct stat status;

	if (!stat(mapped->path, &status) && status.st_ino == mapped->inode)
		return take_file(mapped->path, path);
	if (snprintf(inside, sizeof(inside), "/proc/%d/root%s", pid, mapped->path) >=
	    (int)sizeof(inside))
		return -ENAMETOOLONG;
	if (stat(inside, &status) || status.st_ino != mapped->inode)
		return -ENOENT;
	return take_file(inside, path);
}

static FILE *open_maps(pid_t pid)
{
	char maps[64];

	snprintf(maps, sizeof(maps), "/proc/%d/maps", pid);
	return fopen(maps, "re");
}

static int find_in_process(const char *name, pid_t pid, char path[PATH_MAX])
{
	char line[PATH_MAX + 128];
	struct mapped_line mapped;
	int err = -ENOENT;
	FILE *file = open_maps(pid);

	if (!file)
		return -errno;
	while (err && fgets(line, sizeof(line), file))
		if (parse_line(line, &mapped) &&
		    is_library_of_name(strrchr(mapped.path, '/') + 1, name))
			err = take_mapped(pid, &mapped, path);
	fclose(file);
	return err;
}

bool binary_is_mapped(uint64_t inode, const pid_t *pids, size_t pid_count)
{
	char line[PATH_MAX + 128];
	struct mapped_line mapped;
	bool found = false;

	for (size_t i = 0; !found && i < pid_count; i++) {
		FILE *file = open_maps(pids[i]);

		while (file && !found && fgets(line, sizeof(line), file))
			found = parse_line(line, &mapped) && mapped.inode == inode;
		if (file)
			fclose(file);
	}
	return found;
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

/* More than any program needs; what is beyond is not told. */
#define MAX_NEEDED 256

struct needed {
	char *paths[MAX_NEEDED];
	size_t count;
};

static void add_needed(struct needed *needed, const char *path)
{
	for (size_t i = 0; i < needed->count; i++)
		if (!strcmp(needed->paths[i], path))
			return;
	if (needed->count < MAX_NEEDED)
		needed->paths[needed->count] = strdup(path);
	if (needed->count < MAX_NEEDED && needed->paths[needed->count])
		needed->count++;
}

static void find_needed(struct needed *needed, const char *name)
{
	char candidate[PATH_MAX], path[PATH_MAX];

	for (size_t i = 0; i < sizeof(library_folders) / sizeof(library_folders[0]); i++) {
		if (snprintf(candidate, sizeof(candidate), "%s/%s", library_folders[i], name) <
			    (int)sizeof(candidate) &&
		    !take_file(candidate, path)) {
			add_needed(needed, path);
			return;
		}
	}
}

void binary_each_needed(const char *path, void (*callback)(void *context, const char *path),
			void *context)
{
	struct needed needed = {};
	const char *name;

	add_needed(&needed, path);
	for (size_t i = 0; i < needed.count; i++) {
		struct elf_file *file;

		if (i)
			callback(context, needed.paths[i]);
		if (elf_file_open(needed.paths[i], &file))
			continue;
		for (size_t k = 0; (name = elf_file_needed(file, k)); k++)
			find_needed(&needed, name);
		elf_file_close(file);
	}
	for (size_t i = 0; i < needed.count; i++)
		free(needed.paths[i]);
}

int binary_open(const char *option, const char *path, struct elf_file **file)
{
	int err = elf_file_open(path, file);

	if (err == -ENOEXEC || err == -EINVAL) {
		log_error("%s: %s is not an ELF file that can be probed", option, path);
		return err;
	}
	if (err) {
		log_error("%s: %s: %s", option, path, strerror(-err));
		return err;
	}
	if (elf_file_is_64bit(*file) && elf_file_machine(*file) == OWN_MACHINE)
		return 0;
	log_error("%s: %s is %s; only 64-bit programs of this machine can be probed", option, path,
		  elf_file_is_64bit(*file) ? "built for another machine" : "a 32-bit program");
	elf_file_close(*file);
	*file = NULL;
	return -ENOTSUP;
}

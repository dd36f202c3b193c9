// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A path from a mapping is a hint: the file may be deleted, replaced, or in another mount
 * namespace. So each candidate is checked against the device and inode of the mapping.
 */
#include "mapped_file.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "../base/regular_file.h"
#include "proc_maps.h"

/*
 * On btrfs and overlayfs stat() and a mapping give different devices (and inodes) for one file. So
 * we map it ourselves and read what the kernel says of that.
 */
static bool maps_as(int fd, const struct mapped_file *mapped)
{
	void *page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	struct proc_mapping mapping;
	char *text = NULL, *at;
	bool same = false;

	if (page == MAP_FAILED)
		return false;
	if (!proc_maps_read(getpid(), &text)) {
		for (at = text; proc_maps_next(&at, &mapping);) {
			if (mapping.start == (uintptr_t)page)
				same = mapping.major == mapped->major &&
				       mapping.minor == mapped->minor &&
				       mapping.inode == mapped->inode;
		}
	}
	free(text);
	munmap(page, 1);
	return same;
}

static bool is_the_file(int fd, const struct mapped_file *mapped)
{
	struct stat status;

	if (fstat(fd, &status))
		return false;
	if (status.st_ino == mapped->inode && major(status.st_dev) == mapped->major &&
	    minor(status.st_dev) == mapped->minor)
		return true;
	return maps_as(fd, mapped);
}

/* The link is the mapping's own file: an equal inode is enough. */
static int open_by_map_files(const struct mapped_file *mapped)
{
	struct stat status;
	char path[80];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, mapped->pid,
		 mapped->start, mapped->end);
	fd = regular_file_open(path);
	if (fd < 0)
		return fd;
	if (!fstat(fd, &status) && (status.st_ino == mapped->inode || maps_as(fd, mapped)))
		return fd;
	close(fd);
	return -ESTALE;
}

static int open_by_path(const struct mapped_file *mapped, const char *root)
{
	char path[PATH_MAX + 32];
	int fd;

	if (mapped->path[0] != '/' ||
	    (size_t)snprintf(path, sizeof(path), "%s%s", root, mapped->path) >= sizeof(path))
		return -ENOENT;
	fd = regular_file_open(path);
	if (fd < 0 || !mapped->inode || is_the_file(fd, mapped))
		return fd;
	close(fd);
	return -ESTALE;
}

int mapped_file_open(const struct mapped_file *mapped)
{
	char root[32];
	int fd = -ENOENT;

	if (mapped->pid > 0 && mapped->inode)
		fd = open_by_map_files(mapped);
	if (fd < 0 && fd != -EMFILE && mapped->pid > 0) {
		snprintf(root, sizeof(root), "/proc/%d/root", mapped->pid);
		fd = open_by_path(mapped, root);
	}
	if (fd < 0 && fd != -EMFILE)
		fd = open_by_path(mapped, "");
	return fd;
}

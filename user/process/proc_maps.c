// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * /proc/PID/maps: "start-end rwxp offset major:minor inode   path". Read at once, parsed in place.
 */
#include "proc_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define READ_STEP 16384

static int read_all(int fd, char **text)
{
	size_t room = 0, used = 0;
	char *buffer = NULL;
	ssize_t got;

	do {
		if (room - used < 2) {
			char *grown = realloc(buffer, room * 2 + READ_STEP);

			if (!grown) {
				free(buffer);
				return -ENOMEM;
			}
			room = room * 2 + READ_STEP;
			buffer = grown;
		}
		got = read(fd, buffer + used, room - used - 1);
		if (got > 0)
			used += (size_t)got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	if (got < 0) {
		int err = -errno;

		free(buffer);
		return err;
	}
	buffer[used] = '\0';
	*text = buffer;
	return 0;
}

int proc_maps_read(pid_t pid, char **text)
{
	char path[32];
	int fd, err;

	*text = NULL;
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	err = read_all(fd, text);
	close(fd);
	return err;
}

/* Reads a number that ends in the given character and steps over that. */
static bool take_number(char **at, int base, char end, uint64_t *value)
{
	char *stop;

	if (**at == '-' || **at == '+' || **at == ' ')
		return false;
	errno = 0;
	*value = strtoull(*at, &stop, base);
	if (errno || stop == *at || *stop != end)
		return false;
	*at = stop + 1;
	return true;
}

static bool take_protection(char **at, uint32_t *protection)
{
	if (strnlen(*at, 5) < 5 || (*at)[4] != ' ')
		return false;
	*protection = ((*at)[0] == 'r' ? PROT_READ : 0) | ((*at)[1] == 'w' ? PROT_WRITE : 0) |
		      ((*at)[2] == 'x' ? PROT_EXEC : 0);
	*at += 5;
	return true;
}

/* The kernel writes a newline in a path as \012, and nothing else so. */
static void unescape_newlines(char *path)
{
	char *to = path;

	for (; *path; to++) {
		if (!strncmp(path, "\\012", 4)) {
			*to = '\n';
			path += 4;
		} else {
			*to = *path++;
		}
	}
	*to = '\0';
}

static bool parse_line(char *line, struct proc_mapping *mapping)
{
	uint64_t major, minor;

	if (!take_number(&line, 16, '-', &mapping->start) ||
	    !take_number(&line, 16, ' ', &mapping->end) ||
	    !take_protection(&line, &mapping->protection) ||
	    !take_number(&line, 16, ' ', &mapping->file_offset) ||
	    !take_number(&line, 16, ':', &major) || !take_number(&line, 16, ' ', &minor))
		return false;
	if (mapping->end <= mapping->start || major > UINT32_MAX || minor > UINT32_MAX)
		return false;
	mapping->major = (uint32_t)major;
	mapping->minor = (uint32_t)minor;
	/* The path is padded to a column; without one the line may end after the inode. */
	mapping->path = line + strspn(line, "0123456789");
	if (mapping->path == line)
		return false;
	mapping->inode = strtoull(line, NULL, 10);
	mapping->path += strspn(mapping->path, " ");
	unescape_newlines(mapping->path);
	return true;
}

bool proc_maps_next(char **text, struct proc_mapping *mapping)
{
	while (**text) {
		char *line = *text;
		size_t length = strcspn(line, "\n");

		*text = line + length + (line[length] == '\n');
		line[length] = '\0';
		if (parse_line(line, mapping))
			return true;
	}
	return false;
}

int proc_maps_code_pages(pid_t pid, uint32_t *pages)
{
	unsigned long kib, sum = 0, page_kib = (unsigned long)sysconf(_SC_PAGESIZE) / 1024;
	char path[32], line[256];
	int found = 0;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	status = fopen(path, "re");
	if (!status)
		return errno == ENOENT ? -ESRCH : -errno;
	while (fgets(line, sizeof(line), status)) {
		if (sscanf(line, "VmExe: %lu kB", &kib) != 1 &&
		    sscanf(line, "VmLib: %lu kB", &kib) != 1)
			continue;
		sum += kib;
		found++;
	}
	fclose(status);
	*pages = (uint32_t)(sum / page_kib);
	return found == 2 ? 0 : -ESRCH;
}

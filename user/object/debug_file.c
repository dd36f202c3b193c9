// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where GDB and elfutils look too ("Debugging Information in Separate Files" of GDB's manual). Names come
 * from the traced program's file, and what they lead to may be anything: it is opened with care, and used only
 * if it is whole and belongs to that file.
 */
#include "debug_file.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "../base/regular_file.h"
#include "elf_file.h"
#include "elf_file_state.h"
#include "reader.h"

#define DEBUG_FOLDER "/usr/lib/debug"

/* Of a larger one no checksum is taken: it would hold up everything. */
#define MAX_CHECKED ((off_t)4 << 30)

#define MAX_BUILD_ID 64

/* What there is to go by. */
struct search {
	struct elf_file *file;
	uint8_t id[MAX_BUILD_ID];
	size_t id_size;
	char root[PATH_MAX];   /* as the process sees its files: "/proc/PID/root", or "" */
	char folder[PATH_MAX]; /* that file lies in, below root; "" when it is not known */
	const char *link;      /* NULL: none */
	uint32_t checksum;
};

enum proof { BY_BUILD_ID, BY_CHECKSUM };

/* The length of "/proc/PID/root", when that is how path begins. */
static size_t root_length(const char *path)
{
	size_t length = 6;

	if (strncmp(path, "/proc/", 6) != 0)
		return 0;
	while (isdigit((unsigned char)path[length]))
		length++;
	return length > 6 && !strncmp(path + length, "/root/", 6) ? length + 5 : 0;
}

/* Links are followed, by asking what is open, but where that would lead out of the process's root. */
static void find_folder(struct search *search)
{
	const struct elf_file *file = search->file;
	size_t root = file->path ? root_length(file->path) : 0;
	char link[32], path[PATH_MAX] = "";
	ssize_t length;

	if (root) {
		snprintf(search->root, sizeof(search->root), "%.*s", (int)root, file->path);
		snprintf(path, sizeof(path), "%s", file->path + root);
	} else if (file->fd >= 0) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", file->fd);
		length = readlink(link, path, sizeof(path) - 1);
		path[length > 0 ? length : 0] = '\0';
	}
	if (path[0] == '/')
		snprintf(search->folder, sizeof(search->folder), "%.*s",
			 (int)(strrchr(path, '/') - path + 1), path);
}

/* .gnu_debuglink: a name, padding to a multiple of 4, and the checksum. */
static void find_link(struct search *search)
{
	struct elf_section section;
	struct reader reader;

	if (elf_file_section(search->file, ".gnu_debuglink", &section))
		return;
	reader = reader_of(section.bytes, section.size);
	search->link = reader_string(&reader);
	reader_part(&reader, -(section.size - reader_left(&reader)) & 3);
	search->checksum = (uint32_t)reader_fixed(&reader, 4);
	if (reader.bad || !search->link[0] || strchr(search->link, '/'))
		search->link = NULL;
}

static bool has_checksum(int fd, uint32_t wanted)
{
	uLong checksum = crc32(0, NULL, 0);
	struct stat status;
	uint8_t bytes[65536];
	ssize_t got;

	if (fstat(fd, &status) || status.st_size > MAX_CHECKED)
		return false;
	for (off_t at = 0; at < status.st_size; at += got) {
		got = pread(fd, bytes, sizeof(bytes), at);
		if (got <= 0)
			return false;
		checksum = crc32(checksum, bytes, (uInt)got);
	}
	return checksum == wanted;
}

/* Are all its sections there? */
static bool is_whole(const struct elf_file *file)
{
	Elf_Scn *section = NULL;
	struct stat status;
	GElf_Shdr header;
	size_t count, seen = 1; /* the first is none */

	if (fstat(file->fd, &status) || elf_getshdrnum(file->elf, &count) || !count)
		return false;
	for (; (section = elf_nextscn(file->elf, section)); seen++) {
		if (!gelf_getshdr(section, &header))
			return false;
		if (header.sh_type != SHT_NOBITS &&
		    (header.sh_offset > (uint64_t)status.st_size ||
		     header.sh_size > (uint64_t)status.st_size - header.sh_offset))
			return false;
	}
	return seen == count;
}

static bool belongs(const struct search *search, const struct elf_file *debug, enum proof proof)
{
	uint8_t id[MAX_BUILD_ID];
	size_t size = elf_file_build_id(debug, id, sizeof(id));
	bool same_id = size == search->id_size && size <= sizeof(id) &&
		       !memcmp(id, search->id, size);

	if (elf_file_is_64bit(debug) != elf_file_is_64bit(search->file) ||
	    elf_file_machine(debug) != elf_file_machine(search->file) || !is_whole(debug))
		return false;
	if (proof == BY_BUILD_ID)
		return size && same_id;
	if (size && search->id_size && !same_id)
		return false;
	return has_checksum(debug->fd, search->checksum);
}

/* Takes the file at path if it is the one; takes over path. */
static bool take(struct search *search, enum proof proof, char *path)
{
	struct debug_file *debug = &search->file->debug;
	int fd = path ? regular_file_open(path) : -1;
	struct elf_file *opened = NULL;

	if (fd >= 0 && elf_file_open_fd(fd, &opened))
		close(fd);
	if (opened)
		opened->owns_fd = true;
	if (!opened || !belongs(search, opened, proof)) {
		elf_file_close(opened);
		free(path);
		return false;
	}
	debug->file = opened;
	debug->path = path;
	return true;
}

__attribute__((format(printf, 3, 4))) static bool try_file(struct search *search, enum proof proof,
							   const char *format, ...)
{
	va_list arguments;
	char *path;

	va_start(arguments, format);
	if (vasprintf(&path, format, arguments) < 0)
		path = NULL;
	va_end(arguments);
	return take(search, proof, path);
}

static bool find_by_build_id(struct search *search, const char *root)
{
	char name[2 * MAX_BUILD_ID + 1] = "";

	if (search->id_size < 2 || search->id_size > MAX_BUILD_ID)
		return false;
	for (size_t i = 0; i < search->id_size; i++)
		snprintf(name + 2 * i, 3, "%02x", search->id[i]);
	return try_file(search, BY_BUILD_ID, "%s" DEBUG_FOLDER "/.build-id/%.2s/%s.debug", root,
			name, name + 2);
}

static bool find_by_link(struct search *search)
{
	const char *root = search->root, *folder = search->folder, *link = search->link;

	return link && folder[0] &&
	       (try_file(search, BY_CHECKSUM, "%s%s%s", root, folder, link) ||
		try_file(search, BY_CHECKSUM, "%s%s.debug/%s", root, folder, link) ||
		try_file(search, BY_CHECKSUM, "%s" DEBUG_FOLDER "%s%s", root, folder, link) ||
		(root[0] && try_file(search, BY_CHECKSUM, DEBUG_FOLDER "%s%s", folder, link)));
}

static void find(struct elf_file *file)
{
	struct search search = { .file = file };

	search.id_size = elf_file_build_id(file, search.id, sizeof(search.id));
	find_folder(&search);
	find_link(&search);
	/* What has the build id is the file, wherever it is. */
	if (!find_by_build_id(&search, search.root) &&
	    !(search.root[0] && find_by_build_id(&search, "")))
		find_by_link(&search);
}

struct elf_file *elf_file_debug(struct elf_file *file)
{
	if (!file->debug.searched)
		find(file);
	file->debug.searched = true;
	return file->debug.file;
}

const char *elf_file_debug_path(struct elf_file *file)
{
	elf_file_debug(file);
	return file->debug.path;
}

void debug_file_close(struct debug_file *debug)
{
	elf_file_close(debug->file);
	free(debug->path);
	*debug = (struct debug_file){};
}

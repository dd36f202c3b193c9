/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Files (and other things that code lives in) by identity, not by path. A file is opened when it is
 * first seen and kept open, so it can be symbolized after it is deleted or replaced.
 */
#ifndef TRACER_OBJECT_H
#define TRACER_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

enum object_kind {
	OBJECT_FILE,
	OBJECT_VDSO,
	OBJECT_KERNEL,	/* one for all kernel addresses; offset is the address itself */
	OBJECT_ANON,	/* executable memory without a file (JIT); offset is the address itself */
	OBJECT_UNKNOWN, /* no mapping was known; offset is the address itself */
	OBJECT_SPECIAL, /* [vsyscall], [uprobes], ... */
};

/* Owned by struct objects; lives as long as that. */
struct object {
	uint32_t id; /* dense, from 0 */
	enum object_kind kind;
	uint32_t major, minor; /* as the mapping named them, or by stat() when found by path */
	uint64_t inode;
	char *path; /* as the mapping named it, " (deleted)" removed */
	/* Last component of path, or "[vdso]", "[kernel.kallsyms]", "[anon]", "[unknown]". */
	const char *name;
	int fd; /* open on the very file, or -1 when it could not be opened */
	/* What it was when it was opened: a file can be written anew in its place. */
	struct timespec modified;
	off_t size;
};

struct objects;

struct objects *objects_new(void);
void objects_free(struct objects *objects);

/*
 * The object of a file mapping. Opens it, at the first sight, by /proc/PID/map_files (the very file
 * even when deleted or in another mount namespace), then /proc/PID/root + path, then path; checks
 * device and inode before it believes a path. pid 0: by path only. NULL only without memory. A file that
 * was written anew since is another object.
 * inode 0: found by path, which must be absolute.
 */
struct object *objects_file(struct objects *objects, uint32_t major, uint32_t minor, uint64_t inode,
			    const char *path, pid_t pid, uint64_t start, uint64_t end);
/* Notes what the file is now, when it has just been opened. */
void object_note_content(struct object *object);
/* Is it open, and what it was then? If not, what it says now is not about the code that ran. */
bool object_is_unchanged(const struct object *object);
/* The object known by that device and inode; NULL when none is. */
struct object *objects_find(const struct objects *objects, uint32_t major, uint32_t minor,
			    uint64_t inode);
/* The one object of a kind other than OBJECT_FILE; name only matters for OBJECT_SPECIAL. */
struct object *objects_special(struct objects *objects, enum object_kind kind, const char *name);
size_t objects_count(const struct objects *objects);
struct object *objects_get(const struct objects *objects, uint32_t id);

#endif

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The table of objects. A file has one identity as mappings tell it and may have another as stat()
 * tells it (btrfs, overlayfs), so identities are keys and several can lead to one object. While an
 * object's descriptor is open its inode cannot be used again, so a key stays true.
 */
#include "object.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "mapped_file.h"

/* A file that could not be opened is tried again when it is seen again, but not for ever. */
#define MAX_ATTEMPTS 8

struct file_key {
	uint64_t inode;
	uint32_t major, minor;
};

struct identity {
	struct file_key key;
	struct object *object;
	UT_hash_handle hh;
};

struct entry {
	struct object object; /* first: an object is its entry */
	struct file_key real; /* by fstat(); inode 0 while it is not open */
	unsigned int attempts;
};

struct objects {
	struct entry **entries; /* by id */
	size_t count;
	struct identity *identities;
};

static struct entry *entry_of(struct object *object)
{
	return (struct entry *)object;
}

struct objects *objects_new(void)
{
	return calloc(1, sizeof(struct objects));
}

void objects_free(struct objects *objects)
{
	struct identity *identity, *next;

	if (!objects)
		return;
	HASH_ITER(hh, objects->identities, identity, next) {
		HASH_DEL(objects->identities, identity);
		free(identity);
	}
	for (size_t i = 0; i < objects->count; i++) {
		if (objects->entries[i]->object.fd >= 0)
			close(objects->entries[i]->object.fd);
		free(objects->entries[i]->object.path);
		free(objects->entries[i]);
	}
	free(objects->entries);
	free(objects);
}

size_t objects_count(const struct objects *objects)
{
	return objects->count;
}

struct object *objects_get(const struct objects *objects, uint32_t id)
{
	return id < objects->count ? &objects->entries[id]->object : NULL;
}

/* Takes over path. */
static struct object *add_object(struct objects *objects, enum object_kind kind, char *path)
{
	struct entry **grown = reallocarray(objects->entries, objects->count + 1, sizeof(*grown));
	struct entry *entry = NULL;
	char *slash;

	if (grown)
		objects->entries = grown;
	if (grown && path)
		entry = calloc(1, sizeof(*entry));
	if (!entry) {
		free(path);
		return NULL;
	}
	slash = kind == OBJECT_FILE ? strrchr(path, '/') : NULL;
	entry->object.id = (uint32_t)objects->count;
	entry->object.kind = kind;
	entry->object.path = path;
	entry->object.name = slash && slash[1] ? slash + 1 : path;
	entry->object.fd = -1;
	objects->entries[objects->count++] = entry;
	return &entry->object;
}

static char *without_deleted(const char *path)
{
	static const char suffix[] = " (deleted)";
	size_t length = strlen(path), cut = sizeof(suffix) - 1;

	if (length > cut && !strcmp(path + length - cut, suffix))
		length -= cut;
	return strndup(path, length);
}

static unsigned int hash_of(const struct file_key *key)
{
	uint64_t mixed = (key->inode ^ (uint64_t)key->major << 52 ^ (uint64_t)key->minor << 32) *
			 0x9e3779b97f4a7c15ull;

	return (unsigned int)(mixed >> 32);
}

static struct identity *find_identity(const struct objects *objects, const struct file_key *key)
{
	struct identity *identity = NULL;

	HASH_FIND_BYHASHVALUE(hh, objects->identities, key, sizeof(*key), hash_of(key), identity);
	return identity;
}

struct object *objects_find(const struct objects *objects, uint32_t major, uint32_t minor,
			    uint64_t inode)
{
	struct file_key key = { inode, major, minor };
	const struct identity *identity = find_identity(objects, &key);

	return identity ? identity->object : NULL;
}

static int remember(struct objects *objects, const struct file_key *key, struct object *object)
{
	struct identity *identity;

	if (!key->inode)
		return 0;
	identity = find_identity(objects, key);
	if (identity) {
		if (identity->object->fd < 0)
			identity->object = object;
		return 0;
	}
	identity = calloc(1, sizeof(*identity));
	if (!identity)
		return -ENOMEM;
	identity->key = *key;
	identity->object = object;
	HASH_ADD_BYHASHVALUE(hh, objects->identities, key, sizeof(identity->key), hash_of(key),
			     identity);
	if (identity->hh.tbl)
		return 0;
	free(identity);
	return -ENOMEM;
}

static struct file_key real_key(int fd)
{
	struct file_key key = { 0 };
	struct stat status;

	if (fd >= 0 && !fstat(fd, &status)) {
		key.inode = status.st_ino;
		key.major = major(status.st_dev);
		key.minor = minor(status.st_dev);
	}
	return key;
}

void object_note_content(struct object *object)
{
	struct stat status;

	if (object->fd < 0 || fstat(object->fd, &status))
		return;
	object->modified = status.st_mtim;
	object->size = status.st_size;
}

bool object_is_unchanged(const struct object *object)
{
	struct stat status;

	return object->fd >= 0 && !fstat(object->fd, &status) && status.st_size == object->size &&
	       status.st_mtim.tv_sec == object->modified.tv_sec &&
	       status.st_mtim.tv_nsec == object->modified.tv_nsec;
}

/* The file has other contents by now: its identities are for whoever has them. */
static void forget_identities(struct objects *objects, struct object *object)
{
	struct identity *identity, *next;

	HASH_ITER(hh, objects->identities, identity, next) {
		if (identity->object != object)
			continue;
		HASH_DEL(objects->identities, identity);
		free(identity);
	}
	memset(&entry_of(object)->real, 0, sizeof(entry_of(object)->real));
}

static struct object *find_real(const struct objects *objects, const struct file_key *real)
{
	for (size_t i = 0; real->inode && i < objects->count; i++) {
		if (!memcmp(&objects->entries[i]->real, real, sizeof(*real)))
			return &objects->entries[i]->object;
	}
	return NULL;
}

static struct object *find_unopened_path(const struct objects *objects, const char *path)
{
	for (size_t i = 0; i < objects->count; i++) {
		struct object *object = &objects->entries[i]->object;

		if (object->kind == OBJECT_FILE && !object->inode && !strcmp(object->path, path))
			return object;
	}
	return NULL;
}

/* Gives an object that could not be opened before another chance, by this mapping of it. */
static void retry_open(struct object *object, const struct mapped_file *mapped)
{
	struct entry *entry = entry_of(object);

	if (object->fd >= 0 || entry->attempts >= MAX_ATTEMPTS)
		return;
	entry->attempts++;
	object->fd = mapped_file_open(mapped);
	if (object->fd < 0)
		object->fd = -1;
	entry->real = real_key(object->fd);
	object_note_content(object);
}

/*
 * The file is open (or not: fd -1) and may be known under another identity. Takes over path and fd.
 */
static struct object *adopt(struct objects *objects, const struct mapped_file *mapped, char *path,
			    int fd)
{
	struct file_key real = real_key(fd), key = { mapped->inode, mapped->major, mapped->minor };
	struct object *object = find_real(objects, &real);

	if (object && !object_is_unchanged(object)) {
		forget_identities(objects, object);
		object = NULL;
	}
	if (!object && !mapped->inode && fd < 0)
		object = find_unopened_path(objects, path);
	if (!key.inode)
		key = real;
	if (object) {
		free(path);
		if (fd >= 0)
			close(fd);
	} else {
		object = add_object(objects, OBJECT_FILE, path);
		if (!object) {
			if (fd >= 0)
				close(fd);
			return NULL;
		}
		object->fd = fd;
		object_note_content(object);
		object->inode = key.inode;
		object->major = key.major;
		object->minor = key.minor;
		entry_of(object)->real = real;
		entry_of(object)->attempts = 1;
	}
	return remember(objects, &key, object) || remember(objects, &real, object) ? NULL : object;
}

struct object *objects_file(struct objects *objects, uint32_t major, uint32_t minor, uint64_t inode,
			    const char *path, pid_t pid, uint64_t start, uint64_t end)
{
	struct object *object = inode ? objects_find(objects, major, minor, inode) : NULL;
	char *plain = without_deleted(path);
	struct mapped_file mapped = {
		.major = major,
		.minor = minor,
		.inode = inode,
		.path = plain,
		.pid = pid,
		.start = start,
		.end = end,
	};
	int fd;

	if (!plain)
		return NULL;
	if (object && object->fd >= 0 && !object_is_unchanged(object)) {
		forget_identities(objects, object);
		object = NULL;
	}
	/* One that was never opened may be gone, and its inode another file's by now. */
	if (object && (object->fd >= 0 || !strcmp(object->path, plain))) {
		retry_open(object, &mapped);
		free(plain);
		return object;
	}
	fd = mapped_file_open(&mapped);
	return adopt(objects, &mapped, plain, fd < 0 ? -1 : fd);
}

static const char *special_name(enum object_kind kind, const char *name)
{
	switch (kind) {
	case OBJECT_VDSO:
		return "[vdso]";
	case OBJECT_KERNEL:
		return "[kernel.kallsyms]";
	case OBJECT_ANON:
		return "[anon]";
	case OBJECT_SPECIAL:
		return name ? name : "[special]";
	default:
		return "[unknown]";
	}
}

struct object *objects_special(struct objects *objects, enum object_kind kind, const char *name)
{
	const char *wanted = special_name(kind, name);

	for (size_t i = 0; i < objects->count; i++) {
		struct object *object = &objects->entries[i]->object;

		if (object->kind == kind && !strcmp(object->path, wanted))
			return object;
	}
	return add_object(objects, kind, strdup(wanted));
}

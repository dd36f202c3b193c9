// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Numbers are never used again for another object: a walk that still holds one must not be led astray.
 * A table that was given up is built anew under its number when it is wanted again.
 */
#include "library.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "../object/elf_file.h"
#include "../object/vdso.h"
#include "../process/object.h"
#include "builder.h"

#define BUILD_ID_ROOM 20
#define NO_NUMBER     0
/* Sweeps that a table stays unused before it goes: programs are often run again. */
#define SWEEPS_KEPT 2

enum entry_state {
	ENTRY_ABSENT, /* not built, or given up */
	ENTRY_BUILDING,
	ENTRY_READY,
	ENTRY_NONE,
};

struct segment {
	uint64_t offset, vaddr, size;
};

/* One table, by its number. */
struct entry {
	enum entry_state state;
	int fd; /* the object's; -1 for the vDSO */
	struct segment *segments;
	size_t segment_count;
	struct built_table table;
	unsigned unused; /* sweeps since it was marked last */
	bool marked;
	bool tried_again; /* after the memory limit had been met */
};

/* Which table is an object's. */
struct identity {
	bool is_known;
	uint32_t number;
};

struct known_build {
	uint8_t id[BUILD_ID_ROOM];
	uint32_t number;
	UT_hash_handle hh;
};

struct unwind_library {
	struct unwind_library_config config;
	struct unwind_memory *memory;
	struct unwind_builder *builder;
	struct entry *entries; /* [count], by number; the first is no object's */
	uint32_t count, room;
	struct identity *identities; /* by object id */
	uint32_t identity_room;
	struct known_build *builds;
	struct unwind_library_stats stats;
	bool is_short;
};

int unwind_library_new(const struct unwind_library_config *config, struct unwind_library **library)
{
	struct unwind_library *made = calloc(1, sizeof(*made));
	int err;

	if (!made)
		return -ENOMEM;
	made->config = *config;
	made->count = 1;
	made->room = 64;
	made->entries = calloc(made->room, sizeof(*made->entries));
	if (!made->entries) {
		free(made);
		return -ENOMEM;
	}
	made->entries[0].state = ENTRY_NONE;
	config->objects[0].state = UNWIND_NONE;
	err = unwind_memory_new(&config->memory, config->memory_limit, &made->memory);
	if (!err)
		err = unwind_builder_new(made->memory, &made->builder);
	if (err) {
		unwind_library_free(made);
		return err;
	}
	*library = made;
	return 0;
}

void unwind_library_free(struct unwind_library *library)
{
	struct known_build *build, *next;

	if (!library)
		return;
	unwind_builder_free(library->builder);
	unwind_memory_free(library->memory);
	HASH_ITER(hh, library->builds, build, next) {
		HASH_DEL(library->builds, build);
		free(build);
	}
	for (uint32_t i = 0; i < library->count; i++)
		free(library->entries[i].segments);
	free(library->entries);
	free(library->identities);
	free(library);
}

static void publish(struct unwind_library *library, uint32_t number,
		    const struct unwind_object *where)
{
	struct unwind_object *object = &library->config.objects[number];
	uint32_t state = where->state;

	/* what it said before must be gone before the new is there */
	__atomic_store_n(&object->state, UNWIND_PENDING, __ATOMIC_SEQ_CST);
	object->rules = where->rules;
	object->pages = where->pages;
	object->page_count = where->page_count;
	object->first_chunk = where->first_chunk;
	object->first_row = where->first_row;
	object->first_vaddr = where->first_vaddr;
	__atomic_store_n(&object->state, state, __ATOMIC_SEQ_CST);
}

static void publish_state(struct unwind_library *library, uint32_t number, enum unwind_state state)
{
	__atomic_store_n(&library->config.objects[number].state, state, __ATOMIC_SEQ_CST);
}

static void give_up(struct unwind_library *library, uint32_t number)
{
	library->entries[number].state = ENTRY_NONE;
	publish_state(library, number, UNWIND_NONE);
}

static void start_build(struct unwind_library *library, uint32_t number)
{
	struct entry *entry = &library->entries[number];
	int fd = entry->fd < 0 ? -1 : fcntl(entry->fd, F_DUPFD_CLOEXEC, 0);

	if (entry->fd >= 0 && fd < 0)
		goto failed;
	entry->state = ENTRY_BUILDING;
	if (!unwind_builder_add(library->builder, number, fd))
		return;
failed:
	library->stats.failed++;
	give_up(library, number);
}

static int read_segments(const struct elf_file *file, struct entry *entry)
{
	uint64_t vaddr, size;
	size_t count = 0;

	while (elf_file_code(file, count, &vaddr, &size))
		count++;
	entry->segments = calloc(count ? count : 1, sizeof(*entry->segments));
	if (!entry->segments)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct segment *segment = &entry->segments[i];

		elf_file_code(file, i, &segment->vaddr, &segment->size);
		elf_file_vaddr_to_offset(file, segment->vaddr, &segment->offset);
	}
	entry->segment_count = count;
	return 0;
}

/* The number of the table of that build id, or none. */
static uint32_t find_build(const struct unwind_library *library, const uint8_t *id)
{
	struct known_build *build;

	HASH_FIND(hh, library->builds, id, BUILD_ID_ROOM, build);
	return build ? build->number : NO_NUMBER;
}

/* Without memory it is not remembered, and the next of that build id has a table of its own. */
static void remember_build(struct unwind_library *library, const uint8_t *id, uint32_t number)
{
	struct known_build *build = calloc(1, sizeof(*build));

	if (!build)
		return;
	memcpy(build->id, id, BUILD_ID_ROOM);
	build->number = number;
	HASH_ADD(hh, library->builds, id, BUILD_ID_ROOM, build);
	if (!build->hh.tbl)
		free(build);
}

static uint32_t add_entry(struct unwind_library *library, const struct elf_file *file, int fd)
{
	struct entry entry = { .fd = fd };
	struct entry *grown;

	if (library->count == library->config.object_count) {
		library->stats.no_number++;
		return NO_NUMBER;
	}
	if (library->count == library->room) {
		grown = reallocarray(library->entries, 2 * (size_t)library->room, sizeof(*grown));
		if (!grown)
			return NO_NUMBER;
		library->entries = grown;
		library->room *= 2;
	}
	if (read_segments(file, &entry))
		return NO_NUMBER;
	library->entries[library->count] = entry;
	return library->count++;
}

/* Opens the object once, to learn which table is its. */
static uint32_t identify(struct unwind_library *library, const struct object *object)
{
	uint8_t id[BUILD_ID_ROOM] = {};
	struct elf_file *file = NULL;
	uint32_t number = NO_NUMBER;
	size_t length;
	int err;

	if (object->kind == OBJECT_VDSO)
		err = vdso_open(&file);
	else if (object->kind == OBJECT_FILE && object_is_unchanged(object))
		err = elf_file_open_fd(object->fd, &file);
	else
		return NO_NUMBER;
	if (err)
		return NO_NUMBER;
	length = elf_file_build_id(file, id, sizeof(id));
	/* shorter ones are made by hand, and are seldom unique */
	if (length >= 16)
		number = find_build(library, id);
	if (number == NO_NUMBER) {
		number = add_entry(library, file, object->kind == OBJECT_VDSO ? -1 : object->fd);
		if (number != NO_NUMBER && length >= 16)
			remember_build(library, id, number);
	}
	elf_file_close(file);
	return number;
}

static struct identity *identity_of(struct unwind_library *library, uint32_t id)
{
	uint32_t room = library->identity_room ? library->identity_room : 64;
	struct identity *grown;

	if (id < library->identity_room)
		return &library->identities[id];
	while (room <= id)
		room *= 2;
	grown = reallocarray(library->identities, room, sizeof(*grown));
	if (!grown)
		return NULL;
	memset(grown + library->identity_room, 0, (room - library->identity_room) * sizeof(*grown));
	library->identities = grown;
	library->identity_room = room;
	return &library->identities[id];
}

static uint32_t number_of(struct unwind_library *library, const struct object *object)
{
	struct identity *identity = identity_of(library, object->id);

	if (!identity)
		return NO_NUMBER;
	/* one that could not be opened may be yet, at its next sight */
	if (!identity->is_known && !(object->kind == OBJECT_FILE && object->fd < 0)) {
		identity->number = identify(library, object);
		identity->is_known = true;
	}
	return identity->number;
}

uint32_t unwind_library_want(struct unwind_library *library, const struct object *object)
{
	uint32_t number = number_of(library, object);

	if (library->entries[number].state == ENTRY_ABSENT)
		start_build(library, number);
	library->entries[number].unused = 0;
	return number;
}

bool unwind_library_bias(struct unwind_library *library, const struct object *object,
			 uint64_t start, uint64_t length, uint64_t offset, uint64_t *bias)
{
	/* before entries is read, which it may move */
	uint32_t number = number_of(library, object);
	const struct entry *entry = &library->entries[number];

	for (size_t i = 0; i < entry->segment_count; i++) {
		const struct segment *segment = &entry->segments[i];

		if (segment->offset + segment->size <= offset ||
		    (segment->offset > offset && segment->offset - offset >= length))
			continue;
		/* where the segment's first byte would be, were all of it in this mapping */
		*bias = start + (segment->offset - offset) - segment->vaddr;
		return true;
	}
	return false;
}

int unwind_library_find(struct unwind_library *library, const struct object *object,
			uint64_t offset, const struct unwind_table **table, uint64_t *vaddr)
{
	/* before entries is read, which it may move */
	uint32_t number = unwind_library_want(library, object);
	const struct entry *entry = &library->entries[number];

	if (entry->state == ENTRY_BUILDING)
		return -EAGAIN;
	if (entry->state != ENTRY_READY)
		return -ENOENT;
	for (size_t i = 0; i < entry->segment_count; i++) {
		const struct segment *segment = &entry->segments[i];

		if (offset < segment->offset || offset - segment->offset >= segment->size)
			continue;
		*table = &entry->table.view;
		*vaddr = segment->vaddr + (offset - segment->offset);
		return 0;
	}
	return -ENOENT;
}

static void take_result(struct unwind_library *library, const struct build_result *result)
{
	struct entry *entry = &library->entries[result->number];

	library->stats.build_ns += result->build_ns;
	if (!result->err) {
		entry->table = result->table;
		entry->state = ENTRY_READY;
		library->stats.tables++;
		publish(library, result->number, &entry->table.where);
		return;
	}
	if (result->err == -ENOSPC && !entry->tried_again) {
		/* once more, after the next sweep */
		entry->state = ENTRY_ABSENT;
		entry->tried_again = true;
		library->is_short = true;
		return;
	}
	if (result->err == -ENOSPC)
		library->stats.no_room++;
	else if (result->err != -ENOENT && result->err != -ENOTSUP)
		library->stats.failed++;
	give_up(library, result->number);
}

bool unwind_library_collect(struct unwind_library *library)
{
	struct build_result result;
	bool any = false;

	while (unwind_builder_next(library->builder, &result)) {
		take_result(library, &result);
		any = true;
	}
	return any;
}

bool unwind_library_wait(struct unwind_library *library)
{
	unwind_builder_wait(library->builder);
	return unwind_library_collect(library);
}

int unwind_library_fd(const struct unwind_library *library)
{
	return unwind_builder_fd(library->builder);
}

void unwind_library_sweep_begin(struct unwind_library *library)
{
	for (uint32_t i = 0; i < library->count; i++)
		library->entries[i].marked = false;
}

void unwind_library_sweep_mark(struct unwind_library *library, uint32_t number)
{
	if (number < library->count)
		library->entries[number].marked = true;
}

static void release(struct unwind_library *library, uint32_t number)
{
	struct entry *entry = &library->entries[number];

	publish_state(library, number, UNWIND_PENDING);
	if (unwind_builder_release(library->builder, &entry->table)) {
		/* no memory: it stays */
		publish_state(library, number, UNWIND_READY);
		return;
	}
	entry->state = ENTRY_ABSENT;
	library->stats.tables--;
}

void unwind_library_sweep_end(struct unwind_library *library)
{
	for (uint32_t i = 1; i < library->count; i++) {
		struct entry *entry = &library->entries[i];

		entry->unused = entry->marked ? 0 : entry->unused + 1;
		if (entry->state == ENTRY_READY && entry->unused &&
		    (library->is_short || entry->unused > SWEEPS_KEPT))
			release(library, i);
	}
	/* what found no room and is in use gets what has become free */
	for (uint32_t i = 1; i < library->count && library->is_short; i++)
		if (library->entries[i].marked && library->entries[i].state == ENTRY_ABSENT)
			start_build(library, i);
	library->is_short = false;
}

bool unwind_library_is_short(const struct unwind_library *library)
{
	return library->is_short;
}

void unwind_library_stats(const struct unwind_library *library, struct unwind_library_stats *stats)
{
	*stats = library->stats;
	stats->memory_bytes = unwind_memory_bytes(library->memory);
}

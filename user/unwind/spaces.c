// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A space is a run of mappings, written once and then only read. Forked children share it, which the BPF
 * side does without asking: so who uses a run is not counted here but looked up where walks look it up.
 */
#include "spaces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "../process/mapping_object.h"
#include "../process/object.h"
#include "../process/proc_maps.h"
#include "library.h"
#include "ranges.h"

/* Slot 0 is an empty mapping: a space that has nothing else consists of it. */
#define EMPTY_MAPPING 0
/* More than any program has; the kernel's own limit of mappings is 65530 a process. */
#define MAX_MAPPINGS 16384

struct run {
	uint32_t first, count;
	bool used;
	UT_hash_handle hh; /* by first */
};

struct unwind_spaces {
	struct unwind_spaces_config config;
	struct ranges slots;
	struct run *runs;
	size_t refused;
};

int unwind_spaces_new(const struct unwind_spaces_config *config, struct unwind_spaces **spaces)
{
	struct unwind_spaces *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->config = *config;
	if (ranges_init(&made->slots, EMPTY_MAPPING + 1, config->mapping_count - 1)) {
		free(made);
		return -ENOMEM;
	}
	*spaces = made;
	return 0;
}

void unwind_spaces_free(struct unwind_spaces *spaces)
{
	struct run *run, *next;

	if (!spaces)
		return;
	HASH_ITER(hh, spaces->runs, run, next) {
		HASH_DEL(spaces->runs, run);
		free(run);
	}
	ranges_destroy(&spaces->slots);
	free(spaces);
}

struct list {
	struct unwind_mapping *mappings;
	uint32_t count, room;
	bool has_anonymous;	/* code without a file */
	uint32_t uprobes_pages; /* of the [uprobes] mapping, which probes bring, and not the program */
};

static int append(struct list *list, const struct unwind_mapping *mapping)
{
	struct unwind_mapping *last = list->count ? &list->mappings[list->count - 1] : NULL;

	/* code without files makes many small mappings side by side */
	if (last && last->end == mapping->start && last->object == mapping->object &&
	    last->bias == mapping->bias) {
		last->end = mapping->end;
		return 0;
	}
	if (list->count == MAX_MAPPINGS)
		return -ENOSPC;
	if (list->count == list->room) {
		uint32_t room = list->room ? 2 * list->room : 64;
		struct unwind_mapping *grown = reallocarray(list->mappings, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		list->mappings = grown;
		list->room = room;
	}
	list->mappings[list->count++] = *mapping;
	return 0;
}

static int describe(struct unwind_spaces *spaces, pid_t pid, const struct proc_mapping *line,
		    struct list *list)
{
	struct unwind_library *library = spaces->config.library;
	struct unwind_mapping mapping = { .start = line->start, .end = line->end };
	uint64_t bias = 0;
	const struct mapped_file mapped = {
		.major = line->major,
		.minor = line->minor,
		.inode = line->inode,
		.path = line->path,
		.pid = pid,
		.start = line->start,
		.end = line->end,
	};
	const struct object *object = mapping_object(spaces->config.objects, &mapped);

	if (!object)
		return -ENOMEM;
	if (unwind_library_bias(library, object, line->start, line->end - line->start,
				line->file_offset, &bias))
		mapping.object = unwind_library_want(library, object);
	mapping.bias = bias;
	list->has_anonymous |= object->kind == OBJECT_ANON;
	if (!strcmp(line->path, "[uprobes]"))
		list->uprobes_pages = 1;
	return append(list, &mapping);
}

static int describe_all(struct unwind_spaces *spaces, pid_t pid, struct list *list)
{
	struct proc_mapping line;
	char *text = NULL, *at;
	int err = proc_maps_read(pid, &text);

	for (at = text; !err && proc_maps_next(&at, &line);)
		if (line.protection & PROT_EXEC)
			err = describe(spaces, pid, &line, list);
	free(text);
	return err;
}

static int add_run(struct unwind_spaces *spaces, const struct list *list,
		   struct unwind_space *space)
{
	struct run *run = calloc(1, sizeof(*run));
	int err = run ? ranges_take(&spaces->slots, list->count, 0, &space->first) : -ENOMEM;

	if (err) {
		free(run);
		return err;
	}
	run->first = space->first;
	run->count = space->count = list->count;
	HASH_ADD(hh, spaces->runs, first, sizeof(run->first), run);
	if (!run->hh.tbl) {
		ranges_give(&spaces->slots, run->first, run->count);
		free(run);
		return -ENOMEM;
	}
	memcpy(spaces->config.mappings + run->first, list->mappings,
	       list->count * sizeof(*list->mappings));
	return 0;
}

/* Writes the list where walks find it. What there is no room for now may be given up by others. */
static int place(struct unwind_spaces *spaces, const struct list *list, struct unwind_space *space)
{
	int err;

	if (!list->count) {
		space->first = EMPTY_MAPPING;
		space->count = 1;
		return 0;
	}
	err = add_run(spaces, list, space);
	if (err != -ENOSPC)
		return err;
	err = unwind_spaces_sweep(spaces);
	return err ? err : add_run(spaces, list, space);
}

static int describe_process(struct unwind_spaces *spaces, pid_t pid, struct unwind_space *space)
{
	struct list list = {};
	int err = proc_maps_code_pages(pid, &space->code_pages);

	if (!err)
		err = describe_all(spaces, pid, &list);
	if (list.has_anonymous)
		space->code_pages = 0;
	else
		space->code_pages -= list.uprobes_pages;
	if (!err)
		err = place(spaces, &list, space);
	free(list.mappings);
	return err;
}

int unwind_spaces_update(struct unwind_spaces *spaces, pid_t pid)
{
	const struct unwind_spaces_ops *ops = &spaces->config.ops;
	struct unwind_space space = {};
	uint32_t pages;
	/* asked before the mappings are read: one that comes meanwhile makes this description old */
	int err = ops->watch(ops->data, (uint32_t)pid, &space.generation);

	if (!err)
		err = describe_process(spaces, pid, &space);
	if (!err)
		err = ops->publish(ops->data, (uint32_t)pid, &space);
	/* one that has ended meanwhile was forgotten before we told: nobody would forget it again */
	if (!err)
		err = proc_maps_code_pages(pid, &pages);
	if (err)
		ops->forget(ops->data, (uint32_t)pid);
	if (err == -ENOSPC || err == -E2BIG)
		spaces->refused++;
	return err;
}

static void mark_run(void *context, const struct unwind_space *space)
{
	struct unwind_spaces *spaces = context;
	struct run *run;

	HASH_FIND(hh, spaces->runs, &space->first, sizeof(space->first), run);
	if (run)
		run->used = true;
}

/* Marks runs that are in use. Twice, with all walks and forks of the time between at their end: a fork may
 * have looked up its parent's run, but not written it down for the child, when we look. */
static int mark_runs(struct unwind_spaces *spaces)
{
	const struct unwind_spaces_ops *ops = &spaces->config.ops;
	struct run *run, *next;
	int err;

	HASH_ITER(hh, spaces->runs, run, next) {
		run->used = false;
	}
	err = ops->each(ops->data, mark_run, spaces);
	if (err)
		return err;
	ops->wait(ops->data);
	return ops->each(ops->data, mark_run, spaces);
}

int unwind_spaces_sweep(struct unwind_spaces *spaces)
{
	struct unwind_library *library = spaces->config.library;
	struct run *run, *next;
	int err = mark_runs(spaces);

	if (err)
		return err;
	unwind_library_sweep_begin(library);
	HASH_ITER(hh, spaces->runs, run, next) {
		if (!run->used && !ranges_give(&spaces->slots, run->first, run->count)) {
			HASH_DEL(spaces->runs, run);
			free(run);
			continue;
		}
		for (uint32_t i = 0; i < run->count; i++)
			unwind_library_sweep_mark(library,
						  spaces->config.mappings[run->first + i].object);
	}
	unwind_library_sweep_end(library);
	return 0;
}

size_t unwind_spaces_refused(const struct unwind_spaces *spaces)
{
	return spaces->refused;
}

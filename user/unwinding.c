// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A process is described when the BPF side had no description of it, or an old one, and sent a copy of a
 * stack instead; targets also as soon as side-band tells that they have changed.
 */
#include "unwinding.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "base/clock.h"
#include "output/output.h"
#include "record/record.h"
#include "unwind/private_memory.h"
#include "unwind/sample_walk.h"
#include "unwind/stack_copy.h"

/* Between two sweeps for what processes have left behind. */
#define SWEEP_NS (5 * NSEC_PER_SEC)

struct pid_wanted {
	uint32_t pid;
	UT_hash_handle hh;
};

int unwinding_open(struct unwinding *unwinding, struct bpf_side *bpf, struct objects *objects,
		   struct tasks *tasks, uint64_t memory_limit)
{
	struct unwind_library_config library;
	struct unwind_spaces_config spaces;
	int err = unwind_maps_open(bpf, &unwinding->maps);

	if (err)
		return err;
	unwinding->tasks = tasks;
	unwinding->credit = (int64_t)bpf->ring_bytes / 4 * 3;
	unwinding->swept = clock_now();
	unwind_maps_set_credit(&unwinding->maps, unwinding->credit);
	library = (struct unwind_library_config){
		.memory = unwind_maps_memory_ops(&unwinding->maps),
		.memory_limit = memory_limit,
		.objects = unwinding->maps.objects,
		.object_count = unwinding->maps.object_count,
	};
	err = unwind_library_new(&library, &unwinding->library);
	if (err)
		return err;
	spaces = (struct unwind_spaces_config){
		.ops = unwind_maps_spaces_ops(&unwinding->maps),
		.library = unwinding->library,
		.objects = objects,
		.mappings = unwinding->maps.mappings,
		.mapping_count = unwinding->maps.mapping_count,
	};
	return unwind_spaces_new(&spaces, &unwinding->spaces);
}

/* As many as the map has for walks in the kernel. */
#define PRIVATE_OBJECTS 16384

int unwinding_open_private(struct unwinding *unwinding, struct tasks *tasks, uint64_t memory_limit)
{
	struct unwind_library_config library = {
		.memory = private_memory_ops(),
		.memory_limit = memory_limit,
		.object_count = PRIVATE_OBJECTS,
	};

	unwinding->tasks = tasks;
	unwinding->private_objects = calloc(PRIVATE_OBJECTS, sizeof(*unwinding->private_objects));
	if (!unwinding->private_objects)
		return -ENOMEM;
	library.objects = unwinding->private_objects;
	return unwind_library_new(&library, &unwinding->library);
}

void unwinding_close(struct unwinding *unwinding)
{
	struct pid_wanted *wanted, *next;

	HASH_ITER(hh, unwinding->wanted, wanted, next) {
		HASH_DEL(unwinding->wanted, wanted);
		free(wanted);
	}
	unwinding->maps.is_closing = true;
	unwind_spaces_free(unwinding->spaces);
	unwind_library_free(unwinding->library);
	unwind_maps_close(&unwinding->maps);
	free(unwinding->private_objects);
	unwinding->private_objects = NULL;
	unwinding->spaces = NULL;
	unwinding->library = NULL;
}

int unwinding_prepare(struct unwinding *unwinding, pid_t pid)
{
	int err = unwinding->foreign_ids ? 0 : unwind_spaces_update(unwinding->spaces, pid);

	/* it has ended, or is not ours to look at: its stacks will tell */
	return err == -ENOMEM ? err : 0;
}

void unwinding_wait(struct unwinding *unwinding, bool (*is_enough)(void))
{
	while (!is_enough() && unwind_library_wait(unwinding->library))
		;
}

void unwinding_expect(struct unwinding *unwinding, const struct object *object)
{
	unwind_library_want(unwinding->library, object);
}

int unwinding_want(struct unwinding *unwinding, uint32_t pid)
{
	struct pid_wanted *wanted;

	if (!unwinding->spaces || unwinding->foreign_ids)
		return 0;
	HASH_FIND(hh, unwinding->wanted, &pid, sizeof(pid), wanted);
	if (wanted)
		return 0;
	wanted = calloc(1, sizeof(*wanted));
	if (!wanted)
		return -ENOMEM;
	wanted->pid = pid;
	HASH_ADD(hh, unwinding->wanted, pid, sizeof(wanted->pid), wanted);
	if (wanted->hh.tbl)
		return 0;
	free(wanted);
	return -ENOMEM;
}

/* Of everybody's processes only those are kept up to date that had an event before. */
static bool concerns_us(struct unwinding *unwinding, uint32_t pid)
{
	if (unwinding->all)
		return unwind_maps_has_space(&unwinding->maps, pid);
	return bpf_side_is_target(unwinding->maps.bpf, pid);
}

int unwinding_note(struct unwinding *unwinding, const struct record *record)
{
	if (!unwinding->spaces)
		return 0;
	if (record->kind == RECORD_EXIT)
		unwinding->has_exits = true;
	if (record->kind != RECORD_MMAP || !(record->mmap.protection & PROT_EXEC))
		return 0;
	unwind_maps_note_mapping(&unwinding->maps, record->pid);
	return concerns_us(unwinding, record->pid) ? unwinding_want(unwinding, record->pid) : 0;
}

static void sweep_if_due(struct unwinding *unwinding)
{
	uint64_t now = clock_now();
	bool due = unwinding->has_exits && now - unwinding->swept >= SWEEP_NS;

	if (!unwinding->spaces)
		return;
	if (!due && !unwind_library_is_short(unwinding->library))
		return;
	unwind_spaces_sweep(unwinding->spaces);
	unwinding->has_exits = false;
	unwinding->swept = now;
}

void unwinding_round(struct unwinding *unwinding)
{
	struct pid_wanted *wanted, *next;

	if (!unwinding->library)
		return;
	unwind_library_collect(unwinding->library);
	if (!unwinding->spaces)
		return;
	unwind_maps_set_credit(&unwinding->maps, unwinding->credit);
	HASH_ITER(hh, unwinding->wanted, wanted, next) {
		/* one that has ended meanwhile needs none; what finds no room is counted there */
		unwind_spaces_update(unwinding->spaces, (pid_t)wanted->pid);
		HASH_DEL(unwinding->wanted, wanted);
		free(wanted);
	}
	sweep_if_due(unwinding);
}

int unwinding_walk(struct unwinding *unwinding, const struct record *record, bool wait,
		   uint64_t *ip, struct record_stack *stack)
{
	int err;

	for (;;) {
		err = stack_copy_walk(unwinding->library, unwinding->tasks, record, ip, stack);
		if (err != -EAGAIN || !wait)
			return err;
		unwind_library_wait(unwinding->library);
		sweep_if_due(unwinding);
	}
}

int unwinding_walk_sample(struct unwinding *unwinding, const struct record *record, bool wait,
			  uint64_t *ip, uint32_t max, struct record_stack *stack)
{
	int err;

	do
		err = sample_walk(unwinding->library, unwinding->tasks, record, ip, max, stack);
	while (err == -EAGAIN && wait && unwind_library_wait(unwinding->library));
	return err;
}

void unwinding_summarize(const struct unwinding *unwinding, struct table_summary *summary)
{
	struct unwind_library_stats stats;

	if (!unwinding->library)
		return;
	unwind_library_stats(unwinding->library, &stats);
	summary->tables = stats.tables;
	summary->bytes = stats.memory_bytes;
	summary->build_ns = stats.build_ns;
	summary->no_room = stats.no_room;
	summary->no_number = stats.no_number;
	summary->failed = stats.failed;
	if (unwinding->spaces)
		summary->processes = unwind_spaces_refused(unwinding->spaces);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Chunks are maps of their own in an array of maps; the rest is arrays that are mapped, and two hashes. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../bpf/tracer.h"
#include "../base/log.h"
#include "inner_maps.h"
#include "tracer.skel.h"
#include "unwind_maps.h"

/* The last slot of the chunks is never a table's: writing there is how we wait. */
#define WAITING_SLOT (UNWIND_MAX_CHUNKS - 1)

static int chunks_fd(const struct unwind_maps *maps)
{
	return bpf_map__fd(maps->bpf->skeleton->maps.unwind_chunks);
}

static int create_chunk(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "unwind_chunk", sizeof(uint32_t),
				UNWIND_CHUNK_BYTES, 1, &options);

	return fd < 0 ? -errno : fd;
}

static int map_array(const struct bpf_map *map, void **memory, uint32_t *count)
{
	size_t size;

	*count = bpf_map__max_entries(map);
	size = (size_t)*count * bpf_map__value_size(map);
	*memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	if (*memory != MAP_FAILED)
		return 0;
	*memory = NULL;
	return -errno;
}

static void unmap_array(const struct bpf_map *map, void *memory, uint32_t count)
{
	if (memory)
		munmap(memory, (size_t)count * bpf_map__value_size(map));
}

static int watch_mappings(struct unwind_maps *maps)
{
	if (!bpf_side_config(maps->bpf)->watches_mappings) {
		/* older kernels have no such tracepoint */
		maps->on_area = bpf_program__attach(maps->bpf->skeleton->progs.on_area);
		return 0;
	}
	maps->on_mmap = bpf_program__attach_trace(maps->bpf->skeleton->progs.on_mmap);
	return maps->on_mmap ? 0 : -errno;
}

int unwind_maps_open(struct bpf_side *bpf, struct unwind_maps *maps)
{
	const struct tracer_bpf *skeleton = bpf->skeleton;
	int err;

	memset(maps, 0, sizeof(*maps));
	maps->bpf = bpf;
	for (size_t i = 0; i < UNWIND_MAX_CHUNKS; i++)
		maps->chunks[i] = -1;
	err = map_array(skeleton->maps.unwind_objects, (void **)&maps->objects,
			&maps->object_count);
	if (!err)
		err = map_array(skeleton->maps.unwind_mappings, (void **)&maps->mappings,
				&maps->mapping_count);
	if (!err) {
		maps->chunks[WAITING_SLOT] = create_chunk();
		err = maps->chunks[WAITING_SLOT] < 0 ? maps->chunks[WAITING_SLOT] : 0;
	}
	if (!err)
		err = watch_mappings(maps);
	if (err)
		log_error("unwind tables: %s", strerror(-err));
	return err;
}

void unwind_maps_close(struct unwind_maps *maps)
{
	const struct tracer_bpf *skeleton = maps->bpf ? maps->bpf->skeleton : NULL;

	bpf_link__destroy(maps->on_mmap);
	bpf_link__destroy(maps->on_area);
	maps->on_mmap = NULL;
	maps->on_area = NULL;
	if (!skeleton)
		return;
	if (maps->chunks[WAITING_SLOT] >= 0)
		close(maps->chunks[WAITING_SLOT]);
	unmap_array(skeleton->maps.unwind_objects, maps->objects, maps->object_count);
	unmap_array(skeleton->maps.unwind_mappings, maps->mappings, maps->mapping_count);
	maps->objects = NULL;
	maps->mappings = NULL;
	maps->bpf = NULL;
}

/* A map of one chunk, mapped at `at`. Its descriptor or -errno. */
static int new_chunk(void *at)
{
	int fd = create_chunk();

	if (fd < 0)
		return fd;
	if (mmap(at, UNWIND_CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
	    MAP_FAILED) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

/* Leaves address space reserved where a chunk was. */
static void drop_chunk(struct unwind_maps *maps, uint32_t number, void *at)
{
	if (maps->chunks[number] < 0)
		return;
	if (mmap(at, UNWIND_CHUNK_BYTES, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
		munmap(at, UNWIND_CHUNK_BYTES);
	close(maps->chunks[number]);
	maps->chunks[number] = -1;
}

static int add_chunks(void *data, uint32_t first, uint32_t count, void *at)
{
	struct unwind_maps *maps = data;
	int err = first + count > WAITING_SLOT ? -ENOSPC : 0;

	for (uint32_t i = 0; !err && i < count; i++) {
		maps->chunks[first + i] = new_chunk((char *)at + (size_t)i * UNWIND_CHUNK_BYTES);
		err = maps->chunks[first + i] < 0 ? maps->chunks[first + i] : 0;
	}
	if (!err)
		err = inner_maps_put(chunks_fd(maps), first, count, maps->chunks + first);
	for (uint32_t i = 0; err && i < count; i++)
		drop_chunk(maps, first + i, (char *)at + (size_t)i * UNWIND_CHUNK_BYTES);
	return err;
}

static void remove_chunk(void *data, uint32_t number, void *at)
{
	struct unwind_maps *maps = data;

	/* each time the kernel waits for all BPF programs; at the end none of ours is left */
	if (!maps->is_closing)
		bpf_map_delete_elem(chunks_fd(maps), &number);
	drop_chunk(maps, number, at);
}

/* The kernel waits for all BPF programs when an array of maps is changed from user space. */
static void wait_for_walks(void *data)
{
	const struct unwind_maps *maps = data;
	uint32_t slot = WAITING_SLOT;

	bpf_map_update_elem(chunks_fd(maps), &slot, &maps->chunks[WAITING_SLOT], BPF_ANY);
}

struct unwind_memory_ops unwind_maps_memory_ops(struct unwind_maps *maps)
{
	return (struct unwind_memory_ops){
		.add = add_chunks,
		.remove = remove_chunk,
		.wait = wait_for_walks,
		.data = maps,
	};
}

static int spaces_fd(const struct unwind_maps *maps)
{
	return bpf_map__fd(maps->bpf->skeleton->maps.unwind_spaces);
}

static void forget(void *data, uint32_t tgid)
{
	const struct unwind_maps *maps = data;

	bpf_map_delete_elem(spaces_fd(maps), &tgid);
	bpf_map_delete_elem(bpf_map__fd(maps->bpf->skeleton->maps.generations), &tgid);
}

static int watch(void *data, uint32_t tgid, uint32_t *generation)
{
	const struct unwind_maps *maps = data;
	int fd = bpf_map__fd(maps->bpf->skeleton->maps.generations);

	*generation = 1;
	if (!bpf_map_update_elem(fd, &tgid, generation, BPF_NOEXIST))
		return 0;
	if (errno != EEXIST)
		return errno == E2BIG ? -ENOSPC : -errno;
	return bpf_map_lookup_elem(fd, &tgid, generation) ? -errno : 0;
}

static int publish(void *data, uint32_t tgid, const struct unwind_space *space)
{
	if (bpf_map_update_elem(spaces_fd(data), &tgid, space, BPF_ANY))
		return errno == E2BIG ? -ENOSPC : -errno;
	return 0;
}

static int each_space(void *data, void (*callback)(void *, const struct unwind_space *),
		      void *context)
{
	int fd = spaces_fd(data);
	uint32_t key, *before = NULL;
	struct unwind_space space;

	while (!bpf_map_get_next_key(fd, before, &key)) {
		if (!bpf_map_lookup_elem(fd, &key, &space))
			callback(context, &space);
		before = &key;
	}
	return errno == ENOENT ? 0 : -errno;
}

struct unwind_spaces_ops unwind_maps_spaces_ops(struct unwind_maps *maps)
{
	return (struct unwind_spaces_ops){
		.watch = watch,
		.publish = publish,
		.forget = forget,
		.each = each_space,
		.wait = wait_for_walks,
		.data = maps,
	};
}

void unwind_maps_note_mapping(struct unwind_maps *maps, uint32_t tgid)
{
	int fd = bpf_map__fd(maps->bpf->skeleton->maps.generations);
	uint32_t generation;

	if (maps->on_mmap || bpf_map_lookup_elem(fd, &tgid, &generation))
		return;
	generation++;
	bpf_map_update_elem(fd, &tgid, &generation, BPF_EXIST);
}

bool unwind_maps_has_space(const struct unwind_maps *maps, uint32_t tgid)
{
	struct unwind_space space;

	return !bpf_map_lookup_elem(spaces_fd(maps), &tgid, &space);
}

void unwind_maps_set_credit(struct unwind_maps *maps, int64_t bytes)
{
	int64_t *credit = calloc((size_t)maps->bpf->cpu_count, sizeof(*credit));
	uint32_t zero = 0;

	if (!credit)
		return;
	for (int cpu = 0; cpu < maps->bpf->cpu_count; cpu++)
		credit[cpu] = bytes;
	bpf_map_update_elem(bpf_map__fd(maps->bpf->skeleton->maps.copy_credit), &zero, credit,
			    BPF_ANY);
	free(credit);
}

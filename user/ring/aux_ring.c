// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The consumer side of an AUX area (include/uapi/linux/perf_event.h, aux_* of struct perf_event_mmap_page;
 * kernel/events/ring_buffer.c): read aux_head with acquire, publish aux_tail with release. Whether the
 * mapping is writable tells the kernel the mode.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "aux_ring.h"

struct aux_ring {
	int fd;
	struct perf_event_mmap_page *page;
	const unsigned char *data;
	size_t size; /* a power of two */
	enum aux_mode mode;
	bool is_stopped; /* the kernel may have disabled the event */
	bool is_resumed; /* and it has been enabled, with aux_head at resumed_at */
	uint64_t resumed_at;
	uint64_t from, to; /* of a snapshot: what is to be read yet */
	uint64_t snapped;  /* where the last snapshot ended; 0 where heads start again */
	struct aux_statistics statistics;
};

/* The kernel reads aux_offset and aux_size when it is mapped, and keeps them only if that succeeds. */
static int map_area(struct aux_ring *ring, size_t bytes)
{
	int protection = ring->mode == AUX_FULL ? PROT_READ | PROT_WRITE : PROT_READ;
	struct perf_event_mmap_page *page = ring->page;
	void *data;

	page->aux_offset = page->data_offset + page->data_size;
	page->aux_size = bytes;
	data = mmap(NULL, bytes, protection, MAP_SHARED, ring->fd, (off_t)page->aux_offset);
	if (data == MAP_FAILED)
		return -errno;
	ring->data = data;
	ring->size = bytes;
	return 0;
}

int aux_ring_open(int fd, struct perf_event_mmap_page *page, size_t bytes, enum aux_mode mode,
		  struct aux_ring **ring_out)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	struct aux_ring *ring;
	int err;

	if (bytes < page_size || bytes & (bytes - 1))
		return -EINVAL;
	ring = calloc(1, sizeof(*ring));
	if (!ring)
		return -ENOMEM;
	ring->fd = fd;
	ring->page = page;
	ring->mode = mode;
	err = map_area(ring, bytes);
	while ((err == -ENOMEM || err == -EPERM) && bytes > 2 * page_size) {
		bytes /= 2;
		err = map_area(ring, bytes);
	}
	if (err) {
		free(ring);
		return err;
	}
	*ring_out = ring;
	return 0;
}

void aux_ring_close(struct aux_ring *ring)
{
	if (!ring)
		return;
	munmap((void *)ring->data, ring->size);
	free(ring);
}

size_t aux_ring_size(const struct aux_ring *ring)
{
	return ring->size;
}

static void note_fill(struct aux_ring *ring, size_t fill)
{
	if (fill > ring->statistics.high_water)
		ring->statistics.high_water = fill;
}

static void note_stop(struct aux_ring *ring)
{
	ring->is_stopped = true;
	ring->is_resumed = false;
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* What can be read. -EBADMSG when it cannot be: then from is where to go on. */
static int readable(struct aux_ring *ring, uint64_t *from, uint64_t *to)
{
	uint64_t fill;

	if (ring->mode == AUX_SNAPSHOT) {
		*from = ring->from;
		*to = ring->to;
		return 0;
	}
	*to = __atomic_load_n(&ring->page->aux_head, __ATOMIC_ACQUIRE);
	*from = ring->page->aux_tail;
	fill = *to - *from;
	if (fill > ring->size) {
		ring->statistics.skipped += fill;
		*from = *to;
		return -EBADMSG;
	}
	note_fill(ring, fill);
	/* A PMU may write whole pages only, and no room for one need not leave a record. */
	if (ring->size - fill < (size_t)sysconf(_SC_PAGESIZE))
		note_stop(ring);
	return 0;
}

static void release(struct aux_ring *ring, uint64_t position)
{
	if (ring->mode == AUX_SNAPSHOT)
		ring->from = position;
	else
		__atomic_store_n(&ring->page->aux_tail, position, __ATOMIC_RELEASE);
}

static struct aux_span span_of(const struct aux_ring *ring, uint64_t from, uint64_t to)
{
	size_t offset = from & (ring->size - 1);
	size_t first = ring->size - offset;
	size_t size = to - from;

	if (first > size)
		first = size;
	return (struct aux_span){
		.from = from,
		.to = to,
		.piece = { { ring->data + offset, first }, { ring->data, size - first } },
	};
}

ssize_t aux_ring_read(struct aux_ring *ring, size_t most, aux_span_fn callback, void *context)
{
	struct aux_span span;
	uint64_t from, to;
	int err = readable(ring, &from, &to);

	if (err) {
		release(ring, from);
		return err;
	}
	if (from == to)
		return 0;
	/* What perf.data holds of it is padded to 8 bytes: only the last may need that. */
	most = most < 8 ? 8 : most & ~(size_t)7;
	if (to - from > most)
		to = from + most;
	span = span_of(ring, from, to);
	err = callback(context, &span);
	release(ring, to);
	ring->statistics.bytes += to - from;
	return err < 0 ? err : (ssize_t)(to - from);
}

/* ---- full mode -------------------------------------------------------------------------------- */

void aux_ring_note(struct aux_ring *ring, uint64_t flags)
{
	ring->statistics.truncated += !!(flags & PERF_AUX_FLAG_TRUNCATED);
	ring->statistics.partial += !!(flags & PERF_AUX_FLAG_PARTIAL);
	ring->statistics.collision += !!(flags & PERF_AUX_FLAG_COLLISION);
	if (flags & PERF_AUX_FLAG_TRUNCATED)
		note_stop(ring);
}

bool aux_ring_is_stopped(const struct aux_ring *ring)
{
	return ring->is_stopped;
}

/*
 * The record is there before the kernel has disabled the event, and enabling one that is not disabled does
 * nothing. So it is enabled in each round, until it has written more.
 */
int aux_ring_resume(struct aux_ring *ring)
{
	uint64_t head;

	if (!ring->is_stopped)
		return 0;
	head = __atomic_load_n(&ring->page->aux_head, __ATOMIC_RELAXED);
	if (ring->is_resumed && head != ring->resumed_at) {
		ring->is_stopped = false;
		return 0;
	}
	if (ioctl(ring->fd, PERF_EVENT_IOC_ENABLE, 0))
		return -errno;
	ring->statistics.resumed += !ring->is_resumed;
	ring->is_resumed = true;
	ring->resumed_at = head;
	return 0;
}

/* ---- snapshot mode ---------------------------------------------------------------------------- */

static bool is_zero(const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (bytes[i])
			return false;
	}
	return true;
}

int aux_ring_snapshot_begin(struct aux_ring *ring)
{
	uint64_t head;
	bool has_wrapped, starts_again;

	if (ring->mode != AUX_SNAPSHOT)
		return -EINVAL;
	if (ioctl(ring->fd, PERF_EVENT_IOC_DISABLE, 0))
		return -errno;
	head = __atomic_load_n(&ring->page->aux_head, __ATOMIC_ACQUIRE);
	/*
	 * Some drivers count all bytes in head, others (Intel PT) start again from 0 at the area's end. Of
	 * those it has wrapped if something is behind it: the area was zeros when it was mapped.
	 */
	has_wrapped = head >= ring->size || !is_zero(ring->data + head, ring->size - head);
	starts_again = has_wrapped && head < ring->size;
	if (starts_again)
		head += ring->size;
	ring->from = has_wrapped ? head - ring->size : 0;
	if (!starts_again && ring->snapped > ring->from && ring->snapped <= head)
		ring->from = ring->snapped;
	ring->to = head;
	ring->snapped = starts_again ? 0 : head;
	ring->statistics.snapshots++;
	note_fill(ring, ring->to - ring->from);
	return 0;
}

int aux_ring_snapshot_end(struct aux_ring *ring)
{
	ring->from = ring->to;
	return ioctl(ring->fd, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

const struct aux_statistics *aux_ring_statistics(const struct aux_ring *ring)
{
	return &ring->statistics;
}

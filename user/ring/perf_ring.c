// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The consumer side of a perf ring (include/uapi/linux/perf_event.h, struct perf_event_mmap_page): read
 * data_head with acquire, publish data_tail with release, mask positions, and join a record that wraps.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perf_ring.h"

struct perf_ring {
	struct perf_event_mmap_page *page;
	size_t map_size;
	const unsigned char *data;
	size_t size; /* of the data, a power of two */
	size_t high_water;
	/* where a wrapping record is joined; header.size is 16 bits */
	union {
		struct perf_event_header header;
		unsigned char bytes[UINT16_MAX + 1];
	} joined;
};

int perf_ring_open(int fd, size_t bytes, struct perf_ring **ring_out)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_ring *ring = calloc(1, sizeof(*ring));
	int err;

	if (!ring)
		return -ENOMEM;
	ring->map_size = page_size + bytes;
	ring->page = mmap(NULL, ring->map_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring->page == MAP_FAILED) {
		err = -errno;
		free(ring);
		return err;
	}
	ring->data = (const unsigned char *)ring->page + page_size;
	ring->size = bytes;
	*ring_out = ring;
	return 0;
}

void perf_ring_close(struct perf_ring *ring)
{
	if (!ring)
		return;
	munmap(ring->page, ring->map_size);
	free(ring);
}

/* The record at a position, joined if it wraps; NULL when what stands there cannot be one. */
static const struct perf_event_header *record_at(struct perf_ring *ring, uint64_t position,
						 uint64_t available)
{
	size_t offset = position & (ring->size - 1);
	size_t first = ring->size - offset;
	const struct perf_event_header *header = (const void *)(ring->data + offset);
	size_t size = header->size; /* records are 8-byte aligned: the header never wraps */

	if (size < sizeof(*header) || size % 8 || size > available || size > ring->size)
		return NULL;
	if (size <= first)
		return header;
	memcpy(ring->joined.bytes, header, first);
	memcpy(ring->joined.bytes + first, ring->data, size - first);
	return &ring->joined.header;
}

int perf_ring_consume(struct perf_ring *ring, perf_record_fn callback, void *context)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;
	int count = 0;

	if (head - tail > ring->high_water)
		ring->high_water = head - tail;
	while (tail < head) {
		const struct perf_event_header *record = record_at(ring, tail, head - tail);
		int err;

		if (!record) {
			__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
			return -EBADMSG;
		}
		tail += record->size;
		err = callback(context, record);
		__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
		if (err < 0)
			return err;
		count++;
	}
	return count;
}

size_t perf_ring_high_water(const struct perf_ring *ring)
{
	return ring->high_water;
}

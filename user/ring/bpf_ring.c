// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The consumer side of the BPF ring buffer. Layout (kernel/bpf/ringbuf.c): one page with the consumer
 * position, which we write; one page with the producer position; then the data, twice in a row so that a record never
 * wraps: of the second time we map as much as a record may have, because all that is mapped counts as our memory. Each
 * record has an 8-byte header: length with two flag bits, page offset.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bpf_ring.h"

struct bpf_ring {
	unsigned long *consumer; /* own page, writable */
	void *producer_map;	 /* producer page and data, read-only */
	size_t producer_size;
	const unsigned long *producer;
	const unsigned char *data;
	size_t mask;
	size_t high_water;
};

int bpf_ring_open(int map_fd, size_t bytes, struct bpf_ring **ring_out)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct bpf_ring *ring = calloc(1, sizeof(*ring));
	int err;

	if (!ring)
		return -ENOMEM;
	ring->consumer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);
	if (ring->consumer == MAP_FAILED) {
		err = -errno;
		ring->consumer = NULL;
		goto fail;
	}
	ring->producer_size = page + bytes + (bytes < BPF_RING_RECORD ? bytes : BPF_RING_RECORD);
	ring->producer_map =
		mmap(NULL, ring->producer_size, PROT_READ, MAP_SHARED, map_fd, (off_t)page);
	if (ring->producer_map == MAP_FAILED) {
		err = -errno;
		ring->producer_map = NULL;
		goto fail;
	}
	ring->producer = ring->producer_map;
	ring->data = (const unsigned char *)ring->producer_map + page;
	ring->mask = bytes - 1;
	*ring_out = ring;
	return 0;
fail:
	bpf_ring_close(ring);
	return err;
}

void bpf_ring_close(struct bpf_ring *ring)
{
	if (!ring)
		return;
	if (ring->consumer)
		munmap(ring->consumer, (size_t)sysconf(_SC_PAGESIZE));
	if (ring->producer_map)
		munmap(ring->producer_map, ring->producer_size);
	free(ring);
}

int bpf_ring_consume(struct bpf_ring *ring, ring_record_fn callback, void *context)
{
	unsigned long consumer = *ring->consumer;
	unsigned long producer = __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE);
	int count = 0;

	if (producer - consumer > ring->high_water)
		ring->high_water = producer - consumer;
	while (consumer < producer) {
		const uint32_t *header = (const void *)(ring->data + (consumer & ring->mask));
		uint32_t length = __atomic_load_n(header, __ATOMIC_ACQUIRE);
		int err = 0;

		if (length & BPF_RINGBUF_BUSY_BIT)
			break; /* still being written: it, and what follows, the next time */
		if ((length & ~(uint32_t)BPF_RINGBUF_DISCARD_BIT) >
		    BPF_RING_RECORD - BPF_RINGBUF_HDR_SZ)
			return -EBADMSG;
		if (!(length & BPF_RINGBUF_DISCARD_BIT)) {
			err = callback(context, header + 2, length);
			count++;
		}
		length &= ~(uint32_t)BPF_RINGBUF_DISCARD_BIT;
		consumer += (length + BPF_RINGBUF_HDR_SZ + 7) / 8 * 8;
		__atomic_store_n(ring->consumer, consumer, __ATOMIC_RELEASE);
		if (err < 0)
			return err;
	}
	return count;
}

size_t bpf_ring_high_water(const struct bpf_ring *ring)
{
	return ring->high_water;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The consumer side of a perf ring (include/uapi/linux/perf_event.h, struct perf_event_mmap_page): read
 * data_head with acquire, publish data_tail with release, mask positions, and join a record that wraps.
 * A backward ring's data_head goes down from 0: the newest record begins there, older ones follow.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perf_ring.h"

struct perf_ring {
	struct perf_event_mmap_page *page;
	size_t map_size; /* 0: not ours to unmap */
	const unsigned char *data;
	size_t size;	   /* of the data, a power of two */
	uint64_t position; /* backward: data_head when it was read last */
	struct perf_ring_stats stats;
	/* where a wrapping record is joined; header.size is 16 bits */
	union {
		struct perf_event_header header;
		unsigned char bytes[UINT16_MAX + 1];
	} joined;
};

/* What LOST and LOST_SAMPLES have behind their header. */
struct lost_body {
	uint64_t id, lost;
};
struct lost_samples_body {
	uint64_t lost;
};

int perf_ring_over(struct perf_event_mmap_page *page, size_t bytes, struct perf_ring **ring_out)
{
	struct perf_ring *ring = calloc(1, sizeof(*ring));

	if (!ring)
		return -ENOMEM;
	ring->page = page;
	ring->data = (const unsigned char *)page + sysconf(_SC_PAGESIZE);
	ring->size = bytes;
	*ring_out = ring;
	return 0;
}

static int open_ring(int fd, size_t bytes, int protection, struct perf_ring **ring_out)
{
	size_t map_size = (size_t)sysconf(_SC_PAGESIZE) + bytes;
	void *page = mmap(NULL, map_size, protection, MAP_SHARED, fd, 0);
	int err;

	if (page == MAP_FAILED)
		return -errno;
	err = perf_ring_over(page, bytes, ring_out);
	if (err) {
		munmap(page, map_size);
		return err;
	}
	(*ring_out)->map_size = map_size;
	return 0;
}

int perf_ring_open(int fd, size_t bytes, struct perf_ring **ring_out)
{
	return open_ring(fd, bytes, PROT_READ | PROT_WRITE, ring_out);
}

int perf_ring_open_backward(int fd, size_t bytes, struct perf_ring **ring_out)
{
	return open_ring(fd, bytes, PROT_READ, ring_out);
}

void perf_ring_close(struct perf_ring *ring)
{
	if (!ring)
		return;
	if (ring->map_size)
		munmap(ring->page, ring->map_size);
	free(ring);
}

/* Bytes of the record at a position, or 0 when what stands there cannot be one. */
static size_t size_at(const struct perf_ring *ring, uint64_t position)
{
	/* records are 8-byte aligned: the header never wraps */
	const struct perf_event_header *header =
		(const void *)(ring->data + (position & (ring->size - 1)));
	size_t size = header->size;

	return size < sizeof(*header) || size % 8 || size > ring->size ? 0 : size;
}

/* The record of that size at a position, joined if it wraps. */
static const struct perf_event_header *record_at(struct perf_ring *ring, uint64_t position,
						 size_t size)
{
	size_t offset = position & (ring->size - 1);
	size_t first = ring->size - offset;

	if (size <= first)
		return (const void *)(ring->data + offset);
	memcpy(ring->joined.bytes, ring->data + offset, first);
	memcpy(ring->joined.bytes + first, ring->data, size - first);
	return &ring->joined.header;
}

static void count(struct perf_ring *ring, const struct perf_event_header *record, size_t size)
{
	const void *body = record + 1;

	ring->stats.records++;
	ring->stats.bytes += size;
	size -= sizeof(*record);
	if (record->type == PERF_RECORD_LOST && size >= sizeof(struct lost_body))
		ring->stats.lost_records += ((const struct lost_body *)body)->lost;
	if (record->type == PERF_RECORD_LOST_SAMPLES && size >= sizeof(struct lost_samples_body))
		ring->stats.lost_samples += ((const struct lost_samples_body *)body)->lost;
}

static void note_fill(struct perf_ring *ring, uint64_t fill)
{
	if (fill > ring->stats.high_water)
		ring->stats.high_water = fill;
}

uint64_t perf_ring_head(const struct perf_ring *ring)
{
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

int perf_ring_consume(struct perf_ring *ring, perf_record_fn callback, void *context)
{
	return perf_ring_consume_to(ring, perf_ring_head(ring), callback, context);
}

int perf_ring_consume_to(struct perf_ring *ring, uint64_t head, perf_record_fn callback,
			 void *context)
{
	uint64_t tail = ring->page->data_tail;
	int seen = 0;

	note_fill(ring, head - tail);
	while (tail < head) {
		size_t size = size_at(ring, tail);
		const struct perf_event_header *record;
		int err;

		if (!size || size > head - tail) {
			ring->stats.corrupt++;
			__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
			return -EBADMSG;
		}
		record = record_at(ring, tail, size);
		count(ring, record, size);
		err = callback(context, record);
		tail += size;
		__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
		if (err < 0)
			return err;
		seen++;
	}
	return seen;
}

/* ---- backward ---------------------------------------------------------------------------------- */

/* Where the records of a backward ring begin, newest first. */
struct positions {
	uint64_t *at;
	size_t count, room;
};

static int note_position(struct positions *positions, uint64_t position)
{
	if (positions->count == positions->room) {
		size_t room = positions->room ? positions->room * 2 : 512;
		uint64_t *at = realloc(positions->at, room * sizeof(*at));

		if (!at)
			return -ENOMEM;
		positions->at = at;
		positions->room = room;
	}
	positions->at[positions->count++] = position;
	return 0;
}

/*
 * Walks from head over what was written since the last time. If that is more than the ring holds, the last
 * record met has been overwritten from its end on, unless it ends where the ring does: its header still
 * tells its size, which leads beyond. Without that, records end exactly where the walk must.
 */
static int find_records(struct perf_ring *ring, uint64_t head, struct positions *positions)
{
	uint64_t written = ring->position - head;
	uint64_t held = written < ring->size ? written : ring->size;
	size_t size;
	int err = 0;

	note_fill(ring, held);
	for (uint64_t walked = 0; !err && walked < held; walked += size) {
		size = size_at(ring, head + walked);
		if (size > held - walked && written > held)
			break;
		if (!size || size > held - walked) {
			ring->stats.corrupt++;
			return -EBADMSG;
		}
		err = note_position(positions, head + walked);
	}
	return err;
}

int perf_ring_read_backward(struct perf_ring *ring, perf_record_fn callback, void *context)
{
	uint64_t head = perf_ring_head(ring);
	struct positions positions = {};
	int err = find_records(ring, head, &positions);
	int seen = 0;

	for (size_t i = positions.count; i > 0 && (!err || err == -EBADMSG); i--) {
		size_t size = size_at(ring, positions.at[i - 1]);
		const struct perf_event_header *record = record_at(ring, positions.at[i - 1], size);
		int answer;

		count(ring, record, size);
		answer = callback(context, record);
		if (answer < 0)
			err = answer;
		seen++;
	}
	ring->position = head;
	free(positions.at);
	return err ? err : seen;
}

int perf_ring_pause(int fd, bool pause)
{
	return ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, pause ? 1 : 0) ? -errno : 0;
}

/* ---- what is known of it ----------------------------------------------------------------------- */

void perf_ring_woken(struct perf_ring *ring)
{
	ring->stats.wakeups++;
}

const struct perf_ring_stats *perf_ring_stats(const struct perf_ring *ring)
{
	return &ring->stats;
}

size_t perf_ring_bytes(const struct perf_ring *ring)
{
	return ring->size;
}

struct perf_event_mmap_page *perf_ring_page(const struct perf_ring *ring)
{
	return ring->page;
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One BPF ring buffer, read without a system call per record. */
#ifndef TRACER_BPF_RING_H
#define TRACER_BPF_RING_H

#include <stddef.h>
#include <stdint.h>

struct bpf_ring;

/* Bytes of the longest record that a writer may make, with the ring's own 8. */
#define BPF_RING_RECORD 65536

/* Called for each record, which is valid only during the call. A negative return stops the reading. */
typedef int (*ring_record_fn)(void *context, const void *data, size_t size);

/* Maps the ring behind a BPF_MAP_TYPE_RINGBUF descriptor (which stays the caller's) of that many bytes. 0 or -errno. */
int bpf_ring_open(int map_fd, size_t bytes, struct bpf_ring **ring);
void bpf_ring_close(struct bpf_ring *ring);
/* Hands over all records that are complete now. Their number, or what the callback returned; -EBADMSG at one that is too long. */
int bpf_ring_consume(struct bpf_ring *ring, ring_record_fn callback, void *context);
/* Most bytes that were waiting at one time. */
size_t bpf_ring_high_water(const struct bpf_ring *ring);

#endif

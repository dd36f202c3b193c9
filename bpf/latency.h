/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How long calls took, in steps: below 8 ns each is its own, and every power of two above is divided in 8, so
 * that a step is at most an eighth of what it counts. Compiled for BPF and for user space.
 */
#ifndef TRACER_LATENCY_H
#define TRACER_LATENCY_H

#include <linux/types.h>

#define LATENCY_BITS  3
#define LATENCY_STEPS (1 << LATENCY_BITS)
#define LATENCY_SLOTS (LATENCY_STEPS + (64 - LATENCY_BITS) * LATENCY_STEPS)

#define LATENCY_INLINE static inline __attribute__((always_inline, unused))

/* Number of the highest bit of a value that is not 0; without loops and count-leading-zeros, which BPF lacks. */
LATENCY_INLINE __u32 latency_highest_bit(__u64 value)
{
	__u32 bit = 0, step;

	step = (value >> 32 != 0) << 5;
	value >>= step;
	bit += step;
	step = (value >> 16 != 0) << 4;
	value >>= step;
	bit += step;
	step = (value >> 8 != 0) << 3;
	value >>= step;
	bit += step;
	step = (value >> 4 != 0) << 2;
	value >>= step;
	bit += step;
	step = (value >> 2 != 0) << 1;
	value >>= step;
	bit += step;
	return bit + (value >> 1 != 0);
}

/* Which step counts so many ns. */
LATENCY_INLINE __u32 latency_slot(__u64 ns)
{
	__u32 bit;

	if (ns < LATENCY_STEPS)
		return (__u32)ns;
	bit = latency_highest_bit(ns);
	return LATENCY_STEPS + (bit - LATENCY_BITS) * LATENCY_STEPS +
	       ((ns >> (bit - LATENCY_BITS)) & (LATENCY_STEPS - 1));
}

/* The fewest ns that a step counts; that of the next is its end. */
LATENCY_INLINE __u64 latency_slot_begin(__u32 slot)
{
	__u32 octave = slot / LATENCY_STEPS;

	if (slot < LATENCY_STEPS)
		return slot;
	return (__u64)(LATENCY_STEPS + slot % LATENCY_STEPS) << (octave - 1);
}

#endif

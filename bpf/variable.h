/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A watched variable, and what a store makes of it. For BPF and for unit tests. */
#ifndef TRACER_VARIABLE_H
#define TRACER_VARIABLE_H

#define ACCESS_INLINE static inline __attribute__((always_inline, unused))

struct access_variable {
	__u64 address;
	__u32 length; /* 1, 2, 4 or 8 */
	__u64 value;
};

ACCESS_INLINE __u64 access_mask(__u32 length)
{
	return length < 8 ? (1ull << (8 * length)) - 1 : ~0ull;
}

/* The variable after length bytes of data were stored to address, which may overlap it in part. */
ACCESS_INLINE void access_put(struct access_variable *variable, __u64 address, __u32 length,
			      __u64 data)
{
	__u64 mask = access_mask(length);
	__u64 ahead = address - variable->address, behind = variable->address - address;

	data &= mask;
	if (ahead < 8) {
		mask <<= 8 * ahead;
		data <<= 8 * ahead;
	} else if (behind < 8) {
		mask >>= 8 * behind;
		data >>= 8 * behind;
	} else {
		return;
	}
	mask &= access_mask(variable->length);
	variable->value = (variable->value & ~mask) | (data & mask);
}

#endif

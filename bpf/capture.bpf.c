// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The values that are recorded with an event. Each has a call of its own to a global function, so that the verifier
 * goes through it once.
 */
#include "capture.bpf.h"

static __always_inline __u64 filled_up(__u64 bytes)
{
	return (bytes + 7) & ~7ull;
}

/* The bytes that a string has without its NUL; old kernels give 0 for an empty one. */
static __always_inline long string_bytes(long with_nul)
{
	return with_nul > 0 ? with_nul - 1 : with_nul;
}

/* Where the next value goes. User space sees to it that there is room; the verifier wants to see bounds. */
static __always_inline __u8 *next_place(struct scratch *s)
{
	__u64 at = s->captured_bytes & (CAPTURE_BYTES - 1);

	asm volatile("" : "+r"(at));
	return &s->captured[at & (CAPTURE_BYTES - 1)];
}

/* What one capture reads to `to`, at most `most` bytes: how many; below 0 when it cannot be read. */
static __always_inline long read_string(__u8 *to, __u64 most, __u64 address)
{
	long bytes;

	*(__u64 *)to = address;
	if (!address)
		return sizeof(address);
	asm volatile("" : "+r"(most));
	if (most > CAPTURE_MOST)
		return -1;
	bytes = string_bytes(bpf_probe_read_user_str(to + sizeof(address), most, (void *)address));
	return bytes < 0 ? bytes : bytes + (long)sizeof(address);
}

static __always_inline long read_bytes(__u8 *to, __u64 count, __u64 address)
{
	asm volatile("" : "+r"(count));
	if (count > CAPTURE_MOST)
		return -1;
	if (count && bpf_probe_read_user(to, count, (void *)address))
		return -1;
	return (long)count;
}

static __always_inline long read_value(struct scratch *s, const struct capture *capture, __u8 *to)
{
	__u64 value = s->machine.value[0], size = capture->size, number = s->captured_number;

	switch (capture->kind) {
	case CAPTURE_NUMBER:
		*(__u64 *)to = value;
		s->captured_number = value;
		return sizeof(value);
	case CAPTURE_BYTES_AT:
		return read_bytes(to, size, value);
	case CAPTURE_STRING:
		return read_string(to, size, value);
	case CAPTURE_TEXT:
		return read_bytes(to, number < size ? number : size, value);
	}
	return -1;
}

__noinline int capture_one(__u32 slot, __u32 index)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &slot);
	const struct capture *capture;
	struct rec_capture *head;
	const struct plan *plan;
	long bytes = -1;
	bool is_fault = true;
	__u8 *place;
	int end;

	if (!s)
		return 0;
	plan = bpf_map_lookup_elem(&plans, &s->plan);
	place = next_place(s);
	if (!plan)
		return 0;
	capture = &plan->captures[index & (PLAN_CAPTURES - 1)];
	s->machine.program = capture->program;
	end = machine_run(slot);
	head = (void *)place;
	if (end == MACHINE_TRUE || end == MACHINE_FALSE) {
		bytes = read_value(s, capture, place + sizeof(*head));
		is_fault = bytes < 0;
	}
	if (bytes < 0 && end <= MACHINE_TRUE) { /* where it should have been */
		*(__u64 *)(place + sizeof(*head)) = s->machine.value[0];
		bytes = sizeof(__u64);
	}
	head->is_fault = is_fault;
	head->size = bytes < 0 ? 0 : (__u16)bytes;
	head->reserved = 0;
	s->captured_bytes += sizeof(*head) + filled_up(head->size);
	return 0;
}

__noinline int capture_values(__u32 slot)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &slot);
	const struct plan *plan;
	struct rec_captured *head;
	__u32 count;

	if (!s)
		return 0;
	plan = bpf_map_lookup_elem(&plans, &s->plan);
	if (!plan)
		return 0;
	count = plan->capture_count;
	head = (void *)s->captured;
	head->plan = s->plan;
	head->count = count;
	s->captured_bytes = sizeof(*head);
	for (__u32 i = 0; i < PLAN_CAPTURES; i++) {
		if (i >= count)
			break;
		capture_one(slot, i);
	}
	return 0;
}

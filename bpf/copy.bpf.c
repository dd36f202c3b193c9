// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Copies of stacks. */
#include "copy.bpf.h"
#include "walk.bpf.h"

static __always_inline struct copy_slot *slot_claim(struct scratch *s)
{
	__u32 first = bpf_get_smp_processor_id() * COPY_SLOTS;

	for (__u32 i = 0; i < COPY_SLOTS; i++) {
		__u32 number = first + i;
		struct copy_slot *to = bpf_map_lookup_elem(&copy_slots, &number);

		if (!to)
			return NULL;
		__sync_fetch_and_add(&to->busy, 1);
		if (*(volatile __u32 *)&to->busy == 1) {
			s->copy = number;
			return to;
		}
		__sync_fetch_and_add(&to->busy, -1);
	}
	return NULL;
}

/* Bytes copied, from `at` up to the last page that can be read; a page may be missing in between. */
static __always_inline __u32 copy_memory(struct rec_stack_copy *copy, __u64 at)
{
	__u32 done = 0, end = 0;

	copy->holes = 0;
	for (int i = 0; i <= TRACER_COPY_BYTES / TRACER_COPY_PAGE; i++) {
		__u32 size = TRACER_COPY_PAGE - (at & (TRACER_COPY_PAGE - 1));

		if (done >= TRACER_COPY_BYTES)
			break;
		if (bpf_probe_read_user(&copy->stack[done & (TRACER_COPY_BYTES - 1)], size,
					(void *)at))
			copy->holes |= (__u16)(1 << i);
		else
			end = done + size;
		done += size;
		at += size;
	}
	return end;
}

/* Above where a program's first stack begins lie its arguments and environment, which no walk asks for. */
static __always_inline __u32 without_environment(__u64 sp, __u32 bytes)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 begins = BPF_CORE_READ(task, mm, start_stack);

	return sp <= begins && begins - sp + 8 < bytes ? (__u32)(begins - sp) + 8 : bytes;
}

static __always_inline void copy_returns(struct rec_stack_copy *copy)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct return_instance *instance = BPF_CORE_READ(task, utask, return_instances);
	__u32 count = 0;

	for (__u32 i = 0; i < TRACER_COPY_RETURNS && instance; i++) {
		copy->returns[i].at = BPF_CORE_READ(instance, stack);
		copy->returns[i].address = BPF_CORE_READ(instance, orig_ret_vaddr);
		instance = BPF_CORE_READ(instance, next);
		count = i + 1;
	}
	copy->return_count = (__u16)count;
}

/* Few: the verifier goes through a loop as often as it may run. */
#define WORDS_AT_ONCE 64

/*
 * Only what can be an address decides which frames a walk finds: return addresses, saved frame pointers, and
 * where memory is. Small numbers, such as a loop counts, do not make another stack of it.
 */
static __always_inline __u64 hash_word(__u64 hash, __u64 word)
{
	return hash_add(hash, word < 0x10000 || word >= USER_ADDRESS_END ? 0 : word);
}

/* Hashes WORDS_AT_ONCE words of the copy, from number s->copy_words on, to s->copy_hash. */
__noinline int copy_hash_some(__u32 slot)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &slot);
	const struct copy_slot *from;
	const __u64 *words;
	__u64 hash;

	if (!s)
		return 0;
	from = bpf_map_lookup_elem(&copy_slots, &s->copy);
	if (!from)
		return 0;
	words = (const __u64 *)from->copy.stack;
	hash = s->copy_hash;
	for (__u32 i = 0; i < WORDS_AT_ONCE; i++) {
		__u64 word = s->copy_words + i;

		asm volatile("" : "+r"(word));
		if (word >= sizeof(from->copy.stack) / sizeof(*words) ||
		    word >= from->copy.stack_bytes / sizeof(*words))
			break;
		hash = hash_word(hash, words[word]);
	}
	s->copy_hash = hash;
	s->copy_words += WORDS_AT_ONCE;
	return 0;
}

/* Equal ids: a walk from either finds the same frames. */
static __always_inline __u64 copy_id(struct scratch *s, const struct rec_stack_copy *copy)
{
	__u64 hash = hash_address_space(s->event.tgid);

	hash = hash_add(hash_add(hash_add(hash, copy->ip), copy->sp), copy->fp);
	hash = hash_add(hash_add(hash, copy->link), copy->at_entry);
	for (__u32 i = 0; i < TRACER_REGISTERS; i++)
		hash = hash_word(hash, copy->general[i]);
	s->copy_hash = hash_add(hash, copy->stack_bytes);
	s->copy_words = 0;
	for (__u32 i = 0; i < sizeof(copy->stack) / sizeof(__u64); i += WORDS_AT_ONCE) {
		if (i >= copy->stack_bytes / sizeof(__u64))
			break;
		copy_hash_some(s->slot);
	}
	return hash_finish(s->copy_hash);
}

__noinline int stack_copy_make(__u32 slot)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &slot);
	struct copy_slot *to;
	__u32 size;

	if (!s)
		return -1;
	to = slot_claim(s);
	if (!to)
		return -1;
	to->copy.head.time = s->event.head.time;
	to->copy.head.kind = REC_STACK_COPY;
	to->copy.head.cpu = s->event.head.cpu;
	to->copy.head.flags = 0;
	to->copy.tgid = s->event.tgid;
	to->copy.at_entry = (__u16)s->at_entry;
	to->copy.max_stack = (__u16)config.max_stack;
	to->copy.ip = s->walk.first_ip;
	to->copy.sp = s->walk.first_sp;
	to->copy.fp = s->regs.fp;
	to->copy.link = s->regs.lr;
	to->copy.trampoline = s->walk.trampoline;
	__builtin_memcpy(to->copy.general, s->regs.general, sizeof(to->copy.general));
	copy_returns(&to->copy);
	to->copy.stack_bytes = copy_memory(&to->copy, s->walk.first_sp);
	to->copy.stack_bytes = without_environment(s->walk.first_sp, to->copy.stack_bytes);
	to->copy.id = copy_id(s, &to->copy);
	size = offsetof(struct rec_stack_copy, stack) + to->copy.stack_bytes;
	to->copy.head.size = (__u16)size;
	s->copy_bytes = size;
	return 0;
}

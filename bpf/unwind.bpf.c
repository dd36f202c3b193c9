// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The walk by unwind tables: for each frame the mapping of its address, the table of that object, the
 * rule at that place, one step. Everything is read from memory that user space has filled; see unwind.h.
 */
#include "walk.bpf.h"
#include <bpf/bpf_core_read.h>

/*
 * Reads 8 bytes of the stack to s->walk.value; 0, or anything else when it cannot. The next reads are mostly
 * near, and reading much takes hardly longer than reading little. Where the window would not fit, at the
 * stack's ends or beside a page that is not there, just the 8 bytes are read.
 */
__noinline int unwind_read(__u32 slot, __u64 address)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &slot);
	__u64 offset;

	if (!s)
		return -1;
	offset = address - s->walk.window_from;
	if (offset >= s->walk.window_bytes || offset & 7) {
		s->walk.window_from = address - WINDOW_BELOW;
		s->walk.window_bytes = 0;
		if (address & 7 || bpf_probe_read_user(s->window, sizeof(s->window),
						       (void *)(address - WINDOW_BELOW)))
			return (int)bpf_probe_read_user(&s->walk.value, sizeof(s->walk.value),
							(void *)address);
		s->walk.window_bytes = WINDOW_BYTES;
		offset = WINDOW_BELOW;
	}
	s->walk.value = s->window[offset / 8 & (WINDOW_BYTES / 8 - 1)];
	return 0;
}

static __always_inline int step_read(const struct scratch *s, __u64 address, __u64 *value)
{
	if (unwind_read(s->slot, address))
		return -1;
	*value = s->walk.value;
	return 0;
}

static __always_inline __u64 thread_pointer(void)
{
#if defined(__TARGET_ARCH_x86)
	struct task_struct *task = (void *)bpf_get_current_task();

	return BPF_CORE_READ(task, thread.fsbase);
#else
	return 0;
#endif
}

#define THREAD_POINTER 58 /* UNWIND_THREAD */

static __always_inline int step_register(const struct scratch *s, __u32 number, __u64 *value)
{
	__u64 index = number;

	if (number == THREAD_POINTER) {
		*value = thread_pointer();
		return *value ? 0 : -1;
	}
	/* the verifier must see the bound on the very register that is used */
	asm volatile("" : "+r"(index));
	if (index >= TRACER_REGISTERS)
		return -1;
	*value = s->regs.general[index];
	return 0;
}

#define UNWIND_READ(context, address, value) \
	step_read((const struct scratch *)(context), address, value)
#define UNWIND_REGISTER(context, number, value) \
	step_register((const struct scratch *)(context), number, value)
#define UNWIND_ADDRESS_MASK(context) address_mask()
#include "unwind_step.h"
_Static_assert(THREAD_POINTER == UNWIND_THREAD, "asked for by the step");

#if defined(__TARGET_ARCH_arm64)
#define MACHINE		   UNWIND_ARM64
#define UPROBES_SLOT_BYTES 4 /* the kernel's UPROBE_XOL_SLOT_BYTES */
#else
#define MACHINE		   UNWIND_X86_64
#define UPROBES_SLOT_BYTES 128
#endif

/* Halvings that find one of UNWIND_MAPPINGS mappings, and one of a page's rows. */
#define MAPPING_HALVINGS 16
#define ROW_HALVINGS	 13

/* Object 0 stands for code without a file. */
#define NO_OBJECT 0

static __always_inline const char *chunk_memory(__u32 number)
{
	void *chunk = bpf_map_lookup_elem(&unwind_chunks, &number);
	__u32 zero = 0;

	return chunk ? bpf_map_lookup_elem(chunk, &zero) : NULL;
}

/* The unit of that number, or NULL. */
static __always_inline const void *unit_of(__u32 unit)
{
	const char *chunk = chunk_memory(unit / UNWIND_CHUNK_UNITS);

	return chunk ? chunk + (unit & (UNWIND_CHUNK_UNITS - 1)) * 8ull : NULL;
}

/*
 * What is searched for is seldom not known already, so searching has functions of its own: the verifier goes
 * through them once, and not again on every way of the step.
 */
__noinline int unwind_search_mapping(__u32 slot, __u64 ip)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &slot);
	struct unwind_mapping *mapping;
	__u32 low, count;

	if (!s)
		return UNWIND_FAULT;
	low = s->walk.space.first;
	count = s->walk.space.count;
	if (!count)
		return UNWIND_LATE;
	for (int i = 0; i < MAPPING_HALVINGS && count > 1; i++) {
		__u32 half = count / 2, middle = low + half;

		mapping = bpf_map_lookup_elem(&unwind_mappings, &middle);
		if (!mapping)
			return UNWIND_LATE;
		if (mapping->start <= ip)
			low = middle;
		count = mapping->start <= ip ? count - half : half;
	}
	mapping = bpf_map_lookup_elem(&unwind_mappings, &low);
	if (!mapping || ip < mapping->start || ip >= mapping->end)
		return UNWIND_NO_CODE;
	s->walk.mapping = *mapping;
	return UNWIND_STEPPED;
}

/* Makes the mapping of ip the current one: UNWIND_STEPPED when there is one. */
static __always_inline int find_mapping(struct scratch *s, __u32 slot, __u64 ip)
{
	if (ip >= s->walk.mapping.start && ip < s->walk.mapping.end)
		return UNWIND_STEPPED;
	return unwind_search_mapping(slot, ip);
}

/* The unit of the rule that holds at vaddr of the object, by the rows of its page. */
static __always_inline int search_page(struct scratch *s, const struct unwind_object *object,
				       __u64 vaddr)
{
	__u64 number = (vaddr - object->first_vaddr) >> UNWIND_PAGE_SHIFT;
	__u32 low, count, pc_low = vaddr & UNWIND_PAGE_MASK;
	const struct unwind_page *page;
	const struct unwind_row *rows;

	if (vaddr < object->first_vaddr || number >= object->page_count)
		return UNWIND_GAP;
	page = unit_of(object->pages + (__u32)number);
	if (!page)
		return UNWIND_LATE;
	low = object->first_row + page->first;
	count = page->count;
	if (!count)
		return UNWIND_GAP;
	s->walk.rule_unit = object->rules;
	rows = (const void *)chunk_memory(object->first_chunk + page->chunk);
	if (!rows)
		return UNWIND_LATE;
	/*
	 * rows[low] always begins at or before pc_low: the first has pc_low 0. When only that is left, the
	 * rounds that remain change nothing; a way out of the loop would be one more for the verifier to go.
	 */
	for (int i = 0; i < ROW_HALVINGS; i++) {
		__u32 half = count / 2;
		__u32 middle = (low + half) & (UNWIND_CHUNK_ROWS - 1);
		/* all ones when the row is not above, and the upper half is taken; no branch */
		__u32 upper = ((__s32)(rows[middle].pc_low - pc_low - 1)) >> 31;

		low += half & upper;
		count = (half & ~upper) | ((count - half) & upper);
	}
	s->walk.rule_unit += rows[low & (UNWIND_CHUNK_ROWS - 1)].rule;
	return UNWIND_STEPPED;
}

/* Finds which rule holds at vaddr of the current mapping's object: s->walk.rule_unit. */
__noinline int unwind_search_rule(__u32 slot, __u64 vaddr)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &slot);
	const struct unwind_object *object;

	if (!s)
		return UNWIND_FAULT;
	object = bpf_map_lookup_elem(&unwind_objects, &s->walk.mapping.object);
	if (!object || s->walk.mapping.object == NO_OBJECT)
		return UNWIND_NO_TABLE;
	if (object->state == UNWIND_READY)
		return search_page(s, object, vaddr);
	return object->state == UNWIND_NONE ? UNWIND_NO_TABLE : UNWIND_LATE;
}

static __always_inline int search_rule(struct scratch *s, __u32 slot, __u64 vaddr,
				       struct unwind_rule *rule)
{
	int end = unwind_search_rule(slot, vaddr);
	const __u64 *unit;

	if (end != UNWIND_STEPPED)
		return end;
	unit = unit_of(s->walk.rule_unit);
	if (!unit)
		return UNWIND_LATE;
	*(__u64 *)rule = *unit;
	return UNWIND_STEPPED;
}

#define VADDR_BITS 48
#define VADDR_MASK ((1ull << VADDR_BITS) - 1)

/*
 * The rule for ip. UNWIND_STEPPED when there is one; UNWIND_NO_TABLE for code that has no table.
 *
 * Stacks have most of their frames in common with those before, so what was found is kept: a look there is
 * one cache line, a search about six. It never becomes wrong, as an object's number is never used again for
 * another. A slot's rules are touched by who has the slot, so no lock is needed.
 */
static __always_inline int find_rule(struct scratch *s, __u32 slot, __u64 ip,
				     struct unwind_rule *rule)
{
	struct found_rules *found = bpf_map_lookup_elem(&found_rules, &slot);
	int end = find_mapping(s, slot, ip);
	__u64 vaddr, place, index;

	if (end != UNWIND_STEPPED || !found)
		return end == UNWIND_STEPPED ? UNWIND_FAULT : end;
	vaddr = ip - s->walk.mapping.bias;
	place = (__u64)s->walk.mapping.object << VADDR_BITS | (vaddr & VADDR_MASK);
	index = (place * HASH_PRIME) >> 40 & (FOUND_RULES - 1);
	if (s->walk.mapping.object == NO_OBJECT || vaddr & ~VADDR_MASK)
		place = 0;
	if (place && found->at[index].place == place) {
		*rule = found->at[index].rule;
		return UNWIND_STEPPED;
	}
	end = search_rule(s, slot, vaddr, rule);
	if (end == UNWIND_STEPPED && place) {
		found->at[index].place = place;
		found->at[index].rule = *rule;
	}
	return end;
}

/*
 * Follows the frame pointer, if it leads to code. Such a step is a guess, and counted as one. `end` is what
 * the walk ends with where there is nothing to follow.
 */
static __always_inline int step_by_guess(struct scratch *s, __u32 slot, int end)
{
	const struct unwind_rule rule = unwind_guess_rule(MACHINE);
	struct unwind_frame *next = &s->walk.guessed;
	int found;

	*next = s->walk.frame;
	if (!unwind_may_guess(next) || unwind_step(MACHINE, &rule, next, s) != UNWIND_STEPPED)
		return end;
	if (next->ip != s->walk.trampoline) {
		found = find_mapping(s, slot, next->ip - 1);
		if (found != UNWIND_STEPPED)
			return found == UNWIND_LATE ? UNWIND_LATE : end;
	}
	s->walk.frame = *next;
	s->walk.guesses++;
	return UNWIND_STEPPED;
}

/*
 * At a function's first instruction no table is needed: the return address is where the call put it. It is
 * asked all the same, for it knows functions that nobody called.
 */
static __always_inline int step_from_entry(struct scratch *s)
{
	struct unwind_frame *frame = &s->walk.frame;
	__u64 ret = 0;

	if (entry_caller(&s->regs, &ret))
		return UNWIND_FAULT;
	if (!ret)
		return UNWIND_ZERO;
	frame->ip = ret;
#if !defined(__TARGET_ARCH_arm64)
	frame->sp += sizeof(ret);
#endif
	frame->link = 0;
	frame->exact = 0;
	return UNWIND_STEPPED;
}

static __always_inline int step_without_rule(struct scratch *s, __u32 slot, int end, bool at_entry)
{
	if (at_entry)
		return step_from_entry(s);
	if (end == UNWIND_NO_TABLE || end == UNWIND_GAP)
		return step_by_guess(s, slot, end);
	return end;
}

/* One frame further in s->walk: UNWIND_STEPPED, or why not. */
__noinline int unwind_next(__u32 slot)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &slot);
	struct unwind_rule rule = {};
	bool is_first, at_entry;
	int end;

	if (!s)
		return UNWIND_FAULT;
	is_first = s->walk.is_first;
	at_entry = is_first && s->walk.at_entry;
	s->walk.is_first = false;
	end = find_rule(s, slot, unwind_lookup_ip(&s->walk.frame), &rule);
	if (end == UNWIND_STEPPED && rule.cfa == UNWIND_RULE_GAP)
		end = UNWIND_GAP;
	/* what runs is code: it was made so since */
	if (end == UNWIND_NO_CODE && is_first)
		end = UNWIND_LATE;
	if (end == UNWIND_STEPPED)
		end = unwind_step(MACHINE, &rule, &s->walk.frame, s);
	else
		end = step_without_rule(s, slot, end, at_entry);
	if (end != UNWIND_STEPPED || !s->walk.trampoline || s->walk.frame.ip != s->walk.trampoline)
		return end;
	s->return_slot = return_slot_of(s->walk.frame.sp);
	stack_original_return(slot);
	s->walk.frame.ip = s->return_address;
	return s->return_address ? UNWIND_STEPPED : UNWIND_NO_CODE;
}

/*
 * A probed instruction runs in a copy, in a slot of the [uprobes] page, and functions whose return is probed
 * return to the first slot. Says where that is in the program; of what else is in that page nothing is known.
 */
static __always_inline void leave_uprobes_page(struct scratch *s)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct unwind_frame *frame = &s->walk.frame;
	__u64 page = s->walk.trampoline;
	struct return_instance *last;

	if (!page || frame->ip < page || frame->ip >= page + 4096)
		return;
	if (frame->ip >= page + UPROBES_SLOT_BYTES) {
		if (BPF_CORE_READ(task, utask, state) != UTASK_RUNNING)
			frame->ip = frame->ip - BPF_CORE_READ(task, utask, xol_vaddr) +
				    BPF_CORE_READ(task, utask, vaddr);
		return;
	}
	/* a function has returned: the kernel is about to go on where it should have */
	last = BPF_CORE_READ(task, utask, return_instances);
	if (!last)
		return;
	frame->ip = BPF_CORE_READ(last, orig_ret_vaddr);
	frame->sp = BPF_CORE_READ(last, stack) + return_address_size();
}

/* Does a space still describe the current task's mappings? */
static __always_inline bool is_current(const struct scratch *s, const struct unwind_space *space,
				       __u32 tgid)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	if (space->generation != generation_of(tgid))
		return false;
	/* user space hears of mappings later: the next best thing is to look whether there are others */
	if (config.watches_mappings || !space->code_pages)
		return true;
	/* the first probe that is hit in a process adds the [uprobes] page */
	return space->code_pages ==
	       (__u32)BPF_CORE_READ(task, mm, exec_vm) - (s->walk.trampoline != 0);
}

static __always_inline void walk_begin(struct scratch *s)
{
	__u32 tgid = s->event.tgid;
	struct unwind_space *space = bpf_map_lookup_elem(&unwind_spaces, &tgid);

	__builtin_memset(&s->walk, 0, sizeof(s->walk));
	s->walk.trampoline = return_trampoline();
	if (space && is_current(s, space, tgid))
		s->walk.space = *space;
	s->walk.frame.ip = s->regs.ip;
	s->walk.frame.sp = s->regs.sp;
	s->walk.frame.fp = s->regs.fp;
	s->walk.frame.link = s->regs.lr;
	s->walk.frame.exact = 1;
	s->walk.at_entry = s->at_entry;
	s->walk.is_first = true;
	leave_uprobes_page(s);
	s->walk.first_ip = s->walk.frame.ip;
	s->walk.first_sp = s->walk.frame.sp;
	s->stack.ip[0] = s->walk.frame.ip;
	s->walk.hash = hash_add(hash_address_space(tgid), s->walk.frame.ip);
	s->walk.depth = 1;
}

/* How a walk that ended so is called to user space. */
static __always_inline __u32 stack_end_of(int end, __u32 guesses)
{
	switch (end) {
	case UNWIND_OUTERMOST:
		return guesses ? STACK_GUESS : STACK_COMPLETE;
	case UNWIND_NO_TABLE:
		return STACK_NO_TABLE;
	case UNWIND_NO_CODE:
		return STACK_NO_CODE;
	case UNWIND_GAP:
		return STACK_GAP;
	case UNWIND_UNSUPPORTED:
		return STACK_UNSUPPORTED;
	case UNWIND_LOST_REGISTER:
		return STACK_LOST_REGISTER;
	case UNWIND_FAULT:
		return STACK_FAULT;
	case UNWIND_STUCK:
		return STACK_STUCK;
	case UNWIND_ZERO:
		return STACK_ZERO;
	case UNWIND_LATE:
		return STACK_LATE;
	}
	return STACK_DEPTH;
}

/* Frames in one go: the verifier goes through a loop as often as it may run, so two nested ones are cheaper. */
#define FRAMES_AT_ONCE 32

/* Walks on for FRAMES_AT_ONCE frames: UNWIND_STEPPED when there may be more. */
__noinline int unwind_some(__u32 slot)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &slot);
	__u32 depth;
	__u64 hash;
	int end = UNWIND_STEPPED;

	if (!s)
		return UNWIND_FAULT;
	depth = s->walk.depth;
	hash = s->walk.hash;
	for (int i = 0; i < FRAMES_AT_ONCE; i++) {
		end = unwind_next(slot);
		if (end != UNWIND_STEPPED)
			break;
		if (depth >= config.max_stack) {
			end = UNWIND_DEPTH;
			break;
		}
		PUSH(s->walk.frame.ip | (s->walk.frame.exact ? STACK_IP_EXACT : 0));
	}
	s->walk.depth = depth;
	s->walk.hash = hash;
	return end;
}

__noinline int stack_walk_tables(__u32 slot)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &slot);
	int end = UNWIND_DEPTH;

	if (!s)
		return 0;
	walk_begin(s);
	for (int i = 0; i <= TRACER_MAX_STACK / FRAMES_AT_ONCE; i++) {
		end = unwind_some(slot);
		if (end != UNWIND_STEPPED)
			break;
	}
	stack_finish(s, s->walk.hash, s->walk.depth, stack_end_of(end, s->walk.guesses));
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The machine of --if and --args, on what a scratch slot has of an event. An instruction and a match have a
 * function of their own each, so that the verifier goes through them once and not as often as they may run.
 */
#include "config.bpf.h"
#include "machine.bpf.h"
#include "regs.bpf.h"

static __always_inline int read_memory(struct scratch *s, __u64 address, __u64 size, __u64 *value)
{
	__u64 word = 0;

	/* the verifier must see the bound on the very register that is passed */
	asm volatile("" : "+r"(size));
	if (size > sizeof(word))
		return -1;
	if (bpf_probe_read_user(&word, size, (void *)address))
		return -1;
	*value = word;
	return 0;
}

static __always_inline int read_register(const struct scratch *s, __u32 number, __u64 *value)
{
#if defined(__TARGET_ARCH_arm64)
	if (number == 31) {
		*value = s->regs.sp;
		return 0;
	}
#endif
	if (number >= TRACER_REGISTERS)
		return -1;
	*value = s->regs.general[number];
	return 0;
}

static __always_inline int read_cfa(const struct scratch *s, __u64 *value)
{
	if (!s->at_entry)
		return -1;
	*value = s->regs.sp + ENTRY_CFA;
	return 0;
}

static __always_inline int read_field(const struct scratch *s, __u32 field, __u64 *value)
{
	__u16 flags = s->event.head.flags;

	if (field <= MACHINE_ARG6) {
		*value = s->uprobe.arg[field];
		return 0;
	}
	switch (field) {
	case MACHINE_RETURN:
		*value = s->regs.general[RETURN_REGISTER];
		return 0;
	case MACHINE_OLD:
		*value = s->breakpoint.old_value;
		return !(flags & EVENT_OLD_KNOWN);
	case MACHINE_NEW:
		*value = s->breakpoint.new_value;
		return !(flags & EVENT_NEW_KNOWN);
	case MACHINE_LATENCY:
		*value = s->machine.latency;
		return 0;
	case MACHINE_PID:
		*value = s->event.tgid;
		return 0;
	case MACHINE_TID:
		*value = s->event.tid;
		return 0;
	case MACHINE_CPU:
		*value = s->event.head.cpu;
		return 0;
	}
	return -1;
}

/* 5.10 and 6.1 give 0 for an empty string, where 6.18 counts its NUL as any other's. */
static __always_inline long read_text(struct scratch *s, __u64 address, __u64 limit)
{
	long bytes;

	asm volatile("" : "+r"(limit));
	if (!config.matches || limit > sizeof(s->machine.text))
		return -1;
	bytes = bpf_probe_read_user_str(s->machine.text, limit, (void *)address);
	return bytes ? bytes : 1;
}

static __always_inline int read_comm(struct scratch *s)
{
	if (!config.matches)
		return -1;
	__builtin_memcpy(s->machine.text, s->event.comm, sizeof(s->event.comm));
	return 0;
}

extern int machine_try_match(__u32 slot);

#define MACHINE_READ(context, address, size, value) \
	read_memory((struct scratch *)(context), address, size, value)
#define MACHINE_READ_REGISTER(context, number, value) \
	read_register((const struct scratch *)(context), number, value)
#define MACHINE_READ_FIELD(context, field, value) \
	read_field((const struct scratch *)(context), field, value)
#define MACHINE_READ_CFA(context, value) read_cfa((const struct scratch *)(context), value)
#define MACHINE_READ_IP(context, value)	 (*(value) = ((const struct scratch *)(context))->regs.ip, 0)
#define MACHINE_READ_COMM(context)	 read_comm((struct scratch *)(context))
#define MACHINE_READ_TEXT(context, address, limit) \
	read_text((struct scratch *)(context), address, limit)
#define MACHINE_TRY_MATCH(context) machine_try_match(((const struct scratch *)(context))->slot)
#include "machine_step.h"

static __always_inline const struct machine_program *program_of(const struct scratch *s)
{
	__u32 number = s->machine.program;

	return bpf_map_lookup_elem(&machine_programs, &number);
}

/* The text and the pattern that s->machine has; as machine_match(). Takes the verifier long: not if nothing asks for it. */
__noinline int machine_try_match(__u32 slot)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &slot);
	const struct machine_program *program;

	if (!config.matches || !s)
		return -1;
	program = program_of(s);
	if (!program || s->machine.pattern >= MACHINE_TEXTS)
		return -1;
	return machine_match(&s->machine,
			     &program->texts[s->machine.pattern & (MACHINE_TEXTS - 1)]);
}

__noinline int machine_run_one(__u32 slot)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &slot);
	const struct machine_program *program;

	if (!s)
		return MACHINE_BROKEN;
	program = program_of(s);
	return program ? machine_step(&s->machine, program, s) : MACHINE_BROKEN;
}

__noinline int machine_run(__u32 slot)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &slot);
	int end = MACHINE_BROKEN;

	if (!s)
		return MACHINE_BROKEN;
	machine_begin(&s->machine);
	for (int i = 0; i < MACHINE_INSNS; i++) {
		end = machine_run_one(slot);
		if (end != MACHINE_GOES_ON)
			break;
	}
	return end;
}

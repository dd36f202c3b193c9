/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What one instruction does to the stack pointer, the frame pointer and the return address. */
#ifndef TRACER_OPERATION_H
#define TRACER_OPERATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../bpf/unwind.h"

enum operation_flow {
	FLOW_NEXT,     /* to the next instruction */
	FLOW_BRANCH,   /* there or to target */
	FLOW_JUMP,     /* to target */
	FLOW_CALL,     /* calls target, which is 0 when the instruction does not say */
	FLOW_RETURN,   /* with a value when it takes arguments off the stack, too */
	FLOW_INDIRECT, /* nobody knows where to */
	FLOW_STOP,     /* does not go on */
};

enum operation_effect {
	SP_FROM_FP = 1 << 0, /* sp = fp + value, before all else */
	SP_LOST = 1 << 1,
	STORES_FP = 1 << 2, /* at sp + fp_offset, after `before` */
	STORES_RA = 1 << 3,
	LOADS_FP = 1 << 4,
	LOADS_RA = 1 << 5,
	FP_FROM_SP = 1 << 6, /* fp = sp + value */
	FP_LOST = 1 << 7,
	RA_LOST = 1 << 8,
	NAMES_CODE = 1 << 9, /* target is an address that is taken, which may be a function's */
};

struct operation {
	uint64_t target;
	uint8_t size;
	uint8_t flow;
	uint16_t effects;
	int16_t fp_offset, ra_offset;
	int32_t before, after; /* added to sp before and after the memory is accessed */
	int32_t value;
	/* x86-64: the general register that is pushed or popped, as DWARF counts; -1: none. */
	int8_t pushed, popped;
};

/* Capstone's handle. */
struct decoder {
	enum unwind_machine machine;
	size_t handle;
	void *instruction;
};

/* 0, -ENOTSUP or -ENOMEM. */
int decoder_open(struct decoder *decoder, enum unwind_machine machine);
void decoder_close(struct decoder *decoder);
/* false when the bytes are no instruction. */
bool decoder_read(struct decoder *decoder, const uint8_t *bytes, size_t size, uint64_t vaddr,
		  struct operation *operation);

#endif

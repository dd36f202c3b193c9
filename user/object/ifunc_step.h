/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an instruction does to addresses in registers, in the same words for both machines. */
#ifndef TRACER_IFUNC_STEP_H
#define TRACER_IFUNC_STEP_H

#include <capstone/capstone.h>
#include <stdint.h>

/* General registers by number: the result's is 0. */
#define IFUNC_REGISTERS 32

enum ifunc_step_kind {
	IFUNC_PLAIN,	 /* does nothing but to change `written` */
	IFUNC_ADDRESS,	 /* to = value */
	IFUNC_CHOOSE,	 /* to = from or other */
	IFUNC_ADD,	 /* to = from + value */
	IFUNC_JUMP,	 /* to value */
	IFUNC_BRANCH,	 /* to value, or on */
	IFUNC_RETURN,	 /* register 0 */
	IFUNC_ELSEWHERE, /* goes on where the code does not tell */
};

struct ifunc_step {
	uint64_t address;
	uint32_t size;
	enum ifunc_step_kind kind;
	uint8_t to, from, other;
	uint64_t value;
	uint32_t written; /* registers whose value is not known after it, a bit each */
};

/* machine: e_machine; handle: of detail_decoder_open(). */
void ifunc_step_take(csh handle, uint16_t machine, const cs_insn *instruction,
		     struct ifunc_step *step);

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The two machines' halves of decoder_read(). */
#ifndef TRACER_OPERATION_DECODE_H
#define TRACER_OPERATION_DECODE_H

#include "operation.h"

struct cs_insn;

void operation_x86(size_t handle, const struct cs_insn *instruction, struct operation *operation);
void operation_arm64(size_t handle, const struct cs_insn *instruction, struct operation *operation);
/* Does the instruction write one of capstone's registers? Also when that cannot be told. */
bool operation_writes(size_t handle, const struct cs_insn *instruction, const uint16_t *registers,
		      size_t count);

#endif

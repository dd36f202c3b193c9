/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TRACER_INSTRUCTION_END_H
#define TRACER_INSTRUCTION_END_H

#include <stddef.h>
#include <stdint.h>

/*
 * code: a function of x86-64 from its first instruction on. The length of the instruction that ends with the last of
 * size bytes; 0 when none does, or something before cannot be decoded.
 */
unsigned instruction_ending(const uint8_t *code, size_t size);

#endif

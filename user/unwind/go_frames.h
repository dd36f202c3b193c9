/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Frames by Go's own table of functions, which no stripping removes: how far the stack pointer is from where it
 * was at the function's entry, for every pc. It is believed before .debug_frame, which says the same,
 * but also that the frame pointer stays, and nothing of where stacks end or are changed: that is told by
 * the names of the runtime's functions, and by what they do.
 */
#ifndef TRACER_GO_FRAMES_H
#define TRACER_GO_FRAMES_H

#include "../../bpf/unwind.h"

struct elf_file;
struct entries;

/* 0, also when the file has no such table or one that is not understood; or -ENOMEM. */
int go_frames_add(struct elf_file *file, enum unwind_machine machine, struct entries *entries);

#endif

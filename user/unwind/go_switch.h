/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions of Go's runtime that call something on another stack. Where their caller's is, they must find
 * again when that comes back: what they do then says it, whatever version of Go it is (x86-64).
 */
#ifndef TRACER_GO_SWITCH_H
#define TRACER_GO_SWITCH_H

#include <stdbool.h>
#include <stdint.h>

#include "../../bpf/unwind.h"

struct decoder;
struct elf_file;

/*
 * What holds while the call is going on that returns to `after`, in a function that ends at `end` and has
 * nothing of its own on its caller's stack. false when the code there does something else.
 */
bool go_switch_read(const struct elf_file *file, struct decoder *decoder, uint64_t after,
		    uint64_t end, struct unwind_rule *rule);

#endif

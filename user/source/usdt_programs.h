/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Arguments of a USDT probe, as programs for the kernel's machine (bpf/machine.h). */
#ifndef TRACER_USDT_PROGRAMS_H
#define TRACER_USDT_PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "../../bpf/machine.h"

struct usdt_arguments;

struct usdt_program {
	char name[8]; /* "arg1" and so on */
	struct machine_program
		program; /* leaves the value: 64 bits, of which the size is what it had */
	uint32_t size;	 /* bytes: 1, 2, 4 or 8 */
	bool is_signed;
	bool is_float;		/* the value is the bits of a float or double */
	const char *unreadable; /* "is in a vector register": then there is no program; else NULL */
};

/*
 * One for each argument, in their order; resolved already, for the site that they are of. 0 with an array of
 * arguments->count, NULL for none, to be freed; or -ENOMEM.
 */
int usdt_arguments_programs(const struct usdt_arguments *arguments, struct usdt_program **programs);

#endif

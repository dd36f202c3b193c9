/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is done with an event at a probe: what is asked (--if), and which values are recorded (--args). The values
 * follow their event on the ring: a rec_captured, then for each capture of the plan, in order, a rec_capture and
 * its bytes, filled up to a multiple of 8.
 */
#ifndef TRACER_PLAN_H
#define TRACER_PLAN_H

#include <linux/types.h>

/* Powers of two. */
#define PLAN_CAPTURES 32
#define CAPTURE_BYTES 4096 /* of all the values of an event and what is before each */

#define CAPTURE_MOST 512 /* bytes of one, whatever its kind */

/*
 * The number of a plan as cookies and map `plan_numbers` have it. What is more than PLAN_NONE is counted from
 * there.
 */
#define PLAN_NOT_SET 0
#define PLAN_NONE    1
#define PLAN_FIRST   2

/*
 * Without cookies map `plan_numbers` tells by the last bits of a probe's address, the same in every process; of events at
 * a return in a second page, as a function's entry has a probe as well.
 */
#define PLAN_PAGE    4096
#define PLAN_NUMBERS (2 * PLAN_PAGE)

enum capture_kind {
	CAPTURE_NUMBER,	  /* what its program leaves: 8 bytes */
	CAPTURE_BYTES_AT, /* size bytes at the address that the program leaves */
	CAPTURE_STRING, /* the address, 8 bytes, and where it is not 0 a string there, of up to size bytes with its NUL */
	CAPTURE_TEXT, /* bytes at the address, as many as the number says that was captured before, at most size */
};

struct capture {
	__u32 program; /* number of a machine_program */
	__u16 kind;    /* enum capture_kind */
	__u16 size;
};

struct plan {
	__u32 predicate; /* number of a machine_program and one; 0: none */
	__u16 capture_count;
	__u16 has_values; /* there may be some that nothing is captured for */
	struct capture captures[PLAN_CAPTURES];
};

struct rec_captured {
	__u32 plan; /* counted from 0 */
	__u32 count;
};

struct rec_capture {
	__u16 size; /* bytes that follow, before they are filled up to 8 */
	__u16 is_fault; /* what was to be read could not be: the address follows; or it, or a sum, could not be told */
	__u32 reserved;
};

_Static_assert(sizeof(struct plan) == 8 + PLAN_CAPTURES * 8, "wire");
_Static_assert(sizeof(struct rec_captured) == 8 && sizeof(struct rec_capture) == 8, "wire");

#endif

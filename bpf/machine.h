/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs for a small stack machine, which user space makes of --if and --args and the kernel runs at an
 * event; machine_step.h says what each operation does. A value is 64 bits wide. Whether one is signed is
 * known when a program is made, and so it is the operations that differ.
 */
#ifndef TRACER_MACHINE_H
#define TRACER_MACHINE_H

#include <linux/types.h>

/* Powers of two: an index is cut to them. */
#define MACHINE_INSNS  64
#define MACHINE_VALUES 16
#define MACHINE_TEXTS  8
/* Of a string so many bytes are looked at, a NUL behind it included: positions in it are the bits of a word. */
#define MACHINE_TEXT_BYTES 64
/* A pattern is shorter than that, so that what is cut is longer than what it must be equal to. */
#define MACHINE_PATTERN_BYTES 62

/* [a b] are the values on top of the stack, b the topmost; they are taken off it. */
enum machine_op {
	MACHINE_END,	  /* [a]: the program has come to its result */
	MACHINE_CONSTANT, /* pushes value */
	MACHINE_REGISTER, /* pushes general register size (DWARF's number) + value */
	MACHINE_CFA,	  /* pushes the canonical frame address + value */
	MACHINE_IP,	  /* pushes the address of the instruction + value */
	MACHINE_FIELD,	  /* pushes the event's enum machine_field size */
	MACHINE_LOAD, /* [address]: size bytes (1 to 8) at address + value, MACHINE_SIGNED or not */
	MACHINE_BITS, /* [a]: size bits of it, from bit number value on, MACHINE_SIGNED or not */
	MACHINE_SHIFT,		/* [a]: moved up by value bits */
	MACHINE_ADD,		/* [a b]: the sum; a fault when it does not fit, as the flags say */
	MACHINE_SUBTRACT,	/* [a b]: likewise a - b */
	MACHINE_AND,		/* [a b]: bits that both have */
	MACHINE_EQUAL,		/* [a b]: 1 if they are the same, else 0; and so the others */
	MACHINE_LESS,		/* a < b, both unsigned */
	MACHINE_LESS_SIGNED,	/* both signed */
	MACHINE_EQUAL_MIXED,	/* a is signed, b unsigned */
	MACHINE_LESS_MIXED,	/* a is signed, b unsigned */
	MACHINE_LESS_MIXED_TOO, /* a is unsigned, b signed */
	MACHINE_NOT,		/* [a]: 1 if it is 0, else 0 */
	MACHINE_TRUTH,		/* [a]: 0 if it is 0, else 1 */
	MACHINE_IF_FALSE, /* [a]: if it is 0, pushes 0 and goes to instruction value, which is further on */
	MACHINE_IF_TRUE, /* [a]: if it is not 0, pushes 1 and goes to instruction value */
	/* [address]: does the string there match pattern value? size: of a char array, 0 for a pointer */
	MACHINE_MATCH,
	MACHINE_MATCH_COMM, /* does the task's name match pattern value? */
	MACHINE_OPS,
};

enum machine_flag {
	MACHINE_SIGNED = 1 << 0,       /* the result is signed */
	MACHINE_LEFT_SIGNED = 1 << 1,  /* a is */
	MACHINE_RIGHT_SIGNED = 1 << 2, /* b is */
};

enum machine_field {
	MACHINE_ARG1, /* integer argument registers of the C ABI, in order */
	MACHINE_ARG2,
	MACHINE_ARG3,
	MACHINE_ARG4,
	MACHINE_ARG5,
	MACHINE_ARG6,
	MACHINE_RETURN,	 /* the register of the return value, */
	MACHINE_OLD,	 /* breakpoint: what the variable held */
	MACHINE_NEW,	 /* and holds */
	MACHINE_LATENCY, /* ns */
	MACHINE_PID,	 /* in the initial pid namespace */
	MACHINE_TID,
	MACHINE_CPU,
	MACHINE_FIELDS,
};

struct machine_insn {
	__u8 op;    /* enum machine_op */
	__u8 flags; /* enum machine_flag */
	__u16 reserved;
	__u32 size;
	__u64 value;
};

/*
 * A pattern for strings. Bit i of any or one says that character i stands for any characters, or for any
 * one, whatever is in text.
 */
struct machine_text {
	__u64 any;
	__u64 one;
	__u32 length;
	__u32 reserved;
	char text[MACHINE_TEXT_BYTES];
};

struct machine_program {
	__u32 length; /* instructions, MACHINE_END included */
	__u32 text_count;
	struct machine_insn insns[MACHINE_INSNS];
	struct machine_text texts[MACHINE_TEXTS];
};

/* How a run ended. */
enum machine_end {
	MACHINE_FALSE,
	MACHINE_TRUE,
	MACHINE_FAULT,	/* not judged: what was to be read could not be, or a number does not fit */
	MACHINE_BROKEN, /* the program is not one that user space makes */
	MACHINE_GOES_ON,
};

/* A run on its way, and what it leaves: value[0] is the result of a program that ends. */
struct machine {
	__u32 program; /* which, set by the caller */
	__u32 next;    /* instruction */
	__u32 depth;   /* values on the stack */
	__u32 text_length;
	__u32 text_cut; /* the string may go on behind text_length characters */
	__u32 pattern;	/* which, for MACHINE_MATCH */
	__u64 latency;	/* ns, set by the caller where there is one */
	__u64 value[MACHINE_VALUES];
	__u64 text[MACHINE_TEXT_BYTES / 8];
};

_Static_assert(sizeof(struct machine_insn) == 16, "wire");
_Static_assert(sizeof(struct machine_text) == 88, "wire");
_Static_assert(sizeof(struct machine_program) == 1736, "wire");
_Static_assert(MACHINE_PATTERN_BYTES < MACHINE_TEXT_BYTES - 1, "a cut string is longer");

#endif

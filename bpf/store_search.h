/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What store.h is given, and has found so far. */
#ifndef TRACER_STORE_SEARCH_H
#define TRACER_STORE_SEARCH_H

/* Bytes that an instruction may have, and one more; a power of two. */
#define STORE_CODE 16
/* Ways to read what is in front of an opcode. */
#define STORE_WAYS 8

struct store_search {
	__u8 code[STORE_CODE]; /* its last byte is the instruction's */
	__u64 ip;	       /* behind it */
	__u64 fs_base;
	__u64 address; /* the variable, */
	__u64 memory;  /* what it holds now, */
	__u32 length;  /* and its bytes: 1, 2, 4 or 8 */
	__u32 size;    /* the instruction's; 0 not known */
	__u32 reserved;
	/* from here on 0 at first */
	__u32 found;	    /* ways that fit */
	__u32 differs;	    /* by them the variable was not the same after the store */
	__u64 value;	    /* what it was, by the last of them, */
	__u64 longest;	    /* and by the one with most in front of the opcode, */
	__u32 prefixes;	    /* so many bytes and one: */
	__u32 longest_size; /* so long the instruction is then */
};

#endif

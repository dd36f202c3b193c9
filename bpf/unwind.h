/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The wire contract of the unwind tables: how .eh_frame looks once user space has boiled it down for
 * the BPF walk. A rule says how to get from a frame to its caller; a row says from which address on
 * a rule holds; rows live in chunks, and a page entry says which rows are those of 4 KiB of code.
 */
#ifndef TRACER_UNWIND_H
#define TRACER_UNWIND_H

#include <linux/types.h>

enum unwind_machine {
	UNWIND_X86_64,
	UNWIND_ARM64,
};

/*
 * Where the canonical frame address (CFA) is, or that this is no ordinary frame. `sp` and `fp` are
 * this frame's stack and frame pointer (x86-64: rsp, rbp; arm64: sp, x29).
 */
enum unwind_cfa {
	/* Zero, so that zeroed memory is no rule: nothing is known about the code here. */
	UNWIND_RULE_GAP,
	/* The file says how, in words that a rule has no room for. */
	UNWIND_RULE_UNSUPPORTED,
	/* The return address is undefined: nobody called this function. */
	UNWIND_RULE_OUTERMOST,
	/* A signal trampoline: all registers are in the signal frame at sp. */
	UNWIND_RULE_SIGNAL,
	/*
	 * Behind the system call of clone (x86-64): the return register is 0 in the child, which nobody
	 * called; else it is the parent, whose return address is at sp.
	 */
	UNWIND_RULE_CLONE,
	UNWIND_CFA_SP,	     /* sp + cfa_offset */
	UNWIND_CFA_FP,	     /* fp + cfa_offset */
	UNWIND_CFA_SP_DEREF, /* *(sp + extra) + cfa_short */
	UNWIND_CFA_FP_DEREF, /* *(fp + extra) + cfa_short */
	/* Register number `extra` (DWARF's numbering) + cfa_short. */
	UNWIND_CFA_REGISTER,
	/* x86-64 PLT: sp + cfa_short, and 8 more when the pc's low four bits are >= extra. */
	UNWIND_CFA_PLT,
	/*
	 * On another stack than its caller, which Go's runtime keeps by thread (x86-64), in what that thread runs:
	 * running = *(*(*(thread + fp_offset) + low byte of extra) + cfa_short), CFA = *(running + high byte
	 * of extra) + 8. The frame pointer is lost.
	 */
	UNWIND_CFA_THREAD,
	/*
	 * The same, but it is the caller's stack pointer itself that is kept there, with its pc behind it. Nobody
	 * is the caller any more once the thread has let go of what it ran.
	 */
	UNWIND_RULE_RUNNING,
	/* The same, kept on this stack: *(*(sp + fp_offset) + extra) - *(sp + cfa_short) + 8 */
	UNWIND_CFA_OTHER_STACK,
	UNWIND_CFA_MAX,
};

/* What the caller's frame pointer is. */
enum unwind_fp {
	UNWIND_FP_SAME,	  /* as it is now */
	UNWIND_FP_AT_CFA, /* *(CFA + fp_offset) */
	UNWIND_FP_AT_FP,  /* *(fp + fp_offset), as after a stack realignment */
	UNWIND_FP_AT_SP,  /* *(sp + fp_offset) */
	UNWIND_FP_IS_CFA, /* CFA + fp_offset itself */
	UNWIND_FP_LOST,	  /* not to be had: a caller that needs it cannot be unwound */
	UNWIND_FP_MAX,
};

/* Where the return address is. */
enum unwind_ra {
	UNWIND_RA_BELOW_CFA, /* *(CFA - 8), what a call on x86-64 does */
	/* *(8 above the saved frame pointer): the frame record of arm64. Not with UNWIND_FP_SAME. */
	UNWIND_RA_PAIRED,
	UNWIND_RA_ALONE, /* *(CFA + fp_offset); only with UNWIND_FP_SAME or _LOST */
	/* *(CFA + extra); only with UNWIND_CFA_SP and _FP, whose offset is cfa_short then. */
	UNWIND_RA_OWN,
	UNWIND_RA_LINK, /* in the link register (arm64) */
	/* In register number fp_offset (DWARF's numbering); only with UNWIND_FP_SAME or _LOST. */
	UNWIND_RA_REGISTER,
	UNWIND_RA_AT_SP, /* *(sp + fp_offset); only with UNWIND_FP_SAME or _LOST */
	/*
	 * *(CFA - 8), but no call: put there by who interrupted the caller, which stands at this very pc. With
	 * UNWIND_RBX_LOST.
	 */
	UNWIND_RA_INTERRUPTED,
	/* *(CFA - 8), in a function that lets go of what the thread runs. */
	UNWIND_RA_LET_GO,
	UNWIND_RA_MAX,
};

/*
 * Where the caller's rbx is (x86-64): the dynamic linker finds its CFA by it while it resolves a
 * symbol. 0: as it is now; UNWIND_RBX_LOST; n between: saved at CFA - 8 - 8 * n.
 */
#define UNWIND_RBX_SAME 0
#define UNWIND_RBX_LOST 15

struct unwind_rule {
	__u8 cfa : 4; /* enum unwind_cfa; for the special ones everything else is 0 */
	__u8 rbx : 4;
	__u8 fp_ra;	 /* enum unwind_fp | enum unwind_ra << 4 */
	__s16 fp_offset; /* bytes */
	union {
		__s32 cfa_offset; /* bytes */
		struct {
			__s16 cfa_short; /* bytes */
			__s16 extra;	 /* as the kinds above say */
		};
	};
};

/* The rule that holds from an address on, up to the next row of its page. */
struct unwind_row {
	__u16 pc_low; /* the address's low 12 bits */
	__u16 rule;   /* index into the object's rules */
};

#define UNWIND_PAGE_SHIFT 12
#define UNWIND_PAGE_SIZE  (1u << UNWIND_PAGE_SHIFT)
#define UNWIND_PAGE_MASK  (UNWIND_PAGE_SIZE - 1)
/*
 * Table memory comes in chunks of 1 MiB, counted in units of 8 bytes (a rule, a page entry, two rows)
 * through all chunks: unit u is unit u % UNWIND_CHUNK_UNITS of chunk u / UNWIND_CHUNK_UNITS.
 */
#define UNWIND_CHUNK_BYTES (1u << 20)
#define UNWIND_CHUNK_UNITS (UNWIND_CHUNK_BYTES / 8)
#define UNWIND_CHUNK_ROWS  (UNWIND_CHUNK_BYTES / 4)
/* What there can be at most: 4 GiB. */
#define UNWIND_MAX_CHUNKS 4096u
/* An object's rules begin with these two. */
#define UNWIND_GAP_INDEX	 0
#define UNWIND_UNSUPPORTED_INDEX 1
#define UNWIND_MAX_RULES	 65536u

/*
 * The rows of one page of code, which never cross a chunk. The first has pc_low 0: it is the one
 * carried in from the page before. A page without rows is a gap.
 */
struct unwind_page {
	__u16 chunk; /* from the object's first on */
	__u16 count;
	__u32 first; /* row in that chunk, from the object's first row on */
};

/* What is known of an object's table: unwind_object.state */
enum unwind_state {
	UNWIND_PENDING, /* wanted, not there yet; zero, so that a slot that nobody filled says so */
	UNWIND_READY,
	UNWIND_NONE, /* there is none, and will be none: frame pointers are all there is */
};

/* Where an object's table is. */
struct unwind_object {
	__u32 state; /* enum unwind_state; written last, and changed first */
	__u32 rules; /* unit of the first rule */
	__u32 pages; /* unit of the first page entry */
	__u32 page_count;
	__u32 first_chunk; /* where the rows begin: chunk, */
	__u32 first_row;   /* and row in it; 0 when they fill more than a chunk */
	__u64 first_vaddr; /* of the first page, as in the file */
};

/* An executable mapping. Those of an address space are sorted by start. */
struct unwind_mapping {
	__u64 start, end;
	__u64 bias;   /* address - the file's vaddr */
	__u32 object; /* number of its unwind_object; 0 stands for code without a file */
	__u32 reserved;
};

/* All mappings of an address space: count of them from number first on. */
struct unwind_space {
	__u32 first;
	__u32 count;
	__u32 generation; /* what map `generations` held before the mappings were read */
	/*
	 * Pages of code that the process had then, as the kernel counts them: another number means other
	 * mappings. 0 with code that has no file: what makes such code changes that number all the time.
	 */
	__u32 code_pages;
};

/* A frame on the way. rbx_at and what it means: unwind_step.h */
struct unwind_frame {
	__u64 ip;
	__u64 sp;
	__u64 fp;
	__u64 link;    /* arm64, exact frames only: the link register */
	__u64 rbx_at;  /* x86-64: where rbx is saved; 0: in frame 0's register; or .._NOWHERE */
	__u64 signal;  /* address of the registers that a signal saved here; 0: not by a signal */
	__u32 exact;   /* ip is where execution stands: frame 0, or interrupted */
	__u16 fp_lost; /* fp means nothing */
	__u16 let_go;  /* in this frame, or one before it, the thread let go of what it ran */
};

/* How one step, and so a walk, ended. */
enum unwind_end {
	UNWIND_STEPPED,	      /* the caller was found; the only one that is no end */
	UNWIND_OUTERMOST,     /* the only complete end */
	UNWIND_NO_TABLE,      /* no table for the mapping of this pc */
	UNWIND_NO_CODE,	      /* the pc is in no executable mapping */
	UNWIND_GAP,	      /* a table, but nothing in it for this pc */
	UNWIND_UNSUPPORTED,   /* UNWIND_RULE_UNSUPPORTED */
	UNWIND_LOST_REGISTER, /* the rule needs a register that is not known in this frame */
	UNWIND_FAULT,	      /* stack memory that could not be read */
	UNWIND_STUCK,	      /* the CFA is not above the stack pointer */
	UNWIND_ZERO,	      /* the return address is 0, but nothing says that this is the end */
	UNWIND_DEPTH,	      /* cut at the bound that the caller set */
	UNWIND_LATE,	      /* a table or mapping that user space has not delivered yet */
	UNWIND_END_MAX,
};

_Static_assert(sizeof(struct unwind_rule) == 8, "wire");
_Static_assert(sizeof(struct unwind_row) == 4, "wire");
_Static_assert(sizeof(struct unwind_page) == 8, "wire");
_Static_assert(sizeof(struct unwind_object) == 32, "wire");
_Static_assert(sizeof(struct unwind_mapping) == 32, "wire");
_Static_assert(sizeof(struct unwind_space) == 16, "wire");
_Static_assert(UNWIND_CFA_MAX <= 16 && UNWIND_FP_MAX <= 16 && UNWIND_RA_MAX <= 16, "wire");

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef WORKLOADS_BACKTRACE_H
#define WORKLOADS_BACKTRACE_H

/* Not inlined, but optimised as its file is. */
#if defined(__has_attribute) && __has_attribute(noipa)
#define APART __attribute__((noipa))
#else
#define APART __attribute__((noinline))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The probed function. Writes its callers to stdout, in one line, as the compiler's own runtime finds
 * them by _Unwind_Backtrace:
 *
 *   INDEX NAME 0xVADDR MODULE 0xVADDR MODULE ... end
 *
 * from its caller on, addresses as in the module's file. INDEX, the argument, counts the calls of the
 * program and its children from 1; NAME is the one that traced_name was given last. Without the "end", the
 * runtime met code that it knows nothing about.
 */
void traced_here(unsigned long index);
/* The next INDEX. */
unsigned long traced_index(void);
void traced_name(const char *name);

#define HERE() traced_here(traced_index())

#ifdef __cplusplus
}
#endif

#endif

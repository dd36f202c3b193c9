/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Capabilities by libcap: what is missing, and giving up what is no longer needed. */
#ifndef TRACER_CAPS_H
#define TRACER_CAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/capability.h>

/* The kernel's numbers, for headers that are older than these capabilities. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif
#ifndef CAP_BPF
#define CAP_BPF 39
#endif
#ifndef CAP_CHECKPOINT_RESTORE
#define CAP_CHECKPOINT_RESTORE 40
#endif

/*
 * Is this capability in the effective set? Kernels that do not know it yet count CAP_SYS_ADMIN for
 * it.
 */
bool caps_have(cap_value_t cap);

/*
 * Fills missing with the comma-separated names ("cap_bpf, cap_perfmon") of those of wanted that are
 * not effective. Returns how many are missing.
 */
size_t caps_missing(const cap_value_t *wanted, size_t count, char *missing, size_t size);

/*
 * Clears every capability but keep from the permitted, effective and inheritable sets of the
 * calling thread; one of keep that it does not have is not gained. 0 or -errno.
 */
int caps_drop_to(const cap_value_t *keep, size_t count);

#endif

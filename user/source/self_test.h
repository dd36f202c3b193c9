/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Facilities that open without an error and yet do nothing (debug registers hidden by a hypervisor, a
 * PMU that does not count): tried on something known. Needs no BPF.
 */
#ifndef TRACER_SELF_TEST_H
#define TRACER_SELF_TEST_H

/* 0 when a watchpoint of ours fires on our own store; -ENODEV when it opens and does not; else open's -errno. */
int self_test_breakpoint(void);
/* 0 when hardware cycles count; -ENODEV when they open and do not; else open's -errno. */
int self_test_cycles(void);

#endif

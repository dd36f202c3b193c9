/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who may have the debug registers of a thread. */
#ifndef TRACER_WATCH_OWNER_H
#define TRACER_WATCH_OWNER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* As the end of a sentence; own: how many of them this run has taken. */
void watch_owner_describe(pid_t tid, uint32_t own, char *text, size_t size);

#endif

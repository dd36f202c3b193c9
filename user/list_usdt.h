/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TRACER_LIST_USDT_H
#define TRACER_LIST_USDT_H

struct elf_file;
struct options;

/* --list usdt: the USDT probes of an open file, on stdout. The exit status. */
int list_usdt(const struct options *options, struct elf_file *file, const char *path);

#endif

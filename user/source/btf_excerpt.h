/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of a kernel's BTF that BPF programs are fitted by (CO-RE): the structures, unions and enumerations that
 * have the names of theirs, and what is in them. What a pointer leads to is left out: it is void. For libbpf, which
 * goes through all that it is given once for each name, and there are some 100,000 types in a kernel.
 */
#ifndef TRACER_BTF_EXCERPT_H
#define TRACER_BTF_EXCERPT_H

#include <stddef.h>

struct btf;

/*
 * wants: the programs' types; a name of theirs counts up to "___", as for libbpf. *result is the caller's, for
 * btf__free(). 0 or -errno, -EBADMSG for a BTF that is not one.
 */
int btf_excerpt(const void *bytes, size_t size, const struct btf *wants, struct btf **result);

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Within aim/: what is at hand while the sites of one option are looked for, and how one is added. */
#ifndef TRACER_AIMING_H
#define TRACER_AIMING_H

#include "probe_site.h"

struct elf_file;
struct elf_symbol;

struct aiming {
	const struct probe_option *option;
	const struct probe_aim *aim;
	struct elf_file *file;
	struct probe_sites *sites;
	bool may_throw;	  /* exceptions or panics may pass through the file's functions */
	size_t unguarded; /* functions with a return probe all the same */
};

/* Another name, to which the sites that are added from now on belong. Takes it over; NULL is -ENOMEM. */
int aiming_add_name(struct aiming *aiming, char *name);
__attribute__((format(printf, 2, 3))) int aiming_add_named(struct aiming *aiming,
							   const char *format, ...);
/* A place of the name that was added last; says what is wrong. 0 or -errno. */
int aiming_add_site(struct aiming *aiming, struct probe_site site);
/*
 * A probe anywhere but at an instruction's first byte would corrupt the target. 0; -EILSEQ, *begins where the
 * instruction does; or what it is that makes it impossible to tell.
 */
int aiming_check_boundary(const struct aiming *aiming, const struct elf_symbol *function,
			  uint64_t vaddr);
/* Each instruction once, in the order of addresses. */
void aiming_leave_out_doubles(struct probe_sites *sites);

/*
 * function_sites.c: a function, for what the option is about. One of many that cannot be probed is left out, and that
 * is said. 0 or -errno, with a message.
 */
int aiming_add_function(struct aiming *aiming, const struct elf_symbol *function,
			bool is_one_of_many);
/* All that a function chosen at run time may be; likewise. */
int aiming_add_choice(struct aiming *aiming, const struct elf_symbol *resolver, bool is_pattern);
/* Could an exception of C++ or a panic of Rust pass through the functions of the file? */
bool aiming_may_throw(struct elf_file *file);
/* line_sites.c: file.c:LINE. 0 or -errno, with a message. */
int aiming_add_line(struct aiming *aiming);
/* usdt_sites.c: the places of USDT probes. 0 or -errno, with a message. */
int aiming_add_usdt(struct aiming *aiming);
/*
 * All copies of the function that are inlined elsewhere, which are only counted if only_counted. 0 or -errno, with
 * a message.
 */
int aiming_add_inlined(struct aiming *aiming, bool only_counted, size_t *count);

#endif

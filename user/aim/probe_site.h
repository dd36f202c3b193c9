/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From BIN:FUNC as a person writes it to the files and offsets the kernel wants. */
#ifndef TRACER_PROBE_SITE_H
#define TRACER_PROBE_SITE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../object/entry_place.h"

struct debug_info;
struct probe_option;
struct usdt_arguments;

/* One instruction to be probed. */
struct probe_site {
	uint64_t offset; /* in the file */
	uint64_t vaddr;
	uint32_t function; /* which name of the sites' it is probed for */
	uint8_t moved;	   /* bytes behind the place that was meant, where a probe costs less */
	bool at_entry;	   /* before anything of the function has been done */
	bool of_function;  /* it is a function's own entry or return, whatever is inlined there */
	const void *copy;  /* of a function that is inlined there: debug_function.die; NULL: none */
	bool at_return;	   /* at an instruction by which the function returns */
	bool has_return_sites; /* of an entry: its returns are sites of their own */
	/* USDT: */
	uint64_t semaphore; /* where in the file the kernel counts who listens; 0: nowhere */
	struct usdt_arguments *arguments; /* owned; else NULL */
};

struct probe_sites {
	char path[PATH_MAX]; /* absolute */
	uint64_t inode;
	bool is_go;
	struct probe_site *sites; /* by ascending vaddr for each name */
	size_t count;
	char debug_path[PATH_MAX]; /* the file that would have DWARF: this one, or a separate one */
	struct debug_info *debug;  /* once it is asked for */
	bool has_no_debug;
	char **names; /* what is probed, as it is shown: "handle", "handle+0x4", "0x1234", "main.c:42", "provider:name" */
	size_t name_count;
};

/* How sites are chosen. */
struct probe_aim {
	const pid_t *pids; /* whose libraries are meant by short names */
	size_t pid_count;
	enum entry_moves moves;
	bool is_verbose; /* tells each site */
};

/* All of it for --uprobe and its like, and --usdt. 0 or -errno, with a message; *sites is to be freed in any case. */
int probe_sites_resolve(const struct probe_option *option, const struct probe_aim *aim,
			struct probe_sites *sites);
/* What its DWARF says, read at the first call; NULL when there is none. The sites'. */
struct debug_info *probe_sites_debug(struct probe_sites *sites);
void probe_sites_free(struct probe_sites *sites);

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What --uprobe, --uretprobe, --latency, --usdt and --breakpoint take. Only syntax: nothing is looked up.
 *
 * BIN:FUNC[+OFF], BIN:0xADDR[+OFF] (probes; --uretprobe and --latency without +OFF)
 *   BIN ends at the first ':' that is not part of a "::", so "app:ns::Type::method" is method of
 *   ns::Type in app. OFF is decimal, or hexadecimal behind 0x. A '+' that no number follows
 *   belongs to the name: "app:operator+" has no offset, "app:operator++4" has one of 4.
 * BIN:FILE:LINE (--uprobe): "app:main.c:42"; the file as its compiler knew it, or the last parts of its path.
 *
 * BIN:PROVIDER:NAME, BIN:NAME (--usdt)
 *   Each may be a glob but BIN.
 *
 * WHERE[/LEN][:ACCESS] (breakpoints)
 *   WHERE is 0xADDR[+OFF], SYMBOL[+OFF] or BIN:SYMBOL[+OFF]; LEN is 1, 2, 4 or 8 (for x only 8);
 *   ACCESS is r, w, rw or x. Where two readings are possible:
 *   - a last part r, w, rw or x is ACCESS: "app:x" is execution at the symbol app. The variable x
 *     of app is "app:x:w", with its ACCESS spelled out;
 *   - but a path is no symbol: in "./app:x" something must name the variable, so that is x;
 *   - a last "/NUMBER" of WHERE is LEN: "dir/8:w" is 8 bytes at the symbol dir. The variable w
 *     of the file dir/8 is "dir/8:w:w";
 *   - a WHERE that begins with 0x is an address; a file of such a name is "./0xfile:SYMBOL".
 */
#ifndef TRACER_PROBE_SPEC_H
#define TRACER_PROBE_SPEC_H

#include <stdbool.h>
#include <stdint.h>

enum probe_kind {
	PROBE_UPROBE,
	PROBE_URETPROBE,
	PROBE_LATENCY,
	PROBE_USDT,
	PROBE_BREAKPOINT,
};

/* One --uprobe, --uretprobe, --latency, --usdt or --breakpoint, as written. Strings are owned. */
struct probe_option {
	enum probe_kind kind;
	char *text;	   /* the whole argument, for messages and names */
	char *binary;	   /* BIN; NULL for a breakpoint on 0xADDR or SYMBOL */
	char *symbol;	   /* FUNC, SYMBOL or NAME; NULL when an address is given */
	char *provider;	   /* PROVIDER; NULL: not given */
	char *source_file; /* FILE, of FILE:LINE; else NULL */
	uint32_t line;
	bool has_address;
	uint64_t address; /* 0xADDR: virtual in BIN for probes, in the target for breakpoints */
	uint64_t offset;  /* +OFF */
	char *condition;  /* --if; NULL: none */
	char *arguments;  /* --args; NULL: what DWARF says of the function */
	bool takes_no_arguments; /* --args none */
	/* breakpoints */
	uint32_t length;	   /* /LEN: 1, 2, 4 or 8; 0 when not given */
	bool read, write, execute; /* :ACCESS; none set when not given: the source's default */
};

/*
 * Fills *probe, to be freed with probe_option_free(). 0, -ENOMEM, or -EINVAL with *why a constant
 * phrase that says what is wrong with the text; after an error nothing is to be freed.
 */
int probe_spec_parse(enum probe_kind kind, const char *text, struct probe_option *probe,
		     const char **why);
/* Frees what the option owns, not the option. */
void probe_option_free(struct probe_option *probe);

#endif

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sites that only DWARF knows: source lines, and calls that were inlined. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/log.h"
#include "../debug/functions.h"
#include "../debug/lines.h"
#include "../event/text.h"
#include "../object/elf_file.h"
#include "aiming.h"
#include "probe_spec.h"

/* The compiler says that an instruction begins there; that is checked all the same. */
static int add_site(struct aiming *aiming, uint64_t vaddr, const void *copy)
{
	const struct elf_symbol *function = elf_file_function_at(aiming->file, vaddr);
	int err;

	if (!function) {
		log_error("%s: no known function covers 0x%llx, so it cannot be proved that an instruction begins "
			  "there",
			  aiming->option->text, (unsigned long long)vaddr);
		return -EFAULT;
	}
	err = aiming_check_boundary(aiming, function, vaddr);
	return err ? err :
		     aiming_add_site(aiming,
				     (struct probe_site){ .vaddr = vaddr,
							  .copy = copy,
							  .at_entry = vaddr == function->vaddr });
}

static int report_no_debug(const struct aiming *aiming)
{
	log_error("%s: %s has no debugging information, which lines are found by (build it with -g, or install "
		  "its debug symbols)",
		  aiming->option->text, aiming->sites->path);
	return -ENODATA;
}

static void report_no_code(const struct aiming *aiming, const struct debug_lines *lines)
{
	const struct probe_option *option = aiming->option;
	struct growing near = {};
	char *text;

	if (lines->line_before)
		growing_append(&near, "%u", lines->line_before);
	if (lines->line_after)
		growing_append(&near, "%s%u", lines->line_before ? " and " : "", lines->line_after);
	text = growing_take(&near);
	log_error("%s: line %u of %s has no code%s%s", option->text, option->line,
		  option->source_file, text && *text ? "; the nearest that have: " : "",
		  text ? text : "");
	free(text);
}

static void report_no_file(const struct aiming *aiming, const struct debug_lines *lines)
{
	const struct probe_option *option = aiming->option;
	struct growing near = {};
	char *text;

	for (size_t i = 0; i < lines->file_count; i++)
		growing_append(&near, "%s%s", i ? ", " : "; there is: ", lines->files[i]);
	text = growing_take(&near);
	log_error("%s: nothing in %s was compiled from a file %s%s", option->text,
		  aiming->sites->path, option->source_file, text ? text : "");
	free(text);
}

static int add_lines(struct aiming *aiming, const struct debug_lines *lines)
{
	const struct probe_option *option = aiming->option;
	int err = aiming_add_named(aiming, "%s:%u", option->source_file, option->line);

	for (size_t i = 0; !err && i < lines->count; i++)
		err = add_site(aiming, lines->sites[i].vaddr, NULL);
	if (!err && lines->count > 1)
		log_note("%s: %zu places", option->text, lines->count);
	return err;
}

int aiming_add_line(struct aiming *aiming)
{
	const struct probe_option *option = aiming->option;
	struct debug_info *info = probe_sites_debug(aiming->sites);
	struct debug_lines lines;
	int err;

	if (!info)
		return report_no_debug(aiming);
	err = debug_lines_find(info, option->source_file, option->line, &lines);
	if (err == -ENOENT)
		report_no_code(aiming, &lines);
	else if (err == -ENXIO)
		report_no_file(aiming, &lines);
	else if (!err)
		err = add_lines(aiming, &lines);
	debug_lines_free(&lines);
	return err;
}

int aiming_add_inlined(struct aiming *aiming, bool only_counted, size_t *count)
{
	struct debug_info *info = probe_sites_debug(aiming->sites);
	struct debug_functions functions = {};
	int err = info ? debug_functions_named(info, aiming->option->symbol, &functions) : -ENOENT;

	*count = 0;
	for (size_t i = 0; !err && i < functions.count; i++) {
		if (!functions.list[i].is_inlined)
			continue;
		err = only_counted ?
			      0 :
			      add_site(aiming, functions.list[i].entry, functions.list[i].die);
		*count += !err;
	}
	debug_functions_free(&functions);
	return err == -ENOENT ? 0 : err;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Aiming: the binary, the functions, the file offsets, and the proof that an instruction begins there. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/log.h"
#include "../object/debug_file.h"
#include "../object/elf_file.h"
#include "aiming.h"
#include "binary.h"
#include "probe_spec.h"
#include "symbol_find.h"

/* ---- the ways to say where -------------------------------------------------------------------- */

static int resolve_address(struct aiming *aiming)
{
	const struct probe_option *option = aiming->option;
	uint64_t vaddr = option->address + option->offset;
	const struct elf_symbol *function = elf_file_function_at(aiming->file, vaddr);
	int err;

	if (!function) {
		log_error("%s: no known function covers 0x%llx, so it cannot be proved that an instruction begins "
			  "there",
			  option->text, (unsigned long long)vaddr);
		return -ENOENT;
	}
	err = aiming_check_boundary(aiming, function, vaddr);
	if (!err)
		err = aiming_add_named(aiming, "0x%llx", (unsigned long long)vaddr);
	return err ? err :
		     aiming_add_site(aiming,
				     (struct probe_site){ .vaddr = vaddr,
							  .at_entry = vaddr == function->vaddr });
}

static int resolve_inside(struct aiming *aiming, const struct elf_symbol *function)
{
	const struct probe_option *option = aiming->option;
	uint64_t vaddr = function->vaddr + option->offset;
	int err;

	if (function->size && option->offset >= function->size) {
		log_error("%s: %s is only 0x%llx bytes long", option->text, option->symbol,
			  (unsigned long long)function->size);
		return -ERANGE;
	}
	err = aiming_check_boundary(aiming, function, vaddr);
	if (!err)
		err = aiming_add_named(aiming, "%s+0x%llx", option->symbol,
				       (unsigned long long)option->offset);
	return err ? err : aiming_add_site(aiming, (struct probe_site){ .vaddr = vaddr });
}

static int add_match(struct aiming *aiming, const struct elf_symbol *function, bool is_pattern)
{
	int err = aiming_add_name(aiming, is_pattern ? symbol_readable(function) :
						       strdup(aiming->option->symbol));

	if (err)
		return err;
	if (function->type == STT_GNU_IFUNC)
		return aiming_add_choice(aiming, function, is_pattern);
	return aiming_add_function(aiming, function, is_pattern);
}

static int resolve_functions(struct aiming *aiming, const struct symbol_matches *matches)
{
	const struct probe_option *option = aiming->option;
	bool is_pattern =
		symbol_name_is_pattern(option->symbol) &&
		(matches->count > 1 || strcmp(matches->symbols[0]->name, option->symbol) != 0);
	int err = 0;

	if (is_pattern && option->offset) {
		log_error("%s: an offset needs one function, not a pattern", option->text);
		return -EINVAL;
	}
	if (option->offset)
		return resolve_inside(aiming, matches->symbols[0]);
	for (size_t i = 0; !err && i < matches->count; i++)
		err = add_match(aiming, matches->symbols[i], is_pattern);
	if (!err && is_pattern)
		log_note("%s: %zu function%s", option->text, matches->count,
			 matches->count == 1 ? "" : "s");
	return err;
}

/* Calls that were inlined never come to the function's entry, and do not return. */
static int tell_inlined(const struct aiming *aiming, size_t count, bool has_own_code)
{
	const struct probe_option *option = aiming->option;

	if (!count)
		return has_own_code ? 0 : -ENOENT;
	if (option->kind == PROBE_UPROBE) {
		log_note("%s: %zu places where it is inlined are probed too%s", option->text, count,
			 has_own_code ? "" : "; it has no code of its own");
		return 0;
	}
	if (has_own_code) {
		log_warn("%s: is inlined in %zu places, of which nothing is seen", option->text,
			 count);
		return 0;
	}
	log_error("%s: is inlined wherever it is called, and has no return to be probed",
		  option->text);
	return -ENOTSUP;
}

/* An offset is one of the function's own code. */
static int add_inlined(struct aiming *aiming, bool has_own_code)
{
	bool is_told_only = aiming->option->kind != PROBE_UPROBE;
	size_t count = 0;
	int err;

	if (aiming->option->offset)
		return has_own_code ? 0 : -ENOENT;
	err = has_own_code ? 0 : aiming_add_name(aiming, strdup(aiming->option->symbol));
	if (!err)
		err = aiming_add_inlined(aiming, is_told_only, &count);
	return err ? err : tell_inlined(aiming, count, has_own_code);
}

static int resolve_name(struct aiming *aiming)
{
	const struct probe_option *option = aiming->option;
	struct symbol_matches matches = {};
	int err = symbol_find_functions(option->text, aiming->file, option->symbol, &matches);

	if (!err) {
		err = resolve_functions(aiming, &matches);
		if (!err && matches.count == 1)
			err = add_inlined(aiming, true);
	} else if (err == -ENOENT) {
		err = symbol_name_is_pattern(option->symbol) ? -ENOENT : add_inlined(aiming, false);
		if (err == -ENOENT)
			symbol_report_none(option->text, aiming->file, option->symbol);
	}
	symbol_matches_free(&matches);
	return err;
}

/* Where its DWARF is, if it has any. */
static const char *debug_path_of(const struct aiming *aiming)
{
	const char *separate = elf_file_debug_path(aiming->file);

	return separate ? separate : aiming->sites->path;
}

/* No probe at all must not pass for one that is never hit. */
static int tell_result(const struct aiming *aiming)
{
	const char *option = aiming->option->text;

	if (!aiming->sites->count) {
		log_error("%s: nothing of it can be probed", option);
		return -ENOTSUP;
	}
	if (aiming->unguarded)
		log_warn("%s: an exception that passes through %s would end the program: unwinding does not know the "
			 "kernel's return probes, and not all ways out can be probed by themselves",
			 option, aiming->sites->name_count == 1 ? "it" : "some of these functions");
	return 0;
}

int probe_sites_resolve(const struct probe_option *option, const struct probe_aim *aim,
			struct probe_sites *sites)
{
	struct aiming aiming = { .option = option, .aim = aim, .sites = sites };
	struct stat status;
	int err;

	memset(sites, 0, sizeof(*sites));
	err = binary_find(option->binary, aim->pids, aim->pid_count, sites->path);
	if (err) {
		log_error("%s: there is no program or library %s", option->text, option->binary);
		return err;
	}
	err = binary_open(option->text, sites->path, &aiming.file);
	if (err)
		return err;
	sites->is_go = elf_file_is_go(aiming.file);
	aiming.may_throw = aiming_may_throw(aiming.file);
	snprintf(sites->debug_path, sizeof(sites->debug_path), "%s", debug_path_of(&aiming));
	if (option->kind == PROBE_USDT)
		err = aiming_add_usdt(&aiming);
	else if (option->source_file)
		err = aiming_add_line(&aiming);
	else
		err = option->has_address ? resolve_address(&aiming) : resolve_name(&aiming);
	aiming_leave_out_doubles(sites);
	if (!err)
		err = tell_result(&aiming);
	if (!stat(sites->path, &status))
		sites->inode = status.st_ino;
	elf_file_close(aiming.file);
	return err;
}

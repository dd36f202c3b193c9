// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sites as they are gathered, each with the proof that an instruction begins there. */
#include "aiming.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/log.h"
#include "../debug/debug_info.h"
#include "../object/elf_file.h"
#include "../object/instruction.h"
#include "probe_spec.h"

int aiming_check_boundary(const struct aiming *aiming, const struct elf_symbol *function,
			  uint64_t vaddr)
{
	const char *option = aiming->option->text;
	uint64_t begins = 0;
	int err;

	if (vaddr == function->vaddr)
		return 0;
	err = instruction_check_boundary(aiming->file, function->vaddr, vaddr, &begins);
	if (err == -EILSEQ)
		log_error("%s: 0x%llx is inside the instruction at 0x%llx (%s+0x%llx); a probe there would corrupt "
			  "the program",
			  option, (unsigned long long)vaddr, (unsigned long long)begins,
			  function->name, (unsigned long long)(begins - function->vaddr));
	else if (err)
		log_error("%s: cannot prove that an instruction begins at 0x%llx: %s", option,
			  (unsigned long long)vaddr, strerror(-err));
	return err;
}

int aiming_add_name(struct aiming *aiming, char *name)
{
	struct probe_sites *sites = aiming->sites;
	char **grown = name ? reallocarray(sites->names, sites->name_count + 1, sizeof(*grown)) :
			      NULL;

	if (!grown) {
		free(name);
		return -ENOMEM;
	}
	sites->names = grown;
	grown[sites->name_count++] = name;
	return 0;
}

int aiming_add_named(struct aiming *aiming, const char *format, ...)
{
	char *name = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&name, format, arguments) < 0)
		name = NULL;
	va_end(arguments);
	return aiming_add_name(aiming, name);
}

static void tell_site(const struct aiming *aiming, const struct probe_site *site)
{
	const struct probe_sites *sites = aiming->sites;

	if (!aiming->aim->is_verbose)
		return;
	log_note("%s: %s at 0x%llx, file offset 0x%llx of %s%s", aiming->option->text,
		 sites->names[site->function], (unsigned long long)site->vaddr,
		 (unsigned long long)site->offset, sites->path,
		 site->moved ? " (moved on, to see the same)" : "");
}

int aiming_add_site(struct aiming *aiming, struct probe_site site)
{
	struct probe_sites *sites = aiming->sites;
	struct probe_site *grown;

	if (!elf_file_vaddr_to_offset(aiming->file, site.vaddr, &site.offset) ||
	    !elf_file_offset_is_executable(aiming->file, site.offset)) {
		log_error("%s: 0x%llx is not in code that the file holds", aiming->option->text,
			  (unsigned long long)site.vaddr);
		return -EFAULT;
	}
	grown = reallocarray(sites->sites, sites->count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	site.function = (uint32_t)sites->name_count - 1;
	sites->sites = grown;
	grown[sites->count++] = site;
	tell_site(aiming, &site);
	return 0;
}

/* Aliases, and implementations that several names share, would be hit once for each. */
static int compare_sites(const void *left, const void *right)
{
	const struct probe_site *a = left, *b = right;

	if (a->vaddr != b->vaddr)
		return a->vaddr < b->vaddr ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

void aiming_leave_out_doubles(struct probe_sites *sites)
{
	size_t kept = 0;

	if (!sites->count)
		return;
	qsort(sites->sites, sites->count, sizeof(*sites->sites), compare_sites);
	for (size_t i = 1; i < sites->count; i++)
		if (sites->sites[i].vaddr != sites->sites[kept].vaddr)
			sites->sites[++kept] = sites->sites[i];
		else
			free(sites->sites[i].arguments);
	sites->count = kept + 1;
}

struct debug_info *probe_sites_debug(struct probe_sites *sites)
{
	if (!sites->debug && !sites->has_no_debug)
		sites->has_no_debug = debug_info_open(sites->debug_path, &sites->debug) != 0;
	return sites->debug;
}

void probe_sites_free(struct probe_sites *sites)
{
	for (size_t i = 0; i < sites->name_count; i++)
		free(sites->names[i]);
	free(sites->names);
	for (size_t i = 0; i < sites->count; i++)
		free(sites->sites[i].arguments);
	free(sites->sites);
	debug_info_close(sites->debug);
	memset(sites, 0, sizeof(*sites));
}

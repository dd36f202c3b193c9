// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Aiming: the binary, the functions, the file offsets, and the proof that an instruction begins there. */
#include "probe_site.h"

#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/log.h"
#include "../object/elf_file.h"
#include "../object/ifunc.h"
#include "../object/instruction.h"
#include "binary.h"
#include "probe_spec.h"
#include "symbol_find.h"

/* What is at hand while the sites of one option are looked for. */
struct aiming {
	const struct probe_option *option;
	const struct probe_aim *aim;
	struct elf_file *file;
	struct probe_sites *sites;
};

/* A probe anywhere but at an instruction's first byte would corrupt the target. */
static int check_boundary(const struct aiming *aiming, const struct elf_symbol *function,
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

/* Takes over name. */
static int add_name(struct probe_sites *sites, char *name)
{
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

__attribute__((format(printf, 2, 3))) static int add_named(struct probe_sites *sites,
							   const char *format, ...)
{
	char *name = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&name, format, arguments) < 0)
		name = NULL;
	va_end(arguments);
	return add_name(sites, name);
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

/* A place of the name that was added last. */
static int add_site(struct aiming *aiming, struct probe_site site)
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

/* One of several that cannot be probed is left out, and that is said. */
static int leave_out(const struct aiming *aiming, const struct elf_symbol *function,
		     bool is_one_of_many)
{
	const char *name = aiming->sites->names[aiming->sites->name_count - 1];

	if (is_one_of_many)
		log_warn("%s: left out: %s at 0x%llx, which begins with an AVX instruction: the kernel cannot put "
			 "a probe on one; calls that go there are not seen",
			 aiming->option->text, name, (unsigned long long)function->vaddr);
	else
		log_error(
			"%s: %s begins with an AVX instruction, and the kernel cannot put a probe on one",
			aiming->option->text, name);
	return is_one_of_many ? 0 : -ENOTSUP;
}

static int add_entry(struct aiming *aiming, const struct elf_symbol *function, bool is_one_of_many)
{
	unsigned moved = 0;
	int err = entry_place(aiming->file, function, aiming->aim->moves, &moved);

	if (err == -ENOTSUP)
		return leave_out(aiming, function, is_one_of_many);
	return err ? err :
		     add_site(aiming, (struct probe_site){
					      .vaddr = function->vaddr + moved,
					      .moved = (uint8_t)moved,
					      .at_entry = true,
				      });
}

/* ---- functions chosen at run time ------------------------------------------------------------- */

static int report_unknown_choice(const struct aiming *aiming, const struct elf_symbol *resolver,
				 int err)
{
	log_error("%s: %s is chosen at run time (IFUNC), and its resolver's code does not tell among what%s; probe "
		  "the implementation (tracer --list functions BIN)",
		  aiming->option->text, resolver->name,
		  err == -ENODATA ? " (it may be in the vDSO, where no probe can be)" : "");
	return -ENOTSUP;
}

/* An implementation may have symbols; it is then as long as they say. */
static int add_implementation(struct aiming *aiming, uint64_t vaddr)
{
	const struct elf_symbol *known = elf_file_function_at(aiming->file, vaddr);
	struct elf_symbol function = { .name = "", .vaddr = vaddr, .type = STT_FUNC };

	if (known && known->vaddr == vaddr)
		function = *known;
	return add_entry(aiming, &function, true);
}

static int add_choice(struct aiming *aiming, const struct elf_symbol *resolver, bool is_pattern)
{
	struct ifunc_implementations found;
	int err = ifunc_implementations(aiming->file, resolver, &found);

	if (err && is_pattern) {
		log_warn("%s: left out: %s, which is chosen at run time among what its code does not tell",
			 aiming->option->text, resolver->name);
		return 0;
	}
	if (err)
		return report_unknown_choice(aiming, resolver, err);
	if (!is_pattern)
		log_note("%s: %s is chosen at run time (IFUNC): all %zu that it may be are probed, with whatever "
			 "else leads there",
			 aiming->option->text, resolver->name, found.count);
	for (size_t i = 0; !err && i < found.count; i++)
		err = add_implementation(aiming, found.vaddr[i]);
	return err;
}

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
	err = check_boundary(aiming, function, vaddr);
	if (!err)
		err = add_named(aiming->sites, "0x%llx", (unsigned long long)vaddr);
	return err ? err :
		     add_site(aiming, (struct probe_site){ .vaddr = vaddr,
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
	err = check_boundary(aiming, function, vaddr);
	if (!err)
		err = add_named(aiming->sites, "%s+0x%llx", option->symbol,
				(unsigned long long)option->offset);
	return err ? err : add_site(aiming, (struct probe_site){ .vaddr = vaddr });
}

static int add_match(struct aiming *aiming, const struct elf_symbol *function, bool is_pattern)
{
	int err = add_name(aiming->sites,
			   is_pattern ? symbol_readable(function) : strdup(aiming->option->symbol));

	if (err)
		return err;
	if (function->type == STT_GNU_IFUNC)
		return add_choice(aiming, function, is_pattern);
	return add_entry(aiming, function, is_pattern);
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
		log_note("%s: %zu functions", option->text, matches->count);
	return err;
}

static int resolve_name(struct aiming *aiming)
{
	struct symbol_matches matches = {};
	int err = symbol_find_functions(aiming->option->text, aiming->file, aiming->option->symbol,
					&matches);

	if (!err)
		err = resolve_functions(aiming, &matches);
	symbol_matches_free(&matches);
	return err;
}

/* Aliases, and implementations that several names share, would be hit once for each. */
static int compare_sites(const void *left, const void *right)
{
	const struct probe_site *a = left, *b = right;

	if (a->vaddr != b->vaddr)
		return a->vaddr < b->vaddr ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

static void leave_out_doubles(struct probe_sites *sites)
{
	size_t kept = 0;

	if (!sites->count)
		return;
	qsort(sites->sites, sites->count, sizeof(*sites->sites), compare_sites);
	for (size_t i = 1; i < sites->count; i++)
		if (sites->sites[i].vaddr != sites->sites[kept].vaddr)
			sites->sites[++kept] = sites->sites[i];
	sites->count = kept + 1;
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
	err = option->has_address ? resolve_address(&aiming) : resolve_name(&aiming);
	leave_out_doubles(sites);
	sites->is_go = elf_file_is_go(aiming.file);
	if (!stat(sites->path, &status))
		sites->inode = status.st_ino;
	elf_file_close(aiming.file);
	return err;
}

void probe_sites_free(struct probe_sites *sites)
{
	for (size_t i = 0; i < sites->name_count; i++)
		free(sites->names[i]);
	free(sites->names);
	free(sites->sites);
	memset(sites, 0, sizeof(*sites));
}

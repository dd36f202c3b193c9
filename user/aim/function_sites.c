// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The sites of a function: its entry, its returns, or all that it may be. */
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "../base/log.h"
#include "../object/elf_file.h"
#include "../object/ifunc.h"
#include "../object/return_sites.h"
#include "aiming.h"
#include "probe_spec.h"

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

static int add_entry(struct aiming *aiming, const struct elf_symbol *function, bool is_one_of_many,
		     bool has_return_sites)
{
	unsigned moved = 0;
	int err = entry_place(aiming->file, function, aiming->aim->moves, &moved);

	if (err == -ENOTSUP)
		return leave_out(aiming, function, is_one_of_many);
	return err ? err :
		     aiming_add_site(aiming, (struct probe_site){
						     .vaddr = function->vaddr + moved,
						     .moved = (uint8_t)moved,
						     .at_entry = true,
						     .of_function = true,
						     .has_return_sites = has_return_sites,
					     });
}

/* ---- returns without replacing return addresses ----------------------------------------------- */

static bool needs_library(const struct elf_file *file, const char *prefix)
{
	const char *name;

	for (size_t i = 0; (name = elf_file_needed(file, i)); i++)
		if (!strncmp(name, prefix, strlen(prefix)))
			return true;
	return false;
}

bool aiming_may_throw(struct elf_file *file)
{
	static const char *const personalities[] = { "__gxx_personality_v0",
						     "rust_eh_personality" };
	size_t count;
	const struct elf_symbol *symbols;

	if (needs_library(file, "libstdc++.so") || needs_library(file, "libc++.so"))
		return true;
	symbols = elf_file_symbols(file, &count);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < sizeof(personalities) / sizeof(personalities[0]); k++)
			if (!strcmp(symbols[i].name, personalities[k]))
				return true;
	return false;
}

/* Each ret is an ordinary probe, which does no harm to whoever unwinds or moves the stack. */
static int add_returns(struct aiming *aiming, const struct elf_symbol *function,
		       const struct return_sites *found, bool is_one_of_many)
{
	int err = 0;

	if (aiming->option->kind == PROBE_LATENCY)
		err = add_entry(aiming, function, is_one_of_many, true);
	for (size_t i = 0; !err && i < found->count; i++)
		err = aiming_add_site(aiming, (struct probe_site){ .vaddr = found->vaddr[i],
								   .of_function = true,
								   .at_return = true });
	return err;
}

static int refuse_returns(const struct aiming *aiming, bool is_one_of_many, const char *why)
{
	const char *name = aiming->sites->names[aiming->sites->name_count - 1];

	if (is_one_of_many)
		log_warn("%s: left out: %s: %s", aiming->option->text, name, why);
	else
		log_error("%s: %s", aiming->option->text, why);
	return is_one_of_many ? 0 : -ENOTSUP;
}

/* Go moves stacks, and would come upon a return address that is none of its own. */
static int add_returning(struct aiming *aiming, const struct elf_symbol *function,
			 bool is_one_of_many)
{
	bool is_go = aiming->sites->is_go;
	struct return_sites found;
	int err;

	if (is_go && aiming->option->kind == PROBE_LATENCY)
		return refuse_returns(aiming, is_one_of_many,
				      "calls of Go begin and end on different threads: probe "
				      "them with --uprobe and --uretprobe");
	err = return_sites_find(aiming->file, function, &found);
	if (err == -ENOMEM)
		return err;
	if (!err && !found.has_tail_calls && found.count)
		err = add_returns(aiming, function, &found, is_one_of_many);
	else if (is_go)
		err = refuse_returns(
			aiming, is_one_of_many,
			"a return probe would crash a Go program, whose stacks move, and "
			"not all ways out of the function can be probed by themselves");
	else {
		aiming->unguarded++;
		err = add_entry(aiming, function, is_one_of_many, false);
	}
	return_sites_free(&found);
	return err;
}

int aiming_add_function(struct aiming *aiming, const struct elf_symbol *function,
			bool is_one_of_many)
{
	bool returns = aiming->option->kind != PROBE_UPROBE;

	if (returns && (aiming->sites->is_go || aiming->may_throw))
		return add_returning(aiming, function, is_one_of_many);
	return add_entry(aiming, function, is_one_of_many, false);
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
	return aiming_add_function(aiming, &function, true);
}

int aiming_add_choice(struct aiming *aiming, const struct elf_symbol *resolver, bool is_pattern)
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

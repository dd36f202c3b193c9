// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Names are in other places at each site, so each has a plan of its own. */
#include "probe_plans.h"

#include <errno.h>

#include "../aim/probe_site.h"
#include "../aim/probe_spec.h"
#include "../base/log.h"
#include "../expression/expression.h"
#include "captures.h"
#include "plans.h"
#include "program_scope.h"
#include "usdt_scope.h"

static enum expression_source expression_source_of(const struct source *source)
{
	static const enum expression_source kinds[] = {
		[PROBE_UPROBE] = EXPRESSION_UPROBE,
		[PROBE_URETPROBE] = EXPRESSION_URETPROBE,
		[PROBE_LATENCY] = EXPRESSION_LATENCY,
		[PROBE_USDT] = EXPRESSION_USDT,
	};

	return kinds[source->option->kind];
}

/* Does the probe record values? What is only counted has no place for them. */
static bool has_values(const struct source *source, const struct source_context *context)
{
	const struct probe_option *option = source->option;

	if (!context->wants_values || option->takes_no_arguments)
		return false;
	return option->arguments || source->info.kind != REC_LATENCY || option->condition;
}

static int add_values(const struct source *source, struct source_context *context,
		      const struct probe_sites *sites, struct program_scope *program,
		      struct probe_plan *plan)
{
	const struct capture_limits limits = { .string = context->string_limit };

	if (source->option->arguments)
		return captures_listed(context->plans, source->option, program, &limits, plan);
	if (source->option->kind == PROBE_USDT)
		return captures_of_usdt(context->plans, program, plan);
	if (program->function)
		return captures_of_function(context->plans, program, &limits, plan);
	if (sites->is_go && source->info.kind == REC_UPROBE)
		return captures_of_go(context->plans, plan);
	return 0;
}

/* Reading DWARF takes time: only if a name of the program may be asked for. */
static struct debug_info *debug_for(const struct source *source,
				    const struct source_context *context, struct probe_sites *sites)
{
	const struct probe_option *option = source->option;

	/* a USDT probe's own arguments need none */
	if (option->kind == PROBE_USDT && !option->condition && !option->arguments)
		return NULL;
	if (!option->condition && !has_values(source, context))
		return NULL;
	return probe_sites_debug(sites);
}

static int open_scope(const struct source *source, const struct source_context *context,
		      struct probe_sites *sites, const struct probe_site *site,
		      struct program_scope *program)
{
	const struct program_place place = {
		.vaddr = site->vaddr - site->moved,
		.at_entry = site->at_entry && !sites->is_go,
		.of_function = site->of_function,
		.copy = site->copy,
	};
	int err = program_scope_open(program, debug_for(source, context, sites),
				     expression_source_of(source), &place);

	return err || !site->arguments ? err : usdt_scope_add(program, site->arguments);
}

/* Of several places one may have what another lacks. */
static void tell_where(const struct source *source, const struct probe_sites *sites,
		       const struct probe_site *site)
{
	if (sites->count > 1)
		log_note("%s: that is so at %s, 0x%llx", source->option->text,
			 sites->names[site->function], (unsigned long long)site->vaddr);
}

static int make_plan(const struct source *source, struct source_context *context,
		     struct probe_sites *sites, size_t index, uint32_t *number)
{
	const struct probe_site *site = &sites->sites[index];
	struct source_info *info = &source->infos[site->function];
	struct probe_plan plan = {};
	struct program_scope program;
	int err = open_scope(source, context, sites, site, &program), added;

	if (!err)
		err = plans_compile_predicate(context->plans, source->option, &program.scope,
					      &plan);
	if (!err && has_values(source, context))
		err = add_values(source, context, sites, &program, &plan);
	if (err == -EINVAL)
		tell_where(source, sites, site);
	info->has_predicate |= plan.wire.predicate > 0;
	added = plans_add(context->plans, &plan, number);
	program_scope_close(&program);
	return err ? err : added;
}

int probe_plans_make(const struct source *source, struct source_context *context,
		     struct probe_sites *sites, uint32_t *numbers)
{
	int err = 0;

	for (size_t i = 0; !err && i < sites->count; i++)
		err = make_plan(source, context, sites, i, &numbers[i]);
	return err;
}

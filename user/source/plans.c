// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "plans.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../aim/probe_spec.h"
#include "../expression/expression.h"
#include "bpf_side.h"
#include "tracer.skel.h"

void plans_free(struct plans *plans)
{
	for (size_t i = 0; i < plans->count; i++)
		value_list_free(&plans->list[i].values);
	free(plans->list);
	free(plans->programs);
	*plans = (struct plans){};
}

/* Functions of a pattern mostly have the same. */
int plans_add_program(struct plans *plans, const struct machine_program *program, uint32_t *number)
{
	struct machine_program *grown;
	size_t i = 0;

	while (i < plans->program_count && memcmp(&plans->programs[i], program, sizeof(*program)))
		i++;
	*number = (uint32_t)i;
	if (i < plans->program_count)
		return 0;
	grown = reallocarray(plans->programs, i + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	plans->programs = grown;
	grown[plans->program_count++] = *program;
	return 0;
}

int plans_compile_predicate(struct plans *plans, const struct probe_option *option,
			    const struct expression_scope *scope, struct probe_plan *plan)
{
	struct expression_error error = {};
	struct expression *expression = NULL;
	struct machine_program program = {};
	uint32_t number = 0;
	int err;

	if (!option->condition)
		return 0;
	err = expression_parse(option->condition, &expression, &error);
	if (!err)
		err = expression_compile_predicate(expression, scope, &program, &error);
	if (err == -EINVAL)
		expression_error_print(stderr, "--if", option->condition, &error);
	if (!err)
		err = plans_add_program(plans, &program, &number);
	plan->wire.predicate = number + 1;
	plan->was_asked_for = true;
	expression_error_free(&error);
	expression_free(expression);
	return err;
}

static bool is_same_predicate(const struct probe_plan *left, const struct probe_plan *right)
{
	return !left->has_values && !right->has_values &&
	       left->wire.predicate == right->wire.predicate;
}

int plans_add(struct plans *plans, struct probe_plan *plan, uint32_t *number)
{
	struct probe_plan *grown;
	size_t i = 0;

	*number = PLAN_NONE;
	if (!plan->wire.predicate && !plan->has_values)
		return 0;
	while (i < plans->count && !is_same_predicate(&plans->list[i], plan))
		i++;
	*number = PLAN_FIRST + (uint32_t)i;
	if (i < plans->count)
		return 0;
	grown = reallocarray(plans->list, i + 1, sizeof(*grown));
	if (!grown) {
		value_list_free(&plan->values);
		return -ENOMEM;
	}
	plans->list = grown;
	plan->wire.has_values = plan->has_values;
	grown[plans->count++] = *plan;
	plans->has_captures |= plan->has_values;
	plan->values = (struct value_list){};
	return 0;
}

const struct value_list *plans_values(const struct plans *plans, uint32_t plan)
{
	return plan < plans->count ? &plans->list[plan].values : NULL;
}

int plans_size(const struct plans *plans, struct bpf_side *bpf)
{
	const struct tracer_bpf *skeleton = bpf->skeleton;
	int err = 0;

	if (!plans->count)
		return 0;
	bpf_side_config(bpf)->has_plans = 1;
	bpf_side_config(bpf)->captures = plans->has_captures;
	for (uint32_t i = 0; i < plans->count; i++)
		bpf_side_config(bpf)->predicates |= plans->list[i].wire.predicate != 0;
	for (uint32_t i = 0; i < plans->program_count; i++)
		bpf_side_config(bpf)->matches |= plans->programs[i].text_count != 0;
	if (plans->program_count)
		err = bpf_map__set_max_entries(skeleton->maps.machine_programs,
					       (uint32_t)plans->program_count);
	if (!err)
		err = bpf_map__set_max_entries(skeleton->maps.plans, (uint32_t)plans->count);
	if (err || bpf->features.cookies)
		return err;
	return bpf_map__set_max_entries(skeleton->maps.plan_numbers, PLAN_NUMBERS);
}

int plans_write(const struct plans *plans, struct bpf_side *bpf)
{
	int programs = bpf_map__fd(bpf->skeleton->maps.machine_programs);
	int numbers = bpf_map__fd(bpf->skeleton->maps.plans);

	for (uint32_t i = 0; i < plans->program_count; i++)
		if (bpf_map_update_elem(programs, &i, &plans->programs[i], BPF_ANY))
			return -errno;
	for (uint32_t i = 0; i < plans->count; i++)
		if (bpf_map_update_elem(numbers, &i, &plans->list[i].wire, BPF_ANY))
			return -errno;
	return 0;
}

static bool was_asked_for(const struct plans *plans, uint32_t number)
{
	return number >= PLAN_FIRST && plans->list[number - PLAN_FIRST].was_asked_for;
}

int plans_set(const struct plans *plans, struct bpf_side *bpf, uint64_t offset, bool is_return,
	      uint32_t number)
{
	int fd = bpf_map__fd(bpf->skeleton->maps.plan_numbers);
	uint32_t key = (uint32_t)(offset % PLAN_PAGE) + (is_return ? PLAN_PAGE : 0),
		 known = PLAN_NOT_SET;

	if (!plans->count || bpf->features.cookies)
		return 0;
	if (bpf_map_lookup_elem(fd, &key, &known))
		return -errno;
	if (known != PLAN_NOT_SET && known != number) {
		if (was_asked_for(plans, known) || was_asked_for(plans, number))
			return -EEXIST;
		number = PLAN_NONE;
	}
	return bpf_map_update_elem(fd, &key, &number, BPF_ANY) ? -errno : 0;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "predicates.h"

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

void predicates_free(struct predicates *predicates)
{
	free(predicates->programs);
	*predicates = (struct predicates){};
}

/* Functions of a pattern mostly have the same. */
static int add_program(struct predicates *predicates, const struct machine_program *program,
		       uint32_t *predicate)
{
	struct machine_program *grown;
	size_t i = 0;

	while (i < predicates->count && memcmp(&predicates->programs[i], program, sizeof(*program)))
		i++;
	*predicate = PREDICATE_NONE + 1 + (uint32_t)i;
	if (i < predicates->count)
		return 0;
	grown = reallocarray(predicates->programs, i + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	predicates->programs = grown;
	grown[predicates->count++] = *program;
	return 0;
}

int predicates_add(struct predicates *predicates, const struct probe_option *option,
		   const struct expression_scope *scope, uint32_t *predicate)
{
	struct expression_error error = {};
	struct expression *expression = NULL;
	struct machine_program program = {};
	int err;

	*predicate = PREDICATE_NONE;
	if (!option->condition)
		return 0;
	err = expression_parse(option->condition, &expression, &error);
	if (!err)
		err = expression_compile_predicate(expression, scope, &program, &error);
	if (err == -EINVAL)
		expression_error_print(stderr, "--if", option->condition, &error);
	if (!err)
		err = add_program(predicates, &program, predicate);
	expression_error_free(&error);
	expression_free(expression);
	return err;
}

int predicates_size(const struct predicates *predicates, struct bpf_side *bpf)
{
	const struct tracer_bpf *skeleton = bpf->skeleton;
	int err;

	if (!predicates->count)
		return 0;
	bpf_side_config(bpf)->has_predicates = 1;
	err = bpf_map__set_max_entries(skeleton->maps.machine_programs,
				       (uint32_t)predicates->count);
	if (err || bpf->features.cookies)
		return err;
	return bpf_map__set_max_entries(skeleton->maps.predicates, PREDICATE_PAGE);
}

int predicates_write(const struct predicates *predicates, struct bpf_side *bpf)
{
	int fd = bpf_map__fd(bpf->skeleton->maps.machine_programs);

	for (uint32_t i = 0; i < predicates->count; i++)
		if (bpf_map_update_elem(fd, &i, &predicates->programs[i], BPF_ANY))
			return -errno;
	return 0;
}

int predicates_set(struct bpf_side *bpf, uint64_t offset, uint32_t predicate)
{
	int fd = bpf_map__fd(bpf->skeleton->maps.predicates);
	uint32_t key = (uint32_t)(offset % PREDICATE_PAGE), known = PREDICATE_NOT_SET;

	if (!bpf_side_config(bpf)->has_predicates || bpf->features.cookies)
		return 0;
	if (bpf_map_lookup_elem(fd, &key, &known))
		return -errno;
	if (known != PREDICATE_NOT_SET && known != predicate)
		return -EEXIST;
	return bpf_map_update_elem(fd, &key, &predicate, BPF_ANY) ? -errno : 0;
}

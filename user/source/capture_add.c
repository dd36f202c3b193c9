// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "capture_add.h"

#include <errno.h>

#include "plans.h"

/* On the ring: what the BPF side may need at most. */
static uint32_t room_for(const struct capture *capture)
{
	uint32_t bytes = capture->kind == CAPTURE_NUMBER ? sizeof(uint64_t) : capture->size;

	if (capture->kind == CAPTURE_STRING || bytes < sizeof(uint64_t))
		bytes += sizeof(uint64_t);
	return (uint32_t)sizeof(struct rec_capture) + ((bytes + 7) & ~7u);
}

static uint32_t room_taken(const struct plan *plan)
{
	uint32_t taken = sizeof(struct rec_captured);

	for (uint32_t i = 0; i < plan->capture_count; i++)
		taken += room_for(&plan->captures[i]);
	return taken;
}

static int add_part(struct plans *plans, struct plan *plan, const struct capture_part *part)
{
	struct capture *capture = &plan->captures[plan->capture_count];
	int err = plans_add_program(plans, &part->program, &capture->program);

	if (err)
		return err;
	capture->kind = (uint16_t)part->kind;
	capture->size = (uint16_t)part->size;
	if (room_taken(plan) + room_for(capture) > CAPTURE_BYTES)
		return -E2BIG;
	plan->capture_count++;
	return 0;
}

int capture_add(struct plans *plans, struct probe_plan *plan, const char *name,
		struct capture_want *want)
{
	struct plan *wire = &plan->wire;
	uint32_t first = wire->capture_count;
	struct value_item *item;
	int err = first + want->part_count > PLAN_CAPTURES ? -E2BIG : 0;

	for (size_t i = 0; !err && i < want->part_count; i++)
		err = add_part(plans, wire, &want->parts[i]);
	item = err ? NULL : value_list_add(&plan->values, name);
	if (!item) {
		wire->capture_count = (uint16_t)first;
		value_type_free(want->type);
		return err ? err : -ENOMEM;
	}
	item->form = want->form;
	item->type = want->type;
	item->most = want->most;
	item->first = first;
	item->count = (uint32_t)want->part_count;
	for (size_t i = 0; i < want->part_count; i++)
		item->part_bytes[i] = (uint16_t)want->parts[i].size;
	return 0;
}

static void append(struct machine_program *program, enum machine_op op, uint32_t size,
		   uint64_t value)
{
	if (program->length && program->insns[program->length - 1].op == MACHINE_END)
		program->length--;
	program->insns[program->length++] =
		(struct machine_insn){ .op = (uint8_t)op, .size = size, .value = value };
	program->insns[program->length++] = (struct machine_insn){ .op = MACHINE_END };
}

void capture_program_register(struct machine_program *program, uint32_t number, int64_t offset)
{
	*program = (struct machine_program){};
	append(program, MACHINE_REGISTER, number, (uint64_t)offset);
}

void capture_program_frame(struct machine_program *program, int64_t offset)
{
	*program = (struct machine_program){};
	append(program, MACHINE_CFA, 0, (uint64_t)offset);
}

void capture_program_load(struct machine_program *program, int64_t offset)
{
	append(program, MACHINE_LOAD, sizeof(uint64_t), (uint64_t)offset);
}

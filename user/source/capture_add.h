/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One value more in a plan. */
#ifndef TRACER_CAPTURE_ADD_H
#define TRACER_CAPTURE_ADD_H

#include <stdint.h>

#include "../../bpf/machine.h"
#include "../../bpf/plan.h"
#include "../value/list.h"

struct plans;
struct probe_plan;

/* What is captured for a value: of most, one program that leaves its number or address. */
struct capture_part {
	struct machine_program program;
	enum capture_kind kind;
	uint32_t size; /* bytes of it that the value has */
};

struct capture_want {
	enum value_form form;
	struct value_type *type; /* taken over; NULL of strings */
	uint32_t most;		 /* characters of a string that are shown */
	struct capture_part parts[VALUE_PARTS];
	size_t part_count;
};

/* 0; -E2BIG when an event has no room for it; -ENOMEM. */
int capture_add(struct plans *plans, struct probe_plan *plan, const char *name,
		struct capture_want *want);

/* Programs that leave what a general register holds, by DWARF's number, and an offset from it. */
void capture_program_register(struct machine_program *program, uint32_t number, int64_t offset);
/* From the canonical frame address. */
void capture_program_frame(struct machine_program *program, int64_t offset);
/* After what the program leaves, an address: the 8 bytes that are there, so much further on. */
void capture_program_load(struct machine_program *program, int64_t offset);

#endif

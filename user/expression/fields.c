// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "fields.h"

#include <string.h>

#define UPROBE	   (1u << EXPRESSION_UPROBE)
#define RETURN	   (1u << EXPRESSION_URETPROBE | 1u << EXPRESSION_LATENCY)
#define LATENCY	   (1u << EXPRESSION_LATENCY)
#define BREAKPOINT (1u << EXPRESSION_BREAKPOINT)
#define USDT	   (1u << EXPRESSION_USDT)
#define ALL	   ((1u << EXPRESSION_SOURCES) - 1)

/* A register, or what a USDT probe has. */
#define REGISTER_ARGUMENT(n)                                                         \
	{                                                                            \
		.name = "arg" #n, .field = MACHINE_ARG##n, .sources = UPROBE | USDT, \
		.argument = (n), .is_raw = true                                      \
	}
#define USDT_ARGUMENT(n)                                                           \
	{                                                                          \
		.name = "arg" #n, .sources = USDT, .argument = (n), .is_raw = true \
	}

static const struct field fields[] = {
	REGISTER_ARGUMENT(1),
	REGISTER_ARGUMENT(2),
	REGISTER_ARGUMENT(3),
	REGISTER_ARGUMENT(4),
	REGISTER_ARGUMENT(5),
	REGISTER_ARGUMENT(6),
	USDT_ARGUMENT(7),
	USDT_ARGUMENT(8),
	USDT_ARGUMENT(9),
	USDT_ARGUMENT(10),
	USDT_ARGUMENT(11),
	USDT_ARGUMENT(12),
	{ .name = "ret", .field = MACHINE_RETURN, .sources = RETURN, .is_raw = true },
	{ .name = "old", .field = MACHINE_OLD, .sources = BREAKPOINT, .is_raw = true },
	{ .name = "new", .field = MACHINE_NEW, .sources = BREAKPOINT, .is_raw = true },
	{ .name = "latency",
	  .field = MACHINE_LATENCY,
	  .sources = LATENCY,
	  .highest = UINT64_MAX,
	  .is_duration = true },
	{ .name = "pid", .field = MACHINE_PID, .sources = ALL, .highest = INT32_MAX },
	{ .name = "tid", .field = MACHINE_TID, .sources = ALL, .highest = INT32_MAX },
	{ .name = "cpu", .field = MACHINE_CPU, .sources = ALL, .highest = UINT16_MAX },
	{ .name = "comm", .sources = ALL, .is_comm = true },
};

#define FIELDS (sizeof(fields) / sizeof(fields[0]))

const struct field *field_find(const char *name)
{
	for (size_t i = 0; i < FIELDS; i++)
		if (strcmp(fields[i].name, name) == 0)
			return &fields[i];
	return NULL;
}

bool field_is_known(const struct field *field, enum expression_source source)
{
	return field->sources >> source & 1;
}

const struct field *field_next(const struct field *field, enum expression_source source)
{
	for (field = field ? field + 1 : fields; field < fields + FIELDS; field++)
		if (field_is_known(field, source))
			return field;
	return NULL;
}

const char *field_option(const struct field *field)
{
	if (field->argument)
		return field->sources == USDT ? "--usdt" : "--uprobe and --usdt";
	if (field->sources == BREAKPOINT)
		return "--breakpoint";
	return field->sources == LATENCY ? "--latency" : "--uretprobe and --latency";
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "fields.h"

#include <string.h>

#define UPROBE	   (1u << EXPRESSION_UPROBE)
#define RETURN	   (1u << EXPRESSION_URETPROBE | 1u << EXPRESSION_LATENCY)
#define LATENCY	   (1u << EXPRESSION_LATENCY)
#define BREAKPOINT (1u << EXPRESSION_BREAKPOINT)
#define ALL	   ((1u << EXPRESSION_SOURCES) - 1)

static const struct field fields[] = {
	{ .name = "arg1", .field = MACHINE_ARG1, .sources = UPROBE, .is_raw = true },
	{ .name = "arg2", .field = MACHINE_ARG2, .sources = UPROBE, .is_raw = true },
	{ .name = "arg3", .field = MACHINE_ARG3, .sources = UPROBE, .is_raw = true },
	{ .name = "arg4", .field = MACHINE_ARG4, .sources = UPROBE, .is_raw = true },
	{ .name = "arg5", .field = MACHINE_ARG5, .sources = UPROBE, .is_raw = true },
	{ .name = "arg6", .field = MACHINE_ARG6, .sources = UPROBE, .is_raw = true },
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
	if (field->sources == UPROBE)
		return "--uprobe";
	if (field->sources == BREAKPOINT)
		return "--breakpoint";
	return field->sources == LATENCY ? "--latency" : "--uretprobe and --latency";
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "watched_values.h"

#include <stdio.h>
#include <string.h>

#include "value/render.h"

/* "handler", "handler+0x10"; nothing where there is no function. */
static void add_symbol(const struct event *event, struct tasks *tasks,
		       struct symbolizer *symbolizer, const char *path, uint64_t address,
		       struct leaves *leaves)
{
	struct symbol symbol;
	struct frame frame;
	char text[512];

	tasks_resolve(tasks, (pid_t)event->pid, event->time, address, &frame);
	if (frame.object->kind != OBJECT_FILE)
		return;
	symbolizer_frame(symbolizer, &frame, false, &symbol);
	if (!symbol.name)
		return;
	if (symbol.offset)
		snprintf(text, sizeof(text), "%s+0x%llx", symbol.name,
			 (unsigned long long)symbol.offset);
	else
		snprintf(text, sizeof(text), "%s", symbol.name);
	leaves_add(leaves, path, LEAF_WORD, text, sizeof(text));
}

static void add_value(const struct event *event, struct tasks *tasks, struct symbolizer *symbolizer,
		      const char *path, const char *symbol_path, uint64_t value,
		      struct leaves *leaves)
{
	const struct value_type *type = event->source->watched;

	value_render(leaves, path, type, &value, sizeof(value));
	if (type->kind == VALUE_POINTER && value)
		add_symbol(event, tasks, symbolizer, symbol_path, value, leaves);
}

void watched_values_render(const struct event *event, struct tasks *tasks,
			   struct symbolizer *symbolizer, struct leaves *leaves)
{
	const struct record_event *record = event->record;

	if (record->flags & EVENT_OLD_KNOWN)
		add_value(event, tasks, symbolizer, "old", "old.symbol", record->old_value, leaves);
	if (record->flags & EVENT_NEW_KNOWN)
		add_value(event, tasks, symbolizer, "new", "new.symbol", record->new_value, leaves);
}

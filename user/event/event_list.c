// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Specs of events, and lists of them. */
#include <errno.h>
#include <stdlib.h>

#include "event.h"
#include "parser.h"

/* config3 is behind what headers before 6.3 know. */
#define CONFIG3_OFFSET (EVENT_ATTR_SIZE_CONFIG3 - sizeof(uint64_t))

_Static_assert(sizeof(struct perf_event_attr) >= CONFIG3_OFFSET, "headers of Linux 5.13 or later");

struct event_spec event_spec_new(uint32_t type, uint64_t config)
{
	return (struct event_spec){
		.attr = {
			.size = sizeof(struct perf_event_attr),
			.type = type,
			.config = config,
			.exclude_guest = 1,
		},
		.exclude_guest_unsaid = true,
		.call_graph = EVENT_CALL_GRAPH_UNSAID,
		.time = EVENT_UNSAID,
		.inherit = EVENT_UNSAID,
		.overwrite = EVENT_UNSAID,
		.scale = 1,
	};
}

void event_spec_free(struct event_spec *spec)
{
	free(spec->name);
	free(spec->pmu);
	free(spec->unit);
	cpulist_free(&spec->cpus);
	*spec = (struct event_spec){};
}

uint64_t event_config_get(const struct event_spec *spec, unsigned word)
{
	uint64_t config3;

	switch (word) {
	case 0:
		return spec->attr.config;
	case 1:
		return spec->attr.config1;
	case 2:
		return spec->attr.config2;
	default:
		memcpy(&config3, spec->attr_bytes + CONFIG3_OFFSET, sizeof(config3));
		return config3;
	}
}

void event_config_set(struct event_spec *spec, unsigned word, uint64_t value)
{
	switch (word) {
	case 0:
		spec->attr.config = value;
		break;
	case 1:
		spec->attr.config1 = value;
		break;
	case 2:
		spec->attr.config2 = value;
		break;
	default:
		memcpy(spec->attr_bytes + CONFIG3_OFFSET, &value, sizeof(value));
		if (value && spec->attr.size < EVENT_ATTR_SIZE_CONFIG3)
			spec->attr.size = EVENT_ATTR_SIZE_CONFIG3;
	}
}

int event_list_append(struct event_list *list, struct event_spec *spec)
{
	struct event_spec *grown = reallocarray(list->specs, list->count + 1, sizeof(*grown));

	if (!grown) {
		event_spec_free(spec);
		return -ENOMEM;
	}
	list->specs = grown;
	grown[list->count++] = *spec;
	*spec = (struct event_spec){};
	return 0;
}

void event_list_cut(struct event_list *list, size_t count)
{
	while (list->count > count)
		event_spec_free(&list->specs[--list->count]);
}

void event_list_free(struct event_list *list)
{
	event_list_cut(list, 0);
	free(list->specs);
	*list = (struct event_list){};
}

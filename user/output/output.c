/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The formats there are, found by name or by the ending of a file's name. */
#include "output.h"

#include <errno.h>
#include <string.h>

static const struct output_ops *const formats[] = {
	&output_text,	&output_json, &output_perf_script, &output_perf_data,
	&output_folded, &output_svg,  &output_count,
};

#define FORMAT_COUNT (sizeof(formats) / sizeof(formats[0]))

const struct output_ops *output_by_name(const char *name)
{
	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	}
	return NULL;
}

/* Is ending one of the words of the list? */
static bool has_ending(const char *list, const char *ending)
{
	size_t length = strlen(ending);
	size_t word;

	for (; *list; list += word) {
		list += strspn(list, " ");
		word = strcspn(list, " ");
		if (word == length && memcmp(list, ending, length) == 0)
			return true;
	}
	return false;
}

const struct output_ops *output_by_ending(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *ending = strrchr(slash ? slash : path, '.');

	if (!ending)
		return NULL;
	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		if (has_ending(formats[i]->endings, ending))
			return formats[i];
	}
	return NULL;
}

/* Kept in step with the table by a unit test. */
const char *output_names(void)
{
	return "text, json, perf-script, perf.data, folded, svg, count";
}

int output_open_nothing(struct output *output)
{
	output->private = NULL;
	return 0;
}

int output_refuse_event(struct output *output, const struct event *event)
{
	(void)output;
	(void)event;
	return -EINVAL;
}

void output_close_nothing(struct output *output)
{
	(void)output;
}

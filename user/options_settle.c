// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Contradictions between options, the output's format, defaults that depend on what was given. */
#include "options_settle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

static int refuse(const char *message)
{
	log_error("%s", message);
	return -EINVAL;
}

/* --list KIND BIN [PATTERN] */
static int settle_list(struct options *options, char **rest)
{
	if (!rest[0] || rest[0][0] == '\0')
		return refuse("--list: needs a binary (say --list functions ./app)");
	if (rest[1] && rest[2]) {
		log_error("--list: \"%s\": nothing may follow BIN and PATTERN (put options first)",
			  rest[2]);
		return -EINVAL;
	}
	options->list_binary = strdup(rest[0]);
	if (!options->list_binary)
		return -ENOMEM;
	if (!rest[1])
		return 0;
	options->list_pattern = strdup(rest[1]);
	return options->list_pattern ? 0 : -ENOMEM;
}

static int settle_check(char **rest)
{
	if (!rest[0])
		return 0;
	log_error("--check: \"%s\": it takes no command (leave it out)", rest[0]);
	return -EINVAL;
}

/* --wall is on-CPU and off-CPU already: the two are not sources of their own beside it. */
static int settle_sources(struct options *options)
{
	if (options->wall && options->off_cpu_min_ns)
		return refuse("--off-cpu=MIN: contradicts --wall, which adds up all waits: leave "
			      "MIN or --wall out");
	if (options->wall) {
		options->profile = false;
		options->off_cpu = false;
	}
	if (!options->wall && !options->off_cpu && options->probe_count == 0)
		options->profile = true;
	return 0;
}

static int settle_target(const struct option_parse *parse, char **rest)
{
	struct options *options = parse->options;
	bool chosen = options->pid_count || options->tid_count;

	if (parse->wants_command && !rest[0])
		return refuse("--: no command follows it (an empty variable?)");
	if (options->pid_count && options->tid_count)
		return refuse("-p: contradicts -t: name processes or threads, not both");
	if (options->all && chosen)
		return refuse("-a: contradicts -p and -t: record everything or the chosen ones");
	if (chosen && rest[0]) {
		log_error("%s: contradicts the command \"%s\": record what runs or start it",
			  options->pid_count ? "-p" : "-t", rest[0]);
		return -EINVAL;
	}
	if (rest[0])
		options->command = rest;
	else if (!chosen)
		options->all = true;
	return 0;
}

/* Has the file name what looks like an ending? "out.xyz" has, "/dev/full" and ".log" have not. */
static bool has_ending(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	return name[0] != '\0' && strchr(name + 1, '.') != NULL;
}

/* --count and --format name the format; else the file's ending does; else it is text. */
static int settle_format(struct option_parse *parse)
{
	struct options *options = parse->options;
	const char *path = options->output_path;

	if (parse->count && parse->format && parse->format != &output_count)
		return refuse("--count: contradicts --format: leave one of them out");
	if (parse->count && path && output_by_ending(path) &&
	    output_by_ending(path) != &output_text) {
		log_error("--count: writes a table, which \"%s\" does not look like: leave --count or "
			  "the ending out",
			  path);
		return -EINVAL;
	}
	if (parse->count)
		options->format = &output_count;
	else if (parse->format)
		options->format = parse->format;
	else if (path)
		options->format = output_by_ending(path);
	if (!options->format && path && has_ending(path)) {
		log_error("-o: \"%s\" has an ending of no format: name one with --format (%s)",
			  path, output_names());
		return -EINVAL;
	}
	if (!options->format)
		options->format = &output_text;
	return 0;
}

static int settle_output(struct option_parse *parse)
{
	struct options *options = parse->options;
	int err;

	if (options->output_path && strcmp(options->output_path, "-") == 0) {
		free(options->output_path);
		options->output_path = NULL;
	}
	err = settle_format(parse);
	if (err)
		return err;
	if (parse->by_given && !options->format->aggregates) {
		log_error("--by: format %s prints single events: use --count, folded or svg",
			  options->format->name);
		return -EINVAL;
	}
	if (options->user_only && options->kernel_only)
		return refuse("--user-only: contradicts --kernel-only: leave out both to see both");
	return 0;
}

int options_settle(struct option_parse *parse, char **rest)
{
	struct options *options = parse->options;
	int err;

	if (options->mode == MODE_LIST)
		return settle_list(options, rest);
	if (options->mode == MODE_CHECK)
		return settle_check(rest);
	err = settle_sources(options);
	if (!err)
		err = settle_target(parse, rest);
	if (!err)
		err = settle_output(parse);
	return err;
}

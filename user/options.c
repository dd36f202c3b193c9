// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * argv to struct options. One table has a row for each option; getopt_long() finds the row, and the
 * row's function takes the value. What concerns several options together (targets that exclude each
 * other, the format, the defaults) is settled afterwards by options_settle().
 */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/values.h"
#include "option_rules.h"
#include "options_settle.h"
#include "aim/probe_spec.h"

/* '+': stop at COMMAND. ':': tell a missing value from an unknown option. */
#define SHORT_OPTIONS "+:e:c:F:p:t:aC:G:d:go:m:vhV"

static const struct option_rule *find_rule(int id)
{
	for (size_t i = 0; i < OPTION_RULES; i++) {
		if (option_rules[i].id == id)
			return &option_rules[i];
	}
	return NULL;
}

/* An option that getopt_long() does not know: a letter, or NULL and the whole argument. */
static int refuse_unknown(const char *argument)
{
	const char *name = argument + strlen("--");
	int length = (int)strcspn(name, "=");
	char candidates[256] = "";
	size_t used = 0, found = 0;

	for (size_t i = 0; i < OPTION_RULES; i++) {
		if (strncmp(option_rules[i].name, name, (size_t)length) ||
		    used >= sizeof(candidates))
			continue;
		used += (size_t)snprintf(candidates + used, sizeof(candidates) - used, "%s--%s",
					 found++ ? ", " : "", option_rules[i].name);
	}
	if (found > 1)
		log_error("--%.*s: could be any of %s: write it out", length, name, candidates);
	else
		log_error("--%.*s: no such option in this version (see tracer --help)", length,
			  name);
	return -EINVAL;
}

/* What '?' and ':' of getopt_long() mean, told apart by optopt and the argument last looked at. */
static int refuse_usage(int result, const char *argument)
{
	const struct option_rule *rule = find_rule(optopt);
	bool is_long = strncmp(argument, "--", 2) == 0;

	if (result == ':' && rule && is_long)
		log_error("--%s: needs a value: %s (see tracer --help)", rule->name,
			  rule->argument);
	else if (result == ':' && rule)
		log_error("-%c: needs a value: %s (see tracer --help)", optopt, rule->argument);
	else if (rule)
		log_error("--%s: takes no value (see tracer --help)", rule->name);
	else if (optopt)
		log_error("-%c: no such option in this version (see tracer --help)", optopt);
	else
		return refuse_unknown(argument);
	return -EINVAL;
}

static void fill_long_options(struct option *long_options)
{
	for (size_t i = 0; i < OPTION_RULES; i++) {
		long_options[i] = (struct option){
			.name = option_rules[i].name,
			.has_arg = option_rules[i].has_arg,
			.val = option_rules[i].id,
		};
	}
	long_options[OPTION_RULES] = (struct option){};
}

static int apply_rule(struct option_parse *parse, int id, bool is_long)
{
	const struct option_rule *rule = find_rule(id);

	if (is_long)
		snprintf(parse->spelling, sizeof(parse->spelling), "--%s", rule->name);
	else
		snprintf(parse->spelling, sizeof(parse->spelling), "-%c", id);
	return rule->set(parse, optarg);
}

/* Up to COMMAND, which optind shows then. --help and --version win as soon as they are met. */
static int parse_options(int argc, char **argv, struct option_parse *parse)
{
	struct option long_options[OPTION_RULES + 1];
	int err = 0;

	fill_long_options(long_options);
	opterr = 0;
	optind = 0; /* glibc: start afresh */
	while (!err) {
		int long_index = -1;
		int id = getopt_long(argc, argv, SHORT_OPTIONS, long_options, &long_index);

		if (id == -1)
			break;
		if (id == 'h' || id == 'V') {
			parse->options->mode = id == 'h' ? MODE_HELP : MODE_VERSION;
			return 0;
		}
		if (id == '?' || id == ':')
			err = refuse_usage(id, argv[optind - 1]);
		else
			err = apply_rule(parse, id, long_index >= 0);
	}
	return err;
}

/* argv with blanks between. */
static char *join_arguments(int argc, char **argv)
{
	size_t size = 1;
	char *title, *end;

	for (int i = 0; i < argc; i++)
		size += strlen(argv[i]) + 1;
	title = calloc(1, size);
	if (!title)
		return NULL;
	end = title;
	for (int i = 0; i < argc; i++) {
		if (i > 0)
			*end++ = ' ';
		end = stpcpy(end, argv[i]);
	}
	return title;
}

int options_parse(int argc, char **argv, struct options *options)
{
	struct option_parse parse = { .options = options };
	int err;

	option_rules_defaults(options);
	options->title = join_arguments(argc, argv);
	if (!options->title) {
		err = -ENOMEM;
		goto cleanup;
	}
	err = parse_options(argc, argv, &parse);
	parse.wants_command = optind > 1 && !strcmp(argv[optind - 1], "--");
	if (!err && options->mode != MODE_HELP && options->mode != MODE_VERSION)
		err = options_settle(&parse, argv + optind);

cleanup:
	if (err == -ENOMEM)
		log_error("out of memory for the command line");
	if (err)
		options_free(options);
	return err;
}

static void free_texts(char **texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(texts[i]);
	free(texts);
}

void options_free(struct options *options)
{
	for (size_t i = 0; i < options->probe_count; i++)
		probe_option_free(&options->probes[i]);
	free(options->probes);
	free_texts(options->events, options->event_count);
	free_texts(options->triggers, options->trigger_count);
	free_texts(options->cgroups, options->cgroup_count);
	free(options->pids);
	free(options->tids);
	cpulist_free(&options->cpus);
	free(options->output_path);
	free(options->list_binary);
	free(options->list_pattern);
	free(options->replay_path);
	free(options->title);
	*options = (struct options){};
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Values of the options that are about probes and breakpoints. */
#include "option_probes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aim/probe_spec.h"
#include "base/log.h"
#include "base/values.h"
#include "expression/expression.h"
#include "source/captures.h"

static const char *const probe_examples[] = {
	[PROBE_UPROBE] =
		"./app:handle, ./app:handle+0x10, ./app:0x1234, libc:'mem*' or ./app:/^handle_/",
	[PROBE_URETPROBE] = "./app:handle or ./app:0x1234",
	[PROBE_LATENCY] = "./app:handle, libc:'pthread_*' or ./app:/^handle_/",
	[PROBE_USDT] = "./app:app:request, libc:setjmp or ./app:'*':'query*'",
	[PROBE_BREAKPOINT] = "./app:counter:w, counter/4:rw or 0x4010/8:w",
};

static int add_probe(struct option_parse *parse, enum probe_kind kind, const char *value)
{
	struct options *options = parse->options;
	struct probe_option *grown;
	const char *why;
	int err;

	grown = reallocarray(options->probes, options->probe_count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	options->probes = grown;
	err = probe_spec_parse(kind, value, &grown[options->probe_count], &why);
	if (err == -EINVAL)
		log_error("%s: \"%s\": %s (say %s)", parse->spelling, value, why,
			  probe_examples[kind]);
	if (!err)
		options->probe_count++;
	parse->source_is_probe = true;
	return err;
}

int option_add_uprobe(struct option_parse *parse, const char *value)
{
	return add_probe(parse, PROBE_UPROBE, value);
}

int option_add_uretprobe(struct option_parse *parse, const char *value)
{
	return add_probe(parse, PROBE_URETPROBE, value);
}

int option_add_latency(struct option_parse *parse, const char *value)
{
	return add_probe(parse, PROBE_LATENCY, value);
}

int option_add_usdt(struct option_parse *parse, const char *value)
{
	return add_probe(parse, PROBE_USDT, value);
}

int option_add_breakpoint(struct option_parse *parse, const char *value)
{
	return add_probe(parse, PROBE_BREAKPOINT, value);
}

/* What the option that has been written last is about; NULL, with a message: it is no probe. */
static struct probe_option *probe_before(struct option_parse *parse, const char *name,
					 const char *argument)
{
	struct options *options = parse->options;

	if (parse->source_is_probe)
		return &options->probes[options->probe_count - 1];
	log_error("%s: stands behind the probe that it is about (--uprobe BIN:FUNC %s %s)", name,
		  name, argument);
	return NULL;
}

/* Only how it is written is looked at here. */
int option_set_if(struct option_parse *parse, const char *value)
{
	struct expression_error error = {};
	struct expression *expression = NULL;
	struct probe_option *probe = probe_before(parse, "--if", "EXPR");
	int err;

	if (!probe)
		return -EINVAL;
	if (probe->condition) {
		log_error("--if: %s has one already: join the two with &&", probe->text);
		return -EINVAL;
	}
	err = expression_parse(value, &expression, &error);
	if (err == -EINVAL)
		expression_error_print(stderr, "--if", value, &error);
	expression_error_free(&error);
	expression_free(expression);
	if (err)
		return err;
	probe->condition = strdup(value);
	return probe->condition ? 0 : -ENOMEM;
}

static int check_args(const struct probe_option *probe)
{
	if (probe->kind == PROBE_BREAKPOINT)
		log_error(
			"--args: %s is a breakpoint, which records its variable's values; --args is about functions",
			probe->text);
	else if (probe->arguments || probe->takes_no_arguments)
		log_error("--args: %s has a list already: say it in one, with commas", probe->text);
	else
		return 0;
	return -EINVAL;
}

int option_set_args(struct option_parse *parse, const char *value)
{
	struct probe_option *probe = probe_before(parse, "--args", "LIST");
	struct expression_error error = {};
	struct expression_list list = {};
	int err;

	if (!probe || check_args(probe))
		return -EINVAL;
	if (!strcmp(value, "none")) {
		probe->takes_no_arguments = true;
		return 0;
	}
	err = expression_parse_list(value, &list, &error);
	if (err == -EINVAL)
		expression_error_print(stderr, "--args", value, &error);
	expression_error_free(&error);
	expression_list_free(&list);
	if (err)
		return err;
	probe->arguments = strdup(value);
	return probe->arguments ? 0 : -ENOMEM;
}

int option_set_max_string(struct option_parse *parse, const char *value)
{
	uint64_t number;

	_Static_assert(CAPTURES_STRING_MOST == 255, "the message and --help name it");
	if (number_parse(value, &number) || number < 1 || number > CAPTURES_STRING_MOST) {
		log_error("--max-string: \"%s\": not a number of characters from 1 to 255", value);
		return -EINVAL;
	}
	parse->options->max_string = (uint32_t)number;
	return 0;
}

int option_set_exact_address(struct option_parse *parse, const char *value)
{
	(void)value;
	parse->options->exact_address = true;
	return 0;
}

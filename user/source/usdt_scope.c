// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "usdt_scope.h"

#include <errno.h>
#include <stdio.h>

#include "../object/usdt_args.h"
#include "program_scope.h"
#include "usdt_programs.h"

static int refuse(struct program_scope *program, const char **why)
{
	*why = program->why;
	return -ENODATA;
}

static int refuse_number(struct program_scope *program, const char **why)
{
	if (program->argument_count)
		snprintf(program->why, sizeof(program->why),
			 "is not there: this probe has %zu argument%s", program->argument_count,
			 program->argument_count == 1 ? "" : "s");
	else
		snprintf(program->why, sizeof(program->why),
			 "is not there: this probe has no arguments");
	return refuse(program, why);
}

static int find_argument(void *context, unsigned number, struct expression_argument *argument,
			 const char **why)
{
	struct program_scope *program = context;
	const struct usdt_program *made;

	if (!number || number > program->argument_count)
		return refuse_number(program, why);
	made = &program->arguments[number - 1];
	if (made->unreadable || made->is_float) {
		snprintf(program->why, sizeof(program->why), "%s",
			 made->unreadable ? made->unreadable : "is a floating point number");
		return refuse(program, why);
	}
	*argument = (struct expression_argument){
		.insns = made->program.insns,
		.count = made->program.length - 1, /* without its end */
		.size = made->size,
		.is_signed = made->is_signed,
	};
	return 0;
}

int usdt_scope_add(struct program_scope *program, const struct usdt_arguments *arguments)
{
	int err = usdt_arguments_programs(arguments, &program->arguments);

	program->argument_count = err ? 0 : arguments->count;
	program->scope.context = program;
	program->scope.argument = find_argument;
	return err;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Values are expressions: each becomes a program for its number or address, and says how much is read there. */
#include "captures.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../aim/probe_spec.h"
#include "../base/log.h"
#include "../debug/type.h"
#include "argument_register.h"
#include "capture_add.h"
#include "capture_pieces.h"
#include "plans.h"
#include "program_scope.h"
#include "usdt_programs.h"

/* ---- what an expression's value is recorded as --------------------------------------------------- */

/* Of what has no type: whether it is a register or was computed. */
static struct value_type *plain_type(const struct expression_value *value)
{
	enum value_kind kind = value->is_raw	 ? VALUE_RAW :
			       value->is_boolean ? VALUE_BOOL :
						   VALUE_INTEGER;

	return value_type_number(kind, value->size, value->is_signed);
}

static bool points_to_characters(struct debug_type *type)
{
	enum debug_kind kind = debug_type_kind(type);
	struct debug_type *target;

	if (kind != DEBUG_KIND_POINTER)
		return false;
	target = debug_type_target(type);
	return target && debug_type_kind(target) == DEBUG_KIND_CHAR && debug_type_size(target) == 1;
}

static bool has_characters(struct debug_type *type)
{
	struct debug_type *element = debug_type_target(type);

	return debug_type_kind(type) == DEBUG_KIND_ARRAY && element &&
	       debug_type_kind(element) == DEBUG_KIND_CHAR && debug_type_size(element) == 1;
}

/* An array that ends a struct: as long as was thought when it was made. Of characters, it is read as a string. */
static bool is_flexible(struct debug_type *type)
{
	return debug_type_kind(type) == DEBUG_KIND_ARRAY && !debug_type_size(type);
}

/* Characters of an array as of other strings; else all that there is room for. */
static uint32_t bytes_of(struct debug_type *type, const struct capture_limits *limits)
{
	uint64_t size = debug_type_size(type);

	if (has_characters(type) && size > limits->string)
		size = limits->string;
	return size < CAPTURE_MOST ? (uint32_t)size : CAPTURE_MOST;
}

static int add_missing(struct probe_plan *plan, const char *name, const char *why)
{
	struct value_item *item = value_list_add(&plan->values, name);

	if (!item)
		return -ENOMEM;
	item->form = VALUE_NOWHERE;
	/* "is optimized out" is said of a name; here it stands for the value */
	if (!strncmp(why, "is ", 3))
		why += 3;
	item->why = strdup(why);
	return item->why ? 0 : -ENOMEM;
}

static int add_value(struct plans *plans, struct probe_plan *plan, const char *name,
		     const struct machine_program *program, const struct expression_value *value,
		     const struct capture_limits *limits)
{
	struct debug_type *type = (struct debug_type *)(uintptr_t)value->type;
	struct capture_want want = { .part_count = 1 };
	struct capture_part *part = &want.parts[0];

	part->program = *program;
	if (value->is_address && is_flexible(type) && !has_characters(type))
		return add_missing(plan, name, "of unknown length");
	if (value->is_address && !is_flexible(type)) {
		want.form = VALUE_IN_BYTES;
		part->kind = CAPTURE_BYTES_AT;
		part->size = bytes_of(type, limits);
	} else if (value->is_address || value->is_string || (type && points_to_characters(type))) {
		want.form = VALUE_IN_STRING;
		want.most = limits->string;
		part->kind = CAPTURE_STRING;
		part->size = limits->string + 2; /* one more tells whether it goes on */
	} else {
		want.form = VALUE_IN_NUMBER;
		part->kind = CAPTURE_NUMBER;
	}
	if (want.form != VALUE_IN_STRING) {
		want.type = type ? value_type_from_debug(type) : plain_type(value);
		if (!want.type)
			return -ENOMEM;
	}
	return capture_add(plans, plan, name, &want);
}

/* ---- all of a function -------------------------------------------------------------------------------- */

/* As if it had been written: by its name, which need not be one that a person could write. */
static int add_place(struct plans *plans, struct program_scope *program, struct probe_plan *plan,
		     const char *name, const struct expression_place *place,
		     const struct capture_limits *limits)
{
	struct expression_value value;
	struct expression_error error = {};
	struct machine_program code;
	int err = expression_compile_place(place, &program->scope, &code, &value, &error);

	if (!err)
		err = add_value(plans, plan, name, &code, &value, limits);
	else if (err == -EINVAL)
		err = add_missing(plan, name, error.message ? error.message : "of no use");
	expression_error_free(&error);
	return err;
}

static int add_parameter(struct plans *plans, struct program_scope *program, size_t index,
			 const struct capture_limits *limits, struct probe_plan *plan)
{
	const struct debug_parameter *parameter = &program->signature.parameters[index];
	struct expression_place place = {};
	struct capture_want want;
	const char *why = "not known";
	char number[24];
	const char *name = parameter->name;
	int err;

	snprintf(number, sizeof(number), "arg%zu", index + 1);
	if (!name || !*name)
		name = number;
	if (!parameter->type)
		return add_missing(plan, name, "of unknown type");
	err = capture_pieces(program, index, limits->string, &want);
	if (!err)
		return capture_add(plans, plan, name, &want);
	if (err != -ENOENT)
		return err;
	err = program_scope_parameter(program, index, &place, &why);
	if (!err)
		return add_place(plans, program, plan, name, &place, limits);
	return err == -ENODATA ? add_missing(plan, name, why) : err;
}

/* Go tells results so; and GCC what a destructor might have been handed, of which its code has nothing. */
static bool is_not_passed(const struct debug_parameter *parameter, size_t index)
{
	return parameter->is_result || (parameter->is_artificial && index &&
					parameter->location.place == DEBUG_PLACE_UNKNOWN);
}

static int add_parameters(struct plans *plans, struct program_scope *program,
			  const struct capture_limits *limits, struct probe_plan *plan)
{
	const struct debug_signature *signature = &program->signature;
	int err = 0;

	/* C's f() without a prototype may have any; others have no other way to say that there is none */
	plan->has_values = signature->count || signature->is_prototyped ||
			   (signature->knows_types && !signature->is_c);
	for (size_t i = 0; !err && i < signature->count; i++)
		if (!is_not_passed(&signature->parameters[i], i))
			err = add_parameter(plans, program, i, limits, plan);
	if (err == -E2BIG) /* of those that have room */
		err = add_missing(plan, "...", "more than one event has room for");
	return err;
}

/* What is not told looks like void. */
static bool returns_are_known(const struct debug_signature *signature)
{
	for (size_t i = 0; i < signature->count; i++)
		if (signature->parameters[i].is_result)
			return false;
	return signature->returns && signature->knows_types;
}

static int add_result(struct plans *plans, struct program_scope *program,
		      const struct capture_limits *limits, struct probe_plan *plan)
{
	struct expression_place place = { .location = EXPRESSION_IN_REGISTER,
					  .number = RESULT_REGISTER,
					  .type = program->scope.return_type };
	struct capture_want want;
	int err;

	plan->has_values = returns_are_known(&program->signature);
	if (!place.type)
		return 0;
	err = capture_result(program, &want);
	if (!err)
		return capture_add(plans, plan, "ret", &want);
	if (err == -ENODATA)
		return add_missing(plan, "ret", "not in general registers");
	return err == -ENOENT ? add_place(plans, program, plan, "ret", &place, limits) : err;
}

/* ---- --args ---------------------------------------------------------------------------------------- */

/* As it is written; in parentheses where members would seem to belong to a part of it. */
static char *name_of(const struct expression *expression, const char *text, bool has_members)
{
	static const char joined[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789_.>-[]:@$";
	size_t from, to;
	char *name = NULL;

	expression_span(expression, &from, &to);
	if (!has_members || strspn(text + from, joined) >= to - from)
		return strndup(text + from, to - from);
	return asprintf(&name, "(%.*s)", (int)(to - from), text + from) < 0 ? NULL : name;
}

/* All that is returned, which may be in more registers than the one that expressions know. */
static bool is_result(const struct expression *expression, const char *text,
		      const struct program_scope *program)
{
	size_t from, to;

	if (program->scope.source == EXPRESSION_UPROBE || !program->function ||
	    !returns_are_known(&program->signature))
		return false;
	expression_span(expression, &from, &to);
	from += text[from] == '$';
	return to - from == 3 && !strncmp(text + from, "ret", 3);
}

static int add_expression(struct plans *plans, struct probe_plan *plan,
			  struct expression *expression, const char *text,
			  struct program_scope *program, const struct capture_limits *limits,
			  struct expression_error *error)
{
	struct expression_value value;
	struct machine_program code;
	char *name;
	int err;

	if (is_result(expression, text, program) && !program->scope.return_type)
		return add_missing(plan, "ret", "void");
	if (is_result(expression, text, program))
		return add_result(plans, program, limits, plan);
	err = expression_compile_value(expression, &program->scope, &code, &value, error);
	if (err)
		return err;
	name = name_of(expression, text, value.is_address);
	if (!name)
		return -ENOMEM;
	err = add_value(plans, plan, name, &code, &value, limits);
	free(name);
	return err;
}

/* Written as one before: it has the same name, and says nothing new. */
static bool is_repeated(const struct expression_list *list, size_t index, const char *text)
{
	size_t from, to, other, end;

	expression_span(list->items[index], &from, &to);
	for (size_t i = 0; i < index; i++) {
		expression_span(list->items[i], &other, &end);
		if (end - other == to - from && !strncmp(text + other, text + from, to - from))
			return true;
	}
	return false;
}

int captures_listed(struct plans *plans, const struct probe_option *option,
		    struct program_scope *program, const struct capture_limits *limits,
		    struct probe_plan *plan)
{
	struct expression_error error = {};
	struct expression_list list = {};
	int err = expression_parse_list(option->arguments, &list, &error);

	for (size_t i = 0; !err && i < list.count; i++)
		if (!is_repeated(&list, i, option->arguments))
			err = add_expression(plans, plan, list.items[i], option->arguments, program,
					     limits, &error);
	if (err == -EINVAL)
		expression_error_print(stderr, "--args", option->arguments, &error);
	if (err == -E2BIG)
		log_error("%s: --args: more than one event has room for: %d values, or %d bytes in all; "
			  "name fewer, or lower --max-string",
			  option->text, PLAN_CAPTURES, CAPTURE_BYTES);
	plan->was_asked_for = true;
	plan->has_values = true;
	expression_error_free(&error);
	expression_list_free(&list);
	return err;
}

/* An address is as wide as a register, and no number with a sign. */
static enum value_kind usdt_kind(const struct usdt_program *argument)
{
	if (argument->is_float)
		return VALUE_FLOAT;
	return argument->size == sizeof(uint64_t) && !argument->is_signed ? VALUE_RAW :
									    VALUE_INTEGER;
}

int captures_of_usdt(struct plans *plans, const struct program_scope *program,
		     struct probe_plan *plan)
{
	int err = 0;

	plan->has_values = true;
	for (size_t i = 0; !err && i < program->argument_count; i++) {
		const struct usdt_program *argument = &program->arguments[i];
		struct capture_want want = { .form = VALUE_IN_NUMBER, .part_count = 1 };

		if (argument->unreadable) {
			err = add_missing(plan, argument->name, argument->unreadable);
			continue;
		}
		want.parts[0].program = argument->program;
		want.type =
			value_type_number(usdt_kind(argument), argument->size, argument->is_signed);
		if (!want.type)
			return -ENOMEM;
		err = capture_add(plans, plan, argument->name, &want);
	}
	return err;
}

int captures_of_function(struct plans *plans, struct program_scope *program,
			 const struct capture_limits *limits, struct probe_plan *plan)
{
	if (program->scope.source == EXPRESSION_UPROBE)
		return add_parameters(plans, program, limits, plan);
	return add_result(plans, program, limits, plan);
}

/* rax, rbx, rcx, rdi, rsi, r8 to r11; x0 to x8 (Go's ABIInternal). */
int captures_of_go(struct plans *plans, struct probe_plan *plan)
{
#if defined(__x86_64__)
	static const uint32_t registers[] = { 0, 3, 2, 5, 4, 8, 9, 10, 11 };
#elif defined(__aarch64__)
	static const uint32_t registers[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 };
#endif
	int err = 0;

	plan->has_values = true;
	for (size_t i = 0; !err && i < sizeof(registers) / sizeof(registers[0]); i++) {
		struct capture_want want = { .form = VALUE_IN_NUMBER, .part_count = 1 };
		char name[24];

		snprintf(name, sizeof(name), "arg%zu", i + 1);
		want.type = value_type_number(VALUE_RAW, sizeof(uint64_t), false);
		if (!want.type)
			return -ENOMEM;
		capture_program_register(&want.parts[0].program, registers[i], 0);
		err = capture_add(plans, plan, name, &want);
	}
	return err;
}

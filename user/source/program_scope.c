// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Between what DWARF says (debug/) and what expressions ask (expression/), which know nothing of each other. */
#include "program_scope.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../bpf/tracer.h"
#include "../aim/variable_path.h"
#include "../debug/type.h"
#include "../debug/variables.h"
#include "argument_register.h"

/* ---- types ---- */

static enum expression_kind kind_of(enum debug_kind kind)
{
	switch (kind) {
	case DEBUG_KIND_SIGNED:
	case DEBUG_KIND_UNSIGNED:
	case DEBUG_KIND_CHAR:
		return EXPRESSION_INTEGER;
	case DEBUG_KIND_BOOL:
		return EXPRESSION_BOOLEAN;
	case DEBUG_KIND_ENUM:
		return EXPRESSION_ENUM;
	case DEBUG_KIND_POINTER:
	case DEBUG_KIND_REFERENCE:
		return EXPRESSION_POINTER;
	case DEBUG_KIND_STRUCT:
	case DEBUG_KIND_UNION:
		return EXPRESSION_STRUCT;
	case DEBUG_KIND_ARRAY:
		return EXPRESSION_ARRAY;
	case DEBUG_KIND_FLOAT:
		return EXPRESSION_FLOAT;
	default:
		return EXPRESSION_UNKNOWN;
	}
}

/* Types are handed through expressions as const void *, and come back here. */
static struct debug_type *type_of(const void *type)
{
	return (struct debug_type *)(uintptr_t)type;
}

static int describe_type(void *context, const void *pointer, struct expression_type *described)
{
	struct debug_type *type = type_of(pointer), *target = debug_type_target(type);

	(void)context;
	*described = (struct expression_type){
		.kind = kind_of(debug_type_kind(type)),
		.size = debug_type_size(type),
		.is_signed = debug_type_is_signed(type),
		.is_char = debug_type_kind(type) == DEBUG_KIND_CHAR,
		.count = debug_type_count(type),
		.target = target && debug_type_kind(target) != DEBUG_KIND_VOID ? target : NULL,
	};
	if (described->kind == EXPRESSION_STRUCT && debug_type_is_incomplete(type))
		described->kind = EXPRESSION_UNKNOWN;
	return 0;
}

static void name_type(void *context, const void *type, char *name, size_t size)
{
	const char *known = debug_type_name(type_of(type));

	(void)context;
	snprintf(name, size, "%s", known ? known : "?");
}

static int find_member(void *context, const void *type, const char *name,
		       struct expression_member *member)
{
	struct debug_member found;
	int err = debug_type_member_named(type_of(type), name, &found);

	(void)context;
	if (err)
		return err;
	if (!found.has_offset)
		return -ENOENT;
	*member = (struct expression_member){
		.type = found.type,
		.offset = found.offset,
		.bit_offset = found.bit_offset,
		.bit_size = found.is_bit_field ? found.bit_size : 0,
	};
	return 0;
}

static int find_enumerator(void *context, const void *type, const char *name, int64_t *value)
{
	(void)context;
	return debug_type_enumerator_named(type_of(type), name, value);
}

static void each_member(void *context, const void *type, expression_name_fn callback, void *names)
{
	size_t count = debug_type_member_count(type_of(type));
	struct debug_member member;

	(void)context;
	for (size_t i = 0; i < count; i++)
		if (!debug_type_member(type_of(type), i, &member) && member.name)
			callback(names, member.name);
}

static void each_enumerator(void *context, const void *type, expression_name_fn callback,
			    void *names)
{
	const char *name;
	int64_t value;

	(void)context;
	for (size_t i = 0; !debug_type_enumerator(type_of(type), i, &name, &value); i++)
		callback(names, name);
}

/* ---- places ---- */

static int no_place(struct program_scope *program, const char **why, const char *reason)
{
	snprintf(program->why, sizeof(program->why), "%s", reason);
	*why = program->why;
	return -ENODATA;
}

static const char *reason_of(const struct debug_location *location)
{
	switch (location->reason) {
	case DEBUG_REASON_OPTIMIZED_OUT:
		return "is optimized out";
	case DEBUG_REASON_NOT_HERE:
		return "is optimized out at this place";
	case DEBUG_REASON_DAMAGED:
		return "has a damaged description";
	default:
		return "is in several places, or to be computed";
	}
}

static int in_register(struct program_scope *program, unsigned number, int64_t offset,
		       enum expression_location location, struct expression_place *place,
		       const char **why)
{
	if (number >= GENERAL_REGISTERS)
		return no_place(program, why, "is in a vector register");
	place->location = location;
	place->number = number;
	place->offset = offset;
	return 0;
}

/* Where DWARF says that it is, if that holds at this place. */
static int place_of(struct program_scope *program, const struct debug_location *location,
		    struct expression_place *place, const char **why)
{
	place->offset = location->offset;
	switch (location->place) {
	case DEBUG_PLACE_REGISTER:
		return in_register(program, location->reg, 0, EXPRESSION_IN_REGISTER, place, why);
	case DEBUG_PLACE_VALUE_ENTRY:
		if (!program->at_entry || location->offset)
			break;
		return in_register(program, location->reg, 0, EXPRESSION_IN_REGISTER, place, why);
	case DEBUG_PLACE_MEMORY_REGISTER:
		return in_register(program, location->reg, location->offset, EXPRESSION_AT_REGISTER,
				   place, why);
	case DEBUG_PLACE_MEMORY_CFA:
		if (!program->at_entry)
			return no_place(program, why,
					"is in the frame, which is known at a function's entry only");
		place->location = EXPRESSION_AT_CFA;
		return 0;
	case DEBUG_PLACE_MEMORY:
		/* the distance is the same wherever the file is mapped */
		place->location = EXPRESSION_AT_IP;
		place->offset = location->offset - (int64_t)program->vaddr;
		return 0;
	case DEBUG_PLACE_TLS:
		return no_place(program, why, "is thread-local");
	case DEBUG_PLACE_CONSTANT:
		if (location->bytes)
			break;
		place->location = EXPRESSION_IS_CONSTANT;
		return 0;
	default:
		break;
	}
	return no_place(program, why, reason_of(location));
}

/* Said of the whole function, a place in its own frame is not filled before the prologue is done. */
static bool is_filled_later(const struct debug_location *location)
{
	return !location->is_of_address &&
	       ((location->place == DEBUG_PLACE_MEMORY_CFA && location->offset < 0) ||
		location->place == DEBUG_PLACE_MEMORY_REGISTER);
}

/* Compilers forget arguments that they do not use as a whole; a caller that it does not know hands them over. */
bool program_scope_by_convention(const struct program_scope *program,
				 const struct debug_location *location)
{
	if (!program->at_entry || program->function->is_inlined)
		return false;
	return is_filled_later(location) ||
	       (program->signature.is_external && location->place == DEBUG_PLACE_UNKNOWN);
}

static int place_by_convention(struct program_scope *program, size_t index,
			       struct expression_place *place, const char **why)
{
	const struct debug_signature *signature = &program->signature;
	struct debug_type *type = signature->parameters[index].type;
	int registers[VALUE_REGISTERS], address = argument_address_register(signature, index);

	if (address >= 0)
		return in_register(program, (unsigned)address, 0, EXPRESSION_AT_REGISTER, place,
				   why);
	if (argument_on_stack(signature, index, &place->offset)) {
		place->location = EXPRESSION_AT_CFA;
		return 0;
	}
	if (type && debug_type_kind(type) == DEBUG_KIND_FLOAT && debug_type_size(type) <= 8)
		return no_place(program, why, "is in a vector register");
	if (argument_registers(signature, index, registers) == 1)
		return in_register(program, (unsigned)registers[0], 0, EXPRESSION_IN_REGISTER,
				   place, why);
	return no_place(program, why,
			"has no place yet at the entry, and is not in one general register");
}

int program_scope_parameter(struct program_scope *program, size_t index,
			    struct expression_place *place, const char **why)
{
	const struct debug_parameter *parameter = &program->signature.parameters[index];

	place->type = parameter->type;
	if (program_scope_by_convention(program, &parameter->location))
		return place_by_convention(program, index, place, why);
	return place_of(program, &parameter->location, place, why);
}

static int find_parameter(struct program_scope *program, const char *name,
			  struct expression_place *place, const char **why)
{
	const struct debug_signature *signature = &program->signature;
	size_t i = 0;

	while (i < signature->count &&
	       (!signature->parameters[i].name || strcmp(signature->parameters[i].name, name)))
		i++;
	if (i == signature->count)
		return -ENOENT;
	if (program->scope.source != EXPRESSION_UPROBE && program->scope.source != EXPRESSION_USDT)
		return no_place(program, why, "is not there any more when the function returns");
	return program_scope_parameter(program, i, place, why);
}

static int find_variable(struct program_scope *program, const char *name,
			 struct expression_place *place, const char **why)
{
	struct debug_variables variables;
	int err = debug_variables_named(program->info, name, &variables);

	if (err)
		return err;
	if (variables.count > 1) {
		err = no_place(program, why, "is the name of several variables");
	} else {
		place->type = variables.list[0].type;
		err = place_of(program, &variables.list[0].location, place, why);
	}
	debug_variables_free(&variables);
	return err;
}

static int find_name(void *context, const char *name, struct expression_place *place,
		     const char **why)
{
	struct program_scope *program = context;
	int err = find_parameter(program, name, place, why);

	return err == -ENOENT ? find_variable(program, name, place, why) : err;
}

static void each_name(void *context, expression_name_fn callback, void *names)
{
	const struct program_scope *program = context;

	for (size_t i = 0; i < program->signature.count; i++)
		if (program->signature.parameters[i].name)
			callback(names, program->signature.parameters[i].name);
}

/* ---- opening ---- */

static void set_callbacks(struct program_scope *program)
{
	struct expression_scope *scope = &program->scope;

	scope->context = program;
	scope->find = find_name;
	scope->type = describe_type;
	scope->type_name = name_type;
	scope->member = find_member;
	scope->enumerator = find_enumerator;
	scope->each_name = each_name;
	scope->each_member = each_member;
	scope->each_enumerator = each_enumerator;
}

static void set_return_type(struct program_scope *program)
{
	struct debug_type *returns = program->signature.returns;

	if (returns && debug_type_kind(returns) != DEBUG_KIND_VOID)
		program->scope.return_type = returns;
}

/* Which of the functions at the place is meant: the first is the innermost, the last has the code. */
static const struct debug_function *function_meant(const struct debug_functions *functions,
						   const struct program_place *place)
{
	for (size_t i = 0; place->copy && i < functions->count; i++)
		if (functions->list[i].die == place->copy)
			return &functions->list[i];
	if (place->copy)
		return NULL; /* its code begins elsewhere than it says */
	return place->of_function ? &functions->list[functions->count - 1] : functions->list;
}

int program_scope_open(struct program_scope *program, struct debug_info *info,
		       enum expression_source source, const struct program_place *place)
{
	int err;

	*program = (struct program_scope){ .scope = { .source = source },
					   .info = info,
					   .vaddr = place->vaddr,
					   .at_entry = place->at_entry };
	if (!info)
		return 0;
	set_callbacks(program);
	err = debug_functions_at(info, place->vaddr, &program->functions);
	if (!err) {
		program->function = function_meant(&program->functions, place);
		err = !program->function ? -ENOENT :
					   debug_signature_read(info, program->function,
								place->vaddr, &program->signature);
	}
	if (err)
		program->function = NULL;
	else
		set_return_type(program);
	/* a function that DWARF does not know: its file has variables all the same */
	return err == -ENOMEM ? err : 0;
}

int program_scope_watch(struct program_scope *program, struct debug_info *info, const char *name,
			uint32_t length)
{
	struct variable_part part;
	char why[128] = "";
	int err;

	*program = (struct program_scope){
		.scope = { .source = EXPRESSION_BREAKPOINT, .watched_size = length }, .info = info
	};
	if (!info || !name)
		return 0;
	err = variable_path_find(info, name, &part, why);
	if (err)
		return err == -ENOMEM ? err : 0;
	if (part.size == length) {
		set_callbacks(program);
		program->scope.find = NULL;
		program->scope.each_name = NULL;
		program->scope.watched_type = part.type;
	}
	return 0;
}

void program_scope_close(struct program_scope *program)
{
	free(program->arguments);
	debug_signature_free(&program->signature);
	debug_functions_free(&program->functions);
}

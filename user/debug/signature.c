// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An inlined or cloned function has its parameters twice: as it was written, all of them; and in its
 * code, those that are left. Both are read, and joined.
 */
#include "signature.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "die.h"
#include "functions.h"
#include "grow.h"
#include "locate.h"
#include "state.h"
#include "type_state.h"

#define MAX_PARAMETERS 4096

struct reading {
	struct debug_info *info;
	struct debug_signature *signature;
	Dwarf_Die host; /* has the frame */
	uint64_t pc;
	const void **dies; /* of the parameters, as written */
	size_t room, dies_room;
};

void debug_signature_free(struct debug_signature *signature)
{
	for (size_t i = 0; i < signature->count; i++)
		debug_location_free(&signature->parameters[i].location);
	free(signature->parameters);
	*signature = (struct debug_signature){ 0 };
}

static int add_parameter(struct reading *reading, Dwarf_Die *die)
{
	struct debug_signature *signature = reading->signature;
	struct debug_parameter *parameters =
		grown(signature->parameters, signature->count, &reading->room, sizeof(*parameters));
	const void **dies;

	if (!parameters)
		return -ENOMEM;
	signature->parameters = parameters;
	dies = grown(reading->dies, signature->count, &reading->dies_room, sizeof(*dies));
	if (!dies)
		return -ENOMEM;
	reading->dies = dies;
	dies[signature->count] = die->addr;
	parameters[signature->count++] = (struct debug_parameter){
		.name = dwarf_diename(die),
		.type = type_of(reading->info, die),
		.is_artificial = die_flag(die, DW_AT_artificial),
		.is_result = die_flag(die, DW_AT_variable_parameter),
		.location = { .reason = DEBUG_REASON_OPTIMIZED_OUT },
	};
	return 0;
}

/* The parameter that is written so, or its number if there is none yet. */
static size_t find_parameter(const struct reading *reading, Dwarf_Die *die)
{
	Dwarf_Die origin;
	size_t i = reading->signature->count;

	if (!die_reference(die, DW_AT_abstract_origin, &origin))
		return i;
	for (i = 0; i < reading->signature->count; i++) {
		if (reading->dies[i] == origin.addr)
			break;
	}
	return i;
}

static int read_parameter(struct reading *reading, Dwarf_Die *die, bool located)
{
	size_t at = find_parameter(reading, die);
	struct debug_location *location;
	int err = at < reading->signature->count ? 0 : add_parameter(reading, die);

	if (err || !located)
		return err;
	location = &reading->signature->parameters[at].location;
	debug_location_free(location);
	return locate(die, &reading->host, reading->pc, location);
}

/* located: of code, and not as written only. */
static int read_parameters(struct reading *reading, Dwarf_Die *function, bool located)
{
	struct die_walk walk = { NULL };
	Dwarf_Die die;
	int err = 0;

	if (dwarf_child(function, &die))
		return 0;
	do {
		if (!die_walk_on(&walk, &die) || reading->signature->count >= MAX_PARAMETERS)
			break;
		if (dwarf_tag(&die) == DW_TAG_formal_parameter)
			err = read_parameter(reading, &die, located);
		else if (dwarf_tag(&die) == DW_TAG_GNU_formal_parameter_pack)
			err = read_parameters(reading, &die, located);
		else if (dwarf_tag(&die) == DW_TAG_unspecified_parameters)
			reading->signature->has_varargs = true;
	} while (!err && !dwarf_siblingof(&die, &die));
	return err;
}

static int read_all(struct reading *reading, Dwarf_Die *function)
{
	Dwarf_Die origin = *function;
	Dwarf_Die root = die_root(function);
	bool has_origin = die_reference(function, DW_AT_abstract_origin, &origin);
	int err = has_origin ? read_parameters(reading, &origin, false) : 0;

	if (!err)
		err = read_parameters(reading, function, true);
	/* Only declared with them, as a method may be. */
	if (!err && !reading->signature->count && root.addr != origin.addr)
		err = read_parameters(reading, &root, false);
	return err;
}

static bool is_c(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case 0x2c: /* DW_LANG_C17 */
		return true;
	default:
		return false;
	}
}

/* Any that a unit has, it has at its top. */
static bool has_types(Dwarf_Die *unit)
{
	struct die_walk walk = { NULL };
	Dwarf_Die die;

	if (dwarf_child(unit, &die))
		return false;
	do {
		if (!die_walk_on(&walk, &die))
			return false;
		if (dwarf_tag(&die) != DW_TAG_subprogram && dwarf_tag(&die) != DW_TAG_variable)
			return true;
	} while (!dwarf_siblingof(&die, &die));
	return false;
}

static void read_unit(Dwarf_Die *function, struct debug_signature *signature)
{
	Dwarf_Die unit;

	if (!dwarf_diecu(function, &unit, NULL, NULL))
		return;
	signature->is_c = is_c(&unit);
	signature->knows_types = signature->count || signature->is_prototyped || has_types(&unit);
}

static void read_rest(struct debug_info *info, Dwarf_Die *function,
		      struct debug_signature *signature)
{
	uint64_t convention;

	signature->returns = type_of(info, function);
	signature->is_external = die_flag(function, DW_AT_external);
	signature->is_prototyped = die_flag(function, DW_AT_prototyped);
	if (die_number(function, DW_AT_calling_convention, &convention) && convention <= UINT8_MAX)
		signature->calling_convention = (unsigned int)convention;
	read_unit(function, signature);
}

static bool die_at(struct debug_info *info, const void *place, Dwarf_Die *die)
{
	return place && (dwarf_die_addr_die(info->dwarf, (void *)place, die) ||
			 (dwarf_getalt(info->dwarf) &&
			  dwarf_die_addr_die(dwarf_getalt(info->dwarf), (void *)place, die)));
}

int debug_signature_read(struct debug_info *info, const struct debug_function *function,
			 uint64_t pc, struct debug_signature *signature)
{
	struct reading reading = { .info = info, .signature = signature, .pc = pc };
	const void *host = function->is_inlined ? function->host_die : function->die;
	Dwarf_Die die;
	int err;

	*signature = (struct debug_signature){ 0 };
	if (!die_at(info, function->die, &die) || !die_at(info, host, &reading.host))
		return -ENOENT;
	err = read_all(&reading, &die);
	free(reading.dies);
	if (err) {
		debug_signature_free(signature);
		return err;
	}
	read_rest(info, &die, signature);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "capture_pieces.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "../debug/type.h"
#include "argument_register.h"
#include "program_scope.h"

static bool is_struct(struct debug_type *type)
{
	enum debug_kind kind = debug_type_kind(type);

	return kind == DEBUG_KIND_STRUCT || kind == DEBUG_KIND_UNION;
}

/* Go's string and Rust's &str: an address and how many bytes there are, in this order. */
static bool is_text(struct debug_type *type)
{
	struct debug_member address, length;

	if (debug_type_kind(type) != DEBUG_KIND_STRUCT || debug_type_size(type) != 16)
		return false;
	if (debug_type_member_named(type, "str", &address) ||
	    debug_type_member_named(type, "len", &length)) {
		if (debug_type_member_named(type, "data_ptr", &address) ||
		    debug_type_member_named(type, "length", &length))
			return false;
	}
	return address.has_offset && length.has_offset && address.offset == 0 &&
	       length.offset == 8 && address.type &&
	       debug_type_kind(address.type) == DEBUG_KIND_POINTER;
}

static void add_register(struct capture_want *want, uint32_t number, uint64_t size)
{
	struct capture_part *part = &want->parts[want->part_count++];

	capture_program_register(&part->program, number, 0);
	part->kind = CAPTURE_NUMBER;
	part->size = size < 8 ? (uint32_t)size : 8;
}

/* One of the pieces that DWARF tells. False: it is where it cannot be read. */
static bool add_piece(const struct program_scope *program, const struct debug_location *piece,
		      struct capture_want *want)
{
	struct capture_part *part = &want->parts[want->part_count];

	if (piece->place == DEBUG_PLACE_REGISTER && piece->reg < GENERAL_REGISTERS &&
	    piece->size <= 8) {
		add_register(want, piece->reg, piece->size);
		return true;
	}
	if (piece->size > CAPTURE_MOST)
		return false;
	if (piece->place == DEBUG_PLACE_MEMORY_REGISTER && piece->reg < GENERAL_REGISTERS)
		capture_program_register(&part->program, piece->reg, piece->offset);
	else if (piece->place == DEBUG_PLACE_MEMORY_CFA && program->at_entry && piece->offset >= 0)
		capture_program_frame(&part->program, piece->offset);
	else
		return false;
	part->kind = CAPTURE_BYTES_AT;
	part->size = (uint32_t)piece->size;
	want->part_count++;
	return true;
}

static bool add_pieces(const struct program_scope *program, const struct debug_location *location,
		       uint64_t size, struct capture_want *want)
{
	if (location->place == DEBUG_PLACE_REGISTER && size <= 8 &&
	    location->reg < GENERAL_REGISTERS) {
		add_register(want, location->reg, size);
		return true;
	}
	if (location->place != DEBUG_PLACE_PIECES || !location->piece_count ||
	    location->piece_count > VALUE_PARTS)
		return false;
	for (size_t i = 0; i < location->piece_count; i++) {
		if (!add_piece(program, &location->pieces[i], want))
			return false;
		size -= location->pieces[i].size < size ? location->pieces[i].size : size;
	}
	/* Go leaves out the bytes between members, so that the rest is not where it seems */
	return !size;
}

static bool add_registers(const int *registers, size_t count, uint64_t size,
			  struct capture_want *want)
{
	for (size_t i = 0; i < count; i++)
		add_register(want, (uint32_t)registers[i], size - 8 * i);
	return count > 0;
}

/* Of a text in memory, its two parts are read there. */
static bool add_text_in_memory(const struct program_scope *program,
			       const struct debug_location *location, struct capture_want *want)
{
	for (int i = 0; i < 2; i++) {
		struct capture_part *part = &want->parts[i];

		if (location->place == DEBUG_PLACE_MEMORY_REGISTER &&
		    location->reg < GENERAL_REGISTERS)
			capture_program_register(&part->program, location->reg, location->offset);
		else if (location->place == DEBUG_PLACE_MEMORY_CFA && program->at_entry)
			capture_program_frame(&part->program, location->offset);
		else
			return false;
		capture_program_load(&part->program, 8 * i);
	}
	want->part_count = 2;
	return true;
}

/* The length goes first, then as many bytes at the address. */
static void make_text(struct capture_want *want, uint32_t string)
{
	struct machine_program address = want->parts[0].program;

	want->form = VALUE_IN_TEXT;
	want->most = string;
	want->parts[0].program = want->parts[1].program;
	want->parts[0].kind = CAPTURE_NUMBER;
	want->parts[0].size = 8;
	want->parts[1].program = address;
	want->parts[1].kind = CAPTURE_TEXT;
	want->parts[1].size = string;
}

static int make_bytes(struct capture_want *want, struct debug_type *type)
{
	want->form = VALUE_IN_BYTES;
	want->type = value_type_from_debug(type);
	return want->type ? 0 : -ENOMEM;
}

int capture_pieces(const struct program_scope *program, size_t index, uint32_t string,
		   struct capture_want *want)
{
	const struct debug_signature *signature = &program->signature;
	struct debug_type *type = signature->parameters[index].type;
	const struct debug_location *location = &signature->parameters[index].location;
	uint64_t size = debug_type_size(type);
	int registers[VALUE_REGISTERS];
	bool is_found;
	size_t count;

	memset(want, 0, sizeof(*want));
	if (!is_struct(type) || !size)
		return -ENOENT;
	if (program_scope_by_convention(program, location)) {
		count = argument_registers(signature, index, registers);
		is_found = add_registers(registers, count, size, want);
	} else {
		is_found = add_pieces(program, location, size, want) ||
			   (is_text(type) && add_text_in_memory(program, location, want));
	}
	if (!is_found)
		return -ENOENT;
	if (is_text(type) && want->part_count == 2) {
		make_text(want, string);
		return 0;
	}
	return make_bytes(want, type);
}

int capture_result(const struct program_scope *program, struct capture_want *want)
{
	struct debug_type *type = program->signature.returns;
	int registers[VALUE_REGISTERS], in_memory = 0;
	size_t count;

	memset(want, 0, sizeof(*want));
	if (debug_type_kind(type) == DEBUG_KIND_FLOAT)
		return -ENODATA;
	if (!is_struct(type))
		return -ENOENT;
	count = result_registers(&program->signature, registers, &in_memory);
	if (in_memory) {
		want->part_count = 1;
		want->parts[0].kind = CAPTURE_BYTES_AT;
		want->parts[0].size = debug_type_size(type) < CAPTURE_MOST ?
					      (uint32_t)debug_type_size(type) :
					      CAPTURE_MOST;
		capture_program_register(&want->parts[0].program, RESULT_REGISTER, 0);
	} else if (!add_registers(registers, count, debug_type_size(type), want)) {
		return -ENODATA;
	}
	return make_bytes(want, type);
}

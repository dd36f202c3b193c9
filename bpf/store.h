/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * x86-64 reports a watched store when it has been made. What another thread has stored since must not be taken for
 * it: what this one has stored is still in its register, or in the instruction, if that is a MOV to memory of either.
 *
 * The instruction is found by where it ends. A byte before it may be a prefix of it or the end of what comes before;
 * of the ways to read it only those count that store to the variable. Where there are several, user space is asked for
 * the instruction's length.
 *
 * Pure functions without loops, compiled for BPF and for unit tests. Whoever includes this says first how a general
 * register is read, by the instruction's numbers:
 *
 *   STORE_REGISTER(context, number)
 */
#ifndef TRACER_STORE_H
#define TRACER_STORE_H

#include "store_search.h"
#include "variable.h"

/* One way to read it. */
struct store_form {
	__u32 at;     /* of the opcode in the code */
	__u32 opcode; /* 0x88, 0x89, 0xc6, 0xc7 */
	__u32 rex;    /* 0: none */
	__u32 is_16;  /* with 0x66 in front */
	__u32 is_fs;  /* with 0x64 in front */
};

ACCESS_INLINE __u32 store_byte(const struct store_search *search, __u32 at)
{
	__u64 index = at;

	/* the verifier must see the bound on the very register that is added */
	__asm__ volatile("" : "+r"(index));
	return search->code[index & (STORE_CODE - 1)];
}

/* A constant of 1, 2 or 4 bytes, with its sign. */
ACCESS_INLINE __u64 store_constant(const struct store_search *search, __u32 at, __u32 bytes)
{
	__u32 value = store_byte(search, at);

	if (bytes == 1)
		return (__u64)(__s64)(__s8)value;
	value |= store_byte(search, at + 1) << 8;
	if (bytes == 2)
		return (__u64)(__s64)(__s16)value;
	value |= store_byte(search, at + 2) << 16 | store_byte(search, at + 3) << 24;
	return (__u64)(__s64)(__s32)value;
}

ACCESS_INLINE __u32 store_size(const struct store_form *form)
{
	if (!(form->opcode & 1))
		return 1;
	if (form->rex & 8)
		return 8;
	return form->is_16 ? 2 : 4;
}

/* Bytes of a constant that is stored. */
ACCESS_INLINE __u32 store_constant_bytes(const struct store_form *form)
{
	__u32 size = store_size(form);

	if (form->opcode < 0xc6)
		return 0;
	return size < 4 ? size : 4;
}

/* Where the operand's registers are, and where what follows them. */
struct store_operand {
	__u32 mode, reg, rm;	  /* of the ModRM byte */
	__u32 scale, index, base; /* of the SIB byte; without one base is rm */
	__u32 has_sib;
	__u32 displacement, after; /* bytes, and where in the code it ends */
};

/* 0; or -1 when it is no operand in memory, or does not end where the instruction does. */
ACCESS_INLINE int store_read_operand(const struct store_search *search,
				     const struct store_form *form, struct store_operand *operand)
{
	__u32 byte = store_byte(search, form->at + 1), at = form->at + 2;

	operand->mode = byte >> 6;
	operand->reg = byte >> 3 & 7;
	operand->rm = operand->base = byte & 7;
	operand->has_sib = operand->mode != 3 && operand->rm == 4;
	operand->scale = operand->index = 0;
	if (operand->has_sib) {
		byte = store_byte(search, at++);
		operand->scale = byte >> 6;
		operand->index = byte >> 3 & 7;
		operand->base = byte & 7;
	}
	operand->displacement = operand->mode == 1 ? 1 : operand->mode == 2 ? 4 : 0;
	if (!operand->mode && operand->base == 5)
		operand->displacement = 4;
	operand->after = at + operand->displacement;
	if (operand->mode == 3 || operand->after + store_constant_bytes(form) != STORE_CODE)
		return -1;
	return form->opcode >= 0xc6 && operand->reg ? -1 : 0;
}

ACCESS_INLINE __u64 store_address(const struct store_search *search, void *context,
				  const struct store_form *form,
				  const struct store_operand *operand)
{
	__u32 index = operand->index | (form->rex & 2) << 2;
	__u64 address = 0;

	if (operand->displacement)
		address = store_constant(search, operand->after - operand->displacement,
					 operand->displacement);
	if (operand->mode || operand->base != 5)
		address += STORE_REGISTER(context, operand->base | (form->rex & 1) << 3);
	else if (!operand->has_sib)
		address += search->ip;
	if (operand->has_sib && index != 4)
		address += STORE_REGISTER(context, index) << operand->scale;
	return form->is_fs ? address + search->fs_base : address;
}

ACCESS_INLINE __u64 store_data(const struct store_search *search, void *context,
			       const struct store_form *form, const struct store_operand *operand)
{
	__u32 bytes = store_constant_bytes(form);

	if (bytes)
		return store_constant(search, operand->after, bytes);
	/* %ah, %ch, %dh, %bh */
	if (form->opcode == 0x88 && !form->rex && operand->reg >= 4)
		return STORE_REGISTER(context, operand->reg - 4) >> 8;
	return STORE_REGISTER(context, operand->reg | (form->rex & 4) << 1);
}

ACCESS_INLINE void store_note(struct store_search *search, const struct store_form *form,
			      __u64 value)
{
	__u32 prefixes = 1 + (form->rex != 0) + form->is_16 + form->is_fs;

	search->differs |= search->found && search->value != value;
	search->value = value;
	search->found++;
	if (prefixes > search->prefixes) {
		search->prefixes = prefixes;
		search->longest = value;
		search->longest_size = STORE_CODE - form->at + prefixes - 1;
	}
}

/* SHUFPS, which reads what is watched, has the same opcode behind 0x0f, or behind a VEX or EVEX prefix. */
ACCESS_INLINE int store_may_be_shuffle(const struct store_search *search, __u32 at)
{
	return store_byte(search, at) == 0xc6 && ((at >= 1 && store_byte(search, at - 1) == 0x0f) ||
						  (at >= 2 && store_byte(search, at - 2) == 0xc5) ||
						  (at >= 3 && store_byte(search, at - 3) == 0xc4) ||
						  (at >= 4 && store_byte(search, at - 4) == 0x62));
}

ACCESS_INLINE void store_try_form(struct store_search *search, void *context,
				  const struct store_form *form)
{
	struct access_variable variable = { search->address, search->length, search->memory };
	struct store_operand operand;
	__u32 size = store_size(form);
	__u64 address;

	if (store_read_operand(search, form, &operand))
		return;
	address = store_address(search, context, form, &operand);
	if (address - search->address >= search->length && search->address - address >= size)
		return;
	if (!search->size && store_may_be_shuffle(search, form->at))
		store_note(search, form, search->memory);
	access_put(&variable, address, size, store_data(search, context, form, &operand));
	store_note(search, form, variable.value);
}

/* How it must be read, as the instruction's size is known; -1 when that is no opcode, or with another segment. */
ACCESS_INLINE int store_known_way(const struct store_search *search, __u32 at)
{
	__u32 start = STORE_CODE - search->size, place = start, way = 0;

	if (at < start)
		return -1;
#pragma GCC unroll 4
	for (int i = 0; i < 4; i++) {
		__u32 byte = store_byte(search, place);
		int is_other = byte == 0x2e || byte == 0x3e || byte == 0x26 || byte == 0x36 ||
			       byte == 0xf2 || byte == 0xf3;

		if (place < at && (byte == 0x66 || byte == 0x64 || is_other)) {
			way |= byte == 0x66 ? 2 : byte == 0x64 ? 4 : 0;
			place++;
		}
	}
	if (place < at && (store_byte(search, place) & 0xf0) == 0x40) {
		way |= 1;
		place++;
	}
	return place == at ? (int)way : -1;
}

/*
 * Is there an opcode at that place of the code, and what may be in front of it? Bits 0 to 2 of way say how it is to be
 * read: with what may be a REX prefix, 0x66, 0x64.
 */
ACCESS_INLINE void store_try(struct store_search *search, void *context, __u32 at, __u32 way)
{
	struct store_form form = { .at = at, .opcode = store_byte(search, at) };
	__u32 before = at;

	if (at >= STORE_CODE - 1 || ((form.opcode & 0xfe) != 0x88 && (form.opcode & 0xfe) != 0xc6))
		return;
	if (way & 1) {
		form.rex = before ? store_byte(search, --before) : 0;
		if ((form.rex & 0xf0) != 0x40)
			return;
	}
	/* either may come first */
	form.is_16 = way >> 1 & 1;
	form.is_fs = way >> 2 & 1;
	if (search->size) {
		if (store_known_way(search, at) == (int)way)
			store_try_form(search, context, &form);
		return;
	}
	if (form.is_16 && (!before || (store_byte(search, before - 1) != 0x66 &&
				       (before < 2 || store_byte(search, before - 2) != 0x66))))
		return;
	if (form.is_fs && (!before || (store_byte(search, before - 1) != 0x64 &&
				       (before < 2 || store_byte(search, before - 2) != 0x64))))
		return;
	store_try_form(search, context, &form);
}

/*
 * What the variable was after the store, once all has been tried: 0, and *value. Not 0: it may have been this or that.
 * What looks like a prefix mostly is one; so if that is what is in memory, no other thread has stored since.
 */
ACCESS_INLINE int store_answer(const struct store_search *search, __u64 *value)
{
	*value = search->memory;
	if (search->found && !search->differs)
		*value = search->value;
	return search->differs && search->longest != search->memory;
}

#endif

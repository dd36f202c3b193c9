/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an event itself has, whatever is known of the program. */
#ifndef TRACER_EXPRESSION_FIELDS_H
#define TRACER_EXPRESSION_FIELDS_H

#include "expression.h"

struct field {
	const char *name;
	uint64_t highest; /* it is from 0 to that; 0: see is_raw */
	enum machine_field field;
	uint32_t sources;  /* bit number enum expression_source */
	unsigned argument; /* from 1; 0: it is none. Of a USDT probe it is not in field */
	bool is_raw;	   /* a register, or what a variable holds, that may have a type */
	bool is_duration;
	bool is_comm; /* no field of the machine's */
};

/* The field of that name, or NULL. */
const struct field *field_find(const char *name);
bool field_is_known(const struct field *field, enum expression_source source);
/* The fields of a source's events, one after another: from NULL to NULL. */
const struct field *field_next(const struct field *field, enum expression_source source);
/* The option of the sources that have the field, for messages. */
const char *field_option(const struct field *field);

#endif

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Names come from files of traced programs, and a short mangled name can stand for gigabytes (each
 * substitution may double what came before). libiberty's printers cannot be stopped by their
 * callback's result, so it leaves by longjmp when the name grows too long. They keep their state on
 * the stack; the one exception, a Rust identifier being decoded, is lost in that case only.
 */
#include "demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAME (64u << 10)

struct output {
	char *text;
	size_t length, room;
	jmp_buf give_up;
};

static void append(const char *text, size_t length, void *context)
{
	struct output *output = context;
	size_t wanted = output->length + length + 1;

	if (wanted > MAX_NAME)
		longjmp(output->give_up, 1);
	if (wanted > output->room) {
		char *grown = realloc(output->text, wanted * 2);

		if (!grown)
			longjmp(output->give_up, 1);
		output->text = grown;
		output->room = wanted * 2;
	}
	memcpy(output->text + output->length, text, length);
	output->length += length;
	output->text[output->length] = '\0';
}

typedef int printer(const char *name, int options, demangle_callbackref callback, void *context);

static char *print(printer *demangler, const char *name)
{
	struct output *output = calloc(1, sizeof(*output));
	char *text = NULL;

	if (!output)
		return NULL;
	/* output is not changed after this, so it survives the jump. */
	if (!setjmp(output->give_up) && demangler(name, DMGL_PARAMS | DMGL_ANSI, append, output) &&
	    output->length) {
		text = output->text;
		output->text = NULL;
	}
	free(output->text);
	free(output);
	return text;
}

char *demangle(const char *name)
{
	char *text;

	if (name[0] != '_')
		return NULL;
	/* Rust's first: its older names are valid C++ names as well, but with a hash at the end. */
	text = print(rust_demangle_callback, name);
	return text ? text : print(cplus_demangle_v3_callback, name);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * hostile
 *
 * Takes, one after the other, each name of the table below as its comm, and with each of them calls
 * hostile_leaf once through each of the functions further down, whose symbols are as hostile. So
 * hostile_leaf is called HOSTILE_COMMS * HOSTILE_SYMBOLS times, and never from anything tame. Prints
 * that number; exits with 0.
 */
#include <sys/prctl.h>

#include "workload.h"

/* Escapes and line feeds for a terminal, separators, markup, quotes, bytes that are no UTF-8. */
static const char *const comms[] = {
	"esc\033[31mred",  "new\nline 1/1 [0", "semi;colon;x",
	"<script>a&b",	   "quo\"te'\\",       "bad\377\300\200\355\240\200",
	"c1\302\23331m",   "tab\tcr\rbel\a",   "",
	" 1/1 [000] 1.0:",
};

#define HOSTILE_COMMS (sizeof(comms) / sizeof(comms[0]))

static KEEP void hostile_leaf(void)
{
	KEEP_FRAME();
}

/* The assembler takes any byte but these two between quotes: line feed and the quote itself. */
#define HOSTILE_SYMBOL(name, symbol)                      \
	static void name(void) __asm__("\"" symbol "\""); \
	static KEEP void name(void)                       \
	{                                                 \
		hostile_leaf();                           \
	}

HOSTILE_SYMBOL(hostile_escape, "esc\033[31mred")
HOSTILE_SYMBOL(hostile_semicolon, "semi;colon 7")
HOSTILE_SYMBOL(hostile_script, "<script>alert(1)</script>&amp;]]>")
HOSTILE_SYMBOL(hostile_not_utf8, "bad\377\300\200utf8")
HOSTILE_SYMBOL(hostile_c1, "c1\302\23331m")
/* workloads.mk renames these in the object file, to what the assembler cannot take. */
HOSTILE_SYMBOL(hostile_new_line, "hostile_new_line")
HOSTILE_SYMBOL(hostile_quote, "hostile_quote")

static void (*const functions[])(void) = {
	hostile_escape, hostile_semicolon, hostile_script, hostile_not_utf8,
	hostile_c1,	hostile_new_line,  hostile_quote,
};

#define HOSTILE_SYMBOLS (sizeof(functions) / sizeof(functions[0]))

int main(void)
{
	for (size_t i = 0; i < HOSTILE_COMMS; i++) {
		prctl(PR_SET_NAME, comms[i]);
		for (size_t j = 0; j < HOSTILE_SYMBOLS; j++)
			functions[j]();
	}
	printf("%zu\n", HOSTILE_COMMS * HOSTILE_SYMBOLS);
	return 0;
}

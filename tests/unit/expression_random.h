/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Random expressions over the made-up program, written as text and at the same time evaluated with numbers
 * that are wider than any value. What they are written with is random too.
 */
#ifndef TRACER_TEST_EXPRESSION_RANDOM_H
#define TRACER_TEST_EXPRESSION_RANDOM_H

#include <fnmatch.h>
#include <stdlib.h>

#include "expression_fixture.h"
#include "random.h"

__extension__ typedef __int128 number128;

/* Must the machine say that it cannot be judged? MAYBE: it depends on what a type could hold. */
enum faults { FAULTS_NO, FAULTS_MAYBE, FAULTS_YES };

struct result {
	number128 value;
	enum faults faults;
};

struct random_expression {
	uint64_t seed;
	const struct request *request;
	const char *comm;
	char text[4096];
	size_t length;
};

static inline uint32_t random_below(struct random_expression *e, uint32_t count)
{
	return next_random(&e->seed) % count;
}

static void put(struct random_expression *e, const char *text)
{
	size_t length = strlen(text);

	if (e->length + length + 1 > sizeof(e->text))
		abort();
	memcpy(e->text + e->length, text, length + 1);
	e->length += length;
}

/* ---- what the program holds --------------------------------------------------------------------- */

static inline uint64_t random_number(uint64_t *seed)
{
	static const uint64_t edges[] = { 0,	      1,	  5,	      127,
					  128,	      255,	  0x7fffffff, 0x80000000,
					  0xffffffff, INT64_MAX,  1ull << 63, UINT64_MAX,
					  -2ull,      0xffffff80, 0xffff,     0xfffffffb };
	uint64_t wide = (uint64_t)next_random(seed) << 33 ^ next_random(seed);

	if (next_random(seed) % 3)
		return edges[next_random(seed) % FAKE_COUNT(edges)];
	return wide >> next_random(seed) % 64;
}

/* Of a and b, so that patterns match now and then. */
static inline void random_text(uint64_t *seed, char *text, size_t size)
{
	size_t length = next_random(seed) % size;

	for (size_t i = 0; i < length; i++)
		text[i] = next_random(seed) % 3 ? 'a' : 'b';
	text[length] = '\0';
}

static inline void random_request(uint64_t *seed, struct request *request, char name[80])
{
	random_text(seed, name, next_random(seed) % 2 ? 80 : 8);
	memset(request, 0, sizeof(*request));
	request->name = name;
	random_text(seed, request->method, sizeof(request->method));
	if (next_random(seed) % 4 == 0)
		memset(request->method, 'a', sizeof(request->method)); /* without a NUL */
	request->next = next_random(seed) % 2 ? request : NULL;
	request->u8 = (uint8_t)random_number(seed);
	request->s8 = (int8_t)random_number(seed);
	request->u16 = (uint16_t)random_number(seed);
	request->s16 = (int16_t)random_number(seed);
	request->u32 = (uint32_t)random_number(seed);
	request->s32 = (int32_t)random_number(seed);
	request->u64 = random_number(seed);
	request->s64 = (int64_t)random_number(seed);
	request->bits.low = random_number(seed) & 7;
	request->bits.middle = (int32_t)(random_number(seed) & 15) - 8;
	request->bits.wide = random_number(seed) & INT64_MAX;
	request->numbers[2] = (int)random_number(seed);
}

/* ---- operands ------------------------------------------------------------------------------------ */

static struct result known(number128 value)
{
	return (struct result){ value, FAULTS_NO };
}

static struct result random_constant(struct random_expression *e)
{
	uint64_t number = random_number(&e->seed);
	bool is_negative = random_below(e, 3) == 0 && number <= INT64_MAX;
	char text[32];

	snprintf(text, sizeof(text), random_below(e, 2) ? "%s%llu" : "%s0x%llx",
		 is_negative ? "-" : "", (unsigned long long)number);
	put(e, text);
	return known(is_negative ? -(number128)number : (number128)number);
}

static struct result random_variable(struct random_expression *e)
{
	const struct request *r = e->request;
	const struct {
		const char *text;
		number128 value;
	} variables[] = {
		{ "u8", r->u8 },
		{ "s8", r->s8 },
		{ "req->u16", r->u16 },
		{ "request.s16", r->s16 },
		{ "u32", r->u32 },
		{ "req->s32", r->s32 },
		{ "u64", r->u64 },
		{ "req[0].u64", r->u64 },
		{ "s64", r->s64 },
		{ "(*req).s64", r->s64 },
		{ "words[0]", r->u64 },
		{ "(unsigned)s64", (uint32_t)r->s64 },
		{ "(int16_t)u64", (int16_t)r->u64 },
		{ "(long)u64", (int64_t)r->u64 },
		{ "(uint64_t)s8", (uint64_t)r->s8 },
		{ "~u16", (uint16_t)~r->u16 },
		{ "~s32", ~(number128)r->s32 },
		{ "~u64", (uint64_t)~r->u64 },
		{ "req->bits.low", r->bits.low },
		{ "req->bits.middle", r->bits.middle },
		{ "req->bits.wide", r->bits.wide },
		{ "numbers[2]", r->numbers[2] },
		{ "$pid", 812 },
		{ "in_register", -2 },
	};
	uint32_t i = random_below(e, FAKE_COUNT(variables) + 2);

	if (i == FAKE_COUNT(variables)) {
		put(e, "nowhere");
		return (struct result){ 0, FAULTS_YES };
	}
	if (i > FAKE_COUNT(variables)) {
		put(e, "req->next->s32");
		return r->next ? known(r->next->s32) : (struct result){ 0, FAULTS_YES };
	}
	put(e, variables[i].text);
	return known(variables[i].value);
}

static enum faults worst(enum faults a, enum faults b)
{
	return a > b ? a : b;
}

/* What is from 0 to INT64_MAX fits whatever is signed; what fits neither way cannot be said. */
static struct result fitted(number128 value, enum faults faults)
{
	number128 lowest = INT64_MIN, highest = UINT64_MAX;

	if (value < lowest || value > highest)
		faults = FAULTS_YES;
	else if (value < 0 || value > INT64_MAX)
		faults = worst(faults, FAULTS_MAYBE);
	return (struct result){ value, faults };
}

static struct result random_sum(struct random_expression *e, unsigned depth)
{
	struct result a, b;
	uint32_t sign;

	if (!depth || random_below(e, 3) == 0)
		return random_below(e, 3) ? random_variable(e) : random_constant(e);
	sign = random_below(e, 4);
	put(e, "(");
	if (sign == 3) {
		put(e, "- ");
		a = random_sum(e, depth - 1);
		put(e, ")");
		return fitted(-a.value, a.faults);
	}
	a = random_sum(e, depth - 1);
	put(e, sign == 0 ? " + " : sign == 1 ? " - " : " & ");
	b = random_sum(e, depth - 1);
	put(e, ")");
	if (sign == 2)
		return (struct result){ a.value & b.value, worst(a.faults, b.faults) };
	return fitted(sign ? a.value - b.value : a.value + b.value, worst(a.faults, b.faults));
}

/* ---- conditions ------------------------------------------------------------------------------------ */

static struct result random_comparison(struct random_expression *e)
{
	static const char *const signs[] = { " == ", " != ", " < ", " <= ", " > ", " >= " };
	struct result a = random_sum(e, 2), b;
	uint32_t sign = random_below(e, FAKE_COUNT(signs));
	bool holds = false;

	put(e, signs[sign]);
	b = random_sum(e, 2);
	switch (sign) {
	case 0:
		holds = a.value == b.value;
		break;
	case 1:
		holds = a.value != b.value;
		break;
	case 2:
		holds = a.value < b.value;
		break;
	case 3:
		holds = a.value <= b.value;
		break;
	case 4:
		holds = a.value > b.value;
		break;
	case 5:
		holds = a.value >= b.value;
		break;
	}
	return (struct result){ holds, worst(a.faults, b.faults) };
}

static struct result random_match(struct random_expression *e)
{
	static const char characters[] = "aaab**?";
	const char *const names[] = { "text", "req->method", "arg1", "comm" };
	const char *name = names[random_below(e, FAKE_COUNT(names))];
	char pattern[MACHINE_PATTERN_BYTES + 1] = "", text[101] = "";
	size_t length = random_below(e, 4) ? random_below(e, 8) : random_below(e, 62);
	struct result result = {};

	for (size_t i = 0; i < length; i++)
		pattern[i] = characters[random_below(e, sizeof(characters) - 1)];
	if (strcmp(name, "comm") == 0)
		strcpy(text, e->comm);
	else if (strcmp(name, "req->method") == 0)
		memcpy(text, e->request->method, sizeof(e->request->method));
	else
		strcpy(text, e->request->name);
	put(e, name);
	put(e, " == \"");
	put(e, pattern);
	put(e, "\"");
	result.value = fnmatch(pattern, text, 0) == 0;
	if (strlen(text) >= MACHINE_TEXT_BYTES - 1 && strchr(pattern, '*'))
		result.faults = FAULTS_MAYBE;
	return result;
}

static struct result random_condition(struct random_expression *e, unsigned depth)
{
	struct result a, b;
	uint32_t sign = random_below(e, 5);
	bool goes_on;

	if (!depth || sign == 4)
		return random_below(e, 5) ? random_comparison(e) : random_match(e);
	put(e, sign == 3 ? "!(" : "(");
	a = random_condition(e, depth - 1);
	if (sign == 3) {
		put(e, ")");
		a.value = !a.value;
		return a;
	}
	put(e, sign == 0 ? " || " : " && ");
	b = random_condition(e, depth - 1);
	put(e, ")");
	goes_on = sign == 0 ? !a.value : a.value != 0;
	if (a.faults == FAULTS_YES || !goes_on)
		return a;
	return (struct result){ b.value, worst(a.faults, b.faults) };
}

/* Writes a condition to e->text and says what it comes to. */
static inline struct result random_expression_make(struct random_expression *e)
{
	e->length = 0;
	e->text[0] = '\0';
	return random_condition(e, 3);
}

/* May the machine end so? */
static inline bool result_allows(struct result result, int end)
{
	if (end == MACHINE_FAULT)
		return result.faults != FAULTS_NO;
	return result.faults != FAULTS_YES && end == (result.value ? MACHINE_TRUE : MACHINE_FALSE);
}

#endif

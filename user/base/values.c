// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Values of options. Not strtoull() and strtod(): they skip blanks, take signs, "nan" and "1e9",
 * wrap around quietly, and the latter follows the locale.
 */
#include "values.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

static int digit_value(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	if (digit >= 'a' && digit <= 'f')
		return digit - 'a' + 10;
	if (digit >= 'A' && digit <= 'F')
		return digit - 'A' + 10;
	return INT_MAX;
}

int digits_parse(const char *text, size_t length, unsigned base, uint64_t *value)
{
	uint64_t sum = 0;

	if (length == 0)
		return -EINVAL;
	for (size_t i = 0; i < length; i++) {
		unsigned digit = (unsigned)digit_value(text[i]);

		if (digit >= base || __builtin_mul_overflow(sum, base, &sum) ||
		    __builtin_add_overflow(sum, digit, &sum))
			return -EINVAL;
	}
	*value = sum;
	return 0;
}

int number_parse(const char *text, uint64_t *value)
{
	return digits_parse(text, strlen(text), 10, value);
}

int size_parse(const char *text, uint64_t *bytes)
{
	static const char suffixes[] = "kKmMgG";
	size_t digits = strspn(text, "0123456789");
	unsigned shift = 0;

	if (text[digits] != '\0') {
		const char *suffix = strchr(suffixes, text[digits]);

		if (!suffix || text[digits + 1] != '\0')
			return -EINVAL;
		shift = 10 * (unsigned)((suffix - suffixes) / 2 + 1);
	}
	if (digits_parse(text, digits, 10, bytes) ||
	    __builtin_mul_overflow(*bytes, 1ull << shift, bytes))
		return -EINVAL;
	return 0;
}

static int unit_parse(const char *text, uint64_t *unit_ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "ns", 1 },
		{ "us", 1000 },
		{ "ms", 1000000 },
		{ "s", NSEC_PER_SEC },
		{ "m", 60 * NSEC_PER_SEC },
	};

	if (*text == '\0')
		return 0; /* the default */
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(text, units[i].name) == 0) {
			*unit_ns = units[i].ns;
			return 0;
		}
	}
	return -EINVAL;
}

/* The digits behind the point; those below a nanosecond are cut off. */
static uint64_t fraction_ns(const char *digits, size_t length, uint64_t unit_ns)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < length && unit_ns > 0; i++) {
		unit_ns /= 10;
		ns += (uint64_t)digit_value(digits[i]) * unit_ns;
	}
	return ns;
}

int time_parse(const char *text, uint64_t unit_ns, uint64_t *ns)
{
	size_t whole = strspn(text, "0123456789");
	const char *fraction = text + whole;
	size_t digits = 0;
	const char *unit = fraction;
	uint64_t value;

	if (*fraction == '.') {
		digits = strspn(++fraction, "0123456789");
		if (digits == 0)
			return -EINVAL;
		unit = fraction + digits;
	}
	if (unit_parse(unit, &unit_ns) || digits_parse(text, whole, 10, &value) ||
	    __builtin_mul_overflow(value, unit_ns, &value))
		return -EINVAL;
	if (__builtin_add_overflow(value, fraction_ns(fraction, digits, unit_ns), &value) ||
	    value > INT64_MAX)
		return -EINVAL;
	*ns = value;
	return 0;
}

static int append_pid(pid_t pid, pid_t **pids, size_t *count)
{
	pid_t *grown;

	for (size_t i = 0; i < *count; i++) {
		if ((*pids)[i] == pid)
			return 0;
	}
	grown = reallocarray(*pids, *count + 1, sizeof(**pids));
	if (!grown)
		return -ENOMEM;
	grown[(*count)++] = pid;
	*pids = grown;
	return 0;
}

int pid_list_append(const char *text, pid_t **pids, size_t *count)
{
	for (;;) {
		size_t length = strcspn(text, ",");
		uint64_t pid;
		int err;

		err = digits_parse(text, length, 10, &pid);
		if (err || pid == 0 || pid > INT_MAX)
			return -EINVAL;
		err = append_pid((pid_t)pid, pids, count);
		if (err)
			return err;
		if (text[length] == '\0')
			return 0;
		text += length + 1;
	}
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CPU lists. A set of bits between text and array makes ranges that overlap or come in any order
 * one ascending list, and bounds what "0-4294967295" can cost.
 */
#include "cpulist.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The largest NR_CPUS any kernel configuration allows today is 8192. */
#define CPU_LIMIT 8192
#define WORD_BITS 64

struct cpu_bits {
	uint64_t words[CPU_LIMIT / WORD_BITS];
};

static void bits_set(struct cpu_bits *bits, unsigned cpu)
{
	bits->words[cpu / WORD_BITS] |= 1ull << (cpu % WORD_BITS);
}

static bool bits_test(const struct cpu_bits *bits, unsigned cpu)
{
	return bits->words[cpu / WORD_BITS] >> (cpu % WORD_BITS) & 1;
}

/* Reads digits at *text and moves it behind them. */
static bool take_cpu(const char **text, unsigned *cpu)
{
	const char *digit = *text;

	*cpu = 0;
	for (; *digit >= '0' && *digit <= '9'; digit++) {
		*cpu = *cpu * 10 + (unsigned)(*digit - '0');
		if (*cpu >= CPU_LIMIT)
			return false;
	}
	if (digit == *text)
		return false;
	*text = digit;
	return true;
}

/* "3" or "0-3" */
static bool take_range(const char **text, struct cpu_bits *bits)
{
	unsigned first, last;

	if (!take_cpu(text, &first))
		return false;
	last = first;
	if (**text == '-') {
		(*text)++;
		if (!take_cpu(text, &last) || last < first)
			return false;
	}
	for (unsigned cpu = first; cpu <= last; cpu++)
		bits_set(bits, cpu);
	return true;
}

static int bits_to_list(const struct cpu_bits *bits, struct cpulist *list)
{
	size_t count = 0;

	for (size_t i = 0; i < CPU_LIMIT / WORD_BITS; i++)
		count += (size_t)__builtin_popcountll(bits->words[i]);
	list->cpus = calloc(count, sizeof(*list->cpus));
	if (!list->cpus)
		return -ENOMEM;
	for (unsigned cpu = 0; cpu < CPU_LIMIT; cpu++) {
		if (bits_test(bits, cpu))
			list->cpus[list->count++] = (int)cpu;
	}
	return 0;
}

int cpulist_parse(const char *text, struct cpulist *list)
{
	struct cpu_bits bits = {};

	*list = (struct cpulist){};
	for (;;) {
		if (!take_range(&text, &bits))
			return -EINVAL;
		if (*text == '\0')
			break;
		if (*text++ != ',')
			return -EINVAL;
	}
	return bits_to_list(&bits, list);
}

/* A list in a file of sysfs: one line. */
static int read_list(const char *path, struct cpulist *list)
{
	char *line = NULL;
	size_t size = 0;
	FILE *file;
	int err;

	*list = (struct cpulist){};
	file = fopen(path, "re");
	if (!file)
		return -errno;
	errno = 0;
	if (getline(&line, &size, file) < 0) {
		err = errno ? -errno : -EINVAL;
		goto cleanup;
	}
	line[strcspn(line, "\n")] = '\0';
	err = cpulist_parse(line, list);

cleanup:
	free(line);
	fclose(file);
	return err;
}

int cpulist_online(struct cpulist *list)
{
	return read_list("/sys/devices/system/cpu/online", list);
}

int cpulist_possible_count(void)
{
	struct cpulist list = {};
	int err;

	err = read_list("/sys/devices/system/cpu/possible", &list);
	if (err)
		return err;
	if (!list.count)
		return -EINVAL;
	err = list.cpus[list.count - 1] + 1;
	cpulist_free(&list);
	return err;
}

int cpulist_contains(const struct cpulist *list, int cpu)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->cpus[i] == cpu)
			return 1;
	}
	return 0;
}

void cpulist_free(struct cpulist *list)
{
	free(list->cpus);
	*list = (struct cpulist){};
}

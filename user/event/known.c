// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The kernel's generic events, under perf's names. */
#include "known.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>

#define HARDWARE(id) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id
#define SOFTWARE(id) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id

const struct known_event known_events[] = {
	{ "cpu-cycles", "cycles", HARDWARE(CPU_CYCLES) },
	{ "instructions", NULL, HARDWARE(INSTRUCTIONS) },
	{ "cache-references", NULL, HARDWARE(CACHE_REFERENCES) },
	{ "cache-misses", NULL, HARDWARE(CACHE_MISSES) },
	{ "branch-instructions", "branches", HARDWARE(BRANCH_INSTRUCTIONS) },
	{ "branch-misses", NULL, HARDWARE(BRANCH_MISSES) },
	{ "bus-cycles", NULL, HARDWARE(BUS_CYCLES) },
	{ "stalled-cycles-frontend", "idle-cycles-frontend", HARDWARE(STALLED_CYCLES_FRONTEND) },
	{ "stalled-cycles-backend", "idle-cycles-backend", HARDWARE(STALLED_CYCLES_BACKEND) },
	{ "ref-cycles", NULL, HARDWARE(REF_CPU_CYCLES) },
	{ "cpu-clock", NULL, SOFTWARE(CPU_CLOCK) },
	{ "task-clock", NULL, SOFTWARE(TASK_CLOCK) },
	{ "page-faults", "faults", SOFTWARE(PAGE_FAULTS) },
	{ "minor-faults", NULL, SOFTWARE(PAGE_FAULTS_MIN) },
	{ "major-faults", NULL, SOFTWARE(PAGE_FAULTS_MAJ) },
	{ "context-switches", "cs", SOFTWARE(CONTEXT_SWITCHES) },
	{ "cpu-migrations", "migrations", SOFTWARE(CPU_MIGRATIONS) },
	{ "alignment-faults", NULL, SOFTWARE(ALIGNMENT_FAULTS) },
	{ "emulation-faults", NULL, SOFTWARE(EMULATION_FAULTS) },
	{ "dummy", NULL, SOFTWARE(DUMMY) },
	{ "bpf-output", NULL, SOFTWARE(BPF_OUTPUT) },
	{ "cgroup-switches", NULL, SOFTWARE(CGROUP_SWITCHES) },
};
const size_t known_event_count = sizeof(known_events) / sizeof(known_events[0]);

/* Names of caches, operations and results; the first is the usual one, or the second where an
 * operation stands without a result. Places in the tables are the kernel's numbers. */
#define NAMES 6

static const char *const caches[PERF_COUNT_HW_CACHE_MAX][NAMES] = {
	[PERF_COUNT_HW_CACHE_L1D] = { "L1-dcache", "l1-d", "l1d", "L1-data" },
	[PERF_COUNT_HW_CACHE_L1I] = { "L1-icache", "l1-i", "l1i", "L1-instruction" },
	[PERF_COUNT_HW_CACHE_LL] = { "LLC", "L2" },
	[PERF_COUNT_HW_CACHE_DTLB] = { "dTLB", "d-tlb", "Data-TLB" },
	[PERF_COUNT_HW_CACHE_ITLB] = { "iTLB", "i-tlb", "Instruction-TLB" },
	[PERF_COUNT_HW_CACHE_BPU] = { "branch", "branches", "bpu", "btb", "bpc" },
	[PERF_COUNT_HW_CACHE_NODE] = { "node" },
};

static const char *const operations[PERF_COUNT_HW_CACHE_OP_MAX][NAMES] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = { "load", "loads", "read" },
	[PERF_COUNT_HW_CACHE_OP_WRITE] = { "store", "stores", "write" },
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = { "prefetch", "prefetches", "speculative-read",
					      "speculative-load" },
};

static const char *const results[PERF_COUNT_HW_CACHE_RESULT_MAX][NAMES] = {
	[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = { "refs", "Reference", "ops", "access" },
	[PERF_COUNT_HW_CACHE_RESULT_MISS] = { "misses", "miss" },
};

/* Nobody stores into instructions, or prefetches into the instruction TLB or the branch unit. */
static bool has_operation(size_t cache, size_t operation)
{
	if (cache == PERF_COUNT_HW_CACHE_ITLB || cache == PERF_COUNT_HW_CACHE_BPU)
		return operation == PERF_COUNT_HW_CACHE_OP_READ;
	if (cache == PERF_COUNT_HW_CACHE_L1I)
		return operation != PERF_COUNT_HW_CACHE_OP_WRITE;
	return true;
}

const struct known_event *known_event_find(struct span name)
{
	for (size_t i = 0; i < known_event_count; i++) {
		const struct known_event *event = &known_events[i];

		if (span_is(name, event->name) || (event->alias && span_is(name, event->alias)))
			return event;
	}
	return NULL;
}

/*
 * The longest name that *rest begins with, up to its end or a '-'; moves *rest behind it and the '-',
 * or makes it NULL at the end. Its row, or -1.
 */
static int take_part(struct span *rest, const char *const table[][NAMES], size_t rows)
{
	size_t longest = 0;
	int found = -1;

	for (size_t i = 0; i < rows; i++) {
		for (size_t j = 0; j < NAMES && table[i][j]; j++) {
			size_t length = strlen(table[i][j]);

			if (length > longest && span_starts(*rest, table[i][j]) &&
			    (span_length(*rest) == length || rest->begin[length] == '-')) {
				longest = length;
				found = (int)i;
			}
		}
	}
	if (found < 0)
		return found;
	if (span_length(*rest) == longest)
		*rest = (struct span){};
	else
		rest->begin += longest + 1;
	return found;
}

int known_cache_find(struct span name, uint64_t *config, const char **why)
{
	struct span rest = name;
	int cache, operation = -1, result = -1;

	cache = take_part(&rest, caches, PERF_COUNT_HW_CACHE_MAX);
	if (cache < 0)
		return -ENOENT;
	while (rest.begin) {
		int part = -1;

		if (operation < 0 &&
		    (part = take_part(&rest, operations, PERF_COUNT_HW_CACHE_OP_MAX)) >= 0)
			operation = part;
		else if (result < 0 &&
			 (part = take_part(&rest, results, PERF_COUNT_HW_CACHE_RESULT_MAX)) >= 0)
			result = part;
		if (part < 0)
			return -ENOENT;
	}
	if (operation < 0)
		operation = PERF_COUNT_HW_CACHE_OP_READ;
	if (result < 0)
		result = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
	if (!has_operation((size_t)cache, (size_t)operation)) {
		*why = cache == PERF_COUNT_HW_CACHE_L1I ?
			       "this cache has loads and prefetches, no stores" :
			       "this cache has loads, no stores or prefetches";
		return -EINVAL;
	}
	*config = (uint64_t)cache | (uint64_t)operation << 8 | (uint64_t)result << 16;
	return 0;
}

bool known_cache_next(size_t *index, char *name, size_t size)
{
	for (;;) {
		size_t result = *index % PERF_COUNT_HW_CACHE_RESULT_MAX;
		size_t rest = *index / PERF_COUNT_HW_CACHE_RESULT_MAX;
		size_t operation = rest % PERF_COUNT_HW_CACHE_OP_MAX;
		size_t cache = rest / PERF_COUNT_HW_CACHE_OP_MAX;

		if (cache >= PERF_COUNT_HW_CACHE_MAX)
			return false;
		(*index)++;
		if (!has_operation(cache, operation))
			continue;
		if (result == PERF_COUNT_HW_CACHE_RESULT_ACCESS)
			snprintf(name, size, "%s-%s", caches[cache][0], operations[operation][1]);
		else
			snprintf(name, size, "%s-%s-%s", caches[cache][0], operations[operation][0],
				 results[result][0]);
		return true;
	}
}

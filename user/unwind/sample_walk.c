// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* From perf's numbers of registers (arch/ARCH/include/uapi/asm/perf_regs.h) to DWARF's. */
#include "sample_walk.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "stack_image.h"

#if defined(__aarch64__)
enum { PERF_FP = 29, PERF_LR = 30, PERF_SP = 31, PERF_PC = 32 };
#define PERF_LAST PERF_PC
#define PERF_ABI  PERF_SAMPLE_REGS_ABI_64
/* x0 to x30 and sp are DWARF's 0 to 31 */
static unsigned perf_number(unsigned dwarf)
{
	return dwarf;
}
#else
enum { PERF_FP = 6, PERF_SP = 7, PERF_PC = 8, PERF_R8 = 16, PERF_LAST = 23 };
#define PERF_ABI PERF_SAMPLE_REGS_ABI_64
/* ax, bx, cx, dx, si, di, bp, sp; DWARF has ax, dx, cx, bx, si, di, bp, sp */
static unsigned perf_number(unsigned dwarf)
{
	static const unsigned char low[] = { 0, 3, 2, 1, 4, 5, 6, 7 };

	return dwarf < sizeof(low) ? low[dwarf] : PERF_R8 + dwarf - (unsigned)sizeof(low);
}
#endif

uint64_t sample_walk_registers(void)
{
	uint64_t mask = 1ull << PERF_PC;

	for (unsigned i = 0; i < TRACER_REGISTERS; i++)
		if (perf_number(i) <= PERF_LAST)
			mask |= 1ull << perf_number(i);
	return mask;
}

/* Of a register by perf's number. false: the sample has it not. */
static bool take(const struct record_sample *sample, unsigned number, uint64_t *value)
{
	uint64_t below = (1ull << number) - 1;
	size_t index = (size_t)__builtin_popcountll(sample->regs_mask & below);

	if (!(sample->regs_mask & 1ull << number))
		return false;
	memcpy(value, (const char *)sample->regs + index * sizeof(*value), sizeof(*value));
	return true;
}

int sample_walk(struct unwind_library *library, struct tasks *tasks, const struct record *record,
		uint64_t *ip, uint32_t max, struct record_stack *stack)
{
	const struct record_sample *sample = &record->sample;
	struct stack_image image = {
		.pid = record->pid,
		.time = record->time,
		.bytes = sample->stack,
		.size = sample->stack_size,
		.is_cut = sample->stack_size >= sample->stack_asked,
	};

	if (!sample->regs || sample->regs_abi != PERF_ABI || !take(sample, PERF_PC, &image.ip) ||
	    !take(sample, PERF_SP, &image.sp) || !take(sample, PERF_FP, &image.fp))
		return -ENOENT;
#if defined(__aarch64__)
	take(sample, PERF_LR, &image.link);
#endif
	for (unsigned i = 0; i < TRACER_REGISTERS; i++)
		if (take(sample, perf_number(i), &image.general[i]))
			image.known |= 1u << i;
	return stack_image_walk(library, tasks, &image, ip, max, stack);
}

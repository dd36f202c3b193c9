// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "store_length.h"

#include <stdlib.h>

#include "collector.h"
#include "object/instruction_end.h"

#define MOST_BYTES 65536 /* of a function, up to the instruction */

/* Bytes from the beginning of the function that has the byte before ip, up to ip; 0 when it is not known. */
static size_t bytes_before(struct collector *collector, const struct record *record, uint64_t ip)
{
	struct symbol symbol;
	struct frame frame;

	tasks_resolve(collector->tasks, (pid_t)record->pid, record->time, ip - 1, &frame);
	if (frame.object->kind != OBJECT_FILE)
		return 0;
	symbolizer_frame(collector->symbolizer, &frame, false, &symbol);
	return symbol.name && symbol.offset < MOST_BYTES ? symbol.offset + 1 : 0;
}

bool store_length_answer(struct collector *collector, const struct record *record)
{
	uint64_t ip = record->event.ip;
	size_t size = bytes_before(collector, record, ip);
	uint8_t *code = size ? malloc(size) : NULL;
	unsigned length = 0;

	if (!code)
		return false;
	collector->constants.tasks = collector->tasks;
	if (constants_read(&collector->constants, (pid_t)record->pid, record->time, ip - size, code,
			   size) == size)
		length = instruction_ending(code, size);
	free(code);
	if (length)
		bpf_side_set_store_length(collector->bpf, record->pid, ip, length);
	return length != 0;
}

bool store_length_tells(const struct collector *collector, const struct record *record)
{
	uint32_t length = record->event.store_length;

	return length && collector->bpf &&
	       bpf_side_store_length(collector->bpf, record->pid, record->event.ip) == length;
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What tests of the formats print: stacks of this very program's functions, of a file that cannot be
 * read, of the kernel with names of the test's choice, and the text that a format makes of them.
 */
#ifndef OUTPUT_FIXTURE_H
#define OUTPUT_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/output.h"

/* Nothing a kernel has there. */
#define KERNEL_BASE 0x7f0000000000ull
#define KERNEL_SIZE 0x100
#define NASTY	    "\033]0;x\007\"<b>&';]]>\n\xff\xe2\x80\xae"

/* Functions to be named. Their addresses are all that matters. */
static __attribute__((noinline, used)) int probed_leaf(int x)
{
	return x * 3 + (x >> 2) + getpagesize();
}

static __attribute__((noinline, used)) int its_caller(int x)
{
	return probed_leaf(x) + 1;
}

static __attribute__((noinline, used)) int outermost(int x)
{
	return its_caller(x) + 1;
}

struct fixture {
	struct object app, stripped, nowhere, kernel;
	struct symbolizer *symbolizer;
	unsigned kernel_names;
	struct counts *counts;
	struct source_info sample, uprobe, uretprobe, breakpoint, offcpu;
	struct output_config config;
	struct run_summary summary;
	struct stack_quality quality;
};

static inline void fixture_open(struct fixture *f)
{
	*f = (struct fixture){
		.app = { .id = 0, .kind = OBJECT_FILE, .path = "/opt/prog", .name = "prog" },
		.stripped = { .id = 1,
			      .kind = OBJECT_FILE,
			      .path = "/opt/libs.so",
			      .name = "libs.so",
			      .fd = -1 },
		.nowhere = { .id = 2,
			     .kind = OBJECT_UNKNOWN,
			     .path = "[unknown]",
			     .name = "[unknown]",
			     .fd = -1 },
		.kernel = { .id = 3,
			    .kind = OBJECT_KERNEL,
			    .path = "[kernel.kallsyms]",
			    .name = "[kernel.kallsyms]",
			    .fd = -1 },
		.sample = { .kind = REC_SAMPLE, .name = "cpu-clock", .period = 10101010 },
		.uprobe = { .kind = REC_UPROBE, .name = "prog:probed_leaf", .period = 1 },
		.uretprobe = { .kind = REC_URETPROBE, .name = "prog:ns::gone", .period = 1 },
		.breakpoint = { .kind = REC_BREAKPOINT,
				.name = "counter",
				.period = 1,
				.length = 4,
				.access = "w" },
		.offcpu = { .kind = REC_OFFCPU, .name = "off-cpu", .period = 1 },
	};
	f->config.start = 5000000000;
	f->summary = (struct run_summary){
		.seconds = 10,
		.seen = 12,
		.delivered = 9,
		.lost = 3,
		.loss = { .ring_full = 2, .scratch_busy = 1, .stacks = 4 },
		.quality = &f->quality,
		.processes = 1,
		.stacks = 5,
		.title = "tracer -p 7",
	};
	f->quality = (struct stack_quality){ .total = 10, .lost = 1 };
	f->quality.by_end[STACK_COMPLETE] = 8;
	f->quality.by_end[STACK_DEPTH] = 1;
	f->app.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	object_note_content(&f->app);
	assert_true(f->app.fd >= 0);
	f->symbolizer = symbolizer_new();
	f->counts = counts_new();
	assert_non_null(f->symbolizer);
	assert_non_null(f->counts);
}

static inline void fixture_close(struct fixture *f)
{
	counts_free(f->counts);
	symbolizer_free(f->symbolizer);
	close(f->app.fd);
}

/* Where an address of this program is in its file. */
struct place {
	uint64_t address, file_offset;
};

static inline int find_place(struct dl_phdr_info *info, size_t size, void *data)
{
	struct place *place = data;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && place->address >= start &&
		    place->address < start + segment->p_memsz)
			place->file_offset = place->address - start + segment->p_offset;
	}
	return 1; /* the program itself comes first */
}

static inline struct frame app_frame(struct fixture *f, int (*function)(int), uint64_t offset)
{
	struct place place = { .address = (uint64_t)(uintptr_t)function + offset };

	dl_iterate_phdr(find_place, &place);
	return (struct frame){ .object = &f->app, .offset = place.file_offset };
}

static inline struct frame stripped_frame(struct fixture *f, uint64_t offset)
{
	return (struct frame){ .object = &f->stripped, .offset = offset };
}

static inline struct frame unknown_frame(struct fixture *f, uint64_t address)
{
	return (struct frame){ .object = &f->nowhere, .offset = address };
}

/* A kernel function of that name, 0x10 behind its start. */
static inline struct frame kernel_frame(struct fixture *f, const char *name)
{
	uint64_t address = KERNEL_BASE + f->kernel_names++ * KERNEL_SIZE;

	assert_int_equal(symbolizer_add_kernel(f->symbolizer, address, KERNEL_SIZE, name), 0);
	return (struct frame){ .object = &f->kernel, .offset = address + 0x10 };
}

/* Leaf first. Free it. */
static inline struct stack *new_stack(enum stack_space space, enum stack_end end, uint32_t depth,
				      const struct frame *frames)
{
	struct stack *stack = calloc(1, sizeof(*stack) + depth * sizeof(*frames));

	assert_non_null(stack);
	stack->space = space;
	stack->end = end;
	stack->depth = depth;
	memcpy(stack->frame, frames, depth * sizeof(*frames));
	return stack;
}

/* probed_leaf+0x4 <- its_caller+0x5 <- outermost+0x5 */
static inline struct stack *usual_stack(struct fixture *f, enum stack_end end)
{
	struct frame frames[] = { app_frame(f, probed_leaf, 4), app_frame(f, its_caller, 5),
				  app_frame(f, outermost, 5) };

	return new_stack(STACK_USER, end, 3, frames);
}

/* do_work <- entry */
static inline struct stack *usual_kernel_stack(struct fixture *f)
{
	struct frame frames[] = { kernel_frame(f, "do_work"), kernel_frame(f, "entry") };

	return new_stack(STACK_KERNEL, STACK_COMPLETE, 2, frames);
}

/* What the format prints of these events, and of the fixture's rows. Free it. Inlined, gcc 12 takes
 * the stream's memory for a local variable. */
static __attribute__((noinline, unused)) char *print_events(struct fixture *f,
							    const struct output_ops *ops,
							    const struct event *events,
							    size_t count)
{
	char *text = NULL;
	size_t size = 0;
	struct output output = { .ops = ops, .config = f->config, .symbolizer = f->symbolizer };

	output.file = open_memstream(&text, &size);
	assert_non_null(output.file);
	assert_int_equal(ops->open(&output), 0);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(ops->event(&output, &events[i]), 0);
	assert_int_equal(ops->finish(&output, f->counts, &f->summary), 0);
	ops->close(&output);
	fclose(output.file);
	return text;
}

static inline char *print_rows(struct fixture *f, const struct output_ops *ops)
{
	return print_events(f, ops, NULL, 0);
}

static inline void add_row(struct fixture *f, struct count_row row)
{
	if (!row.comm[0])
		strcpy(row.comm, "app");
	if (!row.pid)
		row.pid = 7;
	assert_int_equal(counts_add(f->counts, &row), 0);
}

/* Does every call that meets a full disk say so? open, event or finish must. */
static inline int print_to_full_disk(struct fixture *f, const struct output_ops *ops,
				     const struct event *event)
{
	struct output output = { .ops = ops, .config = f->config, .symbolizer = f->symbolizer };
	int err;

	output.file = fopen("/dev/full", "w");
	assert_non_null(output.file);
	err = ops->open(&output);
	if (!err && event)
		err = ops->event(&output, event);
	if (!err)
		err = ops->finish(&output, f->counts, &f->summary);
	ops->close(&output);
	fclose(output.file);
	return err;
}

/* Runs a shell command with text on its standard input; returns its exit status. */
static inline int pipe_to(const char *command, const char *text)
{
	FILE *stream = popen(command, "w");

	assert_non_null(stream);
	fwrite(text, 1, strlen(text), stream);
	return pclose(stream);
}

static inline void assert_contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in:\n%s", part, text);
}

static inline void assert_lacks(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("\"%s\" is in:\n%s", part, text);
}

/* Nothing that a terminal obeys: no control character but line feed and tab, all of it valid UTF-8
 * without C1 controls and bidi overrides. */
static inline void assert_printable(const char *text)
{
	for (const char *c = text; *c; c++) {
		unsigned char byte = (unsigned char)*c, next = (unsigned char)c[1];

		if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f || byte == 0xff)
			fail_msg("byte 0x%02x in:\n%s", byte, text);
		if (byte == 0xc2 && next < 0xa0)
			fail_msg("C1 control in:\n%s", text);
		if (byte == 0xe2 && next == 0x80 && (unsigned char)c[2] == 0xae)
			fail_msg("bidi override in:\n%s", text);
	}
}

#endif

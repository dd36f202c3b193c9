// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "backtrace.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <sys/mman.h>
#include <unwind.h>

#include "workload.h"

#define LINE_BYTES 65536

static const char *name = "start";
static char program[PATH_MAX];
static unsigned long *counter;

struct line {
	char text[LINE_BYTES];
	size_t length;
	int frames;
	int is_whole;
};

struct place {
	uintptr_t ip;
	uintptr_t bias;
	const char *module;
};

void traced_name(const char *new_name)
{
	name = new_name;
}

/* Shared with the children. */
unsigned long traced_index(void)
{
	if (!counter)
		counter = mmap(NULL, sizeof(*counter), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counter == MAP_FAILED)
		abort();
	return __atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

static const char *program_name(void)
{
	if (!program[0] && readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
		abort();
	return program;
}

static int find_module(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct place *place = argument;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_X) ||
		    place->ip < start || place->ip >= start + info->dlpi_phdr[i].p_memsz)
			continue;
		place->bias = info->dlpi_addr;
		place->module = info->dlpi_name[0] ? info->dlpi_name : program_name();
		return 1;
	}
	return 0;
}

/* The file's own name, for mappings know nothing of symbolic links. */
static const char *file_name(const char *path)
{
	static char real[PATH_MAX];
	const char *slash;

	if (realpath(path, real))
		path = real;
	slash = strrchr(path, '/');
	path = slash ? slash + 1 : path;
	/* as the kernel calls it in the maps */
	return strncmp(path, "linux-vdso.so", 13) ? path : "[vdso]";
}

/* Static programs have their list of frames begin after the very first function's. */
static int is_start(uintptr_t ip)
{
	extern const char _start[];

	return ip - (uintptr_t)_start < 64;
}

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *argument)
{
	struct place place = { .ip = _Unwind_GetIP(context) };
	struct line *line = argument;

	if (line->frames++ == 0)
		return _URC_NO_REASON;
	if (place.ip == 0) {
		line->is_whole = 1;
		return _URC_NO_REASON;
	}
	line->is_whole = is_start(place.ip);
	dl_iterate_phdr(find_module, &place);
	if (place.module && line->length < LINE_BYTES - 512)
		line->length += sprintf(line->text + line->length, " 0x%lx %.255s",
					(unsigned long)(place.ip - place.bias),
					file_name(place.module));
	return _URC_NO_REASON;
}

APART void traced_here(unsigned long index)
{
	/* one for all threads: they take turns */
	static struct line line;

	line.frames = line.is_whole = 0;
	line.length = sprintf(line.text, "%lu %s", index, name);
	_Unwind_Backtrace(add_frame, &line);
	line.length += sprintf(line.text + line.length, line.is_whole ? " end\n" : "\n");
	if (write(STDOUT_FILENO, line.text, line.length) != (ssize_t)line.length)
		abort();
}

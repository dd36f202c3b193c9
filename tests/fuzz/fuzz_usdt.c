// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * libFuzzer target: the notes of USDT probes in an ELF file, and all their arguments. The first byte says whether a
 * whole file follows, or argument strings of one machine or the other. Run by `make fuzz`.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "object/elf_file.h"
#include "object/usdt_args.h"
#include "object/usdt_notes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_file(const uint8_t *data, size_t size)
{
	struct usdt_arguments arguments;
	struct usdt_notes notes;
	struct elf_file *file;

	if (elf_file_open_memory(data, size, &file))
		return;
	usdt_notes_read(file, &notes);
	for (size_t i = 0; i < notes.count; i++) {
		usdt_arguments_parse(elf_file_machine(file), notes.list[i].arguments, &arguments);
		usdt_arguments_resolve(&arguments, file, notes.list[i].vaddr);
		if (!*notes.list[i].provider || !*notes.list[i].name)
			abort();
	}
	usdt_notes_free(&notes);
	elf_file_close(file);
}

static void read_text(uint16_t machine, const uint8_t *data, size_t size)
{
	struct usdt_arguments arguments;
	char *text = strndup((const char *)data, size);

	if (!text)
		return;
	usdt_arguments_parse(machine, text, &arguments);
	for (size_t i = 0; i < arguments.count; i++)
		if (!arguments.list[i].unreadable &&
		    (arguments.list[i].size > 8 || arguments.list[i].shift > 4))
			abort();
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	if (*data == 0)
		read_file(data + 1, size - 1);
	else
		read_text(*data & 1 ? EM_X86_64 : EM_AARCH64, data + 1, size - 1);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Names in the arguments of USDT probes: where they are, by the file's symbols. */
#include <string.h>

#include "elf_file.h"
#include "usdt_args.h"

#define LOW12 0xfffu

static const struct elf_symbol *find_symbol(struct elf_file *file, const char *name, size_t length)
{
	size_t count;
	const struct elf_symbol *symbols = elf_file_symbols(file, &count), *found = NULL;

	for (size_t i = 0; i < count; i++) {
		if (strncmp(symbols[i].name, name, length) != 0 || symbols[i].name[length])
			continue;
		/* of several static ones no one can say which it is */
		if (found && found->vaddr != symbols[i].vaddr)
			return NULL;
		found = &symbols[i];
	}
	return found;
}

static void resolve(struct usdt_argument *argument, struct elf_file *file, uint64_t vaddr)
{
	const struct elf_symbol *symbol =
		find_symbol(file, argument->symbol, argument->symbol_length);
	uint64_t offset = (uint64_t)argument->offset;

	argument->symbol = NULL;
	if (!symbol) {
		argument->unreadable = "is at a symbol that the file does not have, or has twice";
		return;
	}
	offset += symbol->vaddr;
	if (argument->is_low12)
		offset &= LOW12;
	if (argument->base == USDT_AT_IP)
		offset -= vaddr;
	argument->offset = (int64_t)offset;
}

void usdt_arguments_resolve(struct usdt_arguments *arguments, struct elf_file *file, uint64_t vaddr)
{
	for (size_t i = 0; i < arguments->count; i++)
		if (arguments->list[i].symbol)
			resolve(&arguments->list[i], file, vaddr);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The places of USDT probes. */
#include <errno.h>
#include <stdlib.h>

#include "../base/log.h"
#include "../object/elf_file.h"
#include "../object/instruction.h"
#include "../object/usdt_args.h"
#include "aiming.h"
#include "probe_spec.h"
#include "usdt_find.h"

#define SEMAPHORE_BYTES 2

/* A note may say anything: where the function is known, an instruction must begin there. */
static bool is_inside_instruction(struct elf_file *file, uint64_t vaddr, uint64_t *begins)
{
	const struct elf_symbol *function = elf_file_function_at(file, vaddr);

	return function &&
	       instruction_check_boundary(file, function->vaddr, vaddr, begins) == -EILSEQ;
}

/* Where in the file the kernel finds the counter, which it holds as long as the probe is there. */
static int find_semaphore(const struct aiming *aiming, const struct usdt_note *note,
			  uint64_t *offset)
{
	uint8_t bytes[SEMAPHORE_BYTES];

	*offset = 0;
	if (!note->semaphore)
		return 0;
	if (elf_file_read(aiming->file, note->semaphore, bytes, sizeof(bytes)) == sizeof(bytes) &&
	    elf_file_vaddr_to_offset(aiming->file, note->semaphore, offset))
		return 0;
	log_error("%s: the semaphore of %s:%s, 0x%llx, is not in data that the file holds",
		  aiming->option->text, note->provider, note->name,
		  (unsigned long long)note->semaphore);
	return -EFAULT;
}

static int read_arguments(const struct aiming *aiming, const struct usdt_note *note,
			  struct usdt_arguments **arguments)
{
	*arguments = malloc(sizeof(**arguments));
	if (!*arguments)
		return -ENOMEM;
	usdt_arguments_parse(elf_file_machine(aiming->file), note->arguments, *arguments);
	usdt_arguments_resolve(*arguments, aiming->file, note->vaddr);
	return 0;
}

static int add_place(struct aiming *aiming, const struct usdt_note *note)
{
	struct probe_site site = { .vaddr = note->vaddr };
	uint64_t begins;
	int err;

	if (is_inside_instruction(aiming->file, note->vaddr, &begins)) {
		log_warn("%s: left out: 0x%llx, where a note says that %s:%s is, is inside the instruction at 0x%llx",
			 aiming->option->text, (unsigned long long)note->vaddr, note->provider,
			 note->name, (unsigned long long)begins);
		return 0;
	}
	err = find_semaphore(aiming, note, &site.semaphore);
	if (!err)
		err = read_arguments(aiming, note, &site.arguments);
	if (!err)
		err = aiming_add_site(aiming, site);
	if (err)
		free(site.arguments);
	return err;
}

int aiming_add_usdt(struct aiming *aiming)
{
	const struct probe_option *option = aiming->option;
	const struct probe_sites *sites = aiming->sites;
	struct usdt_notes notes;
	int err = usdt_find(option->text, aiming->file, sites->path, option->provider,
			    option->symbol, &notes);

	for (size_t i = 0; !err && i < notes.count; i++) {
		if (!i || !usdt_is_same(&notes.list[i - 1], &notes.list[i]))
			err = aiming_add_named(aiming, "%s:%s", notes.list[i].provider,
					       notes.list[i].name);
		if (!err)
			err = add_place(aiming, &notes.list[i]);
	}
	if (!err && (sites->name_count > 1 || aiming->aim->is_verbose))
		log_note("%s: %zu probe%s, %zu place%s", option->text, sites->name_count,
			 sites->name_count == 1 ? "" : "s", sites->count,
			 sites->count == 1 ? "" : "s");
	usdt_notes_free(&notes);
	return err;
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * USDT probes that were built into a file, by <sys/sdt.h>: section .note.stapsdt has a note for each place, with
 * provider, name and arguments. Whatever a file has there is only data.
 */
#ifndef TRACER_USDT_NOTES_H
#define TRACER_USDT_NOTES_H

#include <stddef.h>
#include <stdint.h>

struct elf_file;

/* A place. Several places may be of one probe; strings are the file's. */
struct usdt_note {
	const char *provider, *name, *arguments; /* see usdt_args.h */
	uint64_t vaddr;
	uint64_t semaphore; /* vaddr of a counter of those who listen, without which it is left out; 0: none */
};

struct usdt_notes {
	struct usdt_note *list; /* in the file's order */
	size_t count;
	size_t damaged; /* that are left out */
};

/*
 * 0; -ENOENT when there are none; -ENOEXEC when the section cannot be read; -EINVAL of a 32-bit file; -ENOMEM. To be
 * freed in any case.
 */
int usdt_notes_read(struct elf_file *file, struct usdt_notes *notes);
void usdt_notes_free(struct usdt_notes *notes);

#endif

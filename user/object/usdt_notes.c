// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The notes of USDT probes. Each has three addresses of 8 bytes: the probe's, that of section .stapsdt.base as the
 * linker knew it, and the semaphore's; then three strings. prelink moves files and leaves notes as they are: how far
 * it went, the section tells.
 */
#include "usdt_notes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "elf_file.h"

#define NOTE_NAME "stapsdt" /* and its NUL */
#define NOTE_TYPE 3

struct note_header {
	uint32_t name_size, description_size, type;
};

struct note_addresses {
	uint64_t probe, base, semaphore;
};

struct rest {
	const uint8_t *at;
	size_t size;
};

static bool take(struct rest *rest, void *to, size_t size)
{
	if (rest->size < size)
		return false;
	memcpy(to, rest->at, size);
	rest->at += size;
	rest->size -= size;
	return true;
}

/* What is padded to four bytes, if it is all there; at the end of a section the padding may be missing. */
static bool take_padded(struct rest *rest, size_t size, struct rest *taken)
{
	size_t padded = (size + 3) & ~(size_t)3;

	if (padded < size || rest->size < size)
		return false;
	*taken = (struct rest){ rest->at, size };
	if (padded > rest->size)
		padded = rest->size;
	rest->at += padded;
	rest->size -= padded;
	return true;
}

/* NULL: it has no end. */
static const char *take_string(struct rest *rest)
{
	const char *string = (const char *)rest->at;
	const uint8_t *end = rest->size ? memchr(rest->at, 0, rest->size) : NULL;

	if (!end)
		return NULL;
	rest->size -= (size_t)(end + 1 - rest->at);
	rest->at = end + 1;
	return string;
}

static bool read_description(struct rest description, uint64_t base, struct usdt_note *note)
{
	struct note_addresses addresses;
	uint64_t moved;

	if (!take(&description, &addresses, sizeof(addresses)))
		return false;
	moved = base && addresses.base ? base - addresses.base : 0;
	note->vaddr = addresses.probe + moved;
	note->semaphore = addresses.semaphore ? addresses.semaphore + moved : 0;
	note->provider = take_string(&description);
	note->name = note->provider ? take_string(&description) : NULL;
	note->arguments = note->name ? take_string(&description) : NULL;
	return note->arguments && *note->provider && *note->name;
}

static int add(struct usdt_notes *notes, const struct usdt_note *note)
{
	struct usdt_note *grown = notes->list;

	/* a power of two is full */
	if (!(notes->count & (notes->count - 1)))
		grown = reallocarray(grown, notes->count ? 2 * notes->count : 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	notes->list = grown;
	grown[notes->count++] = *note;
	return 0;
}

static int read_all(struct rest rest, uint64_t base, struct usdt_notes *notes)
{
	struct note_header header;
	int err = 0;

	while (!err && take(&rest, &header, sizeof(header))) {
		struct rest name, description;
		struct usdt_note note;

		if (!take_padded(&rest, header.name_size, &name) ||
		    !take_padded(&rest, header.description_size, &description)) {
			notes->damaged++;
			return 0;
		}
		if (header.type != NOTE_TYPE || name.size != sizeof(NOTE_NAME) ||
		    memcmp(name.at, NOTE_NAME, sizeof(NOTE_NAME)) != 0)
			continue;
		if (read_description(description, base, &note))
			err = add(notes, &note);
		else
			notes->damaged++;
	}
	notes->damaged += !err && rest.size;
	return err;
}

int usdt_notes_read(struct elf_file *file, struct usdt_notes *notes)
{
	struct elf_section section, base;
	int err;

	*notes = (struct usdt_notes){};
	if (!elf_file_is_64bit(file))
		return -EINVAL;
	err = elf_file_section(file, ".note.stapsdt", &section);
	if (err)
		return err == -ENOENT ? err : -ENOEXEC;
	if (elf_file_section(file, ".stapsdt.base", &base))
		base.vaddr = 0;
	err = read_all((struct rest){ section.bytes, section.size }, base.vaddr, notes);
	if (!err && !notes->count)
		err = notes->damaged ? -ENOEXEC : -ENOENT;
	return err;
}

void usdt_notes_free(struct usdt_notes *notes)
{
	free(notes->list);
	*notes = (struct usdt_notes){};
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Walks a CFI section twice: first for the CIEs, each of which is run once, then for the FDEs, which
 * may come before their CIE. An FDE must name a CIE that the walk met: else hostile files could have
 * the same bytes run again and again under different names.
 */
#include "entries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rule.h"

struct walk {
	struct entries *entries;
	enum unwind_machine machine;
	const struct cfi_section *section;
	unsigned number;
	size_t first_cie; /* of this section */
};

/* An entry's contents behind its length and CIE pointer. */
struct entry {
	uint64_t offset; /* of its first byte in the section */
	bool is_cie;
	uint64_t cie; /* offset of the CIE that an FDE names */
	struct reader contents;
};

static uint64_t offset_of(const struct walk *walk, const struct reader *reader)
{
	return (uint64_t)(reader->at - walk->section->bytes);
}

static uint64_t vaddr_of(const struct walk *walk, const struct reader *reader)
{
	return walk->section->vaddr + offset_of(walk, reader);
}

static void read_id(const struct walk *walk, unsigned size, struct entry *entry)
{
	uint64_t here = offset_of(walk, &entry->contents);
	uint64_t id = reader_fixed(&entry->contents, size);

	if (walk->section->debug_frame) {
		entry->is_cie = id == (size == 8 ? UINT64_MAX : UINT32_MAX);
		entry->cie = id;
	} else {
		entry->is_cie = !id;
		entry->cie = here - id;
	}
}

/* The next entry; one of length 0 is padding between what the linker put together. */
static bool next_entry(const struct walk *walk, struct reader *reader, struct entry *entry)
{
	uint64_t length = 0;
	unsigned id_size = 4;

	while (!reader_done(reader) && !length) {
		entry->offset = offset_of(walk, reader);
		length = reader_fixed(reader, 4);
	}
	if (length == UINT32_MAX) {
		length = reader_fixed(reader, 8);
		id_size = 8;
	} else if (length >= 0xfffffff0) {
		return false;
	}
	if (!length || reader->bad)
		return false;
	entry->contents = reader_part(reader, length);
	if (reader->bad)
		return false;
	read_id(walk, id_size, entry);
	return true;
}

/* Of the part of a CIE that only 'z' makes readable; without it only "" and "eh" are known. */
static int read_augmentation(const struct walk *walk, struct reader *contents, const char *letters,
			     struct cfi_cie *cie)
{
	struct reader data;

	if (*letters != 'z')
		return *letters && strcmp(letters, "eh") ? -EBADMSG : 0;
	cie->sized_augmentation = true;
	data = reader_part(contents, reader_uleb(contents));
	while (*++letters) {
		uint8_t encoding;

		switch (*letters) {
		case 'R':
			cie->pointer_encoding = (uint8_t)reader_fixed(&data, 1);
			break;
		case 'P':
			encoding = (uint8_t)reader_fixed(&data, 1);
			if (encoding != POINTER_OMITTED)
				reader_pointer_value(&data, encoding, vaddr_of(walk, &data));
			break;
		case 'L':
			reader_fixed(&data, 1);
			break;
		case 'S':
			cie->signal_frame = true;
			break;
		case 'B': /* arm64: return addresses signed with the B key */
		case 'G': /* arm64: memory tags */
			break;
		default:
			/* Its data's size is unknown, but not where the data ends. */
			return data.bad ? -EBADMSG : 0;
		}
	}
	return data.bad ? -EBADMSG : 0;
}

static int read_cie(const struct walk *walk, struct reader contents, struct cfi_cie *cie)
{
	uint8_t version = (uint8_t)reader_fixed(&contents, 1);
	const char *letters = reader_string(&contents);
	uint64_t ra;

	cie->machine = walk->machine;
	if (!letters || (version != 1 && version != 3 && version != 4))
		return -EBADMSG;
	if (!strcmp(letters, "eh"))
		reader_fixed(&contents, 8);
	/* Address and segment selector size */
	if (version == 4 && (reader_fixed(&contents, 1) != 8 || reader_fixed(&contents, 1)))
		return -EBADMSG;
	cie->code_alignment = reader_uleb(&contents);
	cie->data_alignment = reader_sleb(&contents);
	ra = version == 1 ? reader_fixed(&contents, 1) : reader_uleb(&contents);
	if (contents.bad || ra != unwind_registers(walk->machine)->ra)
		return -EBADMSG;
	if (read_augmentation(walk, &contents, letters, cie) || contents.bad)
		return -EBADMSG;
	return cfi_run_cie(cie, contents, vaddr_of(walk, &contents));
}

/* Room for one more of size bytes behind *count of them. */
static int make_room(void **array, size_t count, size_t *room, size_t size)
{
	size_t wanted = *room ? 2 * *room : 64;
	void *grown;

	if (count < *room)
		return 0;
	grown = reallocarray(*array, wanted, size);
	if (!grown)
		return -ENOMEM;
	*array = grown;
	*room = wanted;
	return 0;
}

static int add_cie(const struct walk *walk, const struct entry *entry)
{
	struct entries *entries = walk->entries;
	struct cie_entry added = { .offset = entry->offset };

	if (make_room((void **)&entries->cies, entries->cie_count, &entries->cie_room,
		      sizeof(added)))
		return -ENOMEM;
	if (read_cie(walk, entry->contents, &added.cie))
		entries->bad++;
	else
		entries->cies[entries->cie_count++] = added;
	return 0;
}

/* The walk met them in the order of their offsets. */
static size_t find_cie(const struct walk *walk, uint64_t offset)
{
	const struct cie_entry *cies = walk->entries->cies;
	size_t low = walk->first_cie, high = walk->entries->cie_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (cies[middle].offset == offset)
			return middle;
		if (cies[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return NO_CIE;
}

static int read_fde(const struct walk *walk, const struct entry *entry, struct fde_entry *fde)
{
	struct reader contents = entry->contents;
	const struct cfi_cie *cie;
	uint64_t length;

	fde->cie = find_cie(walk, entry->cie);
	if (fde->cie == NO_CIE)
		return -EBADMSG;
	cie = &walk->entries->cies[fde->cie].cie;
	if (cie->pointer_encoding == POINTER_OMITTED)
		return -EBADMSG;
	fde->start = reader_pointer(&contents, cie->pointer_encoding, vaddr_of(walk, &contents));
	/* A length has the pointer's format, but no base and, 2 or 4 bytes wide, no sign. */
	length = reader_pointer_value(&contents, cie->pointer_encoding & 0x07,
				      vaddr_of(walk, &contents));
	if (cie->sized_augmentation)
		reader_part(&contents, reader_uleb(&contents));
	if (contents.bad || fde->start + length < fde->start)
		return -EBADMSG;
	fde->end = fde->start + length;
	/* A linker leaves this for a function that it has dropped. */
	if (walk->section->debug_frame && !fde->start)
		fde->end = 0;
	fde->section = walk->number;
	fde->debug_frame = walk->section->debug_frame;
	fde->vaddr = vaddr_of(walk, &contents);
	fde->instructions = contents;
	return 0;
}

static int add_fde(const struct walk *walk, const struct entry *entry)
{
	struct entries *entries = walk->entries;

	if (make_room((void **)&entries->fdes, entries->fde_count, &entries->fde_room,
		      sizeof(*entries->fdes)))
		return -ENOMEM;
	if (read_fde(walk, entry, &entries->fdes[entries->fde_count]))
		entries->bad++;
	else
		entries->fde_count++;
	return 0;
}

static int walk_section(const struct walk *walk, bool cies)
{
	struct reader reader = reader_of(walk->section->bytes, walk->section->size);
	struct entry entry = {};
	int err = 0;

	while (!err && next_entry(walk, &reader, &entry)) {
		if (entry.is_cie != cies)
			continue;
		err = cies ? add_cie(walk, &entry) : add_fde(walk, &entry);
	}
	return err;
}

int entries_add(struct entries *entries, enum unwind_machine machine,
		const struct cfi_section *section, unsigned number)
{
	struct walk walk = {
		.entries = entries,
		.machine = machine,
		.section = section,
		.number = number,
		.first_cie = entries->cie_count,
	};
	int err = walk_section(&walk, true);

	return err ? err : walk_section(&walk, false);
}

int entries_add_known(struct entries *entries, uint64_t start, uint64_t end,
		      const struct unwind_rule *rule)
{
	if (make_room((void **)&entries->fdes, entries->fde_count, &entries->fde_room,
		      sizeof(*entries->fdes)))
		return -ENOMEM;
	entries->fdes[entries->fde_count++] = (struct fde_entry){
		.start = start,
		.end = end,
		.cie = NO_CIE,
		.rule = *rule,
		.section = UINT32_MAX,
	};
	return 0;
}

void entries_free(struct entries *entries)
{
	free(entries->cies);
	free(entries->fdes);
	memset(entries, 0, sizeof(*entries));
}

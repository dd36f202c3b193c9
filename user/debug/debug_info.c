// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Opening and closing: the ELF file, libdw on it, and where its code is. */
#include "debug_info.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qualify.h"
#include "state.h"
#include "type_state.h"

/* No compression that ELF knows is better than zlib's 1032:1, but for zstd's of hardly anything. */
#define MAX_UNFOLDING	  2048
#define ALWAYS_UNFOLDABLE (1u << 20)

static bool is_too_big(uint64_t unfolded, uint64_t stored)
{
	return unfolded > ALWAYS_UNFOLDABLE && unfolded / MAX_UNFOLDING > stored;
}

/* The size that a section called .zdebug_* claims for its contents; 0 when it claims none. */
static uint64_t old_style_size(Elf_Scn *section)
{
	Elf_Data *data = elf_rawdata(section, NULL);
	const uint8_t *bytes = data ? data->d_buf : NULL;
	uint64_t size = 0;

	if (!bytes || data->d_size < 12 || memcmp(bytes, "ZLIB", 4) != 0)
		return 0;
	for (int i = 4; i < 12; i++)
		size = size << 8 | bytes[i];
	return size;
}

/* libdw would allocate whatever a section's header claims. */
static int check_sections(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Chdr compressed;
	uint64_t size;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		if (!(header.sh_flags & SHF_COMPRESSED))
			size = header.sh_type == SHT_PROGBITS ? old_style_size(section) : 0;
		else
			size = gelf_getchdr(section, &compressed) ? compressed.ch_size : 0;
		if (is_too_big(size, header.sh_size))
			return -EFBIG;
	}
	return 0;
}

static int find_code(struct debug_info *info)
{
	GElf_Phdr header;
	size_t count;

	if (elf_getphdrnum(info->elf, &count) || !count)
		return 0;
	info->code = calloc(count, sizeof(*info->code));
	if (!info->code)
		return -ENOMEM;
	for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
		if (!gelf_getphdr(info->elf, (int)i, &header))
			break;
		if (header.p_type != PT_LOAD || !(header.p_flags & PF_X) ||
		    header.p_vaddr + header.p_memsz < header.p_vaddr)
			continue;
		info->code[info->code_count++] = (struct address_range){
			.start = header.p_vaddr,
			.end = header.p_vaddr + header.p_memsz,
		};
	}
	return 0;
}

bool debug_info_is_code(const struct debug_info *info, uint64_t vaddr)
{
	for (size_t i = 0; i < info->code_count; i++) {
		if (vaddr >= info->code[i].start && vaddr < info->code[i].end)
			return true;
	}
	/* An object file has no segments. */
	return !info->code_count;
}

static int begin(struct debug_info *info)
{
	int err;

	elf_version(EV_CURRENT);
	info->elf = elf_begin(info->fd, ELF_C_READ_MMAP, NULL);
	if (!info->elf || elf_kind(info->elf) != ELF_K_ELF)
		return -ENOEXEC;
	err = check_sections(info->elf);
	if (!err)
		err = find_code(info);
	if (err)
		return err;
	info->dwarf = dwarf_begin_elf(info->elf, DWARF_C_READ, NULL);
	if (!info->dwarf)
		return -ENODATA;
	err = debug_units_list(info);
	return !err && !info->units.count ? -ENODATA : err;
}

int debug_info_open_fd(int fd, struct debug_info **info)
{
	struct debug_info *opened = calloc(1, sizeof(*opened));
	int err;

	*info = NULL;
	if (!opened)
		return -ENOMEM;
	opened->fd = fd;
	err = begin(opened);
	if (err)
		debug_info_close(opened);
	else
		*info = opened;
	return err;
}

int debug_info_open(const char *path, struct debug_info **info)
{
	/* O_NONBLOCK: a fifo must not hold us up. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	int err;

	*info = NULL;
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) || !S_ISREG(status.st_mode))
		err = -ENOEXEC;
	else
		err = debug_info_open_fd(fd, info);
	if (err)
		close(fd);
	else
		(*info)->owns_fd = true;
	return err;
}

void debug_info_close(struct debug_info *info)
{
	if (!info)
		return;
	debug_types_free(info);
	qualified_free(info);
	debug_names_free(&info->names);
	debug_entries_free(&info->entries);
	debug_units_free(&info->units);
	dwarf_end(info->dwarf);
	elf_end(info->elf);
	if (info->owns_fd)
		close(info->fd);
	free(info->code);
	free(info);
}

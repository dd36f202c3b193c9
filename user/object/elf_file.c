// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One ELF file through libelf. The file is read, not mapped: a traced program may truncate its own
 * file while we look at it, and a mapping would then end in SIGBUS. Segments are copied and checked
 * when the file is opened, symbols when they are first asked for.
 */
#include "elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf_file_state.h"
#include "symbol_sources.h"
#include "symbol_table.h"

static int load_segments(struct elf_file *file)
{
	GElf_Phdr header;
	size_t count;

	if (elf_getphdrnum(file->elf, &count) || !count)
		return 0;
	file->segments = calloc(count, sizeof(*file->segments));
	if (!file->segments)
		return -ENOMEM;
	for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
		if (!gelf_getphdr(file->elf, (int)i, &header))
			break;
		if (header.p_type != PT_LOAD || header.p_filesz > header.p_memsz ||
		    header.p_vaddr + header.p_memsz < header.p_vaddr ||
		    header.p_offset + header.p_memsz < header.p_offset)
			continue;
		file->segments[file->segment_count++] = (struct segment){
			.vaddr = header.p_vaddr,
			.offset = header.p_offset,
			.file_size = header.p_filesz,
			.memory_size = header.p_memsz,
			.executable = header.p_flags & PF_X,
			.writable = header.p_flags & PF_W,
		};
	}
	return 0;
}

static int load_header(struct elf_file *file)
{
	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF)
		return -ENOEXEC;
	if (!gelf_getehdr(file->elf, &file->header))
		return -ENOEXEC;
	return file->header.e_ident[EI_DATA] == ELFDATA2LSB ? 0 : -EINVAL;
}

/* Takes over opened, also when it fails. */
static int finish_open(struct elf_file *opened, struct elf_file **file)
{
	int err = load_header(opened);

	if (!err)
		err = load_segments(opened);
	if (err) {
		elf_file_close(opened);
		return err;
	}
	*file = opened;
	return 0;
}

int elf_file_open_fd(int fd, struct elf_file **file)
{
	struct elf_file *opened = calloc(1, sizeof(*opened));

	*file = NULL;
	if (!opened)
		return -ENOMEM;
	elf_version(EV_CURRENT);
	opened->fd = fd;
	opened->elf = elf_begin(fd, ELF_C_READ, NULL);
	return finish_open(opened, file);
}

int elf_file_open(const char *path, struct elf_file **file)
{
	/* O_NONBLOCK: a fifo must not hold us up. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	int err;

	*file = NULL;
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) || !S_ISREG(status.st_mode))
		err = -ENOEXEC;
	else
		err = elf_file_open_fd(fd, file);
	if (err) {
		close(fd);
		return err;
	}
	(*file)->owns_fd = true;
	/* Without memory for it the file is as one that was opened by descriptor. */
	(*file)->path = strdup(path);
	return 0;
}

int elf_file_open_memory(const void *image, size_t size, struct elf_file **file)
{
	struct elf_file *opened = calloc(1, sizeof(*opened));

	*file = NULL;
	if (!opened)
		return -ENOMEM;
	elf_version(EV_CURRENT);
	opened->fd = -1;
	opened->image = image;
	opened->image_size = size;
	/* libelf does not write to an image that it was only asked to read. */
	opened->elf = elf_memory((char *)image, size);
	return finish_open(opened, file);
}

void elf_file_close(struct elf_file *file)
{
	if (!file)
		return;
	symbol_table_free(file->symbols);
	debug_file_close(&file->debug);
	mini_debug_close(&file->mini);
	free(file->segments);
	free(file->path);
	elf_end(file->elf);
	if (file->owns_fd)
		close(file->fd);
	free(file);
}

bool elf_file_is_64bit(const struct elf_file *file)
{
	return file->header.e_ident[EI_CLASS] == ELFCLASS64;
}

uint16_t elf_file_machine(const struct elf_file *file)
{
	return file->header.e_machine;
}

uint16_t elf_file_elf_type(const struct elf_file *file)
{
	return file->header.e_type;
}

uint64_t elf_file_entry(const struct elf_file *file)
{
	return file->header.e_entry;
}

bool elf_file_is_go(const struct elf_file *file)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(file->elf, &names))
		return false;
	while ((section = elf_nextscn(file->elf, section))) {
		const char *name;

		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_strptr(file->elf, names, header.sh_name);
		if (name && (!strcmp(name, ".go.buildinfo") || !strcmp(name, ".gopclntab") ||
			     !strcmp(name, ".data.rel.ro.gopclntab")))
			return true;
	}
	return false;
}

/* Copies the build id of one note segment; 0 when it holds none. */
static size_t build_id_in(Elf_Data *notes, uint8_t *id, size_t size)
{
	size_t at = 0, name_at, id_at;
	GElf_Nhdr note;

	while (notes && (at = gelf_getnote(notes, at, &note, &name_at, &id_at)) > 0) {
		const char *bytes = notes->d_buf;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof(ELF_NOTE_GNU) ||
		    memcmp(bytes + name_at, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) || !note.n_descsz)
			continue;
		memcpy(id, bytes + id_at, note.n_descsz < size ? note.n_descsz : size);
		return note.n_descsz;
	}
	return 0;
}

static size_t build_id_in_segments(Elf *elf, uint8_t *id, size_t size)
{
	size_t count, length = 0;
	GElf_Phdr header;

	if (elf_getphdrnum(elf, &count))
		return 0;
	for (size_t i = 0; i < count && i <= INT32_MAX && !length; i++) {
		if (!gelf_getphdr(elf, (int)i, &header))
			break;
		if (header.p_type != PT_NOTE || header.p_offset > INT64_MAX)
			continue;
		length = build_id_in(elf_getdata_rawchunk(elf, (int64_t)header.p_offset,
							  header.p_filesz,
							  header.p_align == 8 ? ELF_T_NHDR8 :
										ELF_T_NHDR),
				     id, size);
	}
	return length;
}

static size_t build_id_in_sections(Elf *elf, uint8_t *id, size_t size)
{
	Elf_Scn *section = NULL;
	size_t length = 0;
	GElf_Shdr header;

	while (!length && (section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE)
			length = build_id_in(elf_getdata(section, NULL), id, size);
	}
	return length;
}

size_t elf_file_build_id(const struct elf_file *file, uint8_t *id, size_t size)
{
	size_t length = build_id_in_segments(file->elf, id, size);

	/* The segments of a separate debug file may be those of the file that it was taken from. */
	return length ? length : build_id_in_sections(file->elf, id, size);
}

bool elf_file_vaddr_to_offset(const struct elf_file *file, uint64_t vaddr, uint64_t *offset)
{
	for (size_t i = 0; i < file->segment_count; i++) {
		const struct segment *segment = &file->segments[i];

		if (vaddr < segment->vaddr || vaddr - segment->vaddr >= segment->memory_size)
			continue;
		*offset = segment->offset + (vaddr - segment->vaddr);
		return true;
	}
	return false;
}

enum cover { COVER_CODE, COVER_FILE, COVER_MEMORY };

static const struct segment *segment_of_offset(const struct elf_file *file, uint64_t offset,
					       enum cover cover)
{
	for (size_t i = 0; i < file->segment_count; i++) {
		const struct segment *segment = &file->segments[i];
		uint64_t size = cover == COVER_MEMORY ? segment->memory_size : segment->file_size;

		if (cover == COVER_CODE && !segment->executable)
			continue;
		if (offset >= segment->offset && offset - segment->offset < size)
			return segment;
	}
	return NULL;
}

bool elf_file_offset_to_vaddr(const struct elf_file *file, uint64_t offset, uint64_t *vaddr)
{
	const struct segment *segment = segment_of_offset(file, offset, COVER_CODE);

	if (!segment)
		segment = segment_of_offset(file, offset, COVER_FILE);
	if (!segment)
		segment = segment_of_offset(file, offset, COVER_MEMORY);
	if (!segment)
		return false;
	*vaddr = segment->vaddr + (offset - segment->offset);
	return true;
}

bool elf_file_offset_is_executable(const struct elf_file *file, uint64_t offset)
{
	return segment_of_offset(file, offset, COVER_CODE) != NULL;
}

bool elf_file_load_bias(const struct elf_file *file, uint64_t start, uint64_t length,
			uint64_t offset, uint64_t *bias)
{
	for (size_t i = 0; i < file->segment_count; i++) {
		const struct segment *segment = &file->segments[i];

		if (!segment->executable || !segment->file_size ||
		    segment->offset + segment->file_size <= offset ||
		    (segment->offset > offset && segment->offset - offset >= length))
			continue;
		/* Where the segment's first byte would be, were all of it in this mapping. */
		*bias = start + (segment->offset - offset) - segment->vaddr;
		return true;
	}
	return false;
}

static size_t read_bytes(const struct elf_file *file, uint64_t offset, void *buffer, size_t size)
{
	size_t done = 0;

	if (file->image) {
		if (offset >= file->image_size)
			return 0;
		done = size < file->image_size - offset ? size : file->image_size - offset;
		memcpy(buffer, file->image + offset, done);
		return done;
	}
	while (done < size && offset + done <= INT64_MAX) {
		ssize_t got =
			pread(file->fd, (char *)buffer + done, size - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

static size_t read_segment(const struct elf_file *file, uint64_t vaddr, void *buffer, size_t size,
			   bool constant)
{
	for (size_t i = 0; i < file->segment_count; i++) {
		const struct segment *segment = &file->segments[i];
		uint64_t inside = vaddr - segment->vaddr;

		if (vaddr < segment->vaddr || inside >= segment->file_size)
			continue;
		if (constant && segment->writable)
			return 0;
		if (size > segment->file_size - inside)
			size = segment->file_size - inside;
		return read_bytes(file, segment->offset + inside, buffer, size);
	}
	return 0;
}

size_t elf_file_read(const struct elf_file *file, uint64_t vaddr, void *buffer, size_t size)
{
	return read_segment(file, vaddr, buffer, size, false);
}

size_t elf_file_read_constant(const struct elf_file *file, uint64_t vaddr, void *buffer,
			      size_t size)
{
	return read_segment(file, vaddr, buffer, size, true);
}

bool elf_file_code(const struct elf_file *file, size_t index, uint64_t *vaddr, uint64_t *size)
{
	for (size_t i = 0; i < file->segment_count; i++) {
		const struct segment *segment = &file->segments[i];

		if (!segment->executable || !segment->file_size || index--)
			continue;
		*vaddr = segment->vaddr;
		*size = segment->file_size;
		return true;
	}
	return false;
}

static bool find_segment(const struct elf_file *file, uint32_t type, GElf_Phdr *header)
{
	size_t count;

	if (elf_getphdrnum(file->elf, &count))
		return false;
	for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
		if (!gelf_getphdr(file->elf, (int)i, header))
			break;
		if (header->p_type == type)
			return true;
	}
	return false;
}

bool elf_file_eh_frame_header(const struct elf_file *file, uint64_t *vaddr)
{
	GElf_Phdr header;

	if (!find_segment(file, PT_GNU_EH_FRAME, &header))
		return false;
	*vaddr = header.p_vaddr;
	return true;
}

bool elf_file_thread_local(const struct elf_file *file, uint64_t *size, uint64_t *align)
{
	GElf_Phdr header;

	if (!find_segment(file, PT_TLS, &header))
		return false;
	*size = header.p_memsz;
	*align = header.p_align ? header.p_align : 1;
	return true;
}

static Elf_Scn *find_section(Elf *elf, const char *wanted, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;
	const char *name;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, header))
			continue;
		name = elf_strptr(elf, names, header->sh_name);
		if (name && !strcmp(name, wanted) && header->sh_type != SHT_NOBITS)
			return section;
	}
	return NULL;
}

const char *elf_file_needed(const struct elf_file *file, size_t index)
{
	GElf_Shdr header;
	Elf_Scn *section = find_section(file->elf, ".dynamic", &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	GElf_Dyn entry;

	for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
		if (entry.d_tag == DT_NEEDED && !index--)
			return elf_strptr(file->elf, header.sh_link, entry.d_un.d_val);
	}
	return NULL;
}

/* What a header may claim that its compressed contents unfold to. */
#define MAX_UNCOMPRESSED (1ull << 30)

int elf_file_section(struct elf_file *file, const char *name, struct elf_section *section)
{
	GElf_Shdr header;
	Elf_Scn *found = find_section(file->elf, name, &header);
	GElf_Chdr compressed;
	Elf_Data *data;

	memset(section, 0, sizeof(*section));
	if (!found)
		return -ENOENT;
	if (header.sh_flags & SHF_COMPRESSED) {
		if (gelf_getchdr(found, &compressed) && compressed.ch_size > MAX_UNCOMPRESSED)
			return -EFBIG;
		if (elf_compress(found, 0, 0) < 0)
			return -ENOEXEC;
	}
	data = elf_rawdata(found, NULL);
	if (!data || (data->d_size && !data->d_buf))
		return -ENOEXEC;
	section->vaddr = header.sh_addr;
	section->bytes = data->d_buf;
	section->size = data->d_size;
	return 0;
}

/* NULL only without memory; then the file has no symbols for now. */
static const struct symbol_table *symbols_of(struct elf_file *file)
{
	if (!file->symbols)
		symbol_sources_load(file, &file->symbols);
	return file->symbols;
}

const struct elf_symbol *elf_file_symbols(struct elf_file *file, size_t *count)
{
	const struct symbol_table *table = symbols_of(file);

	*count = 0;
	return table ? symbol_table_all(table, count) : NULL;
}

const struct elf_symbol *elf_file_function_at(struct elf_file *file, uint64_t vaddr)
{
	const struct symbol_table *table = symbols_of(file);

	return table ? symbol_table_function_at(table, vaddr) : NULL;
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What an ELF file says: segments, symbols, build id. Read with libelf; a malformed file gives an
 * error or fewer symbols, never a crash. Addresses are those of the file ("virtual address", before
 * load bias); offsets are file offsets, which is what a mapping and a uprobe speak of. Going
 * through the PT_LOAD segments makes PIE, shared, static and static-pie files one case.
 */
#ifndef TRACER_ELF_FILE_H
#define TRACER_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;

struct elf_symbol {
	const char *name;    /* mangled, without @VERSION; owned by the elf_file */
	const char *version; /* NULL when it has none; owned by the elf_file */
	uint64_t vaddr;
	uint64_t size;		 /* 0 when the file does not say */
	uint8_t type;		 /* STT_FUNC, STT_OBJECT, STT_GNU_IFUNC, STT_TLS, STT_NOTYPE */
	uint8_t bind;		 /* STB_LOCAL, STB_GLOBAL, STB_WEAK */
	bool is_default_version; /* the one that programs are linked with today */
};

/*
 * 0; -errno of open(); -ENOEXEC when it is not an ELF file that can be read; -EINVAL when it is
 * big-endian. 32-bit files open: ask elf_file_is_64bit().
 */
int elf_file_open(const char *path, struct elf_file **file);
/* The same on an open descriptor, which stays the caller's and must outlive the elf_file. */
int elf_file_open_fd(int fd, struct elf_file **file);
/* An image in memory (the vDSO). The memory stays the caller's and must outlive the elf_file. */
int elf_file_open_memory(const void *image, size_t size, struct elf_file **file);
void elf_file_close(struct elf_file *file);

bool elf_file_is_64bit(const struct elf_file *file);
uint16_t elf_file_machine(const struct elf_file *file);	 /* EM_X86_64, EM_AARCH64, ... */
uint16_t elf_file_elf_type(const struct elf_file *file); /* ET_EXEC, ET_DYN, ... */
bool elf_file_is_go(const struct elf_file *file); /* has Go's build info or pclntab section */
uint64_t elf_file_entry(const struct elf_file *file);
/* Writes at most size bytes, returns the build id's length, 0 when there is none. */
size_t elf_file_build_id(const struct elf_file *file, uint8_t *id, size_t size);

/*
 * By PT_LOAD. false when no segment covers it. What a segment has in memory only (.bss) counts as
 * if the segment went on in the file: such an offset is good for the way back and for
 * tasks_address_of(), not for reading or probing the file.
 */
bool elf_file_vaddr_to_offset(const struct elf_file *file, uint64_t vaddr, uint64_t *offset);
bool elf_file_offset_to_vaddr(const struct elf_file *file, uint64_t offset, uint64_t *vaddr);
/* Is the file offset in an executable segment? */
bool elf_file_offset_is_executable(const struct elf_file *file, uint64_t offset);
/*
 * The load bias that a mapping of the file tells: length bytes from file offset on, mapped
 * executable at start. false when no executable segment lies in it.
 */
bool elf_file_load_bias(const struct elf_file *file, uint64_t start, uint64_t length,
			uint64_t offset, uint64_t *bias);
/*
 * Copies up to size bytes of segment contents at vaddr; returns the number copied (less at a
 * segment's end).
 */
size_t elf_file_read(const struct elf_file *file, uint64_t vaddr, void *buffer, size_t size);

/* The same of what the program cannot write: a segment without PF_W; 0 elsewhere. */
size_t elf_file_read_constant(const struct elf_file *file, uint64_t vaddr, void *buffer,
			      size_t size);

/* What a thread's copy of its thread-local variables takes (PT_TLS); false when it has none. */
bool elf_file_thread_local(const struct elf_file *file, uint64_t *size, uint64_t *align);
/* The index-th executable segment, as far as it is in the file; false when there is none. */
bool elf_file_code(const struct elf_file *file, size_t index, uint64_t *vaddr, uint64_t *size);

struct elf_section {
	uint64_t vaddr; /* 0 when it is not loaded */
	const uint8_t *bytes;
	size_t size;
};

/*
 * A section's contents by its name, decompressed where need be; the bytes are the file's. 0, -ENOENT
 * (also when a separate debug file only names it, SHT_NOBITS), -EFBIG or -ENOEXEC.
 */
int elf_file_section(struct elf_file *file, const char *name, struct elf_section *section);
/* The index-th library that the file says it needs (DT_NEEDED); NULL when there is none. The file's. */
const char *elf_file_needed(const struct elf_file *file, size_t index);
/* Where PT_GNU_EH_FRAME says that .eh_frame_hdr is: for images without section headers. */
bool elf_file_eh_frame_header(const struct elf_file *file, uint64_t *vaddr);

/*
 * All symbols with a name and a value, sorted by address, the same (name, address) once: those of .dynsym and
 * .symtab and, when the latter has no functions, of the first of these that has: the separate debug file,
 * .gnu_debugdata, Go's .gopclntab. Addresses are this file's. The array is the file's.
 */
const struct elf_symbol *elf_file_symbols(struct elf_file *file, size_t *count);
/*
 * The function that covers vaddr: of the sized symbols that contain it the one that begins nearest,
 * and of several names of that, global over weak over local; else the unsized function below, in
 * the same section and with no other function between. NULL when there is none.
 */
const struct elf_symbol *elf_file_function_at(struct elf_file *file, uint64_t vaddr);

#endif

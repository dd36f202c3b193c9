// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "thread_local.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "../aim/binary.h"
#include "../object/elf_file.h"
#include "memory.h"

#define WHY 128

static uint64_t round_up(uint64_t value, uint64_t align)
{
	return (value + align - 1) / align * align;
}

bool thread_local_of_program(const struct elf_file *program, pid_t pid,
			     struct thread_local_block *block)
{
	uint64_t size, align;

	if (!elf_file_thread_local(program, &size, &align))
		return false;
	*block = (struct thread_local_block){ .pid = pid };
#if defined(__aarch64__)
	block->distance = (int64_t)round_up(16, align); /* behind two words of the C library's */
#else
	block->distance = -(int64_t)round_up(size, align);
#endif
	return true;
}

/* ---- what glibc tells debuggers ---- */

/* A field: its size in bits, how many there are, and where in its structure. */
struct field {
	uint32_t bits, count, offset;
};

struct layout {
	struct field modules; /* in _rtld_global */
	struct field length, next, list;
	struct field generation, map;
	struct field vector; /* in the thread's descriptor */
	struct field entry, counter, pointer;
	uint32_t module_size, descriptor_size;
};

static const struct elf_symbol *symbol_named(struct elf_file *file, const char *name)
{
	size_t count;
	const struct elf_symbol *symbols = elf_file_symbols(file, &count);

	for (size_t i = 0; i < count; i++)
		if (!strcmp(symbols[i].name, name))
			return &symbols[i];
	return NULL;
}

static bool read_description(struct elf_file *file, const char *name, void *to, size_t size)
{
	char full[64];
	const struct elf_symbol *symbol;

	snprintf(full, sizeof(full), "_thread_db_%s", name);
	symbol = symbol_named(file, full);
	return symbol && elf_file_read(file, symbol->vaddr, to, size) == size;
}

static bool read_layout(struct elf_file *file, struct layout *layout)
{
	const struct {
		const char *name;
		struct field *field;
	} fields[] = {
		{ "rtld_global__dl_tls_dtv_slotinfo_list", &layout->modules },
		{ "dtv_slotinfo_list_len", &layout->length },
		{ "dtv_slotinfo_list_next", &layout->next },
		{ "dtv_slotinfo_list_slotinfo", &layout->list },
		{ "dtv_slotinfo_gen", &layout->generation },
		{ "dtv_slotinfo_map", &layout->map },
		{ "pthread_dtvp", &layout->vector },
		{ "dtv_dtv", &layout->entry },
		{ "dtv_t_counter", &layout->counter },
		{ "dtv_t_pointer_val", &layout->pointer },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!read_description(file, fields[i].name, fields[i].field,
				      sizeof(*fields[i].field)))
			return false;
	return read_description(file, "sizeof_dtv_slotinfo", &layout->module_size,
				sizeof(layout->module_size)) &&
	       read_description(file, "sizeof_pthread", &layout->descriptor_size,
				sizeof(layout->descriptor_size)) &&
	       layout->entry.bits >= 64 && layout->module_size;
}

/* In libc; before glibc 2.34 in libpthread. */
static bool find_layout(pid_t pid, struct layout *layout)
{
	static const char *const names[] = { "libc.so.6", "libpthread.so.0", "libpthread" };
	bool found = false;

	for (size_t i = 0; !found && i < sizeof(names) / sizeof(names[0]); i++) {
		struct elf_file *file = NULL;
		char path[PATH_MAX];

		if (!binary_find(names[i], &pid, 1, path) && !elf_file_open(path, &file))
			found = read_layout(file, layout);
		elf_file_close(file);
	}
	return found;
}

/* ---- the dynamic linker's list of modules ---- */

static uint64_t auxiliary_value(pid_t pid, uint64_t type)
{
	Elf64_auxv_t entry;
	uint64_t value = 0;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/auxv", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (!value && fread(&entry, sizeof(entry), 1, file) == 1)
		if (entry.a_type == type)
			value = entry.a_un.a_val;
	fclose(file);
	return value;
}

/* The dynamic linker is the program's interpreter. */
static bool open_interpreter(pid_t pid, struct elf_file **file)
{
	struct elf_file *program = NULL;
	struct elf_section section;
	char path[PATH_MAX];
	bool opened = false;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	if (elf_file_open(path, &program))
		return false;
	if (!elf_file_section(program, ".interp", &section) && section.size) {
		snprintf(path, sizeof(path), "/proc/%d/root%.*s", pid, (int)section.size,
			 (const char *)section.bytes);
		opened = !elf_file_open(path, file);
	}
	elf_file_close(program);
	return opened;
}

static uint64_t linker_state(pid_t pid)
{
	uint64_t base = auxiliary_value(pid, AT_BASE), address = 0;
	const struct elf_symbol *symbol;
	struct elf_file *file = NULL;

	if (!base || !open_interpreter(pid, &file))
		return 0;
	symbol = symbol_named(file, "_rtld_global");
	if (symbol)
		address = base + symbol->vaddr;
	elf_file_close(file);
	return address;
}

/* One of a chain of tables of modules: 0 found, -ENOENT not in this one. */
static int find_in_table(pid_t pid, const struct layout *layout, uint64_t table, uint64_t length,
			 uint64_t bias, struct thread_local_block *block)
{
	for (uint64_t i = 0; i < length; i++) {
		uint64_t module = table + layout->list.offset + i * layout->module_size;
		uint64_t map, loaded;

		if (!memory_read(pid, module + layout->map.offset, &map, sizeof(map)))
			return -EFAULT;
		/* a struct link_map begins with its load bias */
		if (!map || !memory_read(pid, map, &loaded, sizeof(loaded)) || loaded != bias)
			continue;
		block->module += i;
		return memory_read(pid, module + layout->generation.offset, &block->generation,
				   sizeof(block->generation)) ?
			       0 :
			       -EFAULT;
	}
	return -ENOENT;
}

/* More than any process has: what is read may be nonsense. */
#define MAX_MODULES (1u << 20)

static int find_module(pid_t pid, const struct layout *layout, uint64_t state, uint64_t bias,
		       struct thread_local_block *block)
{
	uint64_t table, length;
	int err = -ENOENT;

	block->module = 0;
	if (!memory_read(pid, state + layout->modules.offset, &table, sizeof(table)))
		return -EFAULT;
	while (err == -ENOENT && table) {
		if (!memory_read(pid, table + layout->length.offset, &length, sizeof(length)) ||
		    !length || block->module + length > MAX_MODULES)
			return -EFAULT;
		err = find_in_table(pid, layout, table, length, bias, block);
		if (err != -ENOENT)
			break;
		block->module += length;
		if (!memory_read(pid, table + layout->next.offset, &table, sizeof(table)))
			return -EFAULT;
	}
	return err;
}

static int refuse(char why[WHY], const char *reason)
{
	snprintf(why, WHY, "%s", reason);
	return -ENOTSUP;
}

int thread_local_of_library(pid_t pid, uint64_t bias, struct thread_local_block *block,
			    char why[WHY])
{
	uint64_t state = linker_state(pid);
	struct layout layout;
	int err;

	*block = (struct thread_local_block){ .pid = pid, .by_vector = true };
	if (!state)
		return refuse(why, "the dynamic linker is not glibc's");
	if (!find_layout(pid, &layout))
		return refuse(why, "the C library does not describe itself to debuggers");
	err = find_module(pid, &layout, state, bias, block);
	if (err == -EFAULT)
		return refuse(why, "the dynamic linker's list of modules cannot be read");
	block->distance = layout.vector.offset;
#if defined(__aarch64__)
	block->distance -= layout.descriptor_size; /* which ends where the thread pointer is */
#endif
	block->entry_size = layout.entry.bits / 8;
	block->counter = layout.counter.offset;
	block->pointer = layout.pointer.offset;
	return err;
}

/* ---- in a thread ---- */

static bool read_entry(const struct thread_local_block *block, uint64_t vector, int64_t index,
		       uint64_t field, uint64_t *value)
{
	return memory_read(block->pid, vector + (uint64_t)index * block->entry_size + field, value,
			   sizeof(*value));
}

int thread_local_find(const struct thread_local_block *block, uint64_t thread_pointer,
		      uint64_t *address)
{
	uint64_t vector, length, generation, at = thread_pointer + (uint64_t)block->distance;

	if (!thread_pointer)
		return -ENOENT;
	*address = at;
	if (!block->by_vector)
		return 0;
	/* before the first entry is how many there are, in it how new they are: an old one is another module's */
	if (!memory_read(block->pid, at, &vector, sizeof(vector)) ||
	    !read_entry(block, vector, -1, block->counter, &length) || block->module > length ||
	    !read_entry(block, vector, 0, block->counter, &generation) ||
	    generation < block->generation ||
	    !read_entry(block, vector, (int64_t)block->module, block->pointer, address))
		return -ENOENT;
	/* odd: not before the thread touches it */
	return !*address || *address & 1 ? -ENOENT : 0;
}

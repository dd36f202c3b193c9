// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a breakpoint is on: variables and functions of programs and libraries, kernel symbols, addresses. */
#include <elf.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "../base/log.h"
#include "../object/debug_file.h"
#include "../object/elf_file.h"
#include "../object/kallsyms.h"
#include "../process/object.h"
#include "../aim/binary.h"
#include "../aim/probe_spec.h"
#include "../aim/symbol_find.h"
#include "../debug/debug_info.h"
#include "watch_variable.h"

/* Addresses from here on are the kernel's, on both architectures. */
#define KERNEL_BEGIN (1ull << 63)

static uint32_t access_type(const struct probe_option *option)
{
	uint32_t type = 0;

	if (option->execute)
		return HW_BREAKPOINT_X;
	if (option->read)
		type |= HW_BREAKPOINT_R;
	if (option->write || !option->read)
		type |= HW_BREAKPOINT_W; /* who writes it is what people ask when they do not say */
	return type;
}

/* One part, as the person says: so it must be one that the hardware has. */
static int use_length(const struct probe_option *option, uint64_t address,
		      struct watch_parts *parts)
{
	if (address % option->length) {
		log_error("%s: 0x%llx is not a multiple of the length %u, as the hardware needs",
			  option->text, (unsigned long long)address, option->length);
		return -EINVAL;
	}
	*parts = (struct watch_parts){ { { 0, option->length } }, 1 };
	return 0;
}

int watch_variable_split(const struct probe_option *option, const struct watch_variable *variable,
			 uint64_t address, struct watch_parts *parts)
{
	uint64_t size = variable->size, fitting;

	if (variable->type == HW_BREAKPOINT_X) {
		/* what the kernel wants to hear */
		*parts = (struct watch_parts){ { { 0, sizeof(long) } }, 1 };
		return 0;
	}
	if (option->length)
		return use_length(option, address, parts);
	if (option->offset || !size)
		size = watch_natural_length(address);
	if (!watch_split(address, size, parts, &fitting))
		return 0;
	log_error("%s: this is %llu bytes long, and where it lies %d slots hold %llu; watch a part of it, by "
		  ".MEMBER, [INDEX] or +OFF and /LEN",
		  option->text, (unsigned long long)size, WATCH_MAX_PARTS,
		  (unsigned long long)fitting);
	return -EINVAL;
}

static int check_kind(const struct probe_option *option, const struct elf_symbol *symbol)
{
	if (symbol->type == STT_GNU_IFUNC)
		log_error(
			"%s: %s is chosen at run time among several implementations (IFUNC); a breakpoint on the "
			"name would hit only the choosing; name the implementation (tracer --list functions BIN), or "
			"use --uprobe, which finds them",
			option->text, option->symbol);
	else
		return 0;
	return -ENOTSUP;
}

static int find_symbol(const struct probe_option *option, struct elf_file *file,
		       struct watch_variable *variable)
{
	const struct elf_symbol *symbol;
	int err = symbol_find(option->text, file, option->symbol, variable->type == HW_BREAKPOINT_X,
			      &symbol);

	if (!err)
		err = check_kind(option, symbol);
	if (err)
		return err;
	variable->vaddr = symbol->vaddr;
	variable->size = symbol->size;
	variable->is_thread_local = symbol->type == STT_TLS;
	return 0;
}

static int report_part(const struct probe_option *option, int err, const char *why)
{
	if (err == -ENOENT)
		log_error(
			"%s: there is no variable of that name (tracer --list variables BIN shows them)",
			option->text);
	else if (err == -ENOTUNIQ)
		log_error("%s: several variables have that name; say which by its address",
			  option->text);
	else if (err == -ENODATA)
		log_error("%s: members are found by debugging information, and there is none (build it with -g, or "
			  "install its debug symbols)",
			  option->text);
	else
		log_error("%s: %s", option->text, err == -EINVAL ? why : strerror(-err));
	return err;
}

static void take_part(const struct variable_part *part, struct watch_variable *variable)
{
	variable->vaddr = part->vaddr;
	variable->size = part->size;
	variable->is_thread_local = part->is_thread_local;
	variable->pointer_count = part->pointer_count;
	memcpy(variable->offsets, part->offsets, sizeof(variable->offsets));
}

/* "config.limit", "table[3].name", "list->head" */
static int find_part(const struct probe_option *option, struct watch_variable *variable)
{
	struct debug_info *info = NULL;
	struct variable_part part;
	char why[128] = "";
	int err = debug_info_open(variable->debug_path, &info);

	if (!err)
		err = variable_path_find(info, option->symbol, &part, why);
	if (!err && !part.size && !option->length) {
		snprintf(why, sizeof(why), "how long it is is not told: say it by /LEN");
		err = -EINVAL;
	}
	if (!err)
		take_part(&part, variable);
	debug_info_close(info);
	return err ? report_part(option, err, why) : 0;
}

/* A name may itself have a dot ("counter.0"), as compilers make them of statics in functions. */
static bool is_whole_name(struct elf_file *file, const char *name)
{
	size_t count;
	const struct elf_symbol *symbols = elf_file_symbols(file, &count);

	for (size_t i = 0; i < count; i++)
		if (!strcmp(symbols[i].name, name))
			return true;
	return false;
}

static int find_named(const struct probe_option *option, struct elf_file *file,
		      struct watch_variable *variable)
{
	if (variable->type != HW_BREAKPOINT_X && variable_path_has_parts(option->symbol) &&
	    !is_whole_name(file, option->symbol))
		return find_part(option, variable);
	return find_symbol(option, file, variable);
}

/* Behind the last pointer, or where there is none. */
static void add_offset(uint64_t offset, struct watch_variable *variable)
{
	if (variable->pointer_count)
		variable->offsets[variable->pointer_count - 1] += offset;
	else
		variable->vaddr += offset;
}

static bool is_program(pid_t pid, const char *path)
{
	struct stat program, file;
	char exe[64];

	snprintf(exe, sizeof(exe), "/proc/%d/exe", pid);
	return !stat(exe, &program) && !stat(path, &file) && program.st_dev == file.st_dev &&
	       program.st_ino == file.st_ino;
}

/* What is in the file of threads' copies. */
static int find_block(const struct probe_option *option, const struct elf_file *file, pid_t pid,
		      struct watch_variable *variable)
{
	if (!variable->is_thread_local || !variable->is_of_program ||
	    thread_local_of_program(file, pid, &variable->block))
		return 0;
	log_error("%s: it is thread-local, and the file does not say how long a thread's copy is",
		  option->text);
	return -ENOEXEC;
}

uint64_t watch_variable_likely_address(const struct watch_variable *variable)
{
	uint64_t last_pointer =
		variable->pointer_count ? variable->offsets[variable->pointer_count - 1] : 0;

	if (variable->pointer_count)
		return last_pointer;
	/* thread pointers, and blocks of libraries, are at multiples of 16 or more */
	return variable->vaddr + (uint64_t)variable->block.distance;
}

static int resolve_in_file(const struct probe_option *option, struct elf_file *file,
			   struct watch_variable *variable)
{
	int err = find_named(option, file, variable);

	if (err)
		return err;
	if (variable->type != HW_BREAKPOINT_X && variable->size &&
	    option->offset >= variable->size) {
		log_error("%s: %s is only %llu bytes long", option->text, option->symbol,
			  (unsigned long long)variable->size);
		return -ERANGE;
	}
	if (!elf_file_offset_to_vaddr(file, 0, &variable->file_start)) {
		log_error("%s: the file does not say where it is mapped", option->text);
		return -ENOEXEC;
	}
	add_offset(option->offset, variable);
	variable->at_entry = variable->type == HW_BREAKPOINT_X && !option->offset;
	return 0;
}

static const struct object *object_of(struct objects *objects, const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return NULL;
	return objects_file(objects, major(status.st_dev), minor(status.st_dev), status.st_ino,
			    path, 0, 0, 0);
}

static int resolve_symbol(const struct probe_option *option, pid_t pid, struct objects *objects,
			  struct watch_variable *variable)
{
	char path[PATH_MAX], exe[64];
	struct elf_file *file = NULL;
	int err;

	snprintf(exe, sizeof(exe), "/proc/%d/exe", pid);
	err = binary_find(option->binary ? option->binary : exe, &pid, 1, path);
	if (err) {
		log_error("%s: there is no program or library %s", option->text,
			  option->binary ? option->binary : exe);
		return err;
	}
	err = binary_open(option->text, path, &file);
	if (err)
		return err;
	snprintf(variable->debug_path, sizeof(variable->debug_path), "%s",
		 elf_file_debug_path(file) ? elf_file_debug_path(file) : path);
	variable->object = object_of(objects, path);
	variable->is_of_program = is_program(pid, path);
	err = variable->object ? resolve_in_file(option, file, variable) : -ENOENT;
	if (!err)
		err = find_block(option, file, pid, variable);
	elf_file_close(file);
	return err;
}

static int resolve_kernel_symbol(const struct probe_option *option, struct watch_variable *variable)
{
	const struct kernel_symbol *symbol;
	struct kallsyms *symbols = NULL;
	uint64_t size = 0;
	int err = kallsyms_load(&symbols);

	symbol = symbols ? kallsyms_find(symbols, option->symbol, &size) : NULL;
	if (err == -EPERM) {
		log_error("%s: the kernel hides its addresses (kernel.kptr_restrict)",
			  option->text);
	} else if (!symbol) {
		log_error(
			"%s: the kernel has no symbol %s (for a variable of a program give -p, -t or a COMMAND)",
			option->text, option->symbol);
		err = -ENOENT;
	} else {
		variable->vaddr = symbol->address + option->offset;
		variable->in_kernel = true;
	}
	kallsyms_free(symbols);
	return err;
}

int watch_variable_resolve(const struct probe_option *option, pid_t pid, struct objects *objects,
			   struct watch_variable *variable)
{
	memset(variable, 0, sizeof(*variable));
	variable->type = access_type(option);
#if defined(__x86_64__)
	if (variable->type == HW_BREAKPOINT_R) {
		log_error("%s: x86-64 cannot watch reads alone; use :rw", option->text);
		return -EINVAL;
	}
#endif
	if (option->symbol && (pid || option->binary)) {
		if (!pid) {
			log_error("%s: whose %s? Give -p, -t or a COMMAND", option->text,
				  option->binary);
			return -EINVAL;
		}
		return resolve_symbol(option, pid, objects, variable);
	}
#if defined(__aarch64__)
	/* There the kernel steps over an access that was reported; done to itself, systems have hung of it. */
	if (option->symbol || option->address + option->offset >= KERNEL_BEGIN) {
		log_error(
			"%s: the kernel's own memory cannot be watched on arm64 (for a variable of a program give -p, -t or a COMMAND)",
			option->text);
		return -EOPNOTSUPP;
	}
#endif
	if (option->symbol)
		return resolve_kernel_symbol(option, variable);
	variable->vaddr = option->address + option->offset;
	variable->in_kernel = variable->vaddr >= KERNEL_BEGIN;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where a breakpoint goes, by process: variables and functions of programs and libraries, kernel symbols. */
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
#include "../process/tasks.h"
#include "../aim/binary.h"
#include "../aim/probe_spec.h"
#include "../aim/symbol_find.h"
#include "../aim/variable_path.h"
#include "../debug/debug_info.h"
#include "watch_site.h"

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

/* Where the object's file begins in the process, less the address the file itself gives that. */
static int find_load_bias(const struct probe_option *option, pid_t pid, struct tasks *tasks,
			  const struct object *object, const struct elf_file *file, uint64_t *bias)
{
	uint64_t mapped = tasks_address_of(tasks, pid, object, 0);
	uint64_t vaddr;

	if (!mapped) {
		log_error(
			"%s: process %d does not map %s (libraries loaded later cannot be watched in advance)",
			option->text, pid, object->path);
		return -ENOENT;
	}
	if (!elf_file_offset_to_vaddr(file, 0, &vaddr))
		return -ENOEXEC;
	*bias = mapped - vaddr;
	return 0;
}

static int set_length(const struct probe_option *option, uint64_t symbol_size,
		      struct watch_site *site)
{
	uint64_t length = option->length ? option->length : symbol_size;

	if (site->type == HW_BREAKPOINT_X) {
		site->length = sizeof(long); /* what the kernel wants to hear */
		return 0;
	}
	if (length != 1 && length != 2 && length != 4 && length != 8) {
		log_error("%s: a breakpoint watches 1, 2, 4 or 8 bytes, and this is %llu long; say which part by "
			  ".MEMBER, [INDEX] or +OFF and /LEN",
			  option->text, (unsigned long long)length);
		return -EINVAL;
	}
	if (site->address % length) {
		log_error("%s: 0x%llx is not a multiple of the length %llu, as the hardware needs",
			  option->text, (unsigned long long)site->address,
			  (unsigned long long)length);
		return -EINVAL;
	}
	site->length = (uint32_t)length;
	return 0;
}

/* The longest length the address permits. */
static uint64_t natural_length(uint64_t address)
{
	uint64_t length = 8;

	while (address % length)
		length /= 2;
	return length;
}

static int check_kind(const struct probe_option *option, const struct elf_symbol *symbol)
{
	if (symbol->type == STT_GNU_IFUNC)
		log_error(
			"%s: %s is chosen at run time among several implementations (IFUNC); a breakpoint on the "
			"name would hit only the choosing; name the implementation (tracer --list functions BIN), or "
			"use --uprobe, which finds them",
			option->text, option->symbol);
	else if (symbol->type == STT_TLS)
		log_error("%s: %s is thread-local: it has no single address", option->text,
			  option->symbol);
	else
		return 0;
	return -ENOTSUP;
}

/* What a name of a program or library means in its file. */
struct named {
	uint64_t vaddr;
	uint64_t size; /* 0: not known */
};

static int find_symbol(const struct probe_option *option, struct elf_file *file, bool is_function,
		       struct named *named)
{
	const struct elf_symbol *symbol;
	int err = symbol_find(option->text, file, option->symbol, is_function, &symbol);

	if (!err)
		err = check_kind(option, symbol);
	if (!err)
		*named = (struct named){ symbol->vaddr, symbol->size };
	return err;
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

/* "config.limit", "table[3].name" */
static int find_part(const struct probe_option *option, const struct watch_site *site,
		     struct named *named)
{
	struct debug_info *info = NULL;
	struct variable_part part;
	char why[128] = "";
	int err = debug_info_open(site->debug_path, &info);

	if (!err)
		err = variable_path_find(info, option->symbol, &part, why);
	if (!err)
		*named = (struct named){ part.vaddr, part.size };
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
		      const struct watch_site *site, struct named *named)
{
	bool is_function = site->type == HW_BREAKPOINT_X;

	if (!is_function && variable_path_has_parts(option->symbol) &&
	    !is_whole_name(file, option->symbol))
		return find_part(option, site, named);
	return find_symbol(option, file, is_function, named);
}

static int resolve_in_object(const struct probe_option *option, pid_t pid, struct tasks *tasks,
			     const struct object *object, struct elf_file *file,
			     struct watch_site *site)
{
	struct named named = {};
	uint64_t bias, size;
	int err;

	err = find_named(option, file, site, &named);
	if (err)
		return err;
	if (site->type != HW_BREAKPOINT_X && named.size && option->offset >= named.size) {
		log_error("%s: %s is only %llu bytes long", option->text, option->symbol,
			  (unsigned long long)named.size);
		return -ERANGE;
	}
	err = find_load_bias(option, pid, tasks, object, file, &bias);
	if (err)
		return err;
	site->address = bias + named.vaddr + option->offset;
	site->at_entry = site->type == HW_BREAKPOINT_X && !option->offset;
	size = option->offset || !named.size ? natural_length(site->address) : named.size;
	return set_length(option, size, site);
}

static int resolve_symbol(const struct probe_option *option, pid_t pid, struct tasks *tasks,
			  struct objects *objects, struct watch_site *site)
{
	char path[PATH_MAX], exe[64];
	struct elf_file *file = NULL;
	struct object *object;
	struct stat status;
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
	object = stat(path, &status) ?
			 NULL :
			 objects_file(objects, major(status.st_dev), minor(status.st_dev),
				      status.st_ino, path, 0, 0, 0);
	snprintf(site->debug_path, sizeof(site->debug_path), "%s",
		 elf_file_debug_path(file) ? elf_file_debug_path(file) : path);
	if (object)
		err = resolve_in_object(option, pid, tasks, object, file, site);
	else
		err = -ENOENT;
	elf_file_close(file);
	return err;
}

static int resolve_kernel_symbol(const struct probe_option *option, struct watch_site *site)
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
		site->address = symbol->address + option->offset;
		site->in_kernel = true;
		err = set_length(option, natural_length(site->address), site);
	}
	kallsyms_free(symbols);
	return err;
}

int watch_site_resolve(const struct probe_option *option, pid_t pid, struct tasks *tasks,
		       struct objects *objects, struct watch_site *site)
{
	memset(site, 0, sizeof(*site));
	site->type = access_type(option);
#if defined(__x86_64__)
	if (site->type == HW_BREAKPOINT_R) {
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
		return resolve_symbol(option, pid, tasks, objects, site);
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
		return resolve_kernel_symbol(option, site);
	site->address = option->address + option->offset;
	site->in_kernel = site->address >= KERNEL_BEGIN;
	return set_length(option, natural_length(site->address), site);
}

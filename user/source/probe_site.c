// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Aiming: the binary, the symbol, the file offset, and the proof that an instruction begins there. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/log.h"
#include "../object/elf_file.h"
#include "../object/instruction.h"
#include "../symbol/demangle.h"
#include "probe_site.h"
#include "probe_spec.h"

#if defined(__x86_64__)
#define OWN_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#endif

int binary_open(const char *option, const char *path, struct elf_file **file)
{
	int err = elf_file_open(path, file);

	if (err == -ENOEXEC || err == -EINVAL) {
		log_error("%s: %s is not an ELF file that can be probed", option, path);
		return err;
	}
	if (err) {
		log_error("%s: %s: %s", option, path, strerror(-err));
		return err;
	}
	if (elf_file_is_64bit(*file) && elf_file_machine(*file) == OWN_MACHINE)
		return 0;
	log_error("%s: %s is %s; only 64-bit programs of this machine can be probed", option, path,
		  elf_file_is_64bit(*file) ? "built for another machine" : "a 32-bit program");
	elf_file_close(*file);
	*file = NULL;
	return -ENOTSUP;
}

static bool is_wanted_kind(const struct elf_symbol *symbol, bool is_function)
{
	if (is_function)
		return symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC ||
		       symbol->type == STT_NOTYPE;
	return symbol->type == STT_OBJECT || symbol->type == STT_TLS;
}

/* "ns::f(int)" is meant by itself and by "ns::f". */
static bool demangled_matches(const char *mangled, const char *name)
{
	size_t length = strlen(name);
	char *readable;
	bool matches;

	if (strncmp(mangled, "_Z", 2) && strncmp(mangled, "_R", 2))
		return false;
	readable = demangle(mangled);
	if (!readable)
		return false;
	matches = !strncmp(readable, name, length) &&
		  (!readable[length] || readable[length] == '(');
	free(readable);
	return matches;
}

typedef bool (*name_match_fn)(const char *symbol, const char *name);

static bool is_same_name(const char *symbol, const char *name)
{
	return !strcmp(symbol, name);
}

/* Collects the distinct addresses of symbols of that name: at most `most`, but counts all. */
static size_t find_all(const struct elf_symbol *symbols, size_t count, const char *name,
		       bool is_function, name_match_fn matches, const struct elf_symbol **found,
		       size_t most)
{
	size_t distinct = 0;

	for (size_t i = 0; i < count; i++) {
		bool is_known = false;

		if (!is_wanted_kind(&symbols[i], is_function) || !matches(symbols[i].name, name))
			continue;
		for (size_t k = 0; k < distinct && k < most; k++)
			is_known |= found[k]->vaddr == symbols[i].vaddr;
		if (is_known)
			continue;
		if (distinct < most)
			found[distinct] = &symbols[i];
		distinct++;
	}
	return distinct;
}

#define MOST_LISTED 8

static void report_ambiguous(const char *option, const char *name, bool is_function,
			     const struct elf_symbol **found, size_t count)
{
	char list[512] = "";
	size_t used = 0;

	for (size_t i = 0; i < count && i < MOST_LISTED && used < sizeof(list); i++) {
		char *readable = demangle(found[i]->name);

		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s0x%llx%s%s%s",
					 i ? ", " : "", (unsigned long long)found[i]->vaddr,
					 readable ? " (" : "", readable ? readable : "",
					 readable ? ")" : "");
		free(readable);
	}
	log_error("%s: there are %zu %s named %s, at %s%s; say which by BIN:0xADDR", option, count,
		  is_function ? "functions" : "variables", name, list,
		  count > MOST_LISTED ? ", ..." : "");
}

int symbol_find(const char *option, struct elf_file *file, const char *name, bool is_function,
		const struct elf_symbol **symbol)
{
	const struct elf_symbol *found[MOST_LISTED];
	const char *kind = is_function ? "function" : "variable";
	size_t count = 0, all;
	const struct elf_symbol *symbols = elf_file_symbols(file, &all);

	count = find_all(symbols, all, name, is_function, is_same_name, found, MOST_LISTED);
	if (!count)
		count = find_all(symbols, all, name, is_function, demangled_matches, found,
				 MOST_LISTED);
	if (!count) {
		log_error("%s: there is no %s %s (%zu symbols; tracer --list %ss BIN shows them)",
			  option, kind, name, all, kind);
		return -ENOENT;
	}
	if (count > 1 && found[0]->type != STT_GNU_IFUNC) {
		report_ambiguous(option, name, is_function, found, count);
		return -ENOTUNIQ;
	}
	if (found[0]->type == STT_GNU_IFUNC) {
		log_error(
			"%s: %s is chosen at run time among several implementations (IFUNC); a probe on the name "
			"would hit only the choosing; probe the implementation (tracer --list functions BIN)",
			option, name);
		return -ENOTSUP;
	}
	if (found[0]->type == STT_TLS) {
		log_error("%s: %s is thread-local: it has no single address", option, name);
		return -ENOTSUP;
	}
	*symbol = found[0];
	return 0;
}

/* A probe anywhere but at an instruction's first byte would corrupt the target. */
static int check_boundary(const char *option, const struct elf_file *file,
			  const struct elf_symbol *function, uint64_t vaddr)
{
	uint64_t begins = 0;
	int err;

	if (vaddr == function->vaddr)
		return 0;
	err = instruction_check_boundary(file, function->vaddr, vaddr, &begins);
	if (err == -EILSEQ)
		log_error("%s: 0x%llx is inside the instruction at 0x%llx (%s+0x%llx); a probe there would corrupt "
			  "the program",
			  option, (unsigned long long)vaddr, (unsigned long long)begins,
			  function->name, (unsigned long long)(begins - function->vaddr));
	else if (err)
		log_error("%s: cannot prove that an instruction begins at 0x%llx: %s", option,
			  (unsigned long long)vaddr, strerror(-err));
	return err;
}

static int resolve_address(const struct probe_option *option, struct elf_file *file,
			   struct probe_site *site)
{
	const struct elf_symbol *function;
	int err;

	site->vaddr = option->address + option->offset;
	function = elf_file_function_at(file, site->vaddr);
	if (!function) {
		log_error("%s: no known function covers 0x%llx, so it cannot be proved that an instruction begins "
			  "there",
			  option->text, (unsigned long long)site->vaddr);
		return -ENOENT;
	}
	err = check_boundary(option->text, file, function, site->vaddr);
	site->at_entry = site->vaddr == function->vaddr;
	return err;
}

static int resolve_symbol(const struct probe_option *option, struct elf_file *file,
			  struct probe_site *site)
{
	const struct elf_symbol *function;
	int err = symbol_find(option->text, file, option->symbol, true, &function);

	if (err)
		return err;
	site->vaddr = function->vaddr + option->offset;
	site->at_entry = !option->offset;
	if (option->offset && function->size && option->offset >= function->size) {
		log_error("%s: %s is only 0x%llx bytes long", option->text, option->symbol,
			  (unsigned long long)function->size);
		return -ERANGE;
	}
	return check_boundary(option->text, file, function, site->vaddr);
}

static int resolve_in_file(const struct probe_option *option, struct elf_file *file,
			   struct probe_site *site)
{
	int err = option->has_address ? resolve_address(option, file, site) :
					resolve_symbol(option, file, site);

	if (err)
		return err;
	site->is_go = elf_file_is_go(file);
	if (!elf_file_vaddr_to_offset(file, site->vaddr, &site->offset) ||
	    !elf_file_offset_is_executable(file, site->offset)) {
		log_error("%s: 0x%llx is not in code that the file holds", option->text,
			  (unsigned long long)site->vaddr);
		return -EFAULT;
	}
	return 0;
}

int probe_site_resolve(const struct probe_option *option, const pid_t *pids, size_t pid_count,
		       struct probe_site *site)
{
	struct elf_file *file = NULL;
	struct stat status;
	int err;

	memset(site, 0, sizeof(*site));
	err = binary_find(option->binary, pids, pid_count, site->path);
	if (err) {
		log_error("%s: there is no program or library %s", option->text, option->binary);
		return err;
	}
	err = binary_open(option->text, site->path, &file);
	if (err)
		return err;
	err = resolve_in_file(option, file, site);
	if (!stat(site->path, &status))
		site->inode = status.st_ino;
	elf_file_close(file);
	return err;
}

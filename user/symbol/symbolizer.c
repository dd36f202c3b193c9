// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Names for frames. Each object is opened as ELF when the first frame in it is to be named, by the
 * descriptor that process/ keeps; the vDSO is read from our own memory, the kernel's symbols from
 * /proc/kallsyms. Answers are kept by offset, and demangled names by symbol.
 */
#include "symbolizer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "../object/elf_file.h"
#include "../object/kallsyms.h"
#include "../object/vdso.h"
#include "demangle.h"

/*
 * A symbol's name as it is shown, or a kernel module's ("[ext4]"); by the address of the original.
 */
struct shown_name {
	const void *original;
	char *text;
	UT_hash_handle hh;
};

struct answer {
	uint64_t offset; /* as it was looked up */
	const char *name;
	const char *module;
	uint64_t start; /* the symbol's */
	uint64_t vaddr;
	UT_hash_handle hh;
};

/* What we know of one object. */
struct module {
	uint32_t id;	       /* the object's */
	bool tried;	       /* to open it */
	struct elf_file *file; /* NULL: none, or not readable */
	struct answer *answers;
	UT_hash_handle hh;
};

/* A BPF program that was loaded before we needed kernel symbols at all. */
struct late_symbol {
	uint64_t address, size;
	struct late_symbol *next;
	char name[];
};

struct symbolizer {
	struct late_symbol *late; /* to be added when the kernel's symbols are read; oldest first */
	struct late_symbol **late_end;
	struct module *modules;
	struct shown_name *names;
	struct kallsyms *kernel; /* NULL until needed */
};

struct symbolizer *symbolizer_new(void)
{
	struct symbolizer *symbolizer = calloc(1, sizeof(*symbolizer));

	if (symbolizer)
		symbolizer->late_end = &symbolizer->late;
	return symbolizer;
}

static void forget_late_symbols(struct symbolizer *symbolizer)
{
	while (symbolizer->late) {
		struct late_symbol *late = symbolizer->late;

		symbolizer->late = late->next;
		free(late);
	}
	symbolizer->late_end = &symbolizer->late;
}

static void forget_answers(struct module *module)
{
	struct answer *answer, *next;

	HASH_ITER(hh, module->answers, answer, next) {
		HASH_DEL(module->answers, answer);
		free(answer);
	}
}

void symbolizer_free(struct symbolizer *symbolizer)
{
	struct module *module, *next_module;
	struct shown_name *name, *next_name;

	if (!symbolizer)
		return;
	HASH_ITER(hh, symbolizer->modules, module, next_module) {
		HASH_DEL(symbolizer->modules, module);
		forget_answers(module);
		elf_file_close(module->file);
		free(module);
	}
	HASH_ITER(hh, symbolizer->names, name, next_name) {
		HASH_DEL(symbolizer->names, name);
		free(name->text);
		free(name);
	}
	forget_late_symbols(symbolizer);
	kallsyms_free(symbolizer->kernel);
	free(symbolizer);
}

/* Keeps text, a new string, as what is shown for original; takes it over. NULL without memory. */
static const char *keep_name(struct symbolizer *symbolizer, const void *original, char *text)
{
	struct shown_name *name = text ? calloc(1, sizeof(*name)) : NULL;

	if (!name)
		goto cleanup;
	name->original = original;
	name->text = text;
	HASH_ADD(hh, symbolizer->names, original, sizeof(name->original), name);
	if (name->hh.tbl)
		return text;
cleanup:
	free(name);
	free(text);
	return NULL;
}

static const char *kept_name(const struct symbolizer *symbolizer, const void *original)
{
	struct shown_name *name = NULL;

	HASH_FIND(hh, symbolizer->names, &original, sizeof(original), name);
	return name ? name->text : NULL;
}

static const char *show_symbol(struct symbolizer *symbolizer, const char *original)
{
	const char *shown = kept_name(symbolizer, original);
	char *demangled;

	if (shown)
		return shown;
	demangled = demangle(original);
	shown = demangled ? keep_name(symbolizer, original, demangled) : NULL;
	return shown ? shown : original;
}

static const char *show_kernel_module(struct symbolizer *symbolizer, const char *original)
{
	const char *shown;
	char *text;

	if (!strcmp(original, "kernel"))
		return "[kernel.kallsyms]";
	if (!strcmp(original, "bpf"))
		return "[bpf]";
	shown = kept_name(symbolizer, original);
	if (!shown && asprintf(&text, "[%s]", original) >= 0)
		shown = keep_name(symbolizer, original, text);
	return shown ? shown : original;
}

static void open_module(struct module *module, const struct object *object)
{
	/* process/ may yet succeed in opening it: then it is our turn, but once. */
	if (module->tried || (object->kind == OBJECT_FILE && object->fd < 0))
		return;
	module->tried = true;
	if (object->kind == OBJECT_VDSO)
		vdso_open(&module->file);
	else if (object->kind == OBJECT_FILE && object_is_unchanged(object))
		elf_file_open_fd(object->fd, &module->file);
}

/* NULL without memory. */
static struct module *module_of(struct symbolizer *symbolizer, const struct object *object)
{
	struct module *module = NULL;

	HASH_FIND(hh, symbolizer->modules, &object->id, sizeof(object->id), module);
	if (!module) {
		module = calloc(1, sizeof(*module));
		if (!module)
			return NULL;
		module->id = object->id;
		HASH_ADD(hh, symbolizer->modules, id, sizeof(module->id), module);
		if (!module->hh.tbl) {
			free(module);
			return NULL;
		}
	}
	open_module(module, object);
	return module;
}

/* NULL only without memory; without permission it is empty. */
static struct kallsyms *kernel_symbols(struct symbolizer *symbolizer)
{
	if (symbolizer->kernel)
		return symbolizer->kernel;
	kallsyms_load(&symbolizer->kernel);
	for (struct late_symbol *late = symbolizer->late; symbolizer->kernel && late;
	     late = late->next)
		kallsyms_add(symbolizer->kernel, late->address, late->size, late->name);
	forget_late_symbols(symbolizer);
	return symbolizer->kernel;
}

static void look_up_kernel(struct symbolizer *symbolizer, struct answer *answer)
{
	const struct kallsyms *symbols = kernel_symbols(symbolizer);
	const struct kernel_symbol *symbol = symbols ? kallsyms_at(symbols, answer->offset) : NULL;

	if (!symbol)
		return;
	answer->name = show_symbol(symbolizer, symbol->name);
	answer->module = show_kernel_module(symbolizer, symbol->module);
	answer->start = symbol->address;
}

static void look_up_file(struct symbolizer *symbolizer, struct module *module,
			 struct answer *answer)
{
	const struct elf_symbol *symbol;

	if (!module->file ||
	    !elf_file_offset_to_vaddr(module->file, answer->offset, &answer->vaddr))
		return;
	symbol = elf_file_function_at(module->file, answer->vaddr);
	if (!symbol)
		return;
	answer->name = show_symbol(symbolizer, symbol->name);
	answer->start = symbol->vaddr;
}

static void look_up(struct symbolizer *symbolizer, struct module *module,
		    const struct object *object, struct answer *answer)
{
	answer->vaddr = answer->offset;
	answer->module = object->name;
	if (object->kind == OBJECT_KERNEL)
		look_up_kernel(symbolizer, answer);
	else if (module)
		look_up_file(symbolizer, module, answer);
}

/* Fills answer for its offset, from the cache or into it. */
static void ask(struct symbolizer *symbolizer, const struct object *object, struct answer *answer)
{
	struct module *module = module_of(symbolizer, object);
	struct answer *kept = NULL;

	if (module)
		HASH_FIND(hh, module->answers, &answer->offset, sizeof(answer->offset), kept);
	if (kept) {
		*answer = *kept;
		return;
	}
	look_up(symbolizer, module, object, answer);
	/*
	 * Without memory to keep it the answer is still right. A file not yet open is asked again.
	 */
	if (!module || !module->tried)
		return;
	kept = calloc(1, sizeof(*kept));
	if (!kept)
		return;
	*kept = *answer;
	HASH_ADD(hh, module->answers, offset, sizeof(kept->offset), kept);
	if (!kept->hh.tbl)
		free(kept);
}

void symbolizer_frame(struct symbolizer *symbolizer, const struct frame *frame, bool is_caller,
		      struct symbol *symbol)
{
	const struct object *object = frame->object;
	uint64_t back = is_caller && frame->offset > 0;
	struct answer answer = { .offset = frame->offset - back };

	ask(symbolizer, object, &answer);
	*symbol = (struct symbol){
		.name = answer.name,
		.module = answer.module,
		.path = object->kind == OBJECT_KERNEL ? answer.module : object->path,
		.vaddr = answer.vaddr + back,
		.offset = answer.name ? answer.vaddr + back - answer.start : 0,
		.is_kernel = object->kind == OBJECT_KERNEL,
	};
}

static int keep_late_symbol(struct symbolizer *symbolizer, uint64_t address, uint64_t size,
			    const char *name)
{
	size_t length = strlen(name) + 1;
	struct late_symbol *late = calloc(1, sizeof(*late) + length);

	if (!late)
		return -ENOMEM;
	late->address = address;
	late->size = size;
	memcpy(late->name, name, length);
	*symbolizer->late_end = late;
	symbolizer->late_end = &late->next;
	return 0;
}

int symbolizer_add_kernel(struct symbolizer *symbolizer, uint64_t address, uint64_t size,
			  const char *name)
{
	struct module *module, *next;

	if (!symbolizer->kernel)
		return keep_late_symbol(symbolizer, address, size, name);
	if (kallsyms_add(symbolizer->kernel, address, size, name))
		return -ENOMEM;
	/* Frames in that memory may have been asked for when it held something else, or nothing. */
	HASH_ITER(hh, symbolizer->modules, module, next) {
		if (!module->file)
			forget_answers(module);
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * /proc/kallsyms, read whole and cut into strings in place: some 200,000 lines, so no line is
 * copied and nothing is parsed twice. The file gives no sizes; a symbol reaches to the next one,
 * and where the next belongs to something else, no further than a guess that is stated at
 * reach_limit().
 */
#include "kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE 4096ull
/* BPF programs are packed into areas of this size (BPF_PROG_PACK_SIZE on x86-64 with one node). */
#define BPF_PACK  (2ull << 20)
#define READ_STEP (1u << 20)

/* A program that came after the file was read; it knows its size. */
struct program {
	struct kernel_symbol symbol;
	uint64_t size;
};

struct kallsyms {
	char *text;		       /* names and modules point into it */
	struct kernel_symbol *symbols; /* by address, the best name of each first */
	size_t count;
	struct program **programs; /* oldest first */
	size_t program_count;
};

/* Reads all of a file whose size is not known; NUL-terminated. */
static int read_whole(int fd, char **text, size_t *length)
{
	size_t room = 0, used = 0;
	char *buffer = NULL;

	for (;;) {
		ssize_t got;

		if (room - used < 2) {
			char *grown = realloc(buffer, room + room / 2 + READ_STEP);

			if (!grown) {
				free(buffer);
				return -ENOMEM;
			}
			room += room / 2 + READ_STEP;
			buffer = grown;
		}
		got = read(fd, buffer + used, room - used - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			int err = -errno;

			free(buffer);
			return err;
		}
		if (!got)
			break;
		used += (size_t)got;
	}
	buffer[used] = '\0';
	*text = buffer;
	*length = used;
	return 0;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* Reads at most 16 hex digits; NULL unless a space follows them. */
static char *parse_address(char *at, uint64_t *address)
{
	uint64_t value = 0;
	int digits = 0;

	for (; hex_digit(*at) >= 0; at++, digits++)
		value = value << 4 | (uint64_t)hex_digit(*at);
	*address = value;
	return digits && digits <= 16 && *at == ' ' ? at + 1 : NULL;
}

/* "addr type name" or "addr type name\t[module]", NUL-terminated and without a NUL inside. */
static bool parse_line(char *line, struct kernel_symbol *symbol)
{
	char *at = parse_address(line, &symbol->address);
	char *name_end, *module_end;

	if (!at || !at[0] || at[1] != ' ')
		return false;
	symbol->type = at[0];
	symbol->name = at + 2;
	symbol->module = "kernel";
	name_end = at + 2 + strcspn(at + 2, "\t ");
	if (name_end == at + 2)
		return false;
	if (!*name_end)
		return true;
	*name_end = '\0';
	at = name_end + 1 + strspn(name_end + 1, "\t ");
	module_end = *at == '[' ? strchr(at, ']') : NULL;
	if (!module_end || module_end == at + 1)
		return false;
	*module_end = '\0';
	symbol->module = at + 1;
	return true;
}

static size_t count_lines(const char *text, size_t length)
{
	size_t lines = 1;

	for (size_t i = 0; i < length; i++)
		lines += text[i] == '\n';
	return lines;
}

static int parse(struct kallsyms *symbols, size_t length, bool *hidden)
{
	char *line = symbols->text, *end = symbols->text + length;

	symbols->symbols = calloc(count_lines(line, length), sizeof(*symbols->symbols));
	if (!symbols->symbols)
		return -ENOMEM;
	*hidden = true;
	while (line < end) {
		char *newline = memchr(line, '\n', (size_t)(end - line));

		if (newline)
			*newline = '\0';
		if (parse_line(line, &symbols->symbols[symbols->count])) {
			if (symbols->symbols[symbols->count].address)
				*hidden = false;
			symbols->count++;
		}
		if (!newline)
			break;
		line = newline + 1;
	}
	*hidden = *hidden && symbols->count;
	return 0;
}

static bool is_text(const struct kernel_symbol *symbol)
{
	return strchr("tTwW", symbol->type) != NULL;
}

/* Names at one address: code before data, global before local, plain before __plain. */
static int name_rank(const struct kernel_symbol *symbol)
{
	int underscores = (int)strspn(symbol->name, "_");

	if (!is_text(symbol))
		return 3000;
	if (underscores > 900)
		underscores = 900;
	return underscores + (symbol->type == 'T' ? 0 : symbol->type == 't' ? 2000 : 1000);
}

static int compare_symbols(const void *left, const void *right)
{
	const struct kernel_symbol *a = left, *b = right;
	int order;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	order = name_rank(a) - name_rank(b);
	if (order)
		return order;
	/* Names lie in one text, in the order of the file. */
	return (a->name > b->name) - (a->name < b->name);
}

int kallsyms_load_file(const char *path, struct kallsyms **symbols)
{
	struct kallsyms *loaded = calloc(1, sizeof(*loaded));
	bool hidden = false;
	size_t length = 0;
	int fd, err;

	*symbols = NULL;
	if (!loaded)
		return -ENOMEM;
	*symbols = loaded;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = read_whole(fd, &loaded->text, &length);
	close(fd);
	if (!err)
		err = parse(loaded, length, &hidden);
	if (err) {
		loaded->count = 0;
		return err;
	}
	if (hidden) {
		loaded->count = 0;
		return -EPERM;
	}
	qsort(loaded->symbols, loaded->count, sizeof(*loaded->symbols), compare_symbols);
	return 0;
}

int kallsyms_load(struct kallsyms **symbols)
{
	return kallsyms_load_file("/proc/kallsyms", symbols);
}

void kallsyms_free(struct kallsyms *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < symbols->program_count; i++)
		free(symbols->programs[i]);
	free(symbols->programs);
	free(symbols->symbols);
	free(symbols->text);
	free(symbols);
}

/* How many symbols lie at or below address. */
static size_t symbols_below(const struct kallsyms *symbols, uint64_t address)
{
	size_t low = 0, high = symbols->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * The furthest a symbol may reach past its own address when no other of its module follows: a page
 * past its page for code of a module (as perf has it), one pack for a BPF program. The kernel's own
 * text is closed by _etext and _einittext.
 */
static uint64_t reach_limit(const struct kernel_symbol *symbol)
{
	uint64_t limit = (symbol->address | (PAGE - 1)) + 1 + PAGE;

	if (!strcmp(symbol->module, "bpf"))
		limit = symbol->address + BPF_PACK;
	return limit < symbol->address ? UINT64_MAX : limit;
}

static bool reaches(const struct kallsyms *symbols, size_t index, size_t below, uint64_t address)
{
	const struct kernel_symbol *symbol = &symbols->symbols[index];

	if (!strcmp(symbol->name, "_etext") || !strcmp(symbol->name, "_einittext"))
		return false;
	if (below < symbols->count && !strcmp(symbols->symbols[below].module, symbol->module) &&
	    strcmp(symbol->module, "bpf"))
		return true;
	return address < reach_limit(symbol);
}

static const struct kernel_symbol *program_at(const struct kallsyms *symbols, uint64_t address)
{
	/* The newest first: memory of unloaded programs is used again. */
	for (size_t i = symbols->program_count; i-- > 0;) {
		const struct program *program = symbols->programs[i];

		if (address >= program->symbol.address &&
		    address - program->symbol.address < program->size)
			return &program->symbol;
	}
	return NULL;
}

const struct kernel_symbol *kallsyms_at(const struct kallsyms *symbols, uint64_t address)
{
	const struct kernel_symbol *program = program_at(symbols, address);
	size_t below = symbols_below(symbols, address), first = below;
	uint64_t start;

	if (program || !below)
		return program;
	/* The first of a group of names of one address is the best. */
	start = symbols->symbols[below - 1].address;
	while (first > 0 && symbols->symbols[first - 1].address == start)
		first--;
	if (!is_text(&symbols->symbols[first]) || !reaches(symbols, first, below, address))
		return NULL;
	return &symbols->symbols[first];
}

const struct kernel_symbol *kallsyms_find(const struct kallsyms *symbols, const char *name,
					  uint64_t *size)
{
	for (size_t i = 0; i < symbols->count; i++) {
		const struct kernel_symbol *symbol = &symbols->symbols[i];
		size_t next;

		if (strcmp(symbol->name, name))
			continue;
		next = symbols_below(symbols, symbol->address);
		*size = next < symbols->count ? symbols->symbols[next].address - symbol->address :
						0;
		return symbol;
	}
	return NULL;
}

int kallsyms_add(struct kallsyms *symbols, uint64_t address, uint64_t size, const char *name)
{
	struct program **grown = reallocarray(symbols->programs, symbols->program_count + 1,
					      sizeof(struct program *));
	size_t length = strlen(name) + 1;
	struct program *program;

	if (!grown)
		return -ENOMEM;
	symbols->programs = grown;
	program = calloc(1, sizeof(*program) + length);
	if (!program)
		return -ENOMEM;
	program->symbol.address = address;
	program->symbol.name = memcpy(program + 1, name, length);
	program->symbol.module = "bpf";
	program->symbol.type = 't';
	program->size = size;
	symbols->programs[symbols->program_count++] = program;
	return 0;
}

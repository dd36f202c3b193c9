// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Names to symbols. What people write is compared with the name in the file first, then with what it reads as
 * demangled; only what is no name of anything is taken for a pattern, since C++ has operator* and operator[].
 */
#include "symbol_find.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/log.h"
#include "../event/suggest.h"
#include "../object/elf_file.h"
#include "../symbol/demangle.h"

/* What is looked for. The text is the caller's. */
struct wanted {
	const char *name;
	bool is_function;
	bool (*matches)(const struct wanted *wanted, const struct elf_symbol *symbol);
	char needle[128]; /* what the mangled name must have in it; "" nothing */
	regex_t regex;
};

char *symbol_readable(const struct elf_symbol *symbol)
{
	char *readable = demangle(symbol->name);

	return readable ? readable : strdup(symbol->name);
}

void symbol_matches_free(struct symbol_matches *matches)
{
	free(matches->symbols);
	*matches = (struct symbol_matches){};
}

static bool is_regex(const char *name)
{
	size_t length = strlen(name);

	return length > 2 && name[0] == '/' && name[length - 1] == '/';
}

bool symbol_name_is_pattern(const char *name)
{
	return is_regex(name) || strpbrk(name, "*?[");
}

/* A label may be meant by its own name; a pattern is about functions. */
static bool is_wanted_kind(const struct elf_symbol *symbol, bool is_function, bool is_pattern)
{
	if (!is_function)
		return symbol->type == STT_OBJECT || symbol->type == STT_TLS;
	return symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC ||
	       (symbol->type == STT_NOTYPE && !is_pattern);
}

/* ---- the ways to match ------------------------------------------------------------------------ */

/* "f@V1" and "f@@V2" are f of that version. */
static bool is_same(const struct wanted *wanted, const struct elf_symbol *symbol)
{
	const char *version = wanted->name + strlen(symbol->name);

	if (strncmp(symbol->name, wanted->name, strlen(symbol->name)))
		return false;
	if (!*version)
		return true;
	return symbol->version && *version == '@' &&
	       !strcmp(version + 1 + (version[1] == '@'), symbol->version);
}

/* What a program that is linked today gets by that name. */
static bool is_default(const struct wanted *wanted, const struct elf_symbol *symbol)
{
	return symbol->is_default_version && is_same(wanted, symbol);
}

#define ANONYMOUS "(anonymous namespace)"

/* Where the qualified name is in "int ns::f<int>(int) const": a return type comes only before a template's. */
struct qualified {
	size_t begin, end; /* end: where the parameters begin */
};

static struct qualified find_qualified(const char *readable)
{
	struct qualified name = {};
	size_t depth = 0, i = 0;

	while (readable[i]) {
		const char *at = readable + i;

		if (!strncmp(at, ANONYMOUS, strlen(ANONYMOUS))) {
			i += strlen(ANONYMOUS);
			continue;
		}
		if (!strncmp(at, "operator", 8)) { /* what follows may be <, (), new or a type */
			i += 8 + strcspn(at + 8, "(");
			i += !strncmp(readable + i, "()(", 3) ? 2 : 0;
			continue;
		}
		if (*at == '(' && !depth && i)
			break;
		depth += *at == '<';
		depth -= *at == '>' && depth;
		if (*at == ' ' && !depth)
			name.begin = i + 1;
		i++;
	}
	name.end = i;
	return name;
}

static bool is_beginning(const char *readable, const char *name)
{
	size_t length = strlen(name);

	/* its parameters, those of its template, or nothing more */
	return !strncmp(readable, name, length) &&
	       (!readable[length] || strchr("(<", readable[length]));
}

/* "ns::f(int)" is meant by itself and by "ns::f", "int ns::t<int>(int)" by "ns::t<int>" and "ns::t". */
static bool is_demangled(const struct wanted *wanted, const struct elf_symbol *symbol)
{
	const char *mangled = symbol->name;
	char *readable;
	bool matches;

	if ((strncmp(mangled, "_Z", 2) && strncmp(mangled, "_R", 2)) ||
	    !strstr(mangled, wanted->needle))
		return false;
	readable = demangle(mangled);
	if (!readable)
		return false;
	matches = wanted->name[0] &&
		  (is_beginning(readable, wanted->name) ||
		   is_beginning(readable + find_qualified(readable).begin, wanted->name));
	free(readable);
	return matches;
}

typedef bool (*text_match_fn)(const struct wanted *wanted, const char *text);

/* The mangled name, or the demangled one with its parameters and return type or without. */
static bool matches_any(const struct wanted *wanted, const struct elf_symbol *symbol,
			text_match_fn matches)
{
	struct qualified name;
	char *readable;
	bool found;

	if (matches(wanted, symbol->name))
		return true;
	readable = demangle(symbol->name);
	if (!readable)
		return false;
	name = find_qualified(readable);
	found = matches(wanted, readable) || matches(wanted, readable + name.begin);
	readable[name.end] = '\0';
	found = found || matches(wanted, readable + name.begin);
	free(readable);
	return found;
}

static bool text_is_glob(const struct wanted *wanted, const char *text)
{
	return !fnmatch(wanted->name, text, 0);
}

static bool text_is_regex(const struct wanted *wanted, const char *text)
{
	return !regexec(&wanted->regex, text, 0, NULL, 0);
}

static bool is_glob_match(const struct wanted *wanted, const struct elf_symbol *symbol)
{
	return matches_any(wanted, symbol, text_is_glob);
}

static bool is_regex_match(const struct wanted *wanted, const struct elf_symbol *symbol)
{
	return matches_any(wanted, symbol, text_is_regex);
}

/*
 * The last identifier of a qualified name stands in the mangled one too, so that few need be demangled. Not
 * that of a constructor or destructor, which may be an abbreviation (std::string is Ss).
 */
static void set_needle(struct wanted *wanted)
{
	size_t length = strcspn(wanted->name, "<(");
	const char *end = wanted->name + length, *begin = end;

	while (begin > wanted->name && (begin[-1] == '_' || isalnum((unsigned char)begin[-1])))
		begin--;
	length = (size_t)(end - begin);
	if (begin - wanted->name < 2 || begin[-1] != ':' || !length || strstr(begin, "operator"))
		return;
	if (begin - wanted->name >= (ptrdiff_t)length + 2 &&
	    !strncmp(begin - length - 2, begin, length))
		return;
	snprintf(wanted->needle, sizeof(wanted->needle), "%.*s", (int)length, begin);
}

/* ---- collecting ------------------------------------------------------------------------------- */

static int add_match(struct symbol_matches *matches, const struct elf_symbol *symbol)
{
	const struct elf_symbol **grown;

	/* a power of two is full */
	if (!(matches->count & (matches->count - 1))) {
		grown = reallocarray(matches->symbols, matches->count ? 2 * matches->count : 1,
				     sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		matches->symbols = grown;
	}
	matches->symbols[matches->count++] = symbol;
	return 0;
}

/* Of several names of one function that match, the one that others would call it by. */
static void prefer_best_names(struct elf_file *file, const struct wanted *wanted,
			      struct symbol_matches *matches)
{
	for (size_t i = 0; i < matches->count; i++) {
		const struct elf_symbol *known = matches->symbols[i];
		const struct elf_symbol *best = elf_file_function_at(file, known->vaddr);

		if (best && best->vaddr == known->vaddr && best->type == known->type &&
		    wanted->matches(wanted, best))
			matches->symbols[i] = best;
	}
}

/* Symbols are sorted by address, so that those of one address follow each other. */
static int find_all(struct elf_file *file, const struct wanted *wanted, bool is_pattern,
		    struct symbol_matches *matches)
{
	size_t count;
	const struct elf_symbol *symbols = elf_file_symbols(file, &count);
	int err = 0;

	for (size_t i = 0; !err && i < count; i++) {
		const struct elf_symbol *last =
			matches->count ? matches->symbols[matches->count - 1] : NULL;

		if ((last && last->vaddr == symbols[i].vaddr) ||
		    !is_wanted_kind(&symbols[i], wanted->is_function, is_pattern) ||
		    !wanted->matches(wanted, &symbols[i]))
			continue;
		err = add_match(matches, &symbols[i]);
	}
	if (!err && is_pattern)
		prefer_best_names(file, wanted, matches);
	return err;
}

static int find_named(struct elf_file *file, struct wanted *wanted, struct symbol_matches *matches)
{
	int err;

	wanted->matches = is_default;
	err = find_all(file, wanted, false, matches);
	if (err || matches->count)
		return err;
	wanted->matches = is_same;
	err = find_all(file, wanted, false, matches);
	if (err || matches->count)
		return err;
	wanted->matches = is_demangled;
	set_needle(wanted);
	return find_all(file, wanted, false, matches);
}

/* ---- what went wrong -------------------------------------------------------------------------- */

static void report_ambiguous(const char *option, const struct wanted *wanted,
			     const struct symbol_matches *matches)
{
	const size_t most = 8;
	struct growing list = {};
	char *text;

	for (size_t i = 0; i < matches->count && i < most; i++) {
		const struct elf_symbol *symbol = matches->symbols[i];
		char *readable = demangle(symbol->name);

		growing_append(&list, "%s0x%llx%s%s%s", i ? ", " : "",
			       (unsigned long long)symbol->vaddr, readable ? " (" : "",
			       readable ? readable : "", readable ? ")" : "");
		free(readable);
	}
	text = growing_take(&list);
	log_error("%s: there are %zu %s named %s, at %s%s; say which by BIN:0xADDR%s", option,
		  matches->count, wanted->is_function ? "functions" : "variables", wanted->name,
		  text ? text : "?", matches->count > most ? ", ..." : "",
		  wanted->is_function ? ", by its parameters, or take them all by a pattern" : "");
	free(text);
}

/* Clones of it ("f.constprop.0") and what it may be a member of ("ns::f") are nearer than any likeness. */
static void suggest_symbol(struct suggestions *near, const char *written, const char *readable)
{
	struct qualified qualified = find_qualified(readable);
	size_t length = strlen(written), bare = qualified.end - qualified.begin;
	char name[SUGGESTION_SIZE];

	if (!strncmp(readable, written, length) && readable[length] == '.') {
		suggest(near, span_of(readable), readable);
		return;
	}
	if (bare >= sizeof(name))
		return;
	snprintf(name, sizeof(name), "%.*s", (int)bare, readable + qualified.begin);
	if (bare > length + 2 && !strcmp(name + bare - length, written) &&
	    name[bare - length - 1] == ':')
		suggest(near, span_of(name), name);
	else
		suggest(near, span_of(written), name);
}

static void report_none(const char *option, struct elf_file *file, const struct wanted *wanted)
{
	const char *kind = wanted->is_function ? "function" : "variable";
	struct suggestions near = {};
	struct growing list = {};
	size_t count;
	const struct elf_symbol *symbols = elf_file_symbols(file, &count);
	char *text;

	for (size_t i = 0; i < count; i++) {
		char *readable;

		if (!is_wanted_kind(&symbols[i], wanted->is_function, true))
			continue;
		readable = symbol_readable(&symbols[i]);
		if (readable)
			suggest_symbol(&near, wanted->name, readable);
		free(readable);
	}
	for (size_t i = 0; i < near.count; i++)
		growing_append(&list, "%s%s", i ? " or " : "near it: ", near.best[i].name);
	text = growing_take(&list);
	log_error("%s: there is no %s %s (%zu symbols; %s%stracer --list %ss BIN shows them)",
		  option, kind, wanted->name, count, text ? text : "", near.count ? "; " : "",
		  kind);
	free(text);
}

/* ---- what others ask -------------------------------------------------------------------------- */

int symbol_find(const char *option, struct elf_file *file, const char *name, bool is_function,
		const struct elf_symbol **symbol)
{
	struct wanted wanted = { .name = name, .is_function = is_function };
	struct symbol_matches matches = {};
	int err = find_named(file, &wanted, &matches);

	if (!err && !matches.count) {
		report_none(option, file, &wanted);
		err = -ENOENT;
	} else if (!err && matches.count > 1) {
		report_ambiguous(option, &wanted, &matches);
		err = -ENOTUNIQ;
	} else if (!err) {
		*symbol = matches.symbols[0];
	}
	symbol_matches_free(&matches);
	return err;
}

static int find_by_regex(const char *option, struct elf_file *file, struct wanted *wanted,
			 struct symbol_matches *matches)
{
	char *inside = strndup(wanted->name + 1, strlen(wanted->name) - 2);
	char why[128];
	int wrong, err;

	if (!inside)
		return -ENOMEM;
	wrong = regcomp(&wanted->regex, inside, REG_EXTENDED | REG_NOSUB);
	free(inside);
	if (wrong) {
		regerror(wrong, &wanted->regex, why, sizeof(why));
		log_error("%s: %s is not a regular expression: %s", option, wanted->name, why);
		return -EINVAL;
	}
	wanted->matches = is_regex_match;
	err = find_all(file, wanted, true, matches);
	regfree(&wanted->regex);
	return err;
}

static int find_pattern(const char *option, struct elf_file *file, struct wanted *wanted,
			struct symbol_matches *matches)
{
	int err;

	if (is_regex(wanted->name)) {
		err = find_by_regex(option, file, wanted, matches);
	} else {
		wanted->matches = is_glob_match;
		err = find_all(file, wanted, true, matches);
	}
	if (err || matches->count)
		return err;
	return -ENOENT;
}

int symbol_find_functions(const char *option, struct elf_file *file, const char *name,
			  struct symbol_matches *matches)
{
	struct wanted wanted = { .name = name, .is_function = true };
	int err;

	*matches = (struct symbol_matches){};
	err = find_named(file, &wanted, matches);
	if (!err && !matches->count && symbol_name_is_pattern(name)) {
		err = find_pattern(option, file, &wanted, matches);
	} else if (!err && !matches->count) {
		err = -ENOENT;
	} else if (!err && matches->count > 1) {
		report_ambiguous(option, &wanted, matches);
		err = -ENOTUNIQ;
	}
	if (err)
		symbol_matches_free(matches);
	return err;
}

void symbol_report_none(const char *option, struct elf_file *file, const char *name)
{
	const struct wanted wanted = { .name = name, .is_function = true };

	if (symbol_name_is_pattern(name))
		log_error("%s: no function matches %s (tracer --list functions BIN shows them)",
			  option, name);
	else
		report_none(option, file, &wanted);
}

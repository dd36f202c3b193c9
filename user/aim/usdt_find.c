// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "usdt_find.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/log.h"
#include "../base/suggestions.h"

bool usdt_name_is_pattern(const char *name)
{
	return strpbrk(name, "*?[") != NULL;
}

bool usdt_is_same(const struct usdt_note *left, const struct usdt_note *right)
{
	return !strcmp(left->provider, right->provider) && !strcmp(left->name, right->name);
}

static int compare(const void *left, const void *right)
{
	const struct usdt_note *a = left, *b = right;
	int order = strcmp(a->provider, b->provider);

	if (!order)
		order = strcmp(a->name, b->name);
	return order ? order : (a->vaddr > b->vaddr) - (a->vaddr < b->vaddr);
}

static int report_notes(const char *option, const char *path, int err)
{
	if (err == -ENOENT)
		log_error("%s: no USDT probes in %s: it was built without <sys/sdt.h> probes (--uprobe can probe its "
			  "functions)",
			  option, path);
	else if (err == -ENOEXEC)
		log_error("%s: the notes about USDT probes in %s are damaged", option, path);
	else
		log_error("%s: the notes about USDT probes in %s cannot be read: %s", option, path,
			  strerror(-err));
	return err;
}

int usdt_find_all(const char *option, struct elf_file *file, const char *path,
		  struct usdt_notes *notes)
{
	int err = usdt_notes_read(file, notes);

	if (err)
		return report_notes(option, path, err);
	if (notes->damaged)
		log_warn("%s: some notes about USDT probes in %s are damaged, and left out", option,
			 path);
	qsort(notes->list, notes->count, sizeof(*notes->list), compare);
	return 0;
}

static bool matches(const struct usdt_note *note, const char *provider, const char *name)
{
	return (!provider || !fnmatch(provider, note->provider, 0)) &&
	       !fnmatch(name, note->name, 0);
}

/* With a provider both are compared, without one the name is. */
static void take_near(struct suggestions *near, const char *provider, const char *name,
		      const struct usdt_note *note)
{
	char written[2 * SUGGESTION_SIZE], full[2 * SUGGESTION_SIZE];

	snprintf(written, sizeof(written), "%s%s%s", provider ? provider : "", provider ? ":" : "",
		 name);
	snprintf(full, sizeof(full), "%s%s%s", provider ? note->provider : "", provider ? ":" : "",
		 note->name);
	suggestions_take(near, written, strlen(written), full);
}

static int report_none(const char *option, const char *path, const char *provider, const char *name,
		       const struct usdt_notes *all)
{
	struct suggestions near = {};

	if (usdt_name_is_pattern(name) || (provider && usdt_name_is_pattern(provider))) {
		log_error(
			"%s: no USDT probe of %s matches %s%s%s (tracer --list usdt BIN shows them)",
			option, path, provider ? provider : "", provider ? ":" : "", name);
		return -ENOENT;
	}
	for (size_t i = 0; i < all->count; i++)
		take_near(&near, provider, name, &all->list[i]);
	if (near.count)
		log_error("%s: %s has no USDT probe %s%s%s (did you mean %s%s%s?)", option, path,
			  provider ? provider : "", provider ? ":" : "", name, near.best[0].name,
			  near.count > 1 ? " or " : "", near.count > 1 ? near.best[1].name : "");
	else
		log_error("%s: %s has no USDT probe %s%s%s (tracer --list usdt BIN shows them)",
			  option, path, provider ? provider : "", provider ? ":" : "", name);
	return -ENOENT;
}

/* Without a provider: two of them may mean quite different things by one name. */
static int check_providers(const char *option, const struct usdt_notes *notes)
{
	for (size_t i = 1; i < notes->count; i++) {
		if (!strcmp(notes->list[i].provider, notes->list[0].provider))
			continue;
		log_error(
			"%s: %s and %s both have such a probe: say which (BIN:%s:NAME, or BIN:'*':NAME for all)",
			option, notes->list[0].provider, notes->list[i].provider,
			notes->list[0].provider);
		return -ENOTUNIQ;
	}
	return 0;
}

int usdt_find(const char *option, struct elf_file *file, const char *path, const char *provider,
	      const char *name, struct usdt_notes *notes)
{
	struct usdt_notes all;
	size_t kept = 0;
	int err = usdt_find_all(option, file, path, &all);

	*notes = (struct usdt_notes){};
	if (!err)
		notes->list = calloc(all.count, sizeof(*notes->list));
	if (!err && !notes->list)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < all.count; i++)
		if (matches(&all.list[i], provider, name))
			notes->list[kept++] = all.list[i];
	notes->count = kept;
	if (!err && !kept)
		err = report_none(option, path, provider, name, &all);
	if (!err && !provider)
		err = check_providers(option, notes);
	usdt_notes_free(&all);
	return err;
}

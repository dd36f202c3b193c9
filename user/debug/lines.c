// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Line tables of all units: which of a table's files are meant, the rows of the line in them, and of
 * those the first in each function and in each inlined copy.
 */
#include "lines.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "grow.h"
#include "path_match.h"
#include "state.h"

/* A site, and what tells it from others: the function or the copy that it is in. */
struct candidate {
	struct debug_line_site site;
	const void *scope;
};

struct line_search {
	struct debug_info *info;
	char path[PATH_MAX]; /* normalized */
	unsigned int line;
	struct debug_lines *lines;
	bool has_file;
	struct candidate *candidates;
	size_t count, room;
	size_t files_room;
};

/* ---- files ---- */

static int add_near_file(struct line_search *search, const char *file)
{
	struct debug_lines *lines = search->lines;
	const char **files;

	if (search->has_file || lines->file_count >= DEBUG_MAX_NEAR_FILES)
		return 0;
	for (size_t i = 0; i < lines->file_count; i++) {
		if (!strcmp(lines->files[i], file))
			return 0;
	}
	files = grown(lines->files, lines->file_count, &search->files_room, sizeof(*files));
	if (!files)
		return -ENOMEM;
	lines->files = files;
	files[lines->file_count++] = file;
	return 0;
}

/* Says for each file of a table whether it is meant; *any: one of them is. */
static int mark_files(struct line_search *search, Dwarf_Files *files, size_t count, bool *meant,
		      bool *any)
{
	const char *wanted = path_last_part(search->path);
	char normal[PATH_MAX];
	int err = 0;

	*any = false;
	for (size_t i = 0; i < count && !err; i++) {
		const char *file = dwarf_filesrc(files, i, NULL, NULL);

		/* Most are another file by their last part already. */
		if (!file || strcmp(path_last_part(file), wanted) != 0)
			continue;
		path_normalize(file, normal, sizeof(normal));
		meant[i] = path_means(search->path, normal);
		*any |= meant[i];
		if (!meant[i])
			err = add_near_file(search, file);
	}
	search->has_file |= *any;
	return err;
}

/* ---- rows ---- */

/* Is the row that of the call, which has the same address as what is called and inlined there? */
static bool is_call(const struct debug_function *function, const struct debug_line_site *site,
		    unsigned int line)
{
	return function->is_inlined && function->entry == site->vaddr &&
	       function->call_line == line && function->call_file &&
	       !strcmp(path_last_part(function->call_file), path_last_part(site->file));
}

static int find_scope(struct line_search *search, struct candidate *candidate)
{
	struct debug_line_site *site = &candidate->site;
	struct debug_functions functions;
	const struct debug_function *function;
	int err = debug_functions_at(search->info, site->vaddr, &functions);

	if (err)
		return err == -ENOENT ? 0 : err;
	function = functions.list;
	while (function < functions.list + functions.count - 1 &&
	       is_call(function, site, search->line))
		function++;
	candidate->scope = function->die;
	site->function = function->name;
	site->is_inlined = function->is_inlined;
	site->host = function->is_inlined ? function->host : function->name;
	site->host_entry = function->is_inlined ? function->host_entry : function->entry;
	debug_functions_free(&functions);
	return 0;
}

static int add_candidate(struct line_search *search, uint64_t vaddr, const char *file)
{
	struct candidate candidate = { .site = { .vaddr = vaddr, .file = file } };
	struct candidate *list;
	int err;

	if (!debug_info_is_code(search->info, vaddr))
		return 0;
	err = find_scope(search, &candidate);
	if (err)
		return err;
	list = grown(search->candidates, search->count, &search->room, sizeof(*list));
	if (!list)
		return -ENOMEM;
	search->candidates = list;
	list[search->count++] = candidate;
	return 0;
}

static void note_near(struct debug_lines *lines, unsigned int wanted, unsigned int line)
{
	if (line < wanted && line > lines->line_before)
		lines->line_before = line;
	if (line > wanted && (!lines->line_after || line < lines->line_after))
		lines->line_after = line;
}

static int use_row(struct line_search *search, Dwarf_Line *row, const bool *meant, size_t count)
{
	bool is_statement, is_end;
	Dwarf_Files *files;
	Dwarf_Addr vaddr;
	size_t file;
	int line;

	if (dwarf_lineno(row, &line) || line <= 0 || dwarf_linebeginstatement(row, &is_statement) ||
	    !is_statement || dwarf_lineendsequence(row, &is_end) || is_end ||
	    dwarf_line_file(row, &files, &file) || file >= count || !meant[file] ||
	    dwarf_lineaddr(row, &vaddr))
		return 0;
	if ((unsigned int)line == search->line)
		return add_candidate(search, vaddr, dwarf_filesrc(files, file, NULL, NULL));
	if (debug_info_is_code(search->info, vaddr))
		note_near(search->lines, search->line, (unsigned int)line);
	return 0;
}

static int use_rows(struct line_search *search, Dwarf_Die *unit, const bool *meant, size_t count)
{
	Dwarf_Lines *rows;
	size_t row_count;
	int err = 0;

	if (dwarf_getsrclines(unit, &rows, &row_count))
		return 0;
	for (size_t i = 0; i < row_count && !err; i++) {
		Dwarf_Line *row = dwarf_onesrcline(rows, i);

		if (row)
			err = use_row(search, row, meant, count);
	}
	return err;
}

static int search_unit(struct line_search *search, struct unit *unit)
{
	Dwarf_Files *files;
	bool *meant, any;
	size_t count;
	int err;

	if (!unit->has_lines || dwarf_getsrcfiles(&unit->outer, &files, &count) || !count)
		return 0;
	meant = calloc(count, sizeof(*meant));
	if (!meant)
		return -ENOMEM;
	err = mark_files(search, files, count, meant, &any);
	if (!err && any)
		err = use_rows(search, &unit->outer, meant, count);
	free(meant);
	return err;
}

/* ---- the first of each function and copy ---- */

/* By scope, and then by address. What is in no function is a scope each. */
static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *left = a, *right = b;

	if (left->scope != right->scope)
		return (uintptr_t)left->scope < (uintptr_t)right->scope ? -1 : 1;
	return left->site.vaddr < right->site.vaddr ? -1 : left->site.vaddr > right->site.vaddr;
}

static int compare_sites(const void *a, const void *b)
{
	const struct debug_line_site *left = a, *right = b;

	return left->vaddr < right->vaddr ? -1 : left->vaddr > right->vaddr;
}

static bool is_first(const struct candidate *candidates, size_t i)
{
	if (!i || candidates[i].scope != candidates[i - 1].scope)
		return true;
	return !candidates[i].scope && candidates[i].site.vaddr != candidates[i - 1].site.vaddr;
}

static int choose_sites(struct line_search *search)
{
	struct debug_lines *lines = search->lines;

	if (!search->count)
		return search->has_file ? -ENOENT : -ENXIO;
	lines->sites = calloc(search->count, sizeof(*lines->sites));
	if (!lines->sites)
		return -ENOMEM;
	qsort(search->candidates, search->count, sizeof(*search->candidates), compare_candidates);
	for (size_t i = 0; i < search->count; i++) {
		if (is_first(search->candidates, i))
			lines->sites[lines->count++] = search->candidates[i].site;
	}
	qsort(lines->sites, lines->count, sizeof(*lines->sites), compare_sites);
	return 0;
}

int debug_lines_find(struct debug_info *info, const char *file, unsigned int line,
		     struct debug_lines *lines)
{
	struct line_search *search = calloc(1, sizeof(*search));
	int err = 0;

	*lines = (struct debug_lines){ 0 };
	if (!search)
		return -ENOMEM;
	search->info = info;
	search->line = line;
	search->lines = lines;
	path_normalize(file, search->path, sizeof(search->path));
	for (size_t i = 0; i < info->units.count && !err; i++)
		err = search_unit(search, &info->units.list[i]);
	if (!err)
		err = choose_sites(search);
	free(search->candidates);
	free(search);
	return err;
}

void debug_lines_free(struct debug_lines *lines)
{
	free(lines->sites);
	free(lines->files);
	*lines = (struct debug_lines){ 0 };
}

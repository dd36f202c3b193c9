// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Counts, scaled where the counter was shared, with the share of time that it was ours. */
#include "stat_output.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "../base/escape.h"

#define NAME_ROOM 256
#define NOTE_ROOM 96

static bool is_counted(const struct stat_row *row)
{
	return !row->why && row->running;
}

/* The row of the same cpu, thread or cgroup that counts `role`; NULL when there is none to divide by. */
static const struct stat_row *find_role(const struct stat_report *report,
					const struct stat_row *like, enum stat_role role)
{
	for (size_t i = 0; i < report->count; i++) {
		const struct stat_row *row = &report->rows[i];
		bool same = row->who == like->who ||
			    (row->who && like->who && !strcmp(row->who, like->who));

		if (row->role == role && same && is_counted(row) && row->count > 0)
			return row;
	}
	return NULL;
}

struct ratio {
	enum stat_role of, to;
	double factor;
	const char *text;
};

static const struct ratio ratios[] = {
	{ STAT_INSTRUCTIONS, STAT_CYCLES, 1, "per cycle" },
	{ STAT_CYCLES, STAT_CPU_TIME, 1, "GHz" }, /* a cycle a ns */
	{ STAT_BRANCH_MISSES, STAT_BRANCHES, 100, "% of branches" },
	{ STAT_CACHE_MISSES, STAT_CACHE_REFERENCES, 100, "% of references" },
};

/* What the count means beside another, or by time. */
static void describe(const struct stat_report *report, const struct stat_row *row, char *note)
{
	double count = row->count;

	*note = '\0';
	for (size_t i = 0; i < sizeof(ratios) / sizeof(ratios[0]); i++) {
		const struct stat_row *other;

		if (ratios[i].of != row->role)
			continue;
		other = find_role(report, row, ratios[i].to);
		if (!other)
			continue;
		snprintf(note, NOTE_ROOM, "%.2f %s", ratios[i].factor * count / other->count,
			 ratios[i].text);
		return;
	}
	if (report->seconds <= 0)
		return;
	if (row->role == STAT_CPU_TIME)
		snprintf(note, NOTE_ROOM, "%.3f CPUs used", count / 1e9 / report->seconds);
	else if (count * row->scale / report->seconds >= 1e6)
		snprintf(note, NOTE_ROOM, "%.3f M/s", count * row->scale / report->seconds / 1e6);
	else
		snprintf(note, NOTE_ROOM, "%.1f /s", count * row->scale / report->seconds);
}

/* 1234567.0 to "1,234,567" */
static void group_digits(double count, char *text, size_t size)
{
	char digits[64];
	size_t length, used = 0;

	snprintf(digits, sizeof(digits), "%.0f", count);
	length = strlen(digits);
	for (size_t i = 0; i < length && used + 2 < size; i++) {
		if (i && (length - i) % 3 == 0)
			text[used++] = ',';
		text[used++] = digits[i];
	}
	text[used] = '\0';
}

static void print_count(FILE *stream, const struct stat_row *row)
{
	char text[80];

	if (row->why)
		snprintf(text, sizeof(text), "<not counted>");
	else if (!row->running)
		snprintf(text, sizeof(text), row->enabled ? "<no counter>" : "<did not run>");
	else if (row->scale == 1)
		group_digits(row->count, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "%.2f", row->count * row->scale);
	fprintf(stream, "%20s", text);
}

static void print_share(FILE *stream, const struct stat_row *row)
{
	if (row->why || !row->enabled)
		fprintf(stream, "         ");
	else
		fprintf(stream, "  %5.1f %%",
			row->running >= row->enabled ?
				100.0 :
				100.0 * (double)row->running / (double)row->enabled);
}

static void print_row(FILE *stream, const struct stat_report *report, const struct stat_row *row)
{
	char name[NAME_ROOM], who[NAME_ROOM], note[NAME_ROOM] = "";

	if (report->is_interval)
		fprintf(stream, "%12.6f", report->time);
	if (report->by)
		fprintf(stream, "  %-16s", escape_terminal(who, sizeof(who), row->who));
	print_count(stream, row);
	fprintf(stream, "  %-5s  %-28s", row->unit,
		escape_terminal(name, sizeof(name), row->event));
	print_share(stream, row);
	if (row->why)
		escape_terminal(note, sizeof(note), row->why);
	else if (row->running)
		describe(report, row, note);
	fprintf(stream, "%s%s\n", *note ? "  " : "", note);
}

int stat_print_text(FILE *stream, const struct stat_report *report, bool begin)
{
	char title[1024];

	if (begin) {
		fprintf(stream, "# %s\n#", escape_terminal(title, sizeof(title), report->title));
		if (report->is_interval)
			fprintf(stream, "%11s", "time");
		if (report->by)
			fprintf(stream, "  %-16s", report->by);
		fprintf(stream, "%*s  %-5s  %-28s  %7s\n",
			report->is_interval || report->by ? 20 : 19, "count", "unit", "event",
			"share");
	}
	for (size_t i = 0; i < report->count; i++)
		print_row(stream, report, &report->rows[i]);
	if (!report->is_interval)
		fprintf(stream, "# %.6f s\n", report->seconds);
	return ferror(stream) ? -EIO : 0;
}

static void print_json_row(FILE *stream, const struct stat_report *report,
			   const struct stat_row *row)
{
	char text[NAME_ROOM];

	fprintf(stream, "{\"type\":\"count\",\"time\":%.9f,\"seconds\":%.9f", report->time,
		report->seconds);
	if (report->by)
		fprintf(stream, ",\"%s\":\"%s\"", report->by,
			escape_json(text, sizeof(text), row->who));
	fprintf(stream, ",\"event\":\"%s\"", escape_json(text, sizeof(text), row->event));
	if (row->why)
		fprintf(stream, ",\"counted\":false,\"why\":\"%s\"}\n",
			escape_json(text, sizeof(text), row->why));
	else
		fprintf(stream,
			",\"counted\":%s,\"count\":%.0f,\"raw\":%" PRIu64 ",\"enabled_ns\":%" PRIu64
			",\"running_ns\":%" PRIu64 ",\"scale\":%.17g,\"unit\":\"%s\"}\n",
			row->running ? "true" : "false", row->count, row->raw, row->enabled,
			row->running, row->scale, escape_json(text, sizeof(text), row->unit));
}

int stat_print_json(FILE *stream, const struct stat_report *report)
{
	for (size_t i = 0; i < report->count; i++)
		print_json_row(stream, report, &report->rows[i]);
	return ferror(stream) ? -EIO : 0;
}

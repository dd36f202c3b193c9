/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What --stat prints: a table for people, or JSON lines. */
#ifndef TRACER_STAT_OUTPUT_H
#define TRACER_STAT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Events that others are told in relation to. */
enum stat_role {
	STAT_PLAIN,
	STAT_CPU_TIME, /* counts ns */
	STAT_CYCLES,
	STAT_INSTRUCTIONS,
	STAT_BRANCHES,
	STAT_BRANCH_MISSES,
	STAT_CACHE_REFERENCES,
	STAT_CACHE_MISSES,
	STAT_ROLES,
};

struct stat_row {
	const char *event;
	const char *unit; /* "" without one */
	double scale;	  /* what is printed is the count times this */
	enum stat_role role;
	const char *who;	   /* "3", "812 app", a cgroup: with --by; else NULL */
	const char *why;	   /* it could not be counted; NULL: it was */
	uint64_t raw;		   /* as counted while it ran */
	double count;		   /* the estimate for all of the time that it was enabled */
	uint64_t enabled, running; /* ns; how long it should have counted, and did */
};

struct stat_report {
	const char *title; /* the command line; not escaped */
	const char *by;	   /* "cpu", "thread", "cgroup", or NULL */
	double time;	   /* s since the beginning, of this report */
	double seconds;	   /* that it covers */
	bool is_interval;  /* one of several */
	const struct stat_row *rows;
	size_t count;
};

/* 0 or -errno. begin: is it the first of the run? */
int stat_print_text(FILE *stream, const struct stat_report *report, bool begin);
int stat_print_json(FILE *stream, const struct stat_report *report);

#endif

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * libFuzzer target: the events of -e, on a made-up machine. Run by `make fuzz`.
 *
 * The first byte of the input says what the rest is: the text of -e, or what a file of sysfs has, by which
 * an event is then read.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "event/event.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define DEVICES "sys/bus/event_source/devices/"

static const struct {
	const char *path, *text;
} files[] = {
	{ DEVICES "cpu/type", "4" },
	{ DEVICES "cpu/format/event", "config:0-7,32-35" },
	{ DEVICES "cpu/format/umask", "config:8-15" },
	{ DEVICES "cpu/format/ldlat", "config1:0-15" },
	{ DEVICES "cpu/events/cpu-cycles", "event=0x3c" },
	{ DEVICES "cpu/events/mem-loads", "event=0xcd,umask=?,ldlat=3" },
	{ DEVICES "uncore_imc_0/type", "20" },
	{ DEVICES "uncore_imc_0/cpumask", "0" },
	{ DEVICES "uncore_imc_0/format/event", "config:0-7" },
	{ DEVICES "uncore_imc_0/events/reads", "event=1" },
	{ DEVICES "uncore_imc_1/type", "21" },
	{ DEVICES "uncore_imc_1/cpumask", "0" },
	{ DEVICES "uncore_imc_1/format/event", "config:0-7" },
	{ DEVICES "uncore_imc_1/events/reads", "event=2" },
	{ "tracing/events/sched/sched_switch/id", "301" },
	{ "tracing/events/sched/sched_wakeup/id", "302" },
};

/* What a first byte means, and what is written into a file: an event is then read that needs it. */
static const struct {
	const char *path, *event;
} kinds[] = {
	{ NULL, NULL },
	{ DEVICES "cpu/format/fuzzed", "cpu/fuzzed=1/" },
	{ DEVICES "cpu/events/fuzzed", "cpu/fuzzed,umask=1/" },
	{ DEVICES "cpu/cpus", "cpu/event=1/" },
	{ DEVICES "cpu/type", "{cycles,cpu/event=1/}" },
	{ DEVICES "uncore_imc_0/events/reads.scale", "reads" },
	{ "tracing/events/sched/sched_wakeup/id", "sched:*" },
};

/* The made-up machine, for the life of the process. */
static struct {
	char folder[PATH_MAX], sysfs[PATH_MAX], tracefs[PATH_MAX];
} machine;

static void check(int truth)
{
	if (!truth)
		abort();
}

static void path_of(char path[PATH_MAX], const char *name)
{
	check(snprintf(path, PATH_MAX, "%s/%s", machine.folder, name) < PATH_MAX);
}

static void write_file(const char *name, const void *text, size_t size)
{
	char path[PATH_MAX];
	FILE *file;

	path_of(path, name);
	file = fopen(path, "w");
	check(file != NULL);
	check(fwrite(text, 1, size, file) == size);
	check(fclose(file) == 0);
}

static void make_folders(const char *name)
{
	char path[PATH_MAX];

	path_of(path, name);
	for (char *slash = strchr(path + strlen(machine.folder) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		check(mkdir(path, 0700) == 0 || errno == EEXIST);
		*slash = '/';
	}
}

/* Puts back what a file had, or removes it. */
static void restore(const char *name)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (strcmp(files[i].path, name) == 0) {
			write_file(name, files[i].text, strlen(files[i].text));
			return;
		}
	}
	path_of(path, name);
	unlink(path);
}

static void remove_machine(void)
{
	char command[PATH_MAX + 16];

	snprintf(command, sizeof(command), "rm -rf '%s'", machine.folder);
	if (system(command))
		fprintf(stderr, "%s is left\n", machine.folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *parent = getenv("TMPDIR");

	(void)argc;
	(void)argv;
	snprintf(machine.folder, sizeof(machine.folder), "%s/tracer-fuzz-XXXXXX",
		 parent ? parent : "/tmp");
	check(mkdtemp(machine.folder) != NULL);
	atexit(remove_machine);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		make_folders(files[i].path);
		write_file(files[i].path, files[i].text, strlen(files[i].text));
	}
	path_of(machine.sysfs, "sys");
	path_of(machine.tracefs, "tracing");
	return 0;
}

/* Each group lies together, and its first is its leader. */
static void check_list(const struct event_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct event_spec *spec = &list->specs[i];
		const struct event_spec *before = i ? spec - 1 : NULL;

		check(spec->name != NULL && spec->attr.size >= PERF_ATTR_SIZE_VER7);
		check(spec->group <= list->groups);
		if (spec->group == 0 || !before || before->group != spec->group)
			check(spec->is_leader);
		else
			check(!spec->is_leader && !spec->attr.pinned && !spec->attr.exclusive);
		if (spec->group && before && before->group)
			check(spec->group == before->group || spec->group == before->group + 1);
	}
}

static void parse(const char *text)
{
	const struct event_roots roots = { machine.sysfs, machine.tracefs };
	struct event_list list = {};
	char *message = NULL;
	int err;

	check(event_list_parse("{cs,faults}", &roots, &list, &message) == 0);
	err = event_list_parse(text, &roots, &list, &message);
	if (err) {
		check(err == -EINVAL && message && *message);
		check(list.count == 2 && list.groups == 1);
	} else {
		check(!message && list.count > 2);
	}
	check_list(&list);
	free(message);
	event_list_free(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t kind;
	char *text;

	if (!size)
		return 0;
	kind = *data % (sizeof(kinds) / sizeof(kinds[0]));
	data++;
	size--;
	if (kinds[kind].path) {
		write_file(kinds[kind].path, data, size);
		parse(kinds[kind].event);
		restore(kinds[kind].path);
		return 0;
	}
	text = strndup((const char *)data, size);
	check(text != NULL);
	parse(text);
	free(text);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The events that a made-up machine lists, and where tracefs is found. */
#include "event_tree.h"

#include <errno.h>

#include "event/event.h"
#include "event/parser.h"

struct found {
	const char *name;
	size_t count;
	char description[256];
	int result;
};

static int look_for(void *data, const struct event_entry *entry)
{
	struct found *found = data;

	if (!found->name || strcmp(entry->name, found->name) == 0) {
		found->count++;
		snprintf(found->description, sizeof(found->description), "%s: %s",
			 event_kind_name(entry->kind), entry->description);
	}
	return found->result;
}

static void check_listed(const struct event_roots *roots, const char *pattern, const char *name,
			 const char *description)
{
	struct found found = { .name = name };

	assert_int_equal(event_list_available(roots, pattern, look_for, &found), 0);
	if (found.count != 1)
		fail_msg("%s was listed %zu times", name, found.count);
	assert_string_equal(found.description, description);
}

/* Each that is listed can be parsed, but for the forms. */
static int parse_listed(void *data, const struct event_entry *entry)
{
	struct machine *machine = data;
	struct event_list list = {};
	char *message;

	if (entry->is_form)
		return 0;
	/* this one has a parameter to fill in */
	if (strcmp(entry->name, "uncore_cha/requests/") == 0)
		return 0;
	if (event_list_parse(entry->name, &machine->roots, &list, &message))
		fail_msg("%s is listed, but: %s", entry->name, message);
	assert_int_equal(list.count, 1);
	event_list_free(&list);
	return 0;
}

static void listing(void **state)
{
	struct machine *machine = *state;
	const struct event_roots *roots = &machine->roots;
	struct found found = {};

	check_listed(roots, NULL, "cpu-cycles", "hardware: or cycles");
	check_listed(roots, NULL, "page-faults", "software: or faults");
	check_listed(roots, NULL, "LLC-load-misses", "cache: ");
	check_listed(roots, NULL, "mem:ADDR[/LEN][:rwx]", "breakpoint: accesses to an address");
	check_listed(roots, NULL, "sched:sched_switch", "tracepoint: ");
	check_listed(roots, "imc_0", "uncore_imc_0/cas_count_read/",
		     "PMU: event=0x04,umask=0x03; in MiB");
	check_listed(roots, NULL, "power/event=0..0xff/",
		     "PMU: counts for whole packages, not for tasks");
	assert_int_equal(event_list_available(roots, "sched:*", look_for, &found), 0);
	assert_int_equal(found.count, 2);
	found = (struct found){ .result = 7 };
	assert_int_equal(event_list_available(roots, NULL, look_for, &found), 7);
	assert_int_equal(found.count, 1);
	assert_int_equal(event_list_available(roots, NULL, parse_listed, machine), 0);
}

static void check_root(const char *folder, const char *mounts, int err, const char *root)
{
	char path[PATH_MAX], *found;

	write_file(folder, "mounts", mounts);
	snprintf(path, sizeof(path), "%s/mounts", folder);
	assert_int_equal(event_tracefs_find(path, &found), err);
	if (root)
		assert_string_equal(found, root);
	else
		assert_null(found);
	free(found);
}

static void mounts(void **state)
{
	struct machine *machine = *state;
	char table[PATH_MAX], folder[PATH_MAX];

	check_root(machine->folder, "proc /proc proc rw 0 0\n", -ENOENT, NULL);
	check_root(machine->folder, "none /t tracefs rw 0 0\nx /d debugfs rw 0 0\n", 0, "/t");
	check_root(machine->folder, "none /with\\040blank tracefs rw 0 0\n", 0, "/with blank");
	check_root(machine->folder,
		   "a /a tracefs rw 0 0\nb /sys/kernel/tracing tracefs rw 0 0\nc /c tracefs rw 0 0\n",
		   0, "/sys/kernel/tracing");
	/* a debugfs counts only with something in its folder */
	check_root(machine->folder, "x /nonexistent debugfs rw 0 0\n", -ENOENT, NULL);
	snprintf(table, sizeof(table), "x %s debugfs rw 0 0\n", machine->folder);
	snprintf(folder, sizeof(folder), "%s/tracing", machine->folder);
	check_root(machine->folder, table, 0, folder);
	assert_int_equal(event_tracefs_find("/nonexistent", &(char *){ NULL }), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(listing),
		cmocka_unit_test(mounts),
	};

	return cmocka_run_group_tests_name("events", tests, make_machine, remove_machine);
}

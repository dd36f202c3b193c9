// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Capabilities by libcap. Newer ones were split off CAP_SYS_ADMIN: CAP_PERFMON and CAP_BPF in
 * Linux 5.8, CAP_CHECKPOINT_RESTORE in 5.9. Where the kernel or libcap does not know one of them,
 * CAP_SYS_ADMIN stands for it, both when asking and when keeping.
 */
#include "caps.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool flag_get(cap_t caps, cap_value_t cap, cap_flag_t flag)
{
	cap_flag_value_t value;

	return cap_get_flag(caps, cap, flag, &value) == 0 && value == CAP_SET;
}

/* The bounding set tells what the kernel knows: it refuses a number beyond its last capability. */
static cap_value_t cap_or_older(cap_value_t cap)
{
	return CAP_IS_SUPPORTED(cap) ? cap : CAP_SYS_ADMIN;
}

bool caps_have(cap_value_t cap)
{
	cap_t caps = cap_get_proc();
	bool have;

	if (!caps)
		return false;
	have = flag_get(caps, cap_or_older(cap), CAP_EFFECTIVE);
	cap_free(caps);
	return have;
}

/* An old libcap names these by number only. */
static const char *recent_name(cap_value_t cap)
{
	switch (cap) {
	case CAP_PERFMON:
		return "cap_perfmon";
	case CAP_BPF:
		return "cap_bpf";
	case CAP_CHECKPOINT_RESTORE:
		return "cap_checkpoint_restore";
	default:
		return NULL;
	}
}

/* Appends ", NAME"; a name that does not fit whole is left out. */
static void append_name(char *list, size_t size, cap_value_t cap)
{
	const char *name = recent_name(cap);
	char *owned = name ? NULL : cap_to_name(cap);
	const char *comma = list[0] ? ", " : "";
	size_t used = strlen(list);

	if (owned)
		name = owned;
	if (name && used + strlen(comma) + strlen(name) < size)
		snprintf(list + used, size - used, "%s%s", comma, name);
	cap_free(owned);
}

size_t caps_missing(const cap_value_t *wanted, size_t count, char *missing, size_t size)
{
	size_t found = 0;

	if (size > 0)
		missing[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		if (caps_have(wanted[i]))
			continue;
		found++;
		if (size > 0)
			append_name(missing, size, wanted[i]);
	}
	return found;
}

/* Copies one capability's three flags. */
static int copy_flags(cap_t to, cap_t from, cap_value_t cap)
{
	static const cap_flag_t flags[] = { CAP_PERMITTED, CAP_EFFECTIVE, CAP_INHERITABLE };

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (flag_get(from, cap, flags[i]) && cap_set_flag(to, flags[i], 1, &cap, CAP_SET))
			return -errno;
	}
	return 0;
}

int caps_drop_to(const cap_value_t *keep, size_t count)
{
	cap_t now = cap_get_proc();
	cap_t then = cap_init();
	int err = 0;

	if (!now || !then) {
		err = -errno;
		goto cleanup;
	}
	for (size_t i = 0; i < count && !err; i++)
		err = copy_flags(then, now, cap_or_older(keep[i]));
	if (!err && cap_set_proc(then))
		err = -errno;

cleanup:
	cap_free(then);
	cap_free(now);
	return err;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where tracefs is mounted. It is found, never mounted. */
#include <errno.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event.h"
#include "files.h"

/* Where it is looked for by everybody; of several mounts this is taken. */
static const char usual[] = "/sys/kernel/tracing";

/* A debugfs has it in a folder, where the kernel may have to bring it up. */
static char *root_of(const struct mntent *mount)
{
	char *root = NULL;

	if (strcmp(mount->mnt_type, "tracefs") == 0)
		return strdup(mount->mnt_dir);
	if (asprintf(&root, "%s/tracing", mount->mnt_dir) < 0)
		return NULL;
	return root;
}

static bool is_better(const struct mntent *mount, const char *root, bool is_tracefs)
{
	if (strcmp(mount->mnt_type, "tracefs") == 0)
		return !root || !is_tracefs || strcmp(mount->mnt_dir, usual) == 0;
	return !root && strcmp(mount->mnt_type, "debugfs") == 0 &&
	       file_exists("%s/tracing/events", mount->mnt_dir);
}

int event_tracefs_find(const char *mounts, char **root)
{
	FILE *table = setmntent(mounts, "re");
	char line[FILE_LINE_SIZE];
	struct mntent mount;
	bool is_tracefs = false;
	int err = 0;

	*root = NULL;
	if (!table)
		return -errno;
	while (!err && getmntent_r(table, &mount, line, sizeof(line))) {
		if (!is_better(&mount, *root, is_tracefs))
			continue;
		free(*root);
		*root = root_of(&mount);
		is_tracefs = strcmp(mount.mnt_type, "tracefs") == 0;
		err = *root ? 0 : -ENOMEM;
	}
	endmntent(table);
	if (!err && !*root)
		err = -ENOENT;
	return err;
}

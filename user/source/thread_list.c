// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* /proc/PID/task and /proc/TID/status. */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "thread_list.h"

static int append(struct thread_list *list, pid_t tid)
{
	pid_t *grown = reallocarray(list->tids, list->count + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	grown[list->count++] = tid;
	list->tids = grown;
	return 0;
}

int thread_list_read(pid_t pid, struct thread_list *list)
{
	struct dirent *entry;
	char path[64];
	int err = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (!err && (entry = readdir(dir))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0)
			err = append(list, tid);
	}
	closedir(dir);
	return err;
}

static bool contains(const struct thread_list *list, pid_t tid)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->tids[i] == tid)
			return true;
	return false;
}

size_t thread_list_count_new(const struct thread_list *before, const struct thread_list *after)
{
	size_t count = 0;

	for (size_t i = 0; i < after->count; i++)
		count += !contains(before, after->tids[i]);
	return count;
}

void thread_list_free(struct thread_list *list)
{
	free(list->tids);
	list->tids = NULL;
	list->count = 0;
}

pid_t thread_process(pid_t tid)
{
	char path[64], line[256];
	pid_t tgid = -ESRCH;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	file = fopen(path, "re");
	if (!file)
		return -ESRCH;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "Tgid: %d", &tgid) == 1)
			break;
	fclose(file);
	return tgid;
}

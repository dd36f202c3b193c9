// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Threads from /proc, cgroups from where their hierarchy is mounted. */
#include "placement.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/log.h"
#include "thread_list.h"

static int add_place(struct placement *placement, struct place place)
{
	struct place *grown = reallocarray(placement->places, placement->count + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	placement->places = grown;
	placement->places[placement->count++] = place;
	return 0;
}

static int add_on_cpus(struct placement *placement, const struct cpulist *cpus, struct place place)
{
	int err = 0;

	for (size_t i = 0; !err && i < cpus->count; i++) {
		place.cpu = cpus->cpus[i];
		err = add_place(placement, place);
	}
	return err;
}

bool placement_has_thread(const struct placement *placement, pid_t tid)
{
	for (size_t i = 0; i < placement->tid_count; i++)
		if (placement->tids[i] == tid)
			return true;
	return false;
}

static int add_thread(const struct placement_request *request, struct placement *placement,
		      pid_t tid)
{
	struct place place = { .pid = tid, .cpu = -1 };
	pid_t *grown = reallocarray(placement->tids, placement->tid_count + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	placement->tids = grown;
	placement->tids[placement->tid_count++] = tid;
	if (request->mode == PLACE_DEFAULT)
		return add_on_cpus(placement, request->cpus, place);
	return add_place(placement, place);
}

/* 1 when there was a new one. */
static int add_if_new(const struct placement_request *request, struct placement *placement,
		      pid_t tid)
{
	int err;

	if (placement_has_thread(placement, tid))
		return 0;
	err = add_thread(request, placement, tid);
	return err ? err : 1;
}

static int add_process(const struct placement_request *request, struct placement *placement,
		       pid_t pid)
{
	struct thread_list threads = {};
	int err = thread_list_read(pid, &threads), added = 0;

	/* it may have ended since */
	if (err == -ENOENT || err == -ESRCH)
		err = 0;
	for (size_t i = 0; !err && i < threads.count; i++) {
		int got = add_if_new(request, placement, threads.tids[i]);

		err = got < 0 ? got : 0;
		added += got > 0;
	}
	thread_list_free(&threads);
	return err ? err : added;
}

static int add_all(const struct placement_request *request, struct placement *placement)
{
	const struct target *target = request->target;
	int added = 0;

	if (request->mode == PLACE_CPUS || request->mode == PLACE_CGROUP)
		return 0;
	for (size_t i = 0; i < target->tid_count; i++) {
		int got = add_if_new(request, placement, target->tids[i]);

		if (got < 0)
			return got;
		added += got;
	}
	if (target->tid_count)
		return added;
	for (size_t i = 0; i < target->pid_count; i++) {
		int got = add_process(request, placement, target->pids[i]);

		if (got < 0)
			return got;
		added += got;
	}
	return added;
}

/* Where the hierarchy that perf_event is in is mounted: v1's controller, or the unified one. */
static int find_cgroup_mount(char *path, size_t size)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *mount;
	bool found = false, is_v1 = false;

	if (!mounts)
		return -errno;
	while (!is_v1 && (mount = getmntent(mounts))) {
		is_v1 = !strcmp(mount->mnt_type, "cgroup") && hasmntopt(mount, "perf_event");
		if (!is_v1 && (found || strcmp(mount->mnt_type, "cgroup2") != 0))
			continue;
		found = true;
		snprintf(path, size, "%s", mount->mnt_dir);
	}
	endmntent(mounts);
	return found ? 0 : -ENOENT;
}

static int open_cgroup(const char *mount, const char *name)
{
	char *path;
	int fd;

	if (asprintf(&path, "%s/%s", mount, name) < 0)
		return -ENOMEM;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		fd = -errno;
		log_error("-G %s: %s: %s (a path below %s)", name, path, strerror(-fd), mount);
	}
	free(path);
	return fd;
}

static int add_cgroups(const struct placement_request *request, struct placement *placement)
{
	char mount[PATH_MAX];
	int err = find_cgroup_mount(mount, sizeof(mount));

	if (err) {
		log_error(
			"-G: no cgroup hierarchy with perf_event is mounted (mount -t cgroup2 none "
			"/sys/fs/cgroup)");
		return err;
	}
	placement->cgroups = calloc(request->cgroup_count, sizeof(int));
	if (!placement->cgroups)
		return -ENOMEM;
	for (size_t i = 0; !err && i < request->cgroup_count; i++) {
		int fd = open_cgroup(mount, request->cgroups[i]);

		if (fd < 0)
			return fd;
		placement->cgroups[placement->cgroup_count++] = fd;
		err = add_on_cpus(placement, request->cpus,
				  (struct place){ .pid = fd, .group = i });
	}
	return err;
}

int placement_make(const struct placement_request *request, struct placement *placement)
{
	int err;

	*placement = (struct placement){
		.mode = request->mode,
		.inherit = request->inherit &&
			   (request->mode == PLACE_DEFAULT || request->mode == PLACE_COUNT),
	};
	if (request->mode == PLACE_CPUS)
		return add_on_cpus(placement, request->cpus, (struct place){ .pid = -1 });
	if (request->mode == PLACE_CGROUP)
		return add_cgroups(request, placement);
	err = add_all(request, placement);
	if (err < 0)
		return err;
	return placement->count ? 0 : -ESRCH;
}

unsigned long placement_flags(const struct placement *placement)
{
	return placement->mode == PLACE_CGROUP ? PERF_FLAG_PID_CGROUP : 0;
}

void placement_free(struct placement *placement)
{
	for (size_t i = 0; i < placement->cgroup_count; i++)
		close(placement->cgroups[i]);
	free(placement->cgroups);
	free(placement->places);
	free(placement->tids);
	*placement = (struct placement){};
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Attaching uprobes. libbpf 1.1 does not know uprobe_multi yet, so that is spoken to the kernel here. */
#include "probe_links.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf_features.h"
#include "uprobe_multi.h"

void probe_links_prepare(struct bpf_program *program, const struct bpf_features *features)
{
	bpf_program__set_autoload(program, true);
	if (features->uprobe_multi)
		bpf_program__set_expected_attach_type(program, UPROBE_MULTI_ATTACH_TYPE);
}

/* What all the ways to attach need. */
struct attaching {
	struct probe_links *links;
	const struct bpf_program *program;
	bool has_cookies;
	const struct probe_places *places;
	probe_refused_fn refused;
	void *context;
};

static int attach_one(struct attaching *attaching, size_t index)
{
	const struct probe_places *places = attaching->places;
	LIBBPF_OPTS(bpf_uprobe_opts, options, .retprobe = places->is_return);
	struct bpf_link *link;

	if (places->semaphores)
		options.ref_ctr_offset = (size_t)places->semaphores[index];
	if (attaching->has_cookies)
		options.bpf_cookie = places->cookies[index];
	link = bpf_program__attach_uprobe_opts(attaching->program, -1, places->path,
					       places->offsets[index], &options);
	if (!link)
		return -errno;
	attaching->links->links[attaching->links->count++] = link;
	return 0;
}

static int attach_each(struct attaching *attaching)
{
	const struct probe_places *places = attaching->places;
	struct probe_links *links = attaching->links;

	links->links = calloc(places->count, sizeof(struct bpf_link *));
	if (!links->links)
		return -ENOMEM;
	for (size_t i = 0; i < places->count; i++) {
		int err = attach_one(attaching, i);

		if (err == -PROBE_REFUSED && attaching->refused)
			attaching->refused(attaching->context, places->offsets[i]);
		else if (err)
			return err;
	}
	return 0;
}

static int add_multi(struct probe_links *links, int fd)
{
	int *grown = reallocarray(links->multi, links->multi_count + 1, sizeof(*grown));

	if (!grown) {
		close(fd);
		return -ENOMEM;
	}
	links->multi = grown;
	grown[links->multi_count++] = fd;
	return 0;
}

/* All of [first, first + count) at once; when the kernel refuses one of them, halves, until it is found. */
static int attach_range(struct attaching *attaching, size_t first, size_t count)
{
	struct probe_places range = *attaching->places;
	int fd, err;

	range.offsets += first;
	range.cookies += first;
	if (range.semaphores)
		range.semaphores += first;
	range.count = count;
	fd = uprobe_multi_attach(bpf_program__fd(attaching->program), &range);
	if (fd >= 0)
		return add_multi(attaching->links, fd);
	if (fd != -PROBE_REFUSED || !attaching->refused)
		return fd;
	if (count == 1) {
		attaching->refused(attaching->context, range.offsets[0]);
		return 0;
	}
	err = attach_range(attaching, first, count / 2);
	return err ? err : attach_range(attaching, first + count / 2, count - count / 2);
}

int probe_links_attach(struct probe_links *links, const struct bpf_program *program,
		       const struct bpf_features *features, const struct probe_places *places,
		       probe_refused_fn refused, void *context)
{
	struct attaching attaching = { links, program, features->cookies, places, refused, context };

	if (!places->count)
		return 0;
	return features->uprobe_multi ? attach_range(&attaching, 0, places->count) :
					attach_each(&attaching);
}

/* Each detaching waits for all CPUs to have left the probe, some ten ms: many wait together. */
#define DETACHERS 32

struct detacher {
	struct probe_links *links;
	size_t first;
	pthread_t thread;
	bool is_running;
};

static void *detach_some(void *context)
{
	const struct detacher *detacher = context;

	for (size_t i = detacher->first; i < detacher->links->count; i += DETACHERS) {
		bpf_link__destroy(detacher->links->links[i]);
		detacher->links->links[i] = NULL;
	}
	return NULL;
}

static void detach_each(struct probe_links *links)
{
	struct detacher detachers[DETACHERS];

	for (size_t i = 0; i < DETACHERS; i++) {
		detachers[i] = (struct detacher){ .links = links, .first = i };
		detachers[i].is_running =
			i && i < links->count &&
			!pthread_create(&detachers[i].thread, NULL, detach_some, &detachers[i]);
	}
	for (size_t i = 0; i < DETACHERS; i++)
		if (!detachers[i].is_running)
			detach_some(&detachers[i]);
	for (size_t i = 0; i < DETACHERS; i++)
		if (detachers[i].is_running)
			pthread_join(detachers[i].thread, NULL);
}

void probe_links_detach(struct probe_links *links)
{
	for (size_t i = 0; i < links->multi_count; i++)
		close(links->multi[i]);
	free(links->multi);
	if (links->count)
		detach_each(links);
	free(links->links);
	*links = (struct probe_links){};
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * demo
 *
 * A small renderer, for `make demo`: about four seconds with something of each kind to see in a flame
 * graph. On the CPU: two threads (worker) render_scene -> trace_ray -> intersect and shade, main
 * build_tree -> sort_objects. Off it: main load_assets -> read_chunk (sleeps, as a slow disk does), and
 * the workers queue up for one lock in take_job -> lock_queue, while whoever holds it is in pick_job.
 * Prints one line; exits with 0.
 */
#include "workload.h"

enum {
	WORKERS = 2,
	CHUNKS = 12,
	CHUNK_MS = 60,
	OBJECTS = 3000,
	LEVELS = 100,
	JOBS = 40,
	PICK_MS = 12,
	RAYS = 4500,
};

struct scene {
	float position[OBJECTS];
	float radius[OBJECTS];
	uint32_t lock;
	int jobs_left;
	uint32_t pixels[WORKERS];
};

struct worker {
	struct scene *scene;
	int index;
};

static KEEP void read_chunk(struct scene *scene, int chunk)
{
	sys_sleep_us(CHUNK_MS * 1000);
	for (int i = chunk; i < OBJECTS; i += CHUNKS) {
		scene->position[i] = (float)((i * 7919) % OBJECTS);
		scene->radius[i] = (float)(i % 13) + 0.5f;
	}
}

static KEEP void load_assets(struct scene *scene)
{
	for (int chunk = 0; chunk < CHUNKS; chunk++)
		read_chunk(scene, chunk);
}

static KEEP void swap_objects(struct scene *scene, int a, int b)
{
	float position = scene->position[a];

	KEEP_FRAME();
	scene->position[a] = scene->position[b];
	scene->position[b] = position;
}

/* Slow on purpose: this is what the flame graph is to show. */
static KEEP void sort_objects(struct scene *scene)
{
	for (int i = 0; i < OBJECTS; i++)
		for (int j = i + 1; j < OBJECTS; j++)
			if (scene->position[j] < scene->position[i])
				swap_objects(scene, i, j);
}

static KEEP void build_tree(struct scene *scene)
{
	for (int level = 0; level < LEVELS; level++) {
		sort_objects(scene);
		for (int i = 0; i < OBJECTS; i++)
			scene->position[i] =
				(float)(((int)scene->position[i] * 31 + level) % OBJECTS);
	}
}

static KEEP int intersect(const struct scene *scene, float ray)
{
	int hits = 0;

	KEEP_FRAME();
	for (int i = 0; i < OBJECTS; i++) {
		float distance = scene->position[i] - ray;

		if (distance * distance < scene->radius[i])
			hits++;
	}
	return hits;
}

static KEEP uint32_t shade(int hits)
{
	uint32_t colour = (uint32_t)hits;

	KEEP_FRAME();
	for (int i = 0; i < 4000; i++)
		colour = colour * 1664525 + 1013904223;
	return colour;
}

static KEEP uint32_t trace_ray(const struct scene *scene, float ray)
{
	return shade(intersect(scene, ray) + intersect(scene, ray + 0.5f));
}

static KEEP uint32_t render_scene(const struct scene *scene, int job)
{
	uint32_t pixels = 0;

	for (int ray = 0; ray < RAYS; ray++)
		pixels += trace_ray(scene, (float)(job * RAYS + ray) * 0.1f);
	return pixels;
}

static KEEP void lock_queue(struct scene *scene)
{
	lock_take(&scene->lock);
}

/* Holds the lock for longer than it should. */
static KEEP int pick_job(struct scene *scene)
{
	sys_sleep_us(PICK_MS * 1000);
	return scene->jobs_left > 0 ? scene->jobs_left-- : 0;
}

static KEEP int take_job(struct scene *scene)
{
	int job;

	lock_queue(scene);
	job = pick_job(scene);
	lock_release(&scene->lock);
	return job;
}

static KEEP void *worker(void *argument)
{
	struct worker *self = argument;
	int job;

	while ((job = take_job(self->scene)) > 0)
		self->scene->pixels[self->index] += render_scene(self->scene, job);
	return NULL;
}

static KEEP uint32_t run_workers(struct scene *scene)
{
	struct worker workers[WORKERS];
	pthread_t threads[WORKERS];
	uint32_t pixels = 0;

	scene->jobs_left = JOBS;
	for (int i = 0; i < WORKERS; i++) {
		workers[i] = (struct worker){ scene, i };
		start_thread_or_exit(&threads[i], worker, &workers[i]);
	}
	for (int i = 0; i < WORKERS; i++) {
		pthread_join(threads[i], NULL);
		pixels += scene->pixels[i];
	}
	return pixels;
}

int main(void)
{
	static struct scene scene;

	load_assets(&scene);
	build_tree(&scene);
	printf("rendered %d jobs, check sum %08x\n", JOBS, run_workers(&scene));
	return 0;
}

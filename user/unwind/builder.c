// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Jobs in, results out, one lock. */
#include "builder.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utlist.h>

#include "../base/caps.h"
#include "../base/clock.h"
#include "../object/elf_file.h"
#include "../object/vdso.h"
#include "ehframe.h"

struct job {
	bool is_release;
	int fd;
	off_t size;		    /* bytes of the file */
	struct build_result result; /* number; with is_release, the table */
	struct job *next;
};

struct unwind_builder {
	struct unwind_memory *memory;
	pthread_t thread;
	bool has_thread;
	int event;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* under the lock */
	struct job *jobs, *done;
	size_t building; /* builds that are queued or at work */
	bool ending;
};

/* Copies a table from the heap into table memory. */
static int place_table(struct unwind_memory *memory, const struct unwind_table *table,
		       struct built_table *placed)
{
	uint32_t rule_units = (uint32_t)table->rule_count;
	int err;

	if (table->row_count > UINT32_MAX / 2 || table->page_count > UINT32_MAX / 2)
		return -E2BIG;
	placed->head_units = rule_units + (uint32_t)table->page_count;
	placed->row_units = (uint32_t)((table->row_count + 1) / 2);
	err = unwind_memory_take(memory, placed->head_units, 0, &placed->head);
	if (err)
		return err;
	err = unwind_memory_take(memory, placed->row_units, 1, &placed->rows);
	if (err) {
		unwind_memory_give(memory, placed->head, placed->head_units);
		return err;
	}
	placed->view = *table;
	placed->view.rules = unwind_memory_at(memory, placed->head);
	placed->view.pages = unwind_memory_at(memory, placed->head + rule_units);
	placed->view.rows = unwind_memory_at(memory, placed->rows);
	memcpy(placed->view.rules, table->rules, table->rule_count * sizeof(*table->rules));
	memcpy(placed->view.pages, table->pages, table->page_count * sizeof(*table->pages));
	memcpy(placed->view.rows, table->rows, table->row_count * sizeof(*table->rows));
	placed->where = (struct unwind_object){
		.state = UNWIND_READY,
		.rules = placed->head,
		.pages = placed->head + rule_units,
		.page_count = (uint32_t)table->page_count,
		.first_chunk = placed->rows / UNWIND_CHUNK_UNITS,
		.first_row = placed->rows % UNWIND_CHUNK_UNITS * 2,
		.first_vaddr = table->first_vaddr,
	};
	return 0;
}

static size_t code_bytes(const struct elf_file *file)
{
	uint64_t vaddr, size;
	size_t sum = 0;

	for (size_t i = 0; elf_file_code(file, i, &vaddr, &size); i++)
		sum += size;
	return sum;
}

static int build_from(struct unwind_memory *memory, struct elf_file *file,
		      struct build_result *result)
{
	struct unwind_table *table = NULL;
	struct cfi_rows rows;
	int err = ehframe_read(file, &rows);

	if (err)
		return err;
	result->code_bytes = code_bytes(file);
	result->bad_entries = rows.bad;
	err = rows.count ? unwind_table_new(&rows, &table) : -ENOENT;
	cfi_rows_free(&rows);
	/* rows, but all of them gaps */
	if (!err && !table->row_count)
		err = -ENOENT;
	if (!err)
		err = place_table(memory, table, &result->table);
	unwind_table_free(table);
	return err;
}

static int build(struct unwind_memory *memory, int fd, struct build_result *result)
{
	uint64_t start = clock_now();
	struct elf_file *file = NULL;
	int err = fd < 0 ? vdso_open(&file) : elf_file_open_fd(fd, &file);

	if (!err)
		err = build_from(memory, file, result);
	elf_file_close(file);
	result->build_ns = clock_now() - start;
	return err;
}

static void release(struct unwind_memory *memory, const struct built_table *table)
{
	unwind_memory_give(memory, table->head, table->head_units);
	unwind_memory_give(memory, table->rows, table->row_units);
}

static void do_job(struct unwind_builder *builder, struct job *job)
{
	if (job->is_release) {
		release(builder->memory, &job->result.table);
		return;
	}
	job->result.err = build(builder->memory, job->fd, &job->result);
	if (job->fd >= 0)
		close(job->fd);
	job->fd = -1;
}

/* The smallest: most stacks need several tables, and none should wait for that of a big program. */
static struct job *next_job(const struct unwind_builder *builder)
{
	struct job *job, *next = builder->jobs;

	LL_FOREACH(builder->jobs, job) {
		if (job->size < next->size)
			next = job;
	}
	return next;
}

static void *work(void *data)
{
	const cap_value_t keep[] = { CAP_BPF }; /* chunks are BPF maps */
	struct unwind_builder *builder = data;

	/* this thread reads files of other people's making */
	caps_drop_to(keep, sizeof(keep) / sizeof(keep[0]));
	pthread_mutex_lock(&builder->lock);
	while (!builder->ending) {
		struct job *job = next_job(builder);

		if (!job) {
			pthread_cond_wait(&builder->changed, &builder->lock);
			continue;
		}
		LL_DELETE(builder->jobs, job);
		pthread_mutex_unlock(&builder->lock);
		do_job(builder, job);
		pthread_mutex_lock(&builder->lock);
		if (job->is_release) {
			free(job);
			continue;
		}
		LL_APPEND(builder->done, job);
		builder->building--;
		pthread_cond_broadcast(&builder->changed);
		eventfd_write(builder->event, 1);
	}
	pthread_mutex_unlock(&builder->lock);
	return NULL;
}

/* Signals are the main thread's. */
static int start_thread(struct unwind_builder *builder)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = pthread_create(&builder->thread, NULL, work, builder);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	builder->has_thread = !err;
	return -err;
}

int unwind_builder_new(struct unwind_memory *memory, struct unwind_builder **builder_out)
{
	struct unwind_builder *builder = calloc(1, sizeof(*builder));
	int err;

	if (!builder)
		return -ENOMEM;
	builder->memory = memory;
	pthread_mutex_init(&builder->lock, NULL);
	pthread_cond_init(&builder->changed, NULL);
	builder->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	err = builder->event < 0 ? -errno : start_thread(builder);
	if (err) {
		unwind_builder_free(builder);
		return err;
	}
	*builder_out = builder;
	return 0;
}

static void free_jobs(struct job *jobs)
{
	struct job *job, *next;

	LL_FOREACH_SAFE(jobs, job, next)
	{
		if (job->fd >= 0)
			close(job->fd);
		free(job);
	}
}

void unwind_builder_free(struct unwind_builder *builder)
{
	if (!builder)
		return;
	pthread_mutex_lock(&builder->lock);
	builder->ending = true;
	pthread_cond_broadcast(&builder->changed);
	pthread_mutex_unlock(&builder->lock);
	if (builder->has_thread)
		pthread_join(builder->thread, NULL);
	free_jobs(builder->jobs);
	free_jobs(builder->done);
	if (builder->event >= 0)
		close(builder->event);
	pthread_cond_destroy(&builder->changed);
	pthread_mutex_destroy(&builder->lock);
	free(builder);
}

static int add_job(struct unwind_builder *builder, const struct job *wanted)
{
	struct job *job = malloc(sizeof(*job));

	if (!job)
		return -ENOMEM;
	*job = *wanted;
	pthread_mutex_lock(&builder->lock);
	LL_APPEND(builder->jobs, job);
	builder->building += !job->is_release;
	pthread_cond_broadcast(&builder->changed);
	pthread_mutex_unlock(&builder->lock);
	return 0;
}

int unwind_builder_add(struct unwind_builder *builder, uint32_t number, int fd)
{
	struct job job = { .fd = fd, .result.number = number };
	struct stat st;
	int err;

	if (fd >= 0 && !fstat(fd, &st))
		job.size = st.st_size;
	err = add_job(builder, &job);

	if (err && fd >= 0)
		close(fd);
	return err;
}

int unwind_builder_release(struct unwind_builder *builder, const struct built_table *table)
{
	struct job job = { .is_release = true, .fd = -1, .result.table = *table };

	return add_job(builder, &job);
}

bool unwind_builder_next(struct unwind_builder *builder, struct build_result *result)
{
	struct job *job;

	pthread_mutex_lock(&builder->lock);
	job = builder->done;
	if (job)
		LL_DELETE(builder->done, job);
	if (!builder->done) {
		eventfd_t ignored;

		eventfd_read(builder->event, &ignored);
	}
	pthread_mutex_unlock(&builder->lock);
	if (!job)
		return false;
	*result = job->result;
	free(job);
	return true;
}

void unwind_builder_wait(struct unwind_builder *builder)
{
	pthread_mutex_lock(&builder->lock);
	while (!builder->done && builder->building)
		pthread_cond_wait(&builder->changed, &builder->lock);
	pthread_mutex_unlock(&builder->lock);
}

int unwind_builder_fd(const struct unwind_builder *builder)
{
	return builder->event;
}

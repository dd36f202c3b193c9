/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The threads of a process, by /proc. */
#ifndef TRACER_THREAD_LIST_H
#define TRACER_THREAD_LIST_H

#include <stddef.h>
#include <sys/types.h>

struct thread_list {
	pid_t *tids; /* owned */
	size_t count;
};

/* The threads that are there now. 0 or -errno (-ENOENT: no such process); list is to be freed in any case. */
int thread_list_read(pid_t pid, struct thread_list *list);
/* How many of after are not in before. */
size_t thread_list_count_new(const struct thread_list *before, const struct thread_list *after);
void thread_list_free(struct thread_list *list);
/* The process a thread belongs to, or -ESRCH. */
pid_t thread_process(pid_t tid);

#endif

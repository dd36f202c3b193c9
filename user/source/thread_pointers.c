// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * By a BPF iterator over tasks (Linux 5.8): ptrace would tell too, but has to stop each thread for that, which
 * breaks off its system calls.
 */
#include "thread_pointers.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "bpf_side.h"
#include "tracer.skel.h"

void thread_pointers_prepare(struct bpf_side *bpf)
{
	bpf_program__set_autoload(bpf->skeleton->progs.list_thread_pointers, true);
}

/* Whole records: reads may break off within one. */
static int read_all(int fd, struct thread_pointer **list, size_t *count)
{
	size_t used = 0, room = 0;
	char *bytes = NULL;

	for (;;) {
		ssize_t got;

		if (used == room) {
			char *grown = realloc(bytes, room ? room * 2 : 65536);

			if (!grown) {
				free(bytes);
				return -ENOMEM;
			}
			bytes = grown;
			room = room ? room * 2 : 65536;
		}
		got = read(fd, bytes + used, room - used);
		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (got < 0) {
			int err = -errno;

			free(bytes);
			return err;
		}
		if (!got)
			break;
		used += (size_t)got;
	}
	*list = (struct thread_pointer *)bytes;
	*count = used / sizeof(**list);
	return 0;
}

int thread_pointers_read(struct bpf_side *bpf, struct thread_pointer **list, size_t *count)
{
	struct bpf_link *link =
		bpf_program__attach_iter(bpf->skeleton->progs.list_thread_pointers, NULL);
	int err, fd;

	*list = NULL;
	*count = 0;
	if (!link)
		return -errno;
	fd = bpf_iter_create(bpf_link__fd(link));
	if (fd < 0) {
		err = -errno;
	} else {
		err = read_all(fd, list, count);
		close(fd);
	}
	bpf_link__destroy(link);
	return err;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "uprobe_multi.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <limits.h>
#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe_links.h"

#define RETURN_FLAG 1 /* BPF_F_UPROBE_MULTI_RETURN */

/* link_create of union bpf_attr for this type: include/uapi/linux/bpf.h of 6.6, newer than the headers here. */
struct link_create {
	uint32_t program;
	uint32_t target;
	uint32_t attach_type;
	uint32_t flags;
	uint64_t path;
	uint64_t offsets;
	uint64_t semaphores;
	uint64_t cookies;
	uint32_t count;
	uint32_t multi_flags;
	uint32_t pid;
	uint32_t reserved;
};

_Static_assert(offsetof(struct link_create, path) == 16, "link_create.uprobe_multi");
_Static_assert(offsetof(struct link_create, pid) == 56, "link_create.uprobe_multi");

int uprobe_multi_attach(int program, const struct probe_places *places)
{
	struct link_create attributes = {
		.program = (uint32_t)program,
		.attach_type = UPROBE_MULTI_ATTACH_TYPE,
		.path = (uintptr_t)places->path,
		.offsets = (uintptr_t)places->offsets,
		.semaphores = (uintptr_t)places->semaphores,
		.cookies = (uintptr_t)places->cookies,
		.count = (uint32_t)places->count,
		.multi_flags = places->is_return ? RETURN_FLAG : 0,
	};
	long fd;

	if (places->count > UINT32_MAX)
		return -E2BIG;
	fd = syscall(__NR_bpf, BPF_LINK_CREATE, &attributes, sizeof(attributes));
	return fd < 0 ? -errno : (int)fd;
}

/* A folder is no file to be probed: that it says so, and nothing else, means that it has come so far. */
int uprobe_multi_try(void)
{
	const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	const uint64_t zero = 0;
	const struct probe_places places = {
		.path = "/", .offsets = &zero, .cookies = &zero, .count = 1
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options);
	int program, link;

	options.expected_attach_type = (enum bpf_attach_type)UPROBE_MULTI_ATTACH_TYPE;
	program = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "try", "GPL", nothing, 2, &options);
	if (program < 0)
		return errno == EPERM ? -EPERM : -ENOTSUP;
	link = uprobe_multi_attach(program, &places);
	if (link >= 0)
		close(link);
	close(program);
	return link == -EBADF ? 0 : link == -EPERM ? -EPERM : -ENOTSUP;
}

bool uprobe_multi_works(void)
{
	return !uprobe_multi_try();
}

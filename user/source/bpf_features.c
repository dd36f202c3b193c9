// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "bpf_features.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdint.h>
#include <unistd.h>

#include "kernel_btf.h"
#include "uprobe_multi.h"

void bpf_features_find(struct bpf_features *features)
{
	features->ringbuf = libbpf_probe_bpf_map_type(BPF_MAP_TYPE_RINGBUF, NULL) == 1;
	features->cookies = libbpf_probe_bpf_helper(BPF_PROG_TYPE_KPROBE,
						    BPF_FUNC_get_attach_cookie, NULL) == 1;
	features->uprobe_multi = uprobe_multi_works();
}

bool bpf_features_can_trace(const char *function)
{
	const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = BPF_TRACE_FENTRY);
	int fd, link;

	options.attach_btf_id = kernel_btf_function(function);
	if (!options.attach_btf_id)
		return false;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "try", "GPL", nothing, 2, &options);
	if (fd < 0)
		return false;
	link = bpf_raw_tracepoint_open(NULL, fd);
	if (link >= 0)
		close(link);
	close(fd);
	return link >= 0;
}

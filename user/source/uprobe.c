// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * --uprobe and --uretprobe. Attached for every process that maps the file, and filtered by the programs:
 * a child that forks or execs is then probed from its first instruction, which no attach by pid can do.
 */
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/log.h"
#include "probe_site.h"
#include "probe_spec.h"
#include "source.h"
#include "tracer.skel.h"

struct uprobe_source {
	struct probe_site site;
	struct bpf_link *link;
};

static struct bpf_program *choose_program(const struct source *source,
					  const struct tracer_bpf *skeleton)
{
	const struct uprobe_source *uprobe = source->private;

	if (source->info.kind == REC_URETPROBE)
		return skeleton->progs.on_uretprobe;
	return uprobe->site.at_entry ? skeleton->progs.on_uprobe_entry :
				       skeleton->progs.on_uprobe_inside;
}

/* "app:handle+0x4": the file's last component, and what was asked for in it. */
static char *shown_name(const struct probe_option *option)
{
	const char *slash = strrchr(option->binary, '/');
	const char *file = slash ? slash + 1 : option->binary;
	char *name = NULL;
	int written;

	if (option->has_address)
		written = asprintf(&name, "%s:0x%llx", file,
				   (unsigned long long)(option->address + option->offset));
	else if (option->offset)
		written = asprintf(&name, "%s:%s+0x%llx", file, option->symbol,
				   (unsigned long long)option->offset);
	else
		written = asprintf(&name, "%s:%s", file, option->symbol);
	return written < 0 ? NULL : name;
}

static int uprobe_prepare(struct source *source, struct source_context *context)
{
	const struct probe_option *option = source->option;
	struct uprobe_source *uprobe = calloc(1, sizeof(*uprobe));
	int err;

	if (!uprobe)
		return -ENOMEM;
	source->private = uprobe;
	source->info.kind = option->kind == PROBE_URETPROBE ? REC_URETPROBE : REC_UPROBE;
	source->info.period = 1;
	source->info.name = shown_name(option);
	if (!source->info.name)
		return -ENOMEM;
	err = probe_site_resolve(option, context->target->pids, context->target->pid_count,
				 &uprobe->site);
	if (err)
		return err;
	if (source->info.kind == REC_URETPROBE && uprobe->site.is_go) {
		log_error(
			"%s: a return probe would crash a Go program, whose stacks move; use --uprobe",
			option->text);
		return -ENOTSUP;
	}
	if (source->info.kind == REC_URETPROBE && !uprobe->site.at_entry) {
		log_error("%s: a return probe needs a function's first instruction", option->text);
		return -EINVAL;
	}
	bpf_program__set_autoload(choose_program(source, context->bpf->skeleton), true);
	return 0;
}

static int uprobe_attach(struct source *source, struct source_context *context)
{
	struct uprobe_source *uprobe = source->private;
	LIBBPF_OPTS(bpf_uprobe_opts, options, .retprobe = source->info.kind == REC_URETPROBE);
	int err;

	if (context->bpf->features.cookies)
		options.bpf_cookie = source->index;
	uprobe->link =
		bpf_program__attach_uprobe_opts(choose_program(source, context->bpf->skeleton), -1,
						uprobe->site.path, uprobe->site.offset, &options);
	if (uprobe->link)
		return 0;
	err = -errno;
	if (err == -EACCES || err == -EPERM)
		log_error(
			"%s: the kernel does not permit uprobes: %s (newer kernels want cap_sys_admin for them)",
			source->option->text, strerror(-err));
	else
		log_error("%s: the kernel refuses the probe at 0x%llx: %s", source->option->text,
			  (unsigned long long)uprobe->site.vaddr, strerror(-err));
	return err;
}

static void uprobe_detach(struct source *source)
{
	struct uprobe_source *uprobe = source->private;

	if (!uprobe)
		return;
	bpf_link__destroy(uprobe->link);
	uprobe->link = NULL;
}

static void uprobe_close(struct source *source)
{
	uprobe_detach(source);
	free(source->private);
	source->private = NULL;
}

/* Kernels without cookies: the address that was hit, normalised, is in the probed file at the probed offset. */
bool source_matches_frame(const struct source *source, const struct frame *frame)
{
	const struct uprobe_source *uprobe = source->private;

	if (source->ops != &source_uprobe || !uprobe || frame->offset != uprobe->site.offset)
		return false;
	return frame->object->kind == OBJECT_FILE && frame->object->inode == uprobe->site.inode;
}

const struct source_ops source_uprobe = {
	.name = "uprobe",
	.prepare = uprobe_prepare,
	.attach = uprobe_attach,
	.detach = uprobe_detach,
	.close = uprobe_close,
};

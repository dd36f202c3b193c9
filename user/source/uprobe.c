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
	struct bpf_link *entry; /* of a return probe: counts what the kernel leaves out */
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
	/* as perf probe writes it: entry and return of one function are two events */
	const char *kind = option->kind == PROBE_URETPROBE ? "%return" : "";
	char *name = NULL;
	int written;

	if (option->has_address)
		written = asprintf(&name, "%s:0x%llx%s", file,
				   (unsigned long long)(option->address + option->offset), kind);
	else if (option->offset)
		written = asprintf(&name, "%s:%s+0x%llx%s", file, option->symbol,
				   (unsigned long long)option->offset, kind);
	else
		written = asprintf(&name, "%s:%s%s", file, option->symbol, kind);
	return written < 0 ? NULL : name;
}

/* It may be loaded later; but most likely it is not the file that was meant. */
static void warn_if_not_mapped(const struct source *source, const struct target *target)
{
	const struct probe_site *site = &((const struct uprobe_source *)source->private)->site;

	if (target->pid_count && !target->command &&
	    !binary_is_mapped(site->inode, target->pids, target->pid_count))
		log_warn("%s: no process of the target maps %s now, so it cannot be hit yet",
			 source->option->text, site->path);
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
	warn_if_not_mapped(source, context->target);
	bpf_program__set_autoload(choose_program(source, context->bpf->skeleton), true);
	if (source->info.kind == REC_URETPROBE)
		bpf_program__set_autoload(context->bpf->skeleton->progs.on_uretprobe_entry, true);
	return 0;
}

static int report_refusal(const struct source *source, int err)
{
	const struct uprobe_source *uprobe = source->private;

	if (err == -EACCES || err == -EPERM)
		log_error("%s: the kernel does not permit uprobes: %s (newer kernels want cap_sys_admin for "
			  "them)",
			  source->option->text, strerror(-err));
	else
		log_error("%s: the kernel refuses the probe at 0x%llx: %s", source->option->text,
			  (unsigned long long)uprobe->site.vaddr, strerror(-err));
	return err;
}

static int attach_program(struct source *source, struct source_context *context,
			  const struct bpf_program *program, bool is_return, struct bpf_link **link)
{
	const struct uprobe_source *uprobe = source->private;
	LIBBPF_OPTS(bpf_uprobe_opts, options, .retprobe = is_return);

	if (context->bpf->features.cookies)
		options.bpf_cookie = source->index;
	*link = bpf_program__attach_uprobe_opts(program, -1, uprobe->site.path, uprobe->site.offset,
						&options);
	return *link ? 0 : report_refusal(source, -errno);
}

static int uprobe_attach(struct source *source, struct source_context *context)
{
	const struct tracer_bpf *skeleton = context->bpf->skeleton;
	struct uprobe_source *uprobe = source->private;
	bool is_return = source->info.kind == REC_URETPROBE;
	int err = 0;

	if (is_return)
		err = attach_program(source, context, skeleton->progs.on_uretprobe_entry, false,
				     &uprobe->entry);
	if (!err)
		err = attach_program(source, context, choose_program(source, skeleton), is_return,
				     &uprobe->link);
	return err;
}

static void uprobe_detach(struct source *source)
{
	struct uprobe_source *uprobe = source->private;

	if (!uprobe)
		return;
	bpf_link__destroy(uprobe->link);
	bpf_link__destroy(uprobe->entry);
	uprobe->link = uprobe->entry = NULL;
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

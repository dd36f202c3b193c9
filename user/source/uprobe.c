// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * --uprobe, --uretprobe, --latency and --usdt. Attached for every process that maps the file, and filtered by the programs:
 * a child that forks or execs is then probed from its first instruction, which no attach by pid can do.
 */
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/log.h"
#include "../aim/binary.h"
#include "../aim/probe_site.h"
#include "../aim/probe_spec.h"
#include "hit_counts.h"
#include "plans.h"
#include "probe_links.h"
#include "probe_plans.h"
#include "source.h"
#include "tracer.skel.h"

/* Programs are chosen by what a site is. */
enum program_use {
	AT_ENTRY,
	INSIDE,
	AT_RETURN,
	BEFORE_RETURN,
	AT_RETURN_SITE,
	CALL_BEGINS,
	CALL_ENDS,
	CALL_ENDS_AT_SITE,
	PROGRAM_USES,
};

struct uprobe_source {
	struct probe_sites sites;
	uint32_t *plans; /* [sites.count]: what is asked and recorded at each */
	struct probe_links links[PROGRAM_USES];
};

static bool is_return(const struct source *source)
{
	return rec_kind_is_return(source->info.kind);
}

static struct bpf_program *program_for(const struct tracer_bpf *skeleton, enum program_use use)
{
	switch (use) {
	case AT_ENTRY:
		return skeleton->progs.on_uprobe_entry;
	case INSIDE:
		return skeleton->progs.on_uprobe_inside;
	case AT_RETURN:
		return skeleton->progs.on_uretprobe;
	case AT_RETURN_SITE:
		return skeleton->progs.on_return_site;
	case CALL_ENDS_AT_SITE:
		return skeleton->progs.on_latency_return_site;
	case CALL_BEGINS:
		return skeleton->progs.on_latency_entry;
	case CALL_ENDS:
		return skeleton->progs.on_latency_return;
	default: /* counts what the kernel leaves out */
		return skeleton->progs.on_uretprobe_entry;
	}
}

static bool is_used_at(const struct source *source, const struct probe_site *site,
		       enum program_use use)
{
	if (source->info.kind == REC_LATENCY && site->at_return)
		return use == CALL_ENDS_AT_SITE;
	if (source->info.kind == REC_LATENCY)
		return use == CALL_BEGINS || (use == CALL_ENDS && !site->has_return_sites);
	if (source->info.kind == REC_URETPROBE && site->at_return)
		return use == AT_RETURN_SITE;
	if (source->info.kind == REC_URETPROBE)
		return use == AT_RETURN || use == BEFORE_RETURN;
	return use == (site->at_entry ? AT_ENTRY : INSIDE);
}

/* "app:handle+0x4": the file's last component, and what is probed in it. */
static char *shown_name(const struct source *source, const char *what)
{
	const char *binary = source->option->binary;
	const char *slash = strrchr(binary, '/');
	char *name = NULL;

	/* as perf probe writes it: entry and return of one function are two events */
	static const char *const endings[REC_KIND_MAX] = {
		[REC_URETPROBE] = "%return", [REC_LATENCY] = "%latency"
	};
	const char *ending = endings[source->info.kind];

	if (asprintf(&name, "%s:%s%s", slash ? slash + 1 : binary, what, ending ? ending : "") < 0)
		return NULL;
	return name;
}

static int describe(struct source *source)
{
	const struct uprobe_source *uprobe = source->private;

	source->infos = calloc(uprobe->sites.name_count, sizeof(*source->infos));
	if (!source->infos)
		return -ENOMEM;
	for (size_t i = 0; i < uprobe->sites.name_count; i++) {
		source->infos[i] = source->info;
		source->infos[i].name = shown_name(source, uprobe->sites.names[i]);
		source->info_count++;
		if (!source->infos[i].name)
			return -ENOMEM;
	}
	return 0;
}

/* It may be loaded later; but most likely it is not the file that was meant. */
static void warn_if_not_mapped(const struct source *source, const struct target *target)
{
	const struct probe_sites *sites = &((const struct uprobe_source *)source->private)->sites;

	if (target->pid_count && !target->command &&
	    !binary_is_mapped(sites->inode, target->pids, target->pid_count))
		log_warn("%s: no process of the target maps %s now, so it cannot be hit yet",
			 source->option->text, sites->path);
}

static int check_return(const struct source *source)
{
	const struct probe_sites *sites = &((const struct uprobe_source *)source->private)->sites;

	if (!is_return(source))
		return 0;
	for (size_t i = 0; i < sites->count; i++) {
		if (sites->sites[i].at_entry || sites->sites[i].at_return)
			continue;
		log_error("%s: a return probe needs a function's first instruction",
			  source->option->text);
		return -EINVAL;
	}
	return 0;
}

/* Functions that are counted at once, in all the processes that call them. */
#define LATENCY_PROCESSES 4

static void prepare_latency(const struct tracer_bpf *skeleton, size_t functions)
{
	uint32_t entries = bpf_map__max_entries(skeleton->maps.latencies) +
			   LATENCY_PROCESSES * (uint32_t)functions;

	bpf_program__set_autoload(skeleton->progs.on_latency_exit, true);
	bpf_program__set_autoload(skeleton->progs.on_latency_exec, true);
	bpf_map__set_max_entries(skeleton->maps.latencies, entries);
	bpf_map__set_max_entries(skeleton->maps.latency_maxima, entries);
}

static void prepare_programs(const struct source *source, struct bpf_side *bpf)
{
	const struct uprobe_source *uprobe = source->private;

	for (enum program_use use = 0; use < PROGRAM_USES; use++)
		for (size_t i = 0; i < uprobe->sites.count; i++)
			if (is_used_at(source, &uprobe->sites.sites[i], use))
				probe_links_prepare(program_for(bpf->skeleton, use),
						    &bpf->features);
	if (source->info.kind == REC_LATENCY)
		prepare_latency(bpf->skeleton, uprobe->sites.name_count);
}

/* What was moved can be told only by a cookie. */
static enum entry_moves wanted_moves(const struct source_context *context)
{
	if (context->exact_address)
		return ENTRY_EXACT;
	return context->bpf->features.cookies ? ENTRY_CHEAPEST : ENTRY_IF_NEEDED;
}

/* At an entry the caller is where the return address is. */
static bool lines_need_walks(const struct source *source)
{
	const struct probe_sites *sites = &((const struct uprobe_source *)source->private)->sites;

	for (size_t i = 0; i < sites->count; i++)
		if (is_used_at(source, &sites->sites[i], INSIDE))
			return true;
	return false;
}

static int uprobe_prepare(struct source *source, struct source_context *context)
{
	static const enum rec_kind kinds[] = {
		[PROBE_UPROBE] = REC_UPROBE,
		[PROBE_URETPROBE] = REC_URETPROBE,
		[PROBE_LATENCY] = REC_LATENCY,
		[PROBE_USDT] = REC_UPROBE,
	};
	const struct probe_option *option = source->option;
	struct uprobe_source *uprobe = calloc(1, sizeof(*uprobe));
	struct probe_aim aim = {
		.pids = context->target->pids,
		.pid_count = context->target->pid_count,
		.moves = wanted_moves(context),
		.is_verbose = context->is_verbose,
	};
	int err;

	if (!uprobe)
		return -ENOMEM;
	source->private = uprobe;
	source->info.kind = kinds[option->kind];
	source->info.period = 1;
	source->info.is_usdt = option->kind == PROBE_USDT;
	err = probe_sites_resolve(option, &aim, &uprobe->sites);
	if (!err)
		err = check_return(source);
	if (!err)
		err = describe(source);
	if (err)
		return err;
	uprobe->plans = calloc(uprobe->sites.count + 1, sizeof(*uprobe->plans));
	if (!uprobe->plans)
		return -ENOMEM;
	err = probe_plans_make(source, context, &uprobe->sites, uprobe->plans);
	if (err)
		return err;
	source->lines_need_walks = lines_need_walks(source);
	warn_if_not_mapped(source, context->target);
	prepare_programs(source, context->bpf);
	return 0;
}

static int report_refusal(const struct source *source, const struct probe_places *places, int err)
{
	const char *text = source->option->text;

	if (err == -EACCES || err == -EPERM)
		log_error("%s: the kernel does not permit uprobes: %s (newer kernels want cap_sys_admin for "
			  "them)",
			  text, strerror(-err));
	else if (err == -EMFILE || err == -ENFILE)
		log_error(
			"%s: %zu probes are more than this kernel can have by one descriptor each (ulimit -n): %s",
			text, places->count, strerror(-err));
	else if (err == -PROBE_REFUSED)
		log_error(
			"%s: the kernel cannot put a probe on the instruction at file offset 0x%llx",
			text, (unsigned long long)places->offsets[0]);
	else if (err == -EINVAL && source->info.is_usdt)
		log_error("%s: the kernel refuses the probe at file offset 0x%llx: a place has one semaphore, and somebody has a "
			  "probe there that gave none, or another one",
			  text, (unsigned long long)places->offsets[0]);
	else
		log_error("%s: the kernel refuses %s at file offset 0x%llx: %s", text,
			  places->count == 1 ? "the probe" : "probes, the first",
			  (unsigned long long)places->offsets[0], strerror(-err));
	/* one that has a name */
	return err == -PROBE_REFUSED ? -ENOTSUP : err;
}

static void say_left_out(void *context, uint64_t offset)
{
	const struct source *source = context;
	const struct probe_sites *sites = &((const struct uprobe_source *)source->private)->sites;

	for (size_t i = 0; i < sites->count; i++)
		if (sites->sites[i].offset == offset)
			log_warn("%s: left out: %s at 0x%llx, which begins with an instruction that the kernel cannot put "
				 "a probe on; calls that go there are not seen",
				 source->option->text, sites->names[sites->sites[i].function],
				 (unsigned long long)sites->sites[i].vaddr);
}

/* The sites of one program. */
static int attach_use(struct source *source, struct source_context *context, enum program_use use)
{
	struct uprobe_source *uprobe = source->private;
	const struct probe_sites *sites = &uprobe->sites;
	uint64_t *offsets = calloc(sites->count, sizeof(*offsets));
	uint64_t *cookies = calloc(sites->count, sizeof(*cookies));
	uint64_t *semaphores = calloc(sites->count, sizeof(*semaphores));
	struct probe_places places = { .path = sites->path,
				       .offsets = offsets,
				       .cookies = cookies,
				       .semaphores = source->info.is_usdt ? semaphores : NULL,
				       .is_return = use == AT_RETURN || use == CALL_ENDS };
	int err = offsets && cookies && semaphores ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < sites->count; i++) {
		const struct probe_site *site = &sites->sites[i];

		if (!is_used_at(source, site, use))
			continue;
		offsets[places.count] = site->offset;
		semaphores[places.count] = site->semaphore;
		cookies[places.count++] = (source->index + site->function) |
					  (uint64_t)site->moved << PROBE_COOKIE_MOVED_SHIFT |
					  (uint64_t)uprobe->plans[i] << PROBE_COOKIE_PLAN_SHIFT;
	}
	if (!err && (use == AT_ENTRY || use == INSIDE) && places.count)
		hit_counts_note_places(context->bpf, cookies[0], places.count);
	if (!err) {
		err = probe_links_attach(&uprobe->links[use],
					 program_for(context->bpf->skeleton, use),
					 &context->bpf->features, &places,
					 sites->count > 1 ? say_left_out : NULL, source);
		if (err)
			err = report_refusal(source, &places, err);
	}
	free(offsets);
	free(cookies);
	free(semaphores);
	return err;
}

/* Before 5.15 a program knows of its probe only where in a page it is. */
static int set_plans(const struct source *source, const struct source_context *context)
{
	const struct uprobe_source *uprobe = source->private;
	int err = 0;

	for (size_t i = 0; !err && i < uprobe->sites.count; i++)
		err = plans_set(context->plans, context->bpf, uprobe->sites.sites[i].offset,
				is_return(source), uprobe->plans[i]);
	if (err == -EEXIST)
		log_error("%s: this kernel (before 5.15) cannot tell what is asked of this probe from what is asked of another one; take one of "
			  "them by itself",
			  source->option->text);
	return err;
}

/* All places may have been left out: no probe at all must not pass for one that is never hit. */
static int check_attached(const struct source *source)
{
	const struct uprobe_source *uprobe = source->private;
	size_t attached = 0;

	for (size_t i = 0; i < PROGRAM_USES; i++)
		attached += uprobe->links[i].count + uprobe->links[i].multi_count;
	if (attached)
		return 0;
	log_error("%s: nothing of it can be probed", source->option->text);
	return -ENOTSUP;
}

/*
 * The kernel looks at a place's instruction when the file is mapped by somebody, and does without the probe if it
 * cannot handle it. So that it says so now, we map the file as well; nothing of it is run.
 */
struct own_mapping {
	void *start; /* NULL: it cannot be mapped, and the kernel may say nothing */
	size_t size;
};

static struct own_mapping map_file(const char *path)
{
	struct own_mapping mapping = {};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;

	if (fd < 0)
		return mapping;
	if (!fstat(fd, &status) && status.st_size > 0) {
		mapping.size = (size_t)status.st_size;
		mapping.start = mmap(NULL, mapping.size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (mapping.start == MAP_FAILED)
			mapping.start = NULL;
	}
	close(fd);
	return mapping;
}

static int uprobe_attach(struct source *source, struct source_context *context)
{
	/* the return's companion at the entry first: no return may go uncounted, or without its begin */
	static const enum program_use order[PROGRAM_USES] = { BEFORE_RETURN,  AT_RETURN,
							      AT_RETURN_SITE, CALL_BEGINS,
							      CALL_ENDS,      CALL_ENDS_AT_SITE,
							      AT_ENTRY,	      INSIDE };
	struct uprobe_source *uprobe = source->private;
	struct own_mapping mapping = map_file(uprobe->sites.path);
	int err = set_plans(source, context);

	for (size_t i = 0; !err && i < PROGRAM_USES; i++)
		err = attach_use(source, context, order[i]);
	if (mapping.start)
		munmap(mapping.start, mapping.size);
	return err ? err : check_attached(source);
}

static void uprobe_detach(struct source *source)
{
	struct uprobe_source *uprobe = source->private;

	for (size_t i = 0; uprobe && i < PROGRAM_USES; i++)
		probe_links_detach(&uprobe->links[i]);
}

static void uprobe_close(struct source *source)
{
	struct uprobe_source *uprobe = source->private;

	uprobe_detach(source);
	for (size_t i = 0; i < source->info_count; i++)
		free(source->infos[i].name);
	free(source->infos);
	source->infos = NULL;
	source->info_count = 0;
	if (uprobe) {
		probe_sites_free(&uprobe->sites);
		free(uprobe->plans);
	}
	free(uprobe);
	source->private = NULL;
}

/* Kernels without cookies: the address that was hit, normalised, is in the probed file at a probed offset. */
const struct source_info *source_info_at(const struct source *source, const struct frame *frame)
{
	const struct uprobe_source *uprobe = source->private;

	if (source->ops != &source_uprobe || !uprobe || frame->object->kind != OBJECT_FILE ||
	    frame->object->inode != uprobe->sites.inode)
		return NULL;
	for (size_t i = 0; i < uprobe->sites.count; i++)
		if (uprobe->sites.sites[i].offset == frame->offset)
			return &source->infos[uprobe->sites.sites[i].function];
	return NULL;
}

const struct source_ops source_uprobe = {
	.name = "uprobe",
	.prepare = uprobe_prepare,
	.attach = uprobe_attach,
	.detach = uprobe_detach,
	.close = uprobe_close,
};

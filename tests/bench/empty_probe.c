// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * empty_probe BIN FUNCTION first|best [perf]
 *
 * A BPF program that does nothing, on the first instruction of the function, or on that which tracer chooses;
 * attached as tracer does it, or by a perf event, until a signal comes.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "object/elf_file.h"
#include "object/entry_place.h"
#include "source/perf_open.h"
#include "source/probe_links.h"
#include "source/uprobe_multi.h"

static const struct bpf_insn nothing[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
	{ .code = BPF_JMP | BPF_EXIT },
};

static int find_offset(const char *path, const char *name, enum entry_moves moves, uint64_t *offset)
{
	const struct elf_symbol *symbols;
	struct elf_file *file = NULL;
	int err = elf_file_open(path, &file);
	unsigned moved = 0;
	size_t count, i = 0;

	if (err)
		return err;
	symbols = elf_file_symbols(file, &count);
	while (i < count && strcmp(symbols[i].name, name))
		i++;
	err = i < count ? entry_place(file, &symbols[i], moves, &moved) : -ENOENT;
	if (!err && !elf_file_vaddr_to_offset(file, symbols[i].vaddr + moved, offset))
		err = -EFAULT;
	elf_file_close(file);
	return err;
}

static int load(bool as_multi)
{
	LIBBPF_OPTS(bpf_prog_load_opts, options);
	int fd;

	if (as_multi)
		options.expected_attach_type = (enum bpf_attach_type)UPROBE_MULTI_ATTACH_TYPE;
	fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "nothing", "GPL", nothing, 2, &options);
	return fd < 0 ? -errno : fd;
}

static int uprobe_type(void)
{
	FILE *file = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	int type = -1;

	if (!file)
		return -errno;
	if (fscanf(file, "%d", &type) != 1)
		type = -ENOENT;
	fclose(file);
	return type;
}

static int attach_by_perf(const char *path, uint64_t offset)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .sample_period = 1 };
	int program = load(false), type = uprobe_type(), event;

	if (program < 0 || type < 0)
		return program < 0 ? program : type;
	attr.type = (uint32_t)type;
	attr.uprobe_path = (uintptr_t)path;
	attr.probe_offset = offset;
	event = perf_open(&attr, -1, 0, -1);
	if (event < 0)
		return event;
	if (ioctl(event, PERF_EVENT_IOC_SET_BPF, program) || ioctl(event, PERF_EVENT_IOC_ENABLE, 0))
		return -errno;
	return 0;
}

static int attach(const char *path, uint64_t offset, bool by_perf)
{
	const uint64_t cookie = 0;
	const struct probe_places places = {
		.path = path, .offsets = &offset, .cookies = &cookie, .count = 1
	};
	int program, link;

	if (by_perf || !uprobe_multi_works())
		return attach_by_perf(path, offset);
	program = load(true);
	if (program < 0)
		return program;
	link = uprobe_multi_attach(program, &places);
	return link < 0 ? link : 0;
}

static void wait_for_signal(void)
{
	sigset_t set;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigwait(&set, &number);
}

int main(int argc, char **argv)
{
	uint64_t offset = 0;
	int err;

	if (argc < 4) {
		fprintf(stderr, "usage: empty_probe BIN FUNCTION first|best [perf]\n");
		return 2;
	}
	err = find_offset(argv[1], argv[2], strcmp(argv[3], "best") ? ENTRY_EXACT : ENTRY_CHEAPEST,
			  &offset);
	if (!err)
		err = attach(argv[1], offset, argc > 4);
	if (err) {
		fprintf(stderr, "empty_probe: %s\n", strerror(-err));
		return 1;
	}
	wait_for_signal();
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "mini_debug.h"

#include <errno.h>
#include <stdlib.h>

#include "elf_file.h"
#include "xz.h"

static bool is_alike(const struct elf_file *a, const struct elf_file *b)
{
	return elf_file_is_64bit(a) == elf_file_is_64bit(b) &&
	       elf_file_machine(a) == elf_file_machine(b);
}

int mini_debug_open(struct elf_file *file, struct mini_debug *mini)
{
	struct elf_section section;
	size_t size;
	int err;

	if (elf_file_section(file, ".gnu_debugdata", &section))
		return 0;
	err = xz_unpack(section.bytes, section.size, &mini->image, &size);
	if (!err)
		err = elf_file_open_memory(mini->image, size, &mini->file);
	if (!err && is_alike(mini->file, file))
		return 0;
	mini_debug_close(mini);
	return err == -ENOMEM ? err : 0;
}

void mini_debug_close(struct mini_debug *mini)
{
	elf_file_close(mini->file);
	free(mini->image);
	*mini = (struct mini_debug){};
}

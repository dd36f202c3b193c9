// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "line_at.h"

#include <errno.h>

#include "state.h"

int debug_line_at(struct debug_info *info, uint64_t vaddr, const char **file, unsigned int *line)
{
	struct unit *unit;
	Dwarf_Line *row;
	int number = 0, err = unit_at(info, vaddr, &unit);

	if (err)
		return err;
	row = dwarf_getsrc_die(&unit->outer, vaddr);
	if (!row || dwarf_lineno(row, &number) || number <= 0)
		return -ENOENT;
	*file = dwarf_linesrc(row, NULL, NULL);
	*line = (unsigned int)number;
	return *file ? 0 : -ENOENT;
}

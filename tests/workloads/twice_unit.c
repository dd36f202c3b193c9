// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Compiled twice for twice.c, with ENTRY and ADDEND saying which of the two it is. */
#include "workload.h"

int ENTRY(int value);

static KEEP int same_name(int value)
{
	KEEP_FRAME();
	return value + ADDEND;
}

KEEP int ENTRY(int value)
{
	return same_name(value);
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Text is composed in memory and written by one call: so an error's errno is the write's own, and a
 * line that a slow symbol lookup interrupts is never seen half.
 */
#ifndef TRACER_PAGE_H
#define TRACER_PAGE_H

#include <stdio.h>

struct page {
	FILE *stream; /* print here */
	char *text;
	size_t size;
};

/* NULL without memory. */
struct page *page_new(void);
void page_free(struct page *page);
/* Writes what was printed since the last call to file, and starts anew. 0 or -errno. */
int page_send(struct page *page, FILE *file);
/* The same, and flushes file. */
int page_finish(struct page *page, FILE *file);

#endif

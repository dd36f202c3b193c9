/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Pages are memory streams that are rewound after each use. */
#include "page.h"

#include <errno.h>
#include <stdlib.h>

struct page *page_new(void)
{
	struct page *page = calloc(1, sizeof(*page));

	if (!page)
		return NULL;
	page->stream = open_memstream(&page->text, &page->size);
	if (!page->stream) {
		free(page);
		return NULL;
	}
	return page;
}

void page_free(struct page *page)
{
	if (!page)
		return;
	fclose(page->stream);
	free(page->text);
	free(page);
}

int page_send(struct page *page, FILE *file)
{
	/* Only memory can be what a memory stream lacks. */
	if (fflush(page->stream) || ferror(page->stream))
		return -ENOMEM;
	errno = 0;
	if (fwrite(page->text, 1, page->size, file) != page->size || ferror(file))
		return errno ? -errno : -EIO;
	return fseeko(page->stream, 0, SEEK_SET) ? -errno : 0;
}

int page_finish(struct page *page, FILE *file)
{
	int err = page_send(page, file);

	if (err)
		return err;
	errno = 0;
	if (fflush(file))
		return errno ? -errno : -EIO;
	return 0;
}

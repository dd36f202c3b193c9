/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A file laid out as the mapping of a ring: perf_event_mmap_page, then what is behind it. */
#ifndef TRACER_RING_FILE_H
#define TRACER_RING_FILE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

/* The whole file, mapped and zeroed, with data_size bytes of data behind the page; *fd is to be closed. */
static inline struct perf_event_mmap_page *map_ring_file(size_t size, size_t data_size, int *fd)
{
	struct perf_event_mmap_page *page;

	*fd = memfd_create("ring", MFD_CLOEXEC);
	assert_true(*fd >= 0);
	assert_int_equal(ftruncate(*fd, (off_t)size), 0);
	page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	assert_true(page != MAP_FAILED);
	page->data_offset = (uint64_t)sysconf(_SC_PAGESIZE);
	page->data_size = data_size;
	return page;
}

#endif

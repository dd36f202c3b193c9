// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* libwatched.so: what watched.c loads. */
void library_store(long value);
void library_touch(void);

volatile long library_counter;
static __thread long library_first = 1;
static __thread volatile long library_local;

void library_store(long value)
{
	library_counter = value;
	library_local = value;
}

/* After this the calling thread has memory for what is thread-local here. */
void library_touch(void)
{
	library_first = library_local;
}

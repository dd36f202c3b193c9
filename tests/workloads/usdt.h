/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* usdt_guarded.c, which is in the program as app and in the library as lib. */
#ifndef WORKLOADS_USDT_H
#define WORKLOADS_USDT_H

#define USDT_GUARDED(provider)          \
	void provider##_guarded(int i); \
	int provider##_semaphore(void); \
	int provider##_listened(void)

USDT_GUARDED(app);
USDT_GUARDED(lib);

#endif

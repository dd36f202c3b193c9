/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * System calls without the C library, and a lock and a gate made of them. libc's own wrappers keep no
 * frame pointer, so a function that blocks inside them loses its callers; here the instruction that
 * enters the kernel stands in the function that calls, and the chain of frame pointers stays whole.
 * That is why everything is always_inline.
 */
#ifndef WORKLOADS_SYSCALLS_H
#define WORKLOADS_SYSCALLS_H

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* The kernel's result: negative errno, or the value. */
#if defined(__x86_64__)
ALWAYS_INLINE long raw_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}
#elif defined(__aarch64__)
ALWAYS_INLINE long raw_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}
#else
#error "the workloads know x86-64 and arm64"
#endif

/* At least this long, also across signals. */
ALWAYS_INLINE void sys_sleep_us(uint64_t us)
{
	struct timespec left = { (time_t)(us / 1000000), (long)(us % 1000000) * 1000 };

	while (raw_syscall(SYS_nanosleep, (long)&left, (long)&left, 0, 0, 0, 0) == -EINTR)
		;
}

ALWAYS_INLINE uint64_t sys_clock_us(clockid_t clock)
{
	struct timespec now = { 0, 0 };

	raw_syscall(SYS_clock_gettime, clock, (long)&now, 0, 0, 0, 0);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

ALWAYS_INLINE long sys_gettid(void)
{
	return raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

ALWAYS_INLINE long sys_read(int fd, void *buffer, size_t size)
{
	return raw_syscall(SYS_read, fd, (long)buffer, (long)size, 0, 0, 0);
}

ALWAYS_INLINE long sys_write(int fd, const void *buffer, size_t size)
{
	return raw_syscall(SYS_write, fd, (long)buffer, (long)size, 0, 0, 0);
}

ALWAYS_INLINE void futex_wait(uint32_t *word, uint32_t while_it_is)
{
	raw_syscall(SYS_futex, (long)word, FUTEX_WAIT_PRIVATE, (long)while_it_is, 0, 0, 0);
}

ALWAYS_INLINE void futex_wake(uint32_t *word, int waiters)
{
	raw_syscall(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, waiters, 0, 0, 0);
}

/* A gate: 0 closed, 1 open; opened once. */
ALWAYS_INLINE void gate_wait(uint32_t *gate)
{
	while (__atomic_load_n(gate, __ATOMIC_ACQUIRE) == 0)
		futex_wait(gate, 0);
}

ALWAYS_INLINE void gate_open(uint32_t *gate)
{
	__atomic_store_n(gate, 1, __ATOMIC_RELEASE);
	futex_wake(gate, INT32_MAX);
}

/* A lock: 0 free, 1 taken, 2 taken and somebody may be waiting. */
ALWAYS_INLINE void lock_take(uint32_t *lock)
{
	uint32_t seen = 0;

	if (__atomic_compare_exchange_n(lock, &seen, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	while (__atomic_exchange_n(lock, 2, __ATOMIC_ACQUIRE) != 0)
		futex_wait(lock, 2);
}

ALWAYS_INLINE void lock_release(uint32_t *lock)
{
	if (__atomic_exchange_n(lock, 0, __ATOMIC_RELEASE) == 2)
		futex_wake(lock, 1);
}

#endif

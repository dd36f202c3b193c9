// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which events write to which ring, and the way of a ring to a larger one: the new one is opened first,
 * the events are redirected in a thread while both are read (ring_move.h), the old one is read to its end
 * and asked what it has lost, and only then closed.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "grace.h"
#include "ring_move.h"
#include "ring_owner.h"
#include "ring_set.h"

/* What tells our events in an epoll descriptor of others, in the upper half of data.u64. */
#define EPOLL_MARK  ((uint64_t)0x72696e67 << 32)
#define EPOLL_BATCH 64

struct slot {
	int cpu;
	pid_t tid;
	struct ring_owner owner;
	int *fds;
	size_t fd_count;
	struct ring_owner old;	/* being left, if it has a ring */
	struct ring_move *move; /* its events are being redirected; then it is asked */
	struct perf_ring_stats past;
	unsigned moves;
	int move_error;
	uint64_t asked_at; /* head of a backward ring when its owner was asked */
	bool is_unsure;	   /* a ring that it left may have lost more than it told */
};

struct ring_set {
	struct ring_set_options options;
	int epoll;
	bool is_finishing;
	struct slot *slots;
	size_t count;
};

int ring_set_open(const struct ring_set_options *options, struct ring_set **set_out)
{
	struct ring_set *set = calloc(1, sizeof(*set));

	if (!set)
		return -ENOMEM;
	set->options = *options;
	set->epoll = options->epoll >= 0 ? options->epoll : epoll_create1(EPOLL_CLOEXEC);
	if (set->epoll < 0) {
		int err = -errno;

		free(set);
		return err;
	}
	*set_out = set;
	return 0;
}

/* ---- rings and the events that write to them ---------------------------------------------------- */

static void unwatch(const struct ring_set *set, struct ring_owner *owner)
{
	if (owner->ring)
		epoll_ctl(set->epoll, EPOLL_CTL_DEL, owner->fd, NULL);
}

static void close_owner(const struct ring_set *set, struct ring_owner *owner)
{
	unwatch(set, owner);
	ring_owner_close(owner);
}

void ring_set_close(struct ring_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->count; i++) {
		struct slot *slot = &set->slots[i];

		if (slot->move)
			ring_move_end(slot->move);
		close_owner(set, &slot->old);
		close_owner(set, &slot->owner);
		free(slot->fds);
	}
	if (set->options.epoll < 0)
		close(set->epoll);
	free(set->slots);
	free(set);
}

static int watch(const struct ring_set *set, size_t index, int fd)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET, .data.u64 = EPOLL_MARK | index };

	return epoll_ctl(set->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static struct ring_owner_options owner_options(const struct ring_set *set, const struct slot *slot,
					       size_t bytes)
{
	return (struct ring_owner_options){
		.cpu = slot->cpu,
		.tid = slot->tid,
		.bytes = bytes,
		.backward = set->options.backward,
		.use_clockid = set->options.use_clockid,
		.clockid = set->options.clockid,
	};
}

/* A ring for the slot, watched. With borrow_fd >= 0 that event's own. */
static int open_owner(const struct ring_set *set, size_t index, const struct slot *slot,
		      size_t bytes, int borrow_fd, struct ring_owner *owner)
{
	struct ring_owner_options options = owner_options(set, slot, bytes);
	int err = borrow_fd >= 0 ? ring_owner_borrow(borrow_fd, &options, owner) :
				   ring_owner_open(&options, owner);

	if (err)
		return err;
	err = watch(set, index, owner->fd);
	if (err)
		ring_owner_close(owner);
	return err;
}

static int new_slot(struct ring_set *set, int cpu, pid_t tid, int borrow_fd)
{
	struct slot *slots = realloc(set->slots, (set->count + 1) * sizeof(*slots));
	struct slot slot = { .cpu = cpu, .tid = tid };
	int err;

	if (!slots)
		return -ENOMEM;
	set->slots = slots;
	err = open_owner(set, set->count, &slot, set->options.bytes, borrow_fd, &slot.owner);
	if (err)
		return err;
	slot.move_error = borrow_fd >= 0 ? -EOPNOTSUPP : 0;
	slots[set->count++] = slot;
	return 0;
}

static int note_fd(struct slot *slot, int fd)
{
	int *fds = realloc(slot->fds, (slot->fd_count + 1) * sizeof(*fds));

	if (!fds)
		return -ENOMEM;
	slot->fds = fds;
	fds[slot->fd_count++] = fd;
	return 0;
}

static int redirect(struct ring_set *set, size_t index, int fd)
{
	struct slot *slot = &set->slots[index];
	int err = note_fd(slot, fd);

	if (err)
		return err;
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, slot->owner.fd)) {
		slot->fd_count--;
		return -errno;
	}
	return (int)index;
}

static bool is_for(const struct slot *slot, int cpu, pid_t tid)
{
	return slot->cpu == cpu && (cpu >= 0 || slot->tid == tid);
}

/* With cpu -1 a kernel may refuse one ring to events of different PMUs: then they have several. */
int ring_set_add(struct ring_set *set, int cpu, pid_t tid, int fd)
{
	int result = -ENOENT;

	for (size_t i = 0; i < set->count && result < 0; i++) {
		if (!is_for(&set->slots[i], cpu, tid) || set->slots[i].owner.is_borrowed)
			continue;
		result = redirect(set, i, fd);
		if (result != -EINVAL && result < 0)
			return result;
	}
	if (result == -ENOENT) {
		int err = new_slot(set, cpu, tid, -1);

		if (err)
			return err;
		result = redirect(set, set->count - 1, fd);
	}
	if (result == -EINVAL && cpu < 0) {
		int err = new_slot(set, cpu, tid, fd);

		return err ? err : (int)set->count - 1;
	}
	return result;
}

static void remove_from(struct slot *slot, int fd)
{
	for (size_t i = 0; i < slot->fd_count; i++) {
		if (slot->fds[i] != fd)
			continue;
		while (slot->move && !ring_move_is_done(slot->move))
			ring_grace();
		slot->fds[i] = slot->fds[--slot->fd_count];
		return;
	}
}

void ring_set_remove(struct ring_set *set, int fd)
{
	for (size_t i = 0; i < set->count; i++)
		remove_from(&set->slots[i], fd);
}

/* ---- waiting ----------------------------------------------------------------------------------- */

int ring_set_epoll(const struct ring_set *set)
{
	return set->epoll;
}

bool ring_set_woken(struct ring_set *set, const struct epoll_event *event)
{
	uint64_t index = event->data.u64 & UINT32_MAX;

	if (event->data.u64 - index != EPOLL_MARK || index >= set->count)
		return false;
	perf_ring_woken(set->slots[index].owner.ring);
	return true;
}

int ring_set_wait(struct ring_set *set, int ms)
{
	struct epoll_event events[EPOLL_BATCH];
	int count = epoll_wait(set->epoll, events, EPOLL_BATCH, ms);

	if (count < 0)
		return errno == EINTR ? 0 : -errno;
	for (int i = 0; i < count; i++)
		ring_set_woken(set, &events[i]);
	return 0;
}

/* ---- reading ----------------------------------------------------------------------------------- */

/* One call of consume: to whom records go, and what has come of it. */
struct reading {
	ring_set_record_fn callback;
	void *context;
	size_t index;
	struct ring_owner *owner;
	int seen;
	int err;
};

static int take(void *context, const struct perf_event_header *record)
{
	struct reading *reading = context;

	if (ring_owner_wrote(reading->owner, record))
		return 0;
	reading->seen++;
	return reading->callback(reading->context, reading->index, record);
}

/* Whether to go on after that result: a corrupt ring is noted, and keeps no other from being read. */
static bool note_result(struct reading *reading, int result)
{
	if (result < 0)
		reading->err = result;
	return result >= 0 || result == -EBADMSG;
}

static bool read_to(struct reading *reading, struct ring_owner *owner, uint64_t head)
{
	reading->owner = owner;
	return note_result(reading, perf_ring_consume_to(owner->ring, head, take, reading));
}

/*
 * First the old ring, then what the new one had before: an event that writes to the new one has written all
 * that it ever will to the old one, so that its records come in order.
 */
static bool read_slot(struct reading *reading, struct slot *slot)
{
	uint64_t head = perf_ring_head(slot->owner.ring);

	if (slot->old.ring && !read_to(reading, &slot->old, perf_ring_head(slot->old.ring)))
		return false;
	return read_to(reading, &slot->owner, head);
}

/* ---- moving ------------------------------------------------------------------------------------- */

static void add_stats(struct perf_ring_stats *sum, const struct ring_owner *owner)
{
	const struct perf_ring_stats *stats;

	if (!owner->ring)
		return;
	stats = perf_ring_stats(owner->ring);
	sum->bytes += stats->bytes - owner->bytes;
	sum->records += stats->records - owner->records;
	sum->lost_records += stats->lost_records;
	sum->lost_samples += stats->lost_samples;
	sum->wakeups += stats->wakeups;
	sum->corrupt += stats->corrupt;
}

static bool is_too_small(const struct ring_set *set, const struct slot *slot)
{
	const struct perf_ring_stats *stats = perf_ring_stats(slot->owner.ring);
	size_t bytes = perf_ring_bytes(slot->owner.ring);

	if (set->is_finishing || slot->move_error || slot->old.ring ||
	    bytes > set->options.most_bytes / 2)
		return false;
	return stats->lost_records || stats->high_water > bytes / 4 * 3;
}

static int start_move(struct ring_set *set, size_t index)
{
	struct slot *slot = &set->slots[index];
	size_t bytes = perf_ring_bytes(slot->owner.ring) * 2;
	struct ring_owner larger;
	int err = open_owner(set, index, slot, bytes, -1, &larger);

	if (err)
		return err;
	err = ring_move_start(slot->fds, slot->fd_count, larger.fd, &slot->move);
	if (err) {
		close_owner(set, &larger);
		return err;
	}
	slot->old = slot->owner;
	slot->owner = larger;
	slot->moves++;
	return 0;
}

static void leave_old(const struct ring_set *set, struct slot *slot)
{
	add_stats(&slot->past, &slot->old);
	close_owner(set, &slot->old);
}

/* Asks the old ring, which only its owner still writes to, and which has been read, what it has lost. */
static void ask_old(const struct ring_set *set, struct slot *slot)
{
	if (!ring_owner_ask(&slot->old))
		return;
	slot->is_unsure = true;
	leave_old(set, slot);
}

/* The next step of a move, after reading. is_redirected: before reading, nobody wrote to the old ring any more. */
static void move_on(struct ring_set *set, size_t index, bool is_redirected)
{
	struct slot *slot = &set->slots[index];

	if (is_redirected) {
		slot->move_error = ring_move_end(slot->move);
		slot->move = NULL;
		if (!slot->move_error) /* otherwise some events write there to the end */
			ask_old(set, slot);
	} else if (slot->old.ring && slot->old.has_told) {
		leave_old(set, slot);
	} else if (slot->old.ring && slot->old.is_of_self && !slot->move && !slot->move_error) {
		ask_old(set, slot);
	} else if (is_too_small(set, slot)) {
		slot->move_error = start_move(set, index);
	}
}

static bool consume_slot(struct ring_set *set, struct reading *reading)
{
	struct slot *slot = &set->slots[reading->index];
	bool is_redirected = slot->move && ring_move_is_done(slot->move);

	if (!read_slot(reading, slot))
		return false;
	move_on(set, reading->index, is_redirected);
	return true;
}

int ring_set_consume(struct ring_set *set, ring_set_record_fn callback, void *context)
{
	struct reading reading = { .callback = callback, .context = context };

	while (reading.index < set->count && consume_slot(set, &reading))
		reading.index++;
	return reading.err ? reading.err : reading.seen;
}

/* ---- the end -------------------------------------------------------------------------------------- */

/* Between two questions to who has not told yet. */
#define ASK_AGAIN_MS 10

static void ask(struct ring_owner *owner)
{
	if (owner->ring && !owner->has_told)
		ring_owner_ask(owner);
}

static bool ask_all(struct ring_set *set, bool ask_now)
{
	bool have_told = true;

	for (size_t i = 0; i < set->count; i++) {
		struct slot *slot = &set->slots[i];

		have_told &= slot->owner.has_told && !slot->old.ring;
		if (ask_now) {
			ask(&slot->old);
			ask(&slot->owner);
		}
	}
	return have_told;
}

static void end_moves(struct ring_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		struct slot *slot = &set->slots[i];

		slot->owner.has_told = false;
		if (!slot->move)
			continue;
		slot->move_error = ring_move_end(slot->move);
		slot->move = NULL;
	}
}

static void hush_all(struct ring_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		ring_owner_hush(&set->slots[i].owner);
}

static void note_heads(struct ring_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		set->slots[i].asked_at = perf_ring_head(set->slots[i].owner.ring);
}

static bool all_have_written(const struct ring_set *set)
{
	bool have_written = true;

	for (size_t i = 0; i < set->count; i++) {
		const struct ring_owner *owner = &set->slots[i].owner;

		have_written &= owner->has_told ||
				perf_ring_head(owner->ring) != set->slots[i].asked_at;
	}
	return have_written;
}

/*
 * What is written while the rings are read is lost: they are read when the owners have written, and those
 * that have not by then must not, or what they lose would be counted among the samples lost.
 */
static int finish_backward(struct ring_set *set, int ms, ring_set_record_fn callback, void *context)
{
	const struct timespec tick = { .tv_nsec = 1000000 };
	int total = 0, waited = 0;

	for (;;) {
		int seen, until = waited + ASK_AGAIN_MS;

		note_heads(set);
		ask_all(set, true);
		/* once at least: others may be writing */
		do
			nanosleep(&tick, NULL);
		while (++waited < until && !all_have_written(set));
		hush_all(set);
		seen = ring_set_snapshot(set, callback, context);
		if (seen < 0)
			return seen;
		total += seen;
		if (ask_all(set, false) || waited >= ms)
			return total;
	}
}

int ring_set_finish(struct ring_set *set, int ms, ring_set_record_fn callback, void *context)
{
	const struct timespec tick = { .tv_nsec = 1000000 };
	int total = 0;

	set->is_finishing = true;
	end_moves(set);
	if (set->options.backward)
		return finish_backward(set, ms, callback, context);
	for (int waited = 0;; waited++) {
		int seen = ring_set_consume(set, callback, context);

		if (seen < 0)
			return seen;
		total += seen;
		if (ask_all(set, waited % ASK_AGAIN_MS == 0) || waited >= ms)
			return total;
		nanosleep(&tick, NULL);
	}
}

/* ---- backward rings --------------------------------------------------------------------------------- */

static int pause_all(struct ring_set *set, bool pause)
{
	int err = 0;

	for (size_t i = 0; i < set->count; i++) {
		int one = perf_ring_pause(set->slots[i].owner.fd, pause);

		err = err ? err : one;
	}
	return err;
}

static bool read_backward(struct reading *reading, struct ring_owner *owner)
{
	reading->owner = owner;
	return note_result(reading, perf_ring_read_backward(owner->ring, take, reading));
}

int ring_set_snapshot(struct ring_set *set, ring_set_record_fn callback, void *context)
{
	struct reading reading = { .callback = callback, .context = context };
	int err = pause_all(set, true);

	if (!err) {
		ring_grace();
		while (reading.index < set->count &&
		       read_backward(&reading, &set->slots[reading.index].owner))
			reading.index++;
		err = reading.err;
	}
	if (pause_all(set, false) && !err)
		err = -EIO;
	return err ? err : reading.seen;
}

/* ---- what is known of them ---------------------------------------------------------------------------- */

struct perf_event_mmap_page *ring_set_page(const struct ring_set *set, size_t ring)
{
	return perf_ring_page(set->slots[ring].owner.ring);
}

size_t ring_set_count(const struct ring_set *set)
{
	return set->count;
}

void ring_set_stats(const struct ring_set *set, size_t ring, struct ring_set_stats *stats)
{
	const struct slot *slot = &set->slots[ring];

	*stats = (struct ring_set_stats){
		.cpu = slot->cpu,
		.tid = slot->tid,
		.bytes = perf_ring_bytes(slot->owner.ring),
		.moves = slot->moves,
		.move_error = slot->move_error,
		.is_moving = slot->old.ring != NULL,
		.is_lost_exact = slot->owner.has_told && !slot->old.ring && !slot->is_unsure,
		.stats = slot->past,
	};
	add_stats(&stats->stats, &slot->old);
	add_stats(&stats->stats, &slot->owner);
	stats->stats.high_water = perf_ring_stats(slot->owner.ring)->high_water;
}

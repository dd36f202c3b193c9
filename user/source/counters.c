// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A table of descriptors, places by events. Groups are read by their leader (PERF_FORMAT_GROUP). */
#include "counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../event/event.h"

#define MAX_GROUP 64

struct cell {
	int fd;
	uint64_t id;
	struct counter_value value;
};

struct counters {
	const struct event_list *events;
	const struct placement *placement;
	struct cell *cells; /* [opened * events->count] */
	size_t opened;	    /* places that cells has */
	enum event_refusal *refusals;
	int *errors;
	bool *user_only;
};

static struct cell *cell_at(const struct counters *counters, size_t event, size_t place)
{
	return &counters->cells[place * counters->events->count + event];
}

static const struct event_spec *spec_at(const struct counters *counters, size_t event)
{
	return &counters->events->specs[event];
}

/* One past the last of the group that begins with event; of an event by itself, the next. */
static size_t group_end(const struct counters *counters, size_t event)
{
	uint32_t group = spec_at(counters, event)->group;
	size_t end = event + 1;

	while (group && end < counters->events->count && spec_at(counters, end)->group == group)
		end++;
	return end;
}

static struct perf_event_attr attr_of(const struct counters *counters, size_t event, size_t first)
{
	struct perf_event_attr attr = spec_at(counters, event)->attr;

	attr.size = sizeof(attr);
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			   PERF_FORMAT_ID;
	if (group_end(counters, first) - first > 1)
		attr.read_format |= PERF_FORMAT_GROUP;
	attr.sample_type = 0;
	attr.sample_period = 0;
	attr.freq = 0;
	attr.precise_ip = 0;
	attr.inherit = counters->placement->inherit;
	/* the members follow the leader */
	attr.disabled = event == first;
	if (counters->user_only[event]) {
		attr.exclude_kernel = 1;
		attr.exclude_hv = 1;
	}
	return attr;
}

static bool is_for_cpu(const struct event_spec *spec, int cpu)
{
	return !spec->cpus.count || cpu < 0 || cpulist_contains(&spec->cpus, cpu);
}

static void close_cell(struct cell *cell)
{
	if (cell->fd >= 0)
		close(cell->fd);
	cell->fd = -1;
}

/* All or none: what is open of them is closed everywhere. */
static void refuse_group(struct counters *counters, size_t first, size_t event,
			 enum event_refusal refusal, int err)
{
	for (size_t i = first; i < group_end(counters, first); i++) {
		for (size_t place = 0; place < counters->opened; place++)
			close_cell(cell_at(counters, i, place));
		counters->refusals[i] = i == event ? refusal : EVENT_WITH_GROUP;
		counters->errors[i] = err;
	}
}

static int open_cell(struct counters *counters, size_t first, size_t event, size_t place,
		     enum event_refusal *refusal)
{
	const struct place *where = &counters->placement->places[place];
	struct perf_event_attr attr = attr_of(counters, event, first);
	bool asked = spec_at(counters, event)->attr.exclude_kernel;
	struct cell *cell = cell_at(counters, event, place);
	int leader = event == first ? -1 : cell_at(counters, first, place)->fd;

	cell->fd = event_open(spec_at(counters, event), &attr, counters->placement, where, leader,
			      refusal);
	if (cell->fd < 0)
		return cell->fd;
	counters->user_only[event] = attr.exclude_kernel && !asked;
	return ioctl(cell->fd, PERF_EVENT_IOC_ID, &cell->id) ? -errno : 0;
}

static void open_group(struct counters *counters, size_t first, size_t place)
{
	int cpu = counters->placement->places[place].cpu;
	enum event_refusal refusal = EVENT_IS_OPEN;

	for (size_t i = first; i < group_end(counters, first); i++) {
		int err;

		if (counters->refusals[i] || !is_for_cpu(spec_at(counters, i), cpu))
			return;
		err = open_cell(counters, first, i, place, &refusal);
		if (refusal == EVENT_TASK_GONE) {
			for (size_t k = first; k < i; k++)
				close_cell(cell_at(counters, k, place));
			return;
		}
		if (err < 0) {
			refuse_group(counters, first, i, refusal, err);
			return;
		}
	}
}

static int open_cells(struct counters *counters)
{
	size_t events = counters->events->count, places = counters->placement->count;

	counters->cells = calloc(places * events, sizeof(*counters->cells));
	if (!counters->cells)
		return -ENOMEM;
	for (size_t i = 0; i < places * events; i++)
		counters->cells[i].fd = -1;
	while (counters->opened < places) {
		size_t place = counters->opened++;

		for (size_t i = 0; i < events; i = group_end(counters, i))
			open_group(counters, i, place);
	}
	return 0;
}

int counters_open(const struct event_list *events, const struct placement *placement,
		  struct counters **counters_out)
{
	struct counters *counters = calloc(1, sizeof(*counters));
	int err = -ENOMEM;

	if (!counters)
		return -ENOMEM;
	counters->events = events;
	counters->placement = placement;
	counters->refusals = calloc(events->count, sizeof(*counters->refusals));
	counters->errors = calloc(events->count, sizeof(*counters->errors));
	counters->user_only = calloc(events->count, sizeof(*counters->user_only));
	if (counters->refusals && counters->errors && counters->user_only)
		err = open_cells(counters);
	if (err) {
		counters_close(counters);
		return err;
	}
	*counters_out = counters;
	return 0;
}

static int control(struct counters *counters, unsigned long request)
{
	for (size_t place = 0; place < counters->opened; place++) {
		for (size_t i = 0; i < counters->events->count; i = group_end(counters, i)) {
			int fd = cell_at(counters, i, place)->fd;

			if (fd >= 0 && ioctl(fd, request, PERF_IOC_FLAG_GROUP))
				return -errno;
		}
	}
	return 0;
}

int counters_enable(struct counters *counters)
{
	return control(counters, PERF_EVENT_IOC_ENABLE);
}

void counters_disable(struct counters *counters)
{
	control(counters, PERF_EVENT_IOC_DISABLE);
}

/* As PERF_FORMAT_GROUP lays it out. */
struct group_reading {
	uint64_t count, enabled, running;
	struct {
		uint64_t value, id;
	} member[MAX_GROUP];
};

struct single_reading {
	uint64_t value, enabled, running, id;
};

static void take_member(struct counters *counters, size_t first, size_t place,
			const struct group_reading *reading, uint64_t i)
{
	for (size_t event = first; event < group_end(counters, first); event++) {
		struct cell *cell = cell_at(counters, event, place);

		if (cell->id != reading->member[i].id)
			continue;
		cell->value = (struct counter_value){
			.value = reading->member[i].value,
			.enabled = reading->enabled,
			.running = reading->running,
		};
	}
}

static int read_group(struct counters *counters, size_t first, size_t place)
{
	struct group_reading reading;
	ssize_t got = read(cell_at(counters, first, place)->fd, &reading, sizeof(reading));

	if (got < 0)
		return -errno;
	if ((size_t)got < 3 * sizeof(uint64_t) || reading.count > MAX_GROUP ||
	    (size_t)got < (3 + 2 * reading.count) * sizeof(uint64_t))
		return -EIO;
	for (uint64_t i = 0; i < reading.count; i++)
		take_member(counters, first, place, &reading, i);
	return 0;
}

static int read_single(struct cell *cell)
{
	struct single_reading reading;
	ssize_t got = read(cell->fd, &reading, sizeof(reading));

	if (got != sizeof(reading))
		return got < 0 ? -errno : -EIO;
	cell->value = (struct counter_value){ .value = reading.value,
					      .enabled = reading.enabled,
					      .running = reading.running };
	return 0;
}

int counters_read(struct counters *counters)
{
	int err = 0;

	for (size_t place = 0; !err && place < counters->opened; place++) {
		for (size_t i = 0; !err && i < counters->events->count;
		     i = group_end(counters, i)) {
			if (cell_at(counters, i, place)->fd < 0)
				continue;
			err = group_end(counters, i) - i > 1 ?
				      read_group(counters, i, place) :
				      read_single(cell_at(counters, i, place));
		}
	}
	return err;
}

struct counter_value counters_value(const struct counters *counters, size_t event, size_t place)
{
	return cell_at(counters, event, place)->value;
}

enum event_refusal counters_refusal(const struct counters *counters, size_t event, int *err)
{
	*err = counters->errors[event];
	return counters->refusals[event];
}

bool counters_is_user_only(const struct counters *counters, size_t event)
{
	return counters->user_only[event];
}

bool counters_any(const struct counters *counters)
{
	for (size_t i = 0; i < counters->opened * counters->events->count; i++)
		if (counters->cells[i].fd >= 0)
			return true;
	return false;
}

void counters_close(struct counters *counters)
{
	if (!counters)
		return;
	for (size_t i = 0; i < counters->opened * counters->events->count; i++)
		close_cell(&counters->cells[i]);
	free(counters->cells);
	free(counters->refusals);
	free(counters->errors);
	free(counters->user_only);
	free(counters);
}

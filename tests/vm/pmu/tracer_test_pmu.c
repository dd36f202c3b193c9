// SPDX-License-Identifier: GPL-2.0
/*
 * A PMU for tests, "tracer_test": an AUX area without hardware. While an event of it counts, a timer makes
 * 64-bit words 1, 2, 3, ... and writes them into the event's AUX area. The event's count is the last word
 * made. A word for which there is no room is made all the same, and is lost: so a reader can tell from the
 * words alone what it was not given, and the module says what that must be:
 *
 *   /sys/bus/event_source/devices/tracer_test/words_lost    of all events since the module was loaded
 *
 * How a mode ends its writing follows drivers of real hardware. In full mode each tick is one
 * perf_aux_output_begin/end, and so one PERF_RECORD_AUX. A tick that finds too little room is TRUNCATED,
 * upon which perf disables the event; a reader that made room enables it again. In overwrite mode only the
 * event's stopping ends the writing.
 */
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

/* attr.config, config1; see "format" in sysfs. */
#define CONFIG_WORDS(config)	((u32)((config)&0xffff))  /* made a tick */
#define CONFIG_INTERVAL(config) ((u32)((config) >> 16))	  /* us from tick to tick */
#define CONFIG1_FLAGS(config1)	((u32)((config1)&0xffff)) /* PERF_AUX_FLAG_* to put on records */
#define CONFIG1_EVERY(config1)	((u32)((config1) >> 16) & 0xffff) /* which: each so manyth; 0 none */
#define CONFIG1_OFFSET(config1) \
	((bool)((config1) >> 32 & 1)) /* overwrite mode: aux_head is an offset */

#define SETTABLE_FLAGS (PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL | PERF_AUX_FLAG_COLLISION)
#define LEAST_INTERVAL 10 /* us; less would leave a CPU no time for anything else */

/* An AUX area: aux_priv of its ring. */
struct area {
	void **pages;
	u64 size; /* bytes, a power of two */
	u64 head; /* of all bytes ever written in overwrite mode, as the ring's own may be an offset */
	u64 records;
	bool overwrite;
};

/* What writes on one CPU; perf lets one event of an exclusive PMU count there. */
struct writer {
	struct perf_output_handle handle; /* .event is NULL outside of begin and end */
	struct perf_event *event;	  /* NULL: stopped */
	struct hrtimer timer;
	struct area *area; /* while in begin and end */
	u64 written;	   /* bytes since begin */
};

static DEFINE_PER_CPU(struct writer, writers);
static atomic64_t words_lost;
static struct pmu test_pmu;

static void put_word(struct area *area, u64 position, u64 word)
{
	u64 offset = position & (area->size - 1);

	*(u64 *)(area->pages[offset >> PAGE_SHIFT] + (offset & ~PAGE_MASK)) = word;
}

static u64 next_word(struct perf_event *event)
{
	return local64_inc_return(&event->count);
}

static ktime_t interval(struct perf_event *event)
{
	return ns_to_ktime((u64)CONFIG_INTERVAL(event->attr.config) * NSEC_PER_USEC);
}

static bool begin(struct writer *writer)
{
	writer->area = perf_aux_output_begin(&writer->handle, writer->event);
	writer->written = 0;
	return writer->area;
}

static void end(struct writer *writer, u64 flags)
{
	u64 config1 = writer->event->attr.config1;
	struct area *area = writer->area;
	u32 every = CONFIG1_EVERY(config1);
	u64 size = writer->written;

	if (area->overwrite) {
		area->head += size;
		size = min(size, area->size);
		writer->handle.head = CONFIG1_OFFSET(config1) ? area->head & (area->size - 1) :
								area->head;
	}
	if (every && ++area->records % every == 0)
		flags |= CONFIG1_FLAGS(config1);
	perf_aux_output_flag(&writer->handle, flags);
	perf_aux_output_end(&writer->handle, size);
	writer->area = NULL;
}

static void overwrite_words(struct writer *writer, u32 count)
{
	for (; count; count--, writer->written += sizeof(u64))
		put_word(writer->area, writer->area->head + writer->written,
			 next_word(writer->event));
}

/* How many had no room. */
static u32 append_words(struct writer *writer, u32 count)
{
	u64 room = writer->handle.size -
		   writer->written; /* no multiple of 8: perf keeps a byte free */

	for (; count && room >= sizeof(u64); count--, room -= sizeof(u64)) {
		put_word(writer->area, writer->handle.head + writer->written,
			 next_word(writer->event));
		writer->written += sizeof(u64);
	}
	return count;
}

static void lose_words(struct writer *writer, u32 count)
{
	local64_add(count, &writer->event->count);
	atomic64_add(count, &words_lost);
}

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct writer *writer = container_of(timer, struct writer, timer);
	u32 lost, words;

	if (!writer->event || !writer->area)
		return HRTIMER_NORESTART;
	words = CONFIG_WORDS(writer->event->attr.config);
	if (writer->area->overwrite) {
		overwrite_words(writer, words);
	} else {
		lost = append_words(writer, words);
		lose_words(writer, lost);
		end(writer, lost ? PERF_AUX_FLAG_TRUNCATED : 0);
		/* Where even begin finds no room, perf has the event disabled, as it has when TRUNCATED. */
		if (!begin(writer))
			return HRTIMER_NORESTART;
	}
	hrtimer_forward_now(timer, interval(writer->event));
	return HRTIMER_RESTART;
}

/* ---- struct pmu --------------------------------------------------------------------------- */

static int event_init(struct perf_event *event)
{
	u64 config = event->attr.config, config1 = event->attr.config1;

	if (event->attr.type != test_pmu.type)
		return -ENOENT;
	if (is_sampling_event(event))
		return -EINVAL;
	if (!CONFIG_WORDS(config) || config >> 48 || CONFIG_INTERVAL(config) < LEAST_INTERVAL)
		return -EINVAL;
	if (config1 >> 33 || CONFIG1_FLAGS(config1) & ~SETTABLE_FLAGS)
		return -EINVAL;
	return 0;
}

static void start(struct perf_event *event, int flags)
{
	struct writer *writer = this_cpu_ptr(&writers);

	writer->event = event;
	event->hw.state = 0;
	if (!begin(writer)) {
		writer->event = NULL;
		event->hw.state = PERF_HES_STOPPED;
		return;
	}
	hrtimer_start(&writer->timer, interval(event), HRTIMER_MODE_REL_PINNED_HARD);
}

static void stop(struct perf_event *event, int flags)
{
	struct writer *writer = this_cpu_ptr(&writers);

	if (writer->event != event)
		return;
	hrtimer_cancel(&writer->timer);
	if (writer->area)
		end(writer, 0);
	writer->event = NULL;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int add(struct perf_event *event, int flags)
{
	if (this_cpu_ptr(&writers)->event)
		return -EBUSY;
	event->hw.state = PERF_HES_STOPPED;
	if (!(flags & PERF_EF_START))
		return 0;
	start(event, 0);
	/* Without an AUX area, or room in it, there is nothing to do. */
	return event->hw.state & PERF_HES_STOPPED ? -EINVAL : 0;
}

static void del(struct perf_event *event, int flags)
{
	stop(event, PERF_EF_UPDATE);
}

static void read(struct perf_event *event)
{
	/* Each tick leaves event->count up to date. */
}

static void *setup_aux(struct perf_event *event, void **pages, int page_count, bool overwrite)
{
	struct area *area = kzalloc(sizeof(*area), GFP_KERNEL);

	if (!area)
		return NULL;
	area->pages = pages;
	area->size = (u64)page_count << PAGE_SHIFT;
	area->overwrite = overwrite;
	return area;
}

static void free_aux(void *area)
{
	kfree(area);
}

PMU_FORMAT_ATTR(words, "config:0-15");
PMU_FORMAT_ATTR(interval, "config:16-47");
PMU_FORMAT_ATTR(flags, "config1:0-15");
PMU_FORMAT_ATTR(every, "config1:16-31");
PMU_FORMAT_ATTR(offset, "config1:32");

static struct attribute *format_attributes[] = {
	&format_attr_words.attr, &format_attr_interval.attr, &format_attr_flags.attr,
	&format_attr_every.attr, &format_attr_offset.attr,   NULL,
};

static const struct attribute_group format_group = {
	.name = "format",
	.attrs = format_attributes,
};

static ssize_t words_lost_show(struct device *device, struct device_attribute *attribute,
			       char *page)
{
	return sprintf(page, "%lld\n", (long long)atomic64_read(&words_lost));
}
static DEVICE_ATTR_RO(words_lost);

static struct attribute *statistics_attributes[] = {
	&dev_attr_words_lost.attr,
	NULL,
};

static const struct attribute_group statistics_group = {
	.attrs = statistics_attributes,
};

static const struct attribute_group *attribute_groups[] = {
	&format_group,
	&statistics_group,
	NULL,
};

static struct pmu test_pmu = {
	.module = THIS_MODULE,
	.capabilities = PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE,
	.attr_groups = attribute_groups,
	/* The hardware context is for one PMU alone; drivers of AUX areas use this one. */
	.task_ctx_nr = perf_sw_context,
	.event_init = event_init,
	.add = add,
	.del = del,
	.start = start,
	.stop = stop,
	.read = read,
	.setup_aux = setup_aux,
	.free_aux = free_aux,
};

static int __init tracer_test_pmu_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
	{
		struct hrtimer *timer = &per_cpu(writers, cpu).timer;

		hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
		timer->function = tick;
	}
	return perf_pmu_register(&test_pmu, "tracer_test", -1);
}

static void __exit tracer_test_pmu_exit(void)
{
	perf_pmu_unregister(&test_pmu);
}

module_init(tracer_test_pmu_init);
module_exit(tracer_test_pmu_exit);

MODULE_DESCRIPTION("AUX area test PMU");
MODULE_LICENSE("GPL v2");

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Records of a perf.data file take the place of those of rings. What is on this machine now is believed only as
 * far as it is what was recorded: files by their inode or build id, and nothing that /proc says.
 */
#include "replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "loop.h"
#include "object/elf_file.h"
#include "perf_data/own_sample.h"
#include "perf_data/reader.h"
#include "report.h"
#include "session.h"
#include "session_state.h"
#include "setup.h"
#include "write_output.h"

/* Events of a recording: piped ones are told of as they come, when sources must not move any more. */
#define MAX_EVENTS 4096

#define MISSING_NAMED 3

struct replay {
	struct session session;
	/* Files with code that are not here (any more), each once. */
	const struct object *missing[MISSING_NAMED];
	size_t missing_count;
	bool *is_told; /* of those, and of those that are other files by now, by object->id */
	size_t told_room;
	struct perf_data_reader *reader;
	uint64_t newest,
		round; /* times: of all records so far, and of those up to the round before */
	uint64_t lost;
	uint64_t unknown; /* samples of events that the file does not describe */
	bool has_samples;
};

static int make_room(struct session *session)
{
	session->sources = calloc(MAX_EVENTS, sizeof(*session->sources));
	session->infos = calloc(MAX_EVENTS, sizeof(const struct source_info *));
	return session->sources && session->infos ? 0 : -ENOMEM;
}

/* What perf calls the times that tasks waited, we have another name for. */
static bool is_wait(const char *name)
{
	return !strcmp(name, "offcpu-time");
}

static const char *shown_name(const struct perf_data_event *event)
{
	const char *name = event->name ? event->name : "event";

	return is_wait(name) ? "off-cpu" : name;
}

static int name_source(struct source *source, const struct perf_data_event *event)
{
	const char *name = shown_name(event);

	source->info.kind = event->name && is_wait(event->name) ? REC_OFFCPU : REC_SAMPLE;
	source->info.period = event->attr.freq ? 1 : event->attr.sample_period;
	source->info.is_counted = !event->attr.sample_period &&
				  event->attr.sample_type & PERF_SAMPLE_READ;
	source->info.has_perf_event = true;
	source->info.lacks_cpu = !(event->attr.sample_type & PERF_SAMPLE_CPU);
	source->info.perf_type = event->attr.type;
	source->info.perf_config = event->attr.config;
	free(source->info.name);
	source->info.name = strdup(name);
	return source->info.name ? 0 : -ENOMEM;
}

/*
 * As the recording itself would have it: waits weigh their time. So do samples of a clock beside them, the time
 * that each stands for; what has no time is then left out.
 */
static void weigh(struct session *session)
{
	size_t waits = 0, clocks = 0;

	for (size_t i = 0; i < session->source_count; i++) {
		waits += session->sources[i].info.kind == REC_OFFCPU;
		clocks += source_info_is_clock(&session->sources[i].info);
	}
	session->by_time = waits && (clocks || waits == session->source_count);
	session->output.config.by_time = session->by_time;
	session->output.config.is_wall = session->by_time && clocks;
	session->collector.clocks_weigh = session->output.config.is_wall;
}

/* Events that have come since, and names that came behind their events. */
static int update_sources(struct replay *replay)
{
	const struct perf_data_events *events = perf_data_reader_events(replay->reader);
	struct session *session = &replay->session;
	int err = 0;

	for (size_t i = 0; !err && i < events->count && i < MAX_EVENTS; i++) {
		struct source *source = &session->sources[i];
		const struct perf_data_event *event = &events->events[i];

		if (source->info.name &&
		    (!event->name || !strcmp(shown_name(event), source->info.name)))
			continue;
		source->ops = &source_passive;
		source->index = (uint32_t)i;
		source->info.number = (uint32_t)i;
		session->infos[i] = &source->info;
		err = name_source(source, event);
	}
	session->source_count = events->count < MAX_EVENTS ? events->count : MAX_EVENTS;
	session->collector.source_count = session->source_count;
	session->output.config.source_count = session->source_count;
	weigh(session);
	return err;
}

/* The build id that a mapping had: as its record says, or the list at the file's end. NULL: not said. */
static const uint8_t *recorded_build_id(const struct replay *replay,
					const struct record_mmap *mapping, size_t *size)
{
	const struct perf_data_info *info = perf_data_reader_info(replay->reader);

	if (mapping->build_id_size) {
		*size = mapping->build_id_size;
		return mapping->build_id;
	}
	for (size_t i = 0; i < info->build_id_count; i++) {
		if (strcmp(info->build_ids[i].path, mapping->path) != 0)
			continue;
		*size = info->build_ids[i].size;
		return info->build_ids[i].bytes;
	}
	return NULL;
}

static bool source_of_counter(void *context, uint64_t id, size_t *source, bool *by_thread)
{
	const struct replay *replay = context;
	const struct perf_data_events *events = perf_data_reader_events(replay->reader);

	if (!perf_data_events_index(events, id, source))
		return false;
	*by_thread = events->events[*source].attr.inherit;
	return true;
}

/* Is it the first time that something is said of it? Without memory it is not said. */
static bool is_news(struct replay *replay, const struct object *object)
{
	size_t room = ((size_t)object->id + 1) * 2;
	bool was_told;

	if (object->id >= replay->told_room) {
		bool *grown = realloc(replay->is_told, room);

		if (!grown)
			return false;
		memset(grown + replay->told_room, 0, room - replay->told_room);
		replay->is_told = grown;
		replay->told_room = room;
	}
	was_told = replay->is_told[object->id];
	replay->is_told[object->id] = true;
	return !was_told;
}

static void note_missing(struct replay *replay, const struct object *object)
{
	if (!is_news(replay, object))
		return;
	if (replay->missing_count < MISSING_NAMED)
		replay->missing[replay->missing_count] = object;
	replay->missing_count++;
}

static void report_missing(const struct replay *replay)
{
	size_t named = replay->missing_count < MISSING_NAMED ? replay->missing_count :
							       MISSING_NAMED;

	for (size_t i = 0; i < named; i++)
		log_note("%s is not here as it was: its addresses stay without names",
			 replay->missing[i]->path);
	if (replay->missing_count > named)
		log_note("%zu more files with code are not here as they were",
			 replay->missing_count - named);
}

/* A file that is another by now says nothing about what ran. */
static void check_file(void *context, const struct record *record)
{
	struct replay *replay = context;
	struct session *session = &replay->session;
	uint8_t now[RECORD_BUILD_ID] = {};
	struct elf_file *file = NULL;
	const uint8_t *wanted;
	struct frame frame;
	size_t size = 0;

	if (!(record->mmap.protection & PROT_EXEC) || record->pid == UINT32_MAX)
		return;
	wanted = recorded_build_id(replay, &record->mmap, &size);
	tasks_resolve(session->tasks, (pid_t)record->pid, record->time, record->mmap.start, &frame);
	if (frame.object->kind != OBJECT_FILE)
		return;
	if (frame.object->fd < 0)
		note_missing(replay, frame.object);
	if (!wanted || !size || frame.object->fd < 0)
		return;
	if (!elf_file_open_fd(frame.object->fd, &file) &&
	    elf_file_build_id(file, now, sizeof(now)) && !memcmp(now, wanted, size)) {
		elf_file_close(file);
		return;
	}
	elf_file_close(file);
	close(frame.object->fd);
	frame.object->fd = -1;
	is_news(replay, frame.object);
	log_warn("%s is another file than the one that was recorded: its addresses stay without names",
		 frame.object->path);
}

static int add(struct replay *replay, struct record *record, bool has_times)
{
	struct session *session = &replay->session;

	if (record->kind == RECORD_LOST || record->kind == RECORD_LOST_SAMPLES) {
		replay->lost += record->lost.count;
		return 0;
	}
	/* then the order of the file is all there is */
	if (!has_times)
		record->time = replay->newest + 1;
	if (record->kind == RECORD_SAMPLE && !replay->has_samples) {
		session->start = session->output.config.start = record->time;
		replay->has_samples = true;
	}
	if (record->time > replay->newest)
		replay->newest = record->time;
	return collector_add(&session->collector, record);
}

/* perf writes what it has read of all rings, then the mark: what is older than the mark before is in order. */
static int end_round(struct replay *replay)
{
	int err = collector_flush(&replay->session.collector, replay->round, false);

	replay->round = replay->newest;
	return err < 0 ? err : fflush(replay->session.file) ? -errno : 0;
}

/* Of a recording of ours: what its event was. */
static void restore_source(const struct record_sample *sample, struct source_info *source)
{
	struct own_sample own;

	if (own_sample_decode(sample->raw, sample->raw_size, &own))
		own_sample_describe(&own, source);
}

static int take(void *context, const struct perf_data_record *from)
{
	struct replay *replay = context;
	struct record record;
	int err;

	if (loop_is_stopped() || collector_limit_reached(&replay->session.collector))
		return -ECANCELED;
	if (from->header->type == PERF_DATA_RECORD_FINISHED_ROUND)
		return end_round(replay);
	err = perf_data_record_decode(from, &record);
	if (err == -ENOMSG) {
		replay->unknown += from->header->type == PERF_RECORD_SAMPLE;
		return 0;
	}
	if (err) {
		replay->session.collector.malformed++;
		return 0;
	}
	err = update_sources(replay);
	if (err)
		return err;
	if (record.kind == RECORD_SAMPLE) {
		if (from->event_index >= replay->session.source_count)
			return 0;
		record.sample.event_id = from->event_index;
		restore_source(&record.sample, &replay->session.sources[from->event_index].info);
	}
	return add(replay, &record, from->event->layout.sample_type & PERF_SAMPLE_TIME);
}

/* Opened for writing, it would be gone before it is read. */
static int refuse_itself(const struct options *options)
{
	struct stat input, output;

	if (!options->output_path || stat(options->output_path, &output))
		return 0;
	if (strcmp(options->replay_path, "-") ? stat(options->replay_path, &input) :
						fstat(STDIN_FILENO, &input))
		return 0;
	if (!S_ISREG(input.st_mode) || input.st_dev != output.st_dev ||
	    input.st_ino != output.st_ino)
		return 0;
	log_error("-o %s: is the recording itself: name another file", options->output_path);
	return -EINVAL;
}

static int open_replay(struct replay *replay)
{
	struct session *session = &replay->session;
	const char *path = session->options->replay_path;
	struct perf_data_error error = {};
	int err = refuse_itself(session->options);

	if (err)
		return err;
	err = perf_data_reader_open(path, &replay->reader, &error);
	if (err) {
		log_error("%s: %s", path, *error.text ? error.text : strerror(-err));
		return err;
	}
	err = setup_open_stages(session);
	if (!err)
		err = make_room(session);
	if (err)
		return err;
	tasks_set_recorded(session->tasks);
	session->recorded = perf_data_reader_info(replay->reader);
	err = update_sources(replay);
	if (!err)
		err = unwinding_open_private(&session->unwinding, session->tasks,
					     session->options->unwind_memory);
	if (!err)
		err = setup_open_output(session);
	if (!err)
		err = setup_open_collector(session);
	weigh(session);
	session->collector.mapped = check_file;
	session->collector.mapped_context = replay;
	session->collector.source_of_counter = source_of_counter;
	session->collector.counter_context = replay;
	return err;
}

static void summarize(struct replay *replay, struct run_summary *summary)
{
	struct session *session = &replay->session;
	struct collector *collector = &session->collector;

	*summary = (struct run_summary){
		.seconds = replay->has_samples && replay->newest > session->start ?
				   seconds_between(session->start, replay->newest) :
				   0,
		.delivered = collector->delivered,
		.lost = replay->lost,
		.seen = collector->delivered + replay->lost,
		.loss.recorded = replay->lost,
		.quality = &collector->quality,
		.processes = collector_process_count(collector),
		.stacks = stacks_count(session->stacks),
		.title = session->options->title,
		.by_time = session->by_time,
		.is_wall = session->output.config.is_wall,
	};
	quality_sort(&collector->quality);
	unwinding_summarize(&session->unwinding, &summary->tables);
	if (collector->malformed || replay->unknown)
		log_warn("%" PRIu64 " records could not be read, %" PRIu64
			 " samples are of events that the file does not describe",
			 collector->malformed, replay->unknown);
}

static int run(struct replay *replay)
{
	struct session *session = &replay->session;
	struct perf_data_error error = {};
	struct run_summary summary;
	int err, damage;

	damage = perf_data_reader_run(replay->reader, take, replay, &error);
	if (damage == -ECANCELED)
		damage = 0;
	/* what the reader found wrong it says; what we could not write it does not */
	if (damage && !*error.text)
		return damage;
	err = collector_flush(&session->collector, 0, true);
	if (err < 0)
		return err;
	summarize(replay, &summary);
	err = write_output(session, &summary);
	if (err)
		return err;
	report_missing(replay);
	report_summary(&summary, session->options->output_path, session->options->verbose);
	if (damage)
		log_error("%s: %s; what stands before it was read", session->options->replay_path,
			  error.text);
	else if (perf_data_reader_is_unfinished(replay->reader))
		log_warn("%s: the recording was not ended properly: what comes last may be missing",
			 session->options->replay_path);
	return damage ? -EBADMSG : 0;
}

int replay_run(const struct options *options)
{
	struct replay replay = { .session = { .options = options, .by_perf = true, .epoll = -1 } };
	int err;

	loop_catch_signals(true);
	err = open_replay(&replay);
	if (!err) {
		err = run(&replay);
		if (err == -EPIPE)
			err = 0;
		else if (err && err != -EBADMSG)
			log_error("%s: %s",
				  options->output_path ? options->output_path : "standard output",
				  strerror(-err));
	}
	perf_data_reader_close(replay.reader);
	free(replay.is_told);
	session_tear_down(&replay.session);
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes a perf.data file that perf report, perf script and perf buildid-list read. Events are described
 * first, then come the records, then what is known of the recording as a whole:
 *
 *	perf_data_writer_new, _add_event..., _put | _put_raw | _end_round..., _finish, _free
 *
 * The file's header is written with every round. So a recording that was killed can be read up to the last,
 * but without what comes at the end: names, build ids, host. perf cannot read what it itself was writing
 * when it was killed.
 */
#ifndef TRACER_PERF_DATA_WRITER_H
#define TRACER_PERF_DATA_WRITER_H

#include <stdio.h>

#include "events.h"
#include "info.h"

struct perf_data_writer;

/*
 * file is open for writing, empty, can be sought in (else -ESPIPE), and stays the caller's. All calls below
 * return 0 or -errno; the first error of writing (-ENOSPC) comes back from all that follow.
 */
int perf_data_writer_new(FILE *file, struct perf_data_writer **writer);
void perf_data_writer_free(struct perf_data_writer *writer);

/*
 * Before the first record. The attr and the ids are those of the events as opened: one id for each descriptor,
 * where records are copied from rings, else any number that is not 0 and no other event has. All events must
 * have PERF_SAMPLE_IDENTIFIER and sample_id_all, unless there is only one. The type of an
 * event that is not the kernel's is best one that no PMU has: perf needs the format of a tracepoint to read it,
 * leaves out PERF_COUNT_SW_DUMMY and dumps the bytes of _BPF_OUTPUT. -EINVAL: not so, or too late.
 */
int perf_data_writer_add_event(struct perf_data_writer *writer, const struct perf_event_attr *attr,
			       const char *name, const uint64_t *ids, size_t count);

/* A record from a ring of one of the events, header->size bytes. */
int perf_data_writer_put_raw(struct perf_data_writer *writer,
			     const struct perf_event_header *header);
/*
 * Any other record, as perf_encode() makes it; index: counted from 0 as they were added. For a name of the
 * kernel's addresses, perf wants one RECORD_MMAP of pid UINT32_MAX and tid 0, misc PERF_RECORD_MISC_KERNEL,
 * start and file_offset the address of _text, path "[kernel.kallsyms]_text".
 */
int perf_data_writer_put(struct perf_data_writer *writer, size_t index,
			 const struct record *record);
/* Bytes of an AUX area; offset and reference (of the same clock or counter) order those of one area. */
struct perf_data_aux {
	uint64_t offset, reference;
	uint32_t index;		    /* of the area */
	uint32_t tid, cpu;	    /* it is of; UINT32_MAX: of none */
	const void *first, *second; /* in two parts where the area wraps; not owned */
	size_t first_size, second_size;
};

/* As a PERF_RECORD_AUXTRACE; perf reads such files, but not all of these bytes, with --no-itrace. */
int perf_data_writer_put_aux(struct perf_data_writer *writer, const struct perf_data_aux *aux);

/*
 * All records of before the round before this one have been put: perf sorts what came in between. Flushes
 * to the kernel: up to here the file can be read whatever happens.
 */
int perf_data_writer_end_round(struct perf_data_writer *writer);

/* Of a file that stacks lie in, once; pid UINT32_MAX. */
int perf_data_writer_add_build_id(struct perf_data_writer *writer,
				  const struct perf_data_build_id *id);

/*
 * Ends the file. Of info all is written that is there, but build ids and sample times, which the writer
 * itself knows.
 */
int perf_data_writer_finish(struct perf_data_writer *writer, const struct perf_data_info *info);

/*
 * Fills in what this machine is: host, release, architecture, CPUs, memory, and CLOCK_MONOTONIC beside the
 * wall clock, now. Version and command are the caller's to add, allocated. 0 or -ENOMEM.
 */
int perf_data_info_of_machine(struct perf_data_info *info);

#endif

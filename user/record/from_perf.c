// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Side-band records: those of one layout, known beforehand. */
#include "from_perf.h"
#include "perf_layout.h"

int record_from_perf(const struct perf_event_header *header, struct record *record)
{
	static const struct perf_layout sideband = {
		.sample_type = SIDEBAND_SAMPLE_TYPE,
		.sample_id_all = true,
	};

	return record_from_perf_layout(&sideband, header, record);
}

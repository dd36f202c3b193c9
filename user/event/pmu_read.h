/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The syntax of the files that describe a PMU. */
#ifndef TRACER_EVENT_PMU_READ_H
#define TRACER_EVENT_PMU_READ_H

#include "pmu.h"

#define PMU_FOLDER "bus/event_source/devices"

/* "config:0-7,32-35": sets word and mask. 0 or -EINVAL. */
int pmu_field_parse(const char *text, struct pmu_field *field);
/* Is it a file beside an event's, as NAME.unit? */
bool pmu_is_attribute(struct span name);

#endif

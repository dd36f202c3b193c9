// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where the maps and the configuration are defined; see maps.bpf.h. */
#define TRACER_DEFINE_MAPS
#include "config.bpf.h"
#include "maps.bpf.h"

char LICENSE[] SEC("license") = "GPL";

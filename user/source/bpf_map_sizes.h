/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How many entries the BPF maps have: as many as this run needs. */
#ifndef TRACER_BPF_MAP_SIZES_H
#define TRACER_BPF_MAP_SIZES_H

struct bpf_side;

/* After configuring, before loading. 0 or -errno. */
int bpf_side_size_maps(struct bpf_side *side);

#endif

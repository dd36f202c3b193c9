/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The frames of a flame graph: as data for the script, and as a still picture for viewers without one. */
#ifndef TRACER_SVG_FRAMES_H
#define TRACER_SVG_FRAMES_H

#include <stdbool.h>
#include <stdio.h>

#include "flame_tree.h"

/* All in px. SVG_WIDTH is that of the still picture; the script takes what the window has. */
#define SVG_WIDTH	 1200
#define SVG_MARGIN	 10
#define SVG_TOP		 116
#define SVG_BOTTOM	 34
#define SVG_FRAME_HEIGHT 18
/* Frames narrower than this in the still picture are not stored. */
#define SVG_NARROWEST 0.1

/* In the data, added to a kind. */
#define SVG_ALL_OFF 8

struct svg_frames {
	const struct flame_tree *tree;
	bool by_time;	    /* weights are ns */
	uint32_t max_depth; /* of the frames that are stored */
	size_t pruned;	    /* frames that are not */
	/* What occurs, for the legend. */
	bool has[FLAME_INCOMPLETE + 1][FLAME_CLASSES];
	bool has_mixed;
};

/* Looks at a sorted tree, which must outlive it. */
void svg_frames_measure(struct svg_frames *frames, const struct flame_tree *tree, bool by_time);
/* The style rules of all colours. */
void svg_frames_print_colours(FILE *stream);
/* The colour of frames of a kind and class, as the name of a style class; shade 0 to 7. */
void svg_frames_colour(enum flame_kind kind, enum flame_class class, unsigned shade, char name[4]);
/* <g class="frames">: those wide enough to be seen, with labels where they fit. */
void svg_frames_print_still(FILE *stream, const struct svg_frames *frames);
/*
 * <metadata>: names, one a line after the digit of its shade; and frames, parents first, one a line:
 * depth, kind (with SVG_ALL_OFF when all of it was off the CPU), name's index, weight, distance of
 * its start from the parent's start, else the part of the weight off the CPU; zeroes at the end are
 * left out. 0 or -ENOMEM.
 */
int svg_frames_print_data(FILE *stream, const struct svg_frames *frames);

#endif

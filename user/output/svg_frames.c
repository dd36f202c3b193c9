/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A frame costs some 20 bytes as data but 250 as elements, so only the data has them all; the script
 * draws what fits the window and the zoom.
 */
#include "svg_frames.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/escape.h"
#include "frames.h"

#define SHADES 8
/* A readable label needs this much, and one character takes so much of it (11 px, monospace). */
#define LABEL_LEAST 30.0
#define CELL	    6.8
/* Between neighbours. */
#define GAP 0.8
/* The still picture shows boxes from this width on: thinner ones would make it large. */
#define STILL_LEAST 12.0
#define XML_NAME    (FRAME_NAME * 6)

/* Shades go from one hue to the other; warm is on the CPU, cool is off it, kernel code is deeper. */
struct palette {
	char name;
	int hue, last_hue;
	int saturation, light, last_light;
};

static const struct palette palettes[] = {
	{ 'u', 38, 54, 92, 70, 76 },   /* user, on the CPU */
	{ 'k', 12, 26, 88, 67, 73 },   /* kernel, on the CPU */
	{ 'v', 194, 214, 72, 74, 82 }, /* user, off the CPU */
	{ 'w', 220, 244, 62, 72, 79 }, /* kernel, off the CPU */
};

void svg_frames_print_colours(FILE *stream)
{
	for (size_t i = 0; i < sizeof(palettes) / sizeof(palettes[0]); i++) {
		const struct palette *p = &palettes[i];

		for (int shade = 0; shade < SHADES; shade++) {
			/* Neighbouring hues get lights far apart, so that neighbours differ. */
			int step = shade * 3 % SHADES;

			fprintf(stream, ".%c%d{fill:hsl(%d,%d%%,%d%%)}\n", p->name, shade,
				p->hue + (p->last_hue - p->hue) * shade / (SHADES - 1),
				p->saturation,
				p->light + (p->last_light - p->light) * step / (SHADES - 1));
		}
	}
}

void svg_frames_colour(enum flame_kind kind, enum flame_class class, unsigned shade, char name[4])
{
	bool is_off = class == FLAME_OFF;

	switch (kind) {
	case FLAME_USER:
		snprintf(name, 4, "%c%u", is_off ? 'v' : 'u', shade % SHADES);
		break;
	case FLAME_KERNEL:
		snprintf(name, 4, "%c%u", is_off ? 'w' : 'k', shade % SHADES);
		break;
	case FLAME_INCOMPLETE:
		snprintf(name, 4, "i");
		break;
	case FLAME_NOTE:
		snprintf(name, 4, "%c", is_off ? 't' : 's');
		break;
	default:
		snprintf(name, 4, "%c", is_off ? 'q' : 'r');
	}
}

/* FNV-1a: the same function has the same shade in every graph. */
static unsigned shade_of(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return (hash ^ hash >> 16) % SHADES;
}

static double scale(const struct svg_frames *frames)
{
	uint64_t total = flame_node_total(flame_tree_root(frames->tree));

	return total ? (SVG_WIDTH - 2 * SVG_MARGIN) / (double)total : 0;
}

static double node_width(const struct svg_frames *frames, const struct flame_node *node)
{
	return (double)flame_node_total(node) * scale(frames);
}

/* The next node of those at least so wide; the root counts in any case. */
static const struct flame_node *next_wide(const struct svg_frames *frames,
					  const struct flame_node *node, double least)
{
	node = flame_node_next(node);
	while (node && node_width(frames, node) < least)
		node = flame_node_skip(node);
	return node;
}

static void notice(struct svg_frames *frames, const struct flame_node *node)
{
	bool is_mixed = node->weight[FLAME_ON] && node->weight[FLAME_OFF];

	if (node->depth > frames->max_depth)
		frames->max_depth = node->depth;
	frames->has_mixed |= is_mixed && node->kind != FLAME_INCOMPLETE;
	for (int class = 0; class < FLAME_CLASSES; class ++) {
		if (node->weight[class])
			frames->has[node->kind][class] = true;
	}
}

void svg_frames_measure(struct svg_frames *frames, const struct flame_tree *tree, bool by_time)
{
	size_t stored = 0;

	*frames = (struct svg_frames){ .tree = tree, .by_time = by_time };
	for (const struct flame_node *node = flame_tree_root(tree); node;
	     node = next_wide(frames, node, SVG_NARROWEST)) {
		notice(frames, node);
		stored++;
	}
	frames->pruned = flame_tree_size(tree) - stored;
}

/* Columns that a character takes: wide scripts and emoji take two. *length: its bytes. */
static unsigned character_cells(const char *text, size_t *length)
{
	unsigned char lead = (unsigned char)*text;

	*length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
	return *length >= 3 ? 2 : 1;
}

/* Cuts valid UTF-8 to so many columns, ".." at the end of what was cut. */
static void cut_label(char *text, unsigned cells)
{
	size_t at = 0, keep = 0, length;
	unsigned used = 0;

	while (text[at]) {
		used += character_cells(text + at, &length);
		if (used > cells)
			break;
		at += length;
		if (used + 2 <= cells)
			keep = at;
	}
	if (text[at]) /* two characters are cut away at least, so there is room */
		strcpy(text + keep, "..");
}

static void print_rect(FILE *stream, const struct flame_node *node, enum flame_class class,
		       double x, double y, double width)
{
	char colour[4];

	if (width <= 0)
		return;
	svg_frames_colour(node->kind, class, shade_of(node->name), colour);
	fprintf(stream, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>",
		colour, x, y, width, SVG_FRAME_HEIGHT - 1);
}

/* A frame that was both on and off the CPU is drawn in both colours, by their shares. */
static void print_boxes(FILE *stream, const struct svg_frames *frames,
			const struct flame_node *node, double x, double y)
{
	double on = (double)node->weight[FLAME_ON] * scale(frames);
	double off = (double)node->weight[FLAME_OFF] * scale(frames);

	if (node->kind == FLAME_INCOMPLETE) {
		print_rect(stream, node, FLAME_ON, x, y, on + off - GAP);
		return;
	}
	if (on > 0)
		print_rect(stream, node, FLAME_ON, x, y, off > 0 ? on : on - GAP);
	if (off > 0)
		print_rect(stream, node, FLAME_OFF, x + on, y, off - GAP);
}

static void print_label(FILE *stream, const char *name, double x, double y, double width)
{
	char label[FRAME_NAME], escaped[XML_NAME];

	snprintf(label, sizeof(label), "%s", name);
	cut_label(label, (unsigned)((width - 6) / CELL));
	fprintf(stream, "<text x=\"%.1f\" y=\"%.1f\">%s</text>", x + 3, y + 12.5,
		escape_xml(escaped, sizeof(escaped), label));
}

void svg_frames_print_still(FILE *stream, const struct svg_frames *frames)
{
	fputs("<g class=\"frames\">\n", stream);
	for (const struct flame_node *node = flame_tree_root(frames->tree); node;
	     node = next_wide(frames, node, STILL_LEAST)) {
		double x = SVG_MARGIN + (double)node->start * scale(frames);
		double y = SVG_TOP + (double)(frames->max_depth - node->depth) * SVG_FRAME_HEIGHT;

		print_boxes(stream, frames, node, x, y);
		if (node_width(frames, node) >= LABEL_LEAST)
			print_label(stream, node->name, x, y, node_width(frames, node));
		fputc('\n', stream);
	}
	fputs("</g>\n", stream);
}

/* Sums in the unit of the data. Differences of these never add up to more than their whole. */
static uint64_t in_unit(const struct svg_frames *frames, uint64_t weight)
{
	return frames->by_time ? (weight + 500) / 1000 : weight;
}

static void print_frame(FILE *stream, const struct svg_frames *frames,
			const struct flame_node *node, uint32_t name)
{
	uint64_t start = in_unit(frames, node->start);
	uint64_t weight = in_unit(frames, node->start + flame_node_total(node)) - start;
	uint64_t parent = node->parent ? in_unit(frames, node->parent->start) : 0;
	uint64_t off = in_unit(frames, node->weight[FLAME_OFF]);
	bool is_off = node->weight[FLAME_ON] == 0 && node->weight[FLAME_OFF];
	int kind = (int)node->kind | (is_off ? SVG_ALL_OFF : 0);

	if (off > weight) /* by rounding */
		off = weight;
	if (is_off)
		off = 0; /* the kind says it */
	fprintf(stream, "%" PRIu32 " %d %" PRIu32 " %" PRIu64, node->depth, kind, name, weight);
	if (start > parent || off)
		fprintf(stream, " %" PRIu64, start - parent);
	if (off)
		fprintf(stream, " %" PRIu64, off);
	fputc('\n', stream);
}

static int compare_names(const void *left, const void *right)
{
	const struct flame_node *a = *(const struct flame_node *const *)left;
	const struct flame_node *b = *(const struct flame_node *const *)right;

	return strcmp(a->name, b->name);
}

/* Prints every name once. index, by the node's id, gets the place of its name. */
static void print_names(FILE *stream, const struct flame_node **nodes, size_t count,
			uint32_t *index)
{
	char escaped[XML_NAME];
	uint32_t names = 0;

	qsort(nodes, count, sizeof(*nodes), compare_names);
	fputs("<metadata class=\"names\">", stream);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || strcmp(nodes[i - 1]->name, nodes[i]->name) != 0) {
			fprintf(stream, "%u%s\n", shade_of(nodes[i]->name),
				escape_xml(escaped, sizeof(escaped), nodes[i]->name));
			names++;
		}
		index[nodes[i]->id] = names - 1;
	}
	fputs("</metadata>\n", stream);
}

int svg_frames_print_data(FILE *stream, const struct svg_frames *frames)
{
	size_t size = flame_tree_size(frames->tree), count = 0;
	const struct flame_node **nodes = calloc(size, sizeof(*nodes));
	uint32_t *index = calloc(size, sizeof(*index));
	const struct flame_node *root = flame_tree_root(frames->tree), *node;
	int err = -ENOMEM;

	if (!nodes || !index)
		goto cleanup;
	for (node = root; node; node = next_wide(frames, node, SVG_NARROWEST))
		nodes[count++] = node;
	print_names(stream, nodes, count, index);
	fputs("<metadata class=\"data\">", stream);
	for (node = root; node; node = next_wide(frames, node, SVG_NARROWEST))
		print_frame(stream, frames, node, index[node->id]);
	fputs("</metadata>\n", stream);
	err = 0;
cleanup:
	free(nodes);
	free(index);
	return err;
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A self-contained flame graph: title, losses and stack quality, legend, a still picture, the data,
 * and a script that draws the data, zooms and searches. Root at the bottom. Everything that comes
 * from traced programs is text or metadata, never script, and passes escape_terminal() (so nothing
 * invisible turns the text around) and escape_xml().
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "../base/escape.h"
#include "flame_rows.h"
#include "frames.h"
#include "output.h"
#include "page.h"
#include "summary.h"
#include "svg_frames.h"
#include "svg_script.h"

#define TITLE 1024

struct drawing {
	const struct output *output;
	const struct run_summary *summary;
	struct svg_frames frames;
	bool has_samples;      /* on-CPU weights are of samples, not of probes */
	uint64_t without_time; /* events that a graph of time cannot show */
};

static unsigned picture_height(const struct drawing *drawing)
{
	return SVG_TOP + (drawing->frames.max_depth + 1) * SVG_FRAME_HEIGHT + SVG_BOTTOM;
}

static void print_escaped(FILE *stream, const char *text)
{
	char plain[TITLE], escaped[TITLE * 6];

	escape_terminal(plain, sizeof(plain), text);
	fputs(escape_xml(escaped, sizeof(escaped), plain), stream);
}

static const char *unit_name(const struct drawing *drawing)
{
	if (drawing->output->config.by_time)
		return "us";
	return drawing->has_samples ? "samples" : "events";
}

static const char *title(const struct drawing *drawing)
{
	if (drawing->summary->title && drawing->summary->title[0])
		return drawing->summary->title;
	return drawing->output->config.title ? drawing->output->config.title : "tracer";
}

static void print_start(FILE *stream, const struct drawing *drawing)
{
	unsigned height = picture_height(drawing);

	fprintf(stream,
		"<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flame\" width=\"%d\" "
		"height=\"%u\" viewBox=\"0 0 %d %u\" data-unit=\"%s\" data-top=\"%d\" "
		"data-row=\"%d\" data-margin=\"%d\">\n<title>",
		SVG_WIDTH, height, SVG_WIDTH, height, unit_name(drawing), SVG_TOP, SVG_FRAME_HEIGHT,
		SVG_MARGIN);
	print_escaped(stream, title(drawing));
	fprintf(stream, "</title>\n<style><![CDATA[\n%s", svg_style);
	svg_frames_print_colours(stream);
	fputs("]]></style>\n"
	      "<defs><pattern id=\"tracer-hatch\" width=\"6\" height=\"6\" "
	      "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
	      "<rect width=\"6\" height=\"6\" fill=\"#e3e3e3\"/>"
	      "<rect width=\"2.5\" height=\"6\" fill=\"#cdcdcd\"/></pattern></defs>\n"
	      "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n",
	      stream);
}

static void print_heading(FILE *stream, const struct drawing *drawing)
{
	const struct run_summary *summary = drawing->summary;

	fprintf(stream, "<text class=\"title\" x=\"%d\" y=\"25\">", SVG_MARGIN);
	print_escaped(stream, title(drawing));
	fprintf(stream, "</text>\n<text class=\"line\" x=\"%d\" y=\"45\">%.1f s, ", SVG_MARGIN,
		(double)summary_duration(summary) / 1e9);
	summary_print_losses(stream, summary);
	fprintf(stream, "</text>\n<text class=\"line\" x=\"%d\" y=\"61\">", SVG_MARGIN);
	summary_print_quality(stream, summary);
	fputs("</text>\n", stream);
}

/* A swatch and its caption; x moves on. */
static void print_swatch(FILE *stream, double *x, const char *colour, const char *caption)
{
	fprintf(stream,
		"<rect class=\"%s\" x=\"%.1f\" y=\"72\" width=\"12\" height=\"12\" rx=\"2\"/>"
		"<text class=\"line\" x=\"%.1f\" y=\"82\">%s</text>\n",
		colour, *x, *x + 17, caption);
	*x += 17 + (double)strlen(caption) * 6.2 + 18;
}

static void print_note(FILE *stream, double *x, const char *note)
{
	fprintf(stream, "<text class=\"line\" x=\"%.1f\" y=\"82\">%s</text>\n", *x, note);
	*x += (double)strlen(note) * 6.2 + 18;
}

static void print_colours(FILE *stream, const struct drawing *drawing, double *x)
{
	const struct svg_frames *frames = &drawing->frames;
	bool is_on = drawing->has_samples;

	if (frames->has[FLAME_USER][FLAME_ON])
		print_swatch(stream, x, "u2", is_on ? "on-CPU, user code" : "user code");
	if (frames->has[FLAME_KERNEL][FLAME_ON])
		print_swatch(stream, x, "k2", is_on ? "on-CPU, kernel" : "kernel");
	if (frames->has[FLAME_USER][FLAME_OFF])
		print_swatch(stream, x, "v2", "off-CPU, user code");
	if (frames->has[FLAME_KERNEL][FLAME_OFF])
		print_swatch(stream, x, "w2", "off-CPU, kernel");
	if (frames->has[FLAME_INCOMPLETE][FLAME_ON] || frames->has[FLAME_INCOMPLETE][FLAME_OFF])
		print_swatch(stream, x, "i", "outer frames missing");
	if (frames->has_mixed)
		print_note(stream, x, "two colours: shares on and off the CPU");
}

/* The legend, and what the graph does not show. */
static void print_legend(FILE *stream, const struct drawing *drawing)
{
	double x = SVG_MARGIN;
	char note[96];

	fputs("<g class=\"legend\">\n", stream);
	print_colours(stream, drawing, &x);
	if (drawing->frames.pruned) {
		snprintf(note, sizeof(note), "%zu frames narrower than %.1f px left out",
			 drawing->frames.pruned, SVG_NARROWEST);
		print_note(stream, &x, note);
	}
	if (drawing->without_time) {
		snprintf(note, sizeof(note), "%" PRIu64 " events without a time left out",
			 drawing->without_time);
		print_note(stream, &x, note);
	}
	if (flame_tree_size(drawing->frames.tree) == 1)
		print_note(stream, &x, "no events: nothing to show");
	fputs("</g>\n", stream);
}

static int print_picture(FILE *stream, const struct drawing *drawing)
{
	unsigned height = picture_height(drawing);
	int err;

	print_start(stream, drawing);
	print_heading(stream, drawing);
	print_legend(stream, drawing);
	fprintf(stream, "<text class=\"path\" x=\"%d\" y=\"%d\"/>\n", SVG_MARGIN, SVG_TOP - 12);
	svg_frames_print_still(stream, &drawing->frames);
	fprintf(stream,
		"<text class=\"details\" aria-live=\"polite\" x=\"%d\" y=\"%u\"/>\n"
		"<text class=\"matched\" text-anchor=\"end\" x=\"%d\" y=\"%u\"/>\n",
		SVG_MARGIN, height - 12, SVG_WIDTH - SVG_MARGIN, height - 12);
	err = svg_frames_print_data(stream, &drawing->frames);
	fprintf(stream, "<script><![CDATA[\n%s]]></script>\n</svg>\n", svg_script);
	return err;
}

/* What only the rows can tell. */
static void look_at_rows(struct drawing *drawing, struct counts *counts)
{
	for (size_t i = 0; i < counts_size(counts); i++) {
		const struct count_row *row = counts_row(counts, i);

		drawing->has_samples |= row->source->kind == REC_SAMPLE;
		if (drawing->output->config.by_time && row->ns == 0)
			drawing->without_time += row->count;
	}
}

static int svg_finish(struct output *output, struct counts *counts,
		      const struct run_summary *summary)
{
	struct drawing drawing = { .output = output, .summary = summary };
	struct flame_tree *tree = flame_tree_new();
	struct page *page = page_new();
	int err = tree && page ? 0 : -ENOMEM;

	if (!err)
		err = flame_tree_add_rows(tree, output, counts, escape_terminal);
	if (err)
		goto cleanup;
	flame_tree_sort(tree);
	svg_frames_measure(&drawing.frames, tree, output->config.by_time);
	look_at_rows(&drawing, counts);
	err = print_picture(page->stream, &drawing);
	if (!err)
		err = page_finish(page, output->file);
cleanup:
	flame_tree_free(tree);
	page_free(page);
	return err;
}

const struct output_ops output_svg = {
	.name = "svg",
	.endings = ".svg",
	.aggregates = true,
	.open = output_open_nothing,
	.event = output_refuse_event,
	.finish = svg_finish,
	.close = output_close_nothing,
};

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The style sheet and the script that every flame graph carries. */
#ifndef TRACER_SVG_SCRIPT_H
#define TRACER_SVG_SCRIPT_H

/* Neither contains "]]>". The script reads data-* attributes of the root and the two <metadata>. */
extern const char svg_style[];
extern const char svg_script[];

#endif

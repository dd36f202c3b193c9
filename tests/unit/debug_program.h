/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs built by a test with debugging information of several kinds, and opened. */
#ifndef TRACER_DEBUG_PROGRAM_H
#define TRACER_DEBUG_PROGRAM_H

#include <stdbool.h>

#include "test_folder.h"

#include "debug/debug_info.h"

/* What a C program is built by; "CC" becomes the C++ compiler of the same kind for C++. */
struct debug_build {
	const char *cc, *cxx;
	const char *flags;
};

static const struct debug_build debug_builds[] = {
	{ "gcc", "g++", "-O0 -gdwarf-4" },	 { "gcc", "g++", "-O2 -gdwarf-4" },
	{ "gcc", "g++", "-O0 -gdwarf-5" },	 { "gcc", "g++", "-O2 -gdwarf-5" },
	{ "clang", "clang++", "-O0 -gdwarf-4" }, { "clang", "clang++", "-O2 -gdwarf-4" },
	{ "clang", "clang++", "-O0 -gdwarf-5" }, { "clang", "clang++", "-O2 -gdwarf-5" },
};

#define DEBUG_BUILDS (sizeof(debug_builds) / sizeof(debug_builds[0]))

__attribute__((unused)) static bool has_tool(const char *name)
{
	char command[256];

	snprintf(command, sizeof(command), "command -v %s >/dev/null 2>&1", name);
	return !system(command);
}

/* Each build in turn of the sources in the folder, which are C++ if they end in .cc, to "program". */
__attribute__((unused)) static void
build_program(const char *folder, const struct debug_build *build, const char *sources)
{
	print_message("%s %s\n", build->cc, build->flags);
	run("cd %s && %s %s -o program %s", folder, strstr(sources, ".cc") ? build->cxx : build->cc,
	    build->flags, sources);
}

__attribute__((unused)) static struct debug_info *open_program(const char *folder, const char *name)
{
	struct debug_info *info;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(debug_info_open(path, &info), 0);
	return info;
}

/* The value that nm prints for the index-th symbol of which the name begins so; -1: there is none. */
__attribute__((unused)) static uint64_t symbol_value(const char *folder, const char *name,
						     unsigned int index)
{
	FILE *output = output_of("nm %s/program | grep ' %s' | sort | sed -n %up | cut -d' ' -f1",
				 folder, name, index + 1);
	unsigned long long value;
	bool found = fscanf(output, "%llx", &value) == 1;

	pclose(output);
	return found ? value : UINT64_MAX;
}

#endif

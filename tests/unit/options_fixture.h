/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Command lines parsed, and what is said about them. */
#ifndef TRACER_OPTIONS_FIXTURE_H
#define TRACER_OPTIONS_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "options.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_ARGS     32

/* A command line of words parted by blanks, with "tracer" before them. */
struct command_line {
	char text[1024];
	char *argv[MAX_ARGS];
	int argc;
};

static inline void split(struct command_line *line, const char *text)
{
	char *rest;

	snprintf(line->text, sizeof(line->text), "tracer %s", text);
	line->argc = 0;
	for (char *word = strtok_r(line->text, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest)) {
		assert_true(line->argc < MAX_ARGS - 1);
		line->argv[line->argc++] = word;
	}
	line->argv[line->argc] = NULL;
}

/* Puts a memory file in place of stdout or stderr until released. */
struct caught {
	int fd, saved, file;
};

static inline void capture_begin(struct caught *capture, int fd)
{
	fflush(NULL);
	capture->fd = fd;
	capture->saved = fcntl(fd, F_DUPFD_CLOEXEC, 10);
	capture->file = memfd_create("capture", MFD_CLOEXEC);
	assert_true(capture->saved >= 0 && capture->file >= 0);
	assert_int_equal(dup2(capture->file, fd), fd);
}

static inline void capture_end(struct caught *capture, char *text, size_t size)
{
	ssize_t length;

	fflush(NULL);
	assert_int_equal(dup2(capture->saved, capture->fd), capture->fd);
	length = pread(capture->file, text, size - 1, 0);
	assert_true(length >= 0);
	text[length] = '\0';
	close(capture->file);
	close(capture->saved);
}

/* Parses, and gets what was said on stderr. */
static inline int parse_argv(int argc, char **argv, struct options *options, char *said,
			     size_t size)
{
	struct caught capture;
	int err;

	capture_begin(&capture, STDERR_FILENO);
	err = options_parse(argc, argv, options);
	capture_end(&capture, said, size);
	return err;
}

/* The line must stay as long as options->command is used. */
static inline void parse_good(const char *text, struct command_line *line, struct options *options)
{
	char said[1024];

	split(line, text);
	if (parse_argv(line->argc, line->argv, options, said, sizeof(said)))
		fail_msg("\"%s\" was refused: %s", text, said);
	assert_string_equal(said, "");
}

#endif

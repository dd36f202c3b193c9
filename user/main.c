// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* From argv to one of the things tracer does.  */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "check.h"
#include "list.h"
#include "options.h"
#include "replay.h"
#include "session.h"
#include "stat.h"

/*
 * A standard stream that was closed would be the next descriptor opened, and output meant for people
 * would go into it. Returns whether stdout had been open.
 */
static bool reserve_standard_streams(void)
{
	bool has_stdout = fcntl(STDOUT_FILENO, F_GETFD) >= 0;

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_WRONLY : O_RDONLY) != fd)
			_exit(EXIT_FAILURE);
	return has_stdout;
}

static int close_stdout(void)
{
	if (fflush(stdout) || ferror(stdout)) {
		if (errno != EPIPE)
			log_error("standard output: cannot be written");
		return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}

/* What writes data. */
static int run(const struct options *options, bool has_stdout)
{
	if (!has_stdout && !options->output_path) {
		log_error("standard output is closed: name a file with -o");
		return EXIT_FAILURE;
	}
	if (options->mode == MODE_REPLAY)
		return replay_run(options);
	return options->mode == MODE_STAT ? stat_run(options) : session_run(options);
}

static int dispatch(const struct options *options, bool has_stdout)
{
	int status = EXIT_SUCCESS;

	switch (options->mode) {
	case MODE_RECORD:
	case MODE_STAT:
	case MODE_REPLAY:
		return run(options, has_stdout);
	case MODE_CHECK:
		status = check_run(options);
		break;
	case MODE_LIST:
		status = list_run(options);
		break;
	case MODE_HELP:
		options_print_help();
		break;
	case MODE_VERSION:
		puts("tracer " TRACER_VERSION);
		break;
	}
	return status ? status : close_stdout();
}

int main(int argc, char **argv)
{
	bool has_stdout = reserve_standard_streams();
	struct options options;
	int status;
	int err = options_parse(argc, argv, &options);

	if (err)
		return err == -EINVAL ? EXIT_USAGE : EXIT_FAILURE;
	status = dispatch(&options, has_stdout);
	options_free(&options);
	return status;
}

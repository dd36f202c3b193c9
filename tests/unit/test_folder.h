/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What tests that build programs at run time share: a folder of their own, and commands run in it.
 * Each failure ends the test.
 */
#ifndef TRACER_TEST_FOLDER_H
#define TRACER_TEST_FOLDER_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A new folder, as a string that folder_remove() frees. */
__attribute__((unused)) static char *folder_new(void)
{
	const char *parent = getenv("TMPDIR");
	char *folder = NULL;

	assert_true(asprintf(&folder, "%s/tracer-unit-XXXXXX", parent ? parent : "/tmp") > 0);
	assert_non_null(mkdtemp(folder));
	return folder;
}

__attribute__((unused, format(printf, 1, 2))) static void run(const char *format, ...)
{
	char command[4096];
	va_list arguments;

	va_start(arguments, format);
	assert_true(vsnprintf(command, sizeof(command), format, arguments) < (int)sizeof(command));
	va_end(arguments);
	if (system(command))
		fail_msg("failed: %s", command);
}

/* The output of a command, to be read and pclose()d. */
__attribute__((unused, format(printf, 1, 2))) static FILE *output_of(const char *format, ...)
{
	char command[4096];
	va_list arguments;
	FILE *output;

	va_start(arguments, format);
	assert_true(vsnprintf(command, sizeof(command), format, arguments) < (int)sizeof(command));
	va_end(arguments);
	output = popen(command, "r");
	assert_non_null(output);
	return output;
}

__attribute__((unused)) static void folder_remove(char *folder)
{
	run("rm -rf '%s'", folder);
	free(folder);
}

/* For cmocka: *state is a folder for the test, or the group of tests. */
__attribute__((unused)) static int make_folder(void **state)
{
	*state = folder_new();
	return 0;
}

__attribute__((unused)) static int remove_folder(void **state)
{
	folder_remove(*state);
	return 0;
}

__attribute__((unused)) static void write_file(const char *folder, const char *name,
					       const char *text)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* Reads all of a file; the size goes to *size. */
__attribute__((unused)) static uint8_t *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "r");
	struct stat status;
	uint8_t *bytes;

	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &status), 0);
	*size = (size_t)status.st_size;
	bytes = malloc(*size);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, *size, file), *size);
	fclose(file);
	return bytes;
}

#endif

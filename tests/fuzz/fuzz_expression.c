// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * libFuzzer target: expressions of --if and --args over the made-up program of the unit tests, parsed, checked,
 * compiled and run. Run by `make fuzz`. The first byte of the input says at what kind of event.
 */
#include <stdlib.h>

#include "../unit/expression_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct request request = { .name = "GET /", .u8 = 200, .s64 = INT64_MIN };

static void check(int truth)
{
	if (!truth)
		abort();
}

static void check_error(const char *text, int err, struct expression_error *error)
{
	static FILE *nowhere;

	check(err == -EINVAL && error->message && *error->message);
	check(error->from <= error->to && error->to <= strlen(text));
	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	check(nowhere != NULL);
	expression_error_print(nowhere, "--if", text, error);
	expression_error_free(error);
}

static void run(const struct machine_program *program)
{
	struct target target;
	int end;

	check(program->length <= MACHINE_INSNS && program->text_count <= MACHINE_TEXTS);
	target_stop(&target, &request);
	end = target_run(&target, program);
	check(end >= MACHINE_FALSE && end <= MACHINE_FAULT);
}

static void compile(struct expression *expression, const struct expression_scope *scope,
		    const char *text)
{
	struct expression_error error = {};
	struct machine_program program;
	struct expression_value value;
	size_t from, to;
	int err = expression_compile_predicate(expression, scope, &program, &error);

	expression_span(expression, &from, &to);
	check(from < to && to <= strlen(text));
	if (err)
		check_error(text, err, &error);
	else
		run(&program);
	err = expression_compile_value(expression, scope, &program, &value, &error);
	if (err)
		check_error(text, err, &error);
	else
		run(&program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct expression_error error = {};
	struct expression *expression;
	struct expression_scope scope;
	struct expression_list list;
	char *text;
	int err;

	if (!size)
		return 0;
	scope = fake_scope((enum expression_source)(*data % EXPRESSION_SOURCES));
	scope.watched_type = *data & 0x40 ? &type_request_pointer : NULL;
	scope.return_type = *data & 0x80 ? &type_color : NULL;
	text = strndup((const char *)data + 1, size - 1);
	check(text != NULL);
	err = expression_parse(text, &expression, &error);
	if (err)
		check_error(text, err, &error);
	else
		compile(expression, &scope, text);
	expression_free(expression);
	err = expression_parse_list(text, &list, &error);
	if (err)
		check_error(text, err, &error);
	for (size_t i = 0; i < list.count; i++)
		compile(list.items[i], &scope, text);
	expression_list_free(&list);
	free(text);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Byte for byte what perf script prints, and what importers' patterns make of it. */
#include "output_fixture.h"

#include <regex.h>

/* The patterns of FlameGraph's and speedscope's importers for the first line of a sample, and for a
 * frame, as POSIX expressions. */
#define HEAD \
	"^[^[:space:]].+[[:space:]]+[0-9]+/[0-9]+[[:space:]]+(\\[[0-9]+\\])?[[:space:]]*[0-9]+\\.[0-9]+:[[:space:]]+[0-9]+[[:space:]]+[^[:space:]]+:[[:space:]]*$"
#define FRAME "^[[:space:]]+[0-9a-f]+[[:space:]]+.+ \\(.*\\)$"

static void assert_matches(const char *line, const char *pattern)
{
	regex_t regex;

	assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
	if (regexec(&regex, line, 0, NULL, 0))
		fail_msg("\"%s\" does not match %s", line, pattern);
	regfree(&regex);
}

/* Every line is a head, a frame, a comment or empty, in the right order. */
static void assert_importable(char *text)
{
	bool in_sample = false;
	char *save = text, *line;

	while ((line = strsep(&save, "\n"))) {
		if (line[0] == '\0') {
			in_sample = false;
		} else if (line[0] != '#') {
			assert_matches(line, in_sample ? FRAME : HEAD);
			in_sample = true;
		}
	}
	assert_false(in_sample);
}

/* Callers are shown one less, as perf shows what it walked itself. */
static void test_sample(void **state)
{
	struct fixture f;
	struct record_event record = { .kind = REC_SAMPLE, .comm = "app" };
	struct frame frames[2];
	struct stack *user, *kernel;
	struct event event;
	char *text;

	(void)state;
	fixture_open(&f);
	frames[0] = stripped_frame(&f, 0x1230);
	frames[1] = unknown_frame(&f, 0x7fffffffe000);
	user = new_stack(STACK_USER, STACK_COMPLETE, 2, frames);
	kernel = usual_kernel_stack(&f);
	event = (struct event){ .time = 1015184223999,
				.pid = 8945,
				.tid = 8946,
				.cpu = 1,
				.record = &record,
				.source = &f.sample,
				.user = user,
				.kernel = kernel };
	text = print_events(&f, &output_perf_script, &event, 1);
	assert_string_equal(
		text,
		"app  8945/8946  [001]  1015.184223:   10101010 cpu-clock: \n"
		"\t    7f0000000010 do_work+0x10 ([bpf])\n"
		"\t    7f000000010f entry+0xf ([bpf])\n"
		"\t            1230 [unknown] (/opt/libs.so)\n"
		"\t    7fffffffdfff [unknown] ([unknown])\n"
		"\n"
		"# 10.0 s, 12 seen, 9 delivered, 3 lost (2 ring full, 1 scratch busy), 4 stacks lost\n"
		"# user stacks 80.0 % complete (1 max depth, 1 lost)\n");
	assert_importable(text);
	free(text);
	/* As perf prints it. */
	strcpy(record.comm, "w");
	event.user = event.kernel = NULL;
	text = print_events(&f, &output_perf_script, &event, 1);
	assert_contains(text, "w  8945/8946  [001]  1015.184223:   10101010 cpu-clock: \n\n");
	assert_importable(text);
	free(text);
	free(user);
	free(kernel);
	fixture_close(&f);
}

static void test_periods(void **state)
{
	struct fixture f;
	struct record_event record = { .kind = REC_OFFCPU, .comm = "app", .blocked_ns = 1234567 };
	struct event event;
	char *text;

	(void)state;
	fixture_open(&f);
	event = (struct event){
		.pid = 123456, .tid = 123457, .record = &record, .source = &f.offcpu
	};
	text = print_events(&f, &output_perf_script, &event, 1);
	assert_contains(text, "app 123456/123457 [000]     0.000000:    1234567 offcpu-time: \n\n");
	free(text);
	record.kind = REC_UPROBE;
	f.uprobe.name = "a b:operator new\t(int)";
	event.source = &f.uprobe;
	text = print_events(&f, &output_perf_script, &event, 1);
	assert_contains(text, "          1 a_b:operator_new\\t(int): \n\n");
	assert_importable(text);
	free(text);
	fixture_close(&f);
}

static void expect_comm(struct fixture *f, const char *comm, const char *wanted)
{
	struct record_event record = { .kind = REC_SAMPLE };
	struct event event = { .pid = 12345, .tid = 12346, .record = &record, .source = &f->sample };
	char *text;

	snprintf(record.comm, sizeof(record.comm), "%s", comm);
	text = print_events(f, &output_perf_script, &event, 1);
	if (strncmp(text, wanted, strlen(wanted)) != 0)
		fail_msg("\"%s\" does not begin with \"%s\"", text, wanted);
	assert_printable(text);
	assert_importable(text);
	free(text);
}

static void test_comms(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f);
	expect_comm(&f, "app", "app 12345/12346 [000]");
	expect_comm(&f, "a b", "a b 12345/12346 [000]");
	expect_comm(&f, "w", "w  12345/12346 [000]");
	expect_comm(&f, "", ":12346 12345/12346 [000]");
	expect_comm(&f, "#x", "\\x23x 12345/12346 [000]");
	expect_comm(&f, " x", "\\x20x 12345/12346 [000]");
	expect_comm(&f, "\tx\n\ny\033", "\\tx\\n\\ny\\x1b 12345/12346 [000]");
	fixture_close(&f);
}

static void test_hostile_symbol(void **state)
{
	struct fixture f;
	struct record_event record = { .kind = REC_SAMPLE, .comm = "app" };
	struct frame frame;
	struct stack *kernel;
	struct event event;
	char *text;

	(void)state;
	fixture_open(&f);
	frame = kernel_frame(&f, NASTY "\n\napp 1/1 [000] 0.0: 1 cpu-clock:");
	kernel = new_stack(STACK_KERNEL, STACK_COMPLETE, 1, &frame);
	event = (struct event){ .record = &record, .source = &f.sample, .kernel = kernel };
	text = print_events(&f, &output_perf_script, &event, 1);
	assert_printable(text);
	assert_importable(text);
	free(text);
	free(kernel);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sample),
		cmocka_unit_test(test_periods),
		cmocka_unit_test(test_comms),
		cmocka_unit_test(test_hostile_symbol),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lines as they are promised, and, by another parser, that they are JSON whatever the names are. */
#include "output_fixture.h"

#define SUMMARY                                                                                                                                 \
	"{\"type\":\"summary\",\"title\":\"tracer -p 7\",\"start\":\"0x12a05f200\","                                                            \
	"\"duration_us\":10000000,\"seen\":12,\"delivered\":9,\"lost\":3,"                                                                      \
	"\"losses\":{\"ring_full\":2,\"scratch_busy\":1,\"task_table_full\":0,\"recursion\":0,\"return_depth\":0,\"dumping\":0,\"recorded\":0," \
	"\"stacks\":4,\"sideband\":0},"                                                                                                         \
	"\"user_stacks\":{\"total\":10,\"lost\":1,\"complete\":8,\"guessed\":0,\"max depth\":1,"                                                \
	"\"no unwind table\":0,\"not an address of code\":0,\"gap in unwind table\":0,"                                                         \
	"\"unsupported unwind rule\":0,\"unknown register\":0,\"unreadable stack memory\":0,"                                                   \
	"\"frame not above its callee\":0,\"zero return address\":0,\"unwind table not ready\":0,"                                              \
	"\"stack larger than its copy\":0,\"last frame pointer\":0,\"frame pointers broken\":0,"                                                \
	"\"only the leaf asked for\":0,\"32-bit task\":0,\"no user registers\":0,"                                                              \
	"\"ended_in\":[{\"end\":\"max depth\",\"object\":\"/opt/prog\",\"count\":1}]},"                                                         \
	"\"processes\":1,\"stacks\":5}\n"

#define COMMON(time, source, kind)                                             \
	"{\"type\":\"event\",\"time_ns\":" time                                \
	",\"comm\":\"app\",\"pid\":7,\"tid\":8,\"cpu\":1,\"source\":\"" source \
	"\",\"kind\":\"" kind "\","

static void expect(struct fixture *f, struct event event, const char *wanted)
{
	char *text;

	event.pid = 7;
	event.tid = 8;
	event.cpu = 1;
	event.time = 6000000001;
	text = print_events(f, &output_json, &event, 1);
	*(strchr(text, '\n') + 1) = '\0';
	assert_string_equal(text, wanted);
	free(text);
}

static void test_kinds(void **state)
{
	struct fixture f;
	struct record_event record = { .comm = "app",
				       .arg = { 1, UINT64_MAX, 3, 4, 5, 6 },
				       .blocked_ns = 1234567,
				       .state = 2,
				       .ip = 0x10,
				       .old_value = 41,
				       .new_value = 42 };

	(void)state;
	fixture_open(&f);
	record.kind = REC_SAMPLE;
	record.flags = EVENT_KERNEL_MODE | EVENT_KERNEL_STACK_LOST;
	expect(&f, (struct event){ .record = &record, .source = &f.sample },
	       COMMON("1000000001", "cpu-clock",
		      "sample") "\"period\":10101010,\"flags\":[\"kernel-stack-lost\",\"kernel-mode\"]}\n");
	record.flags = 0;
	record.kind = REC_UPROBE;
	expect(&f, (struct event){ .record = &record, .source = &f.uprobe },
	       COMMON("1000000001", "prog:probed_leaf",
		      "uprobe") "\"args\":[\"0x1\",\"0xffffffffffffffff\",\"0x3\",\"0x4\",\"0x5\",\"0x6\"],\"flags\":[]}\n");
	f.uprobe.is_usdt = true;
	expect(&f, (struct event){ .record = &record, .source = &f.uprobe },
	       COMMON("1000000001", "prog:probed_leaf", "usdt") "\"flags\":[]}\n");
	f.uprobe.is_usdt = false;
	record.kind = REC_URETPROBE;
	expect(&f, (struct event){ .record = &record, .source = &f.uretprobe },
	       COMMON("1000000001", "prog:ns::gone",
		      "uretprobe") "\"ret\":\"0x1\",\"flags\":[]}\n");
	record.kind = REC_OFFCPU;
	record.flags = EVENT_STILL_BLOCKED | EVENT_RUNNABLE | EVENT_BEFORE_START | EVENT_NEW_TASK;
	expect(&f, (struct event){ .record = &record, .source = &f.offcpu },
	       COMMON("1000000001", "off-cpu",
		      "off-cpu") "\"blocked_us\":1234,\"state\":\"D\",\"flags\":[\"runnable\",\"blocked-before-start\",\"still-blocked\",\"new-thread\"]}\n");
	record.kind = REC_BREAKPOINT;
	record.flags = EVENT_NEW_KNOWN;
	expect(&f, (struct event){ .record = &record, .source = &f.breakpoint },
	       COMMON("1000000001", "counter",
		      "breakpoint") "\"access\":\"w\",\"length\":4,\"ip\":\"0x10\",\"new\":\"0x2a\",\"flags\":[]}\n");
	record.flags |= EVENT_OLD_KNOWN;
	expect(&f, (struct event){ .record = &record, .source = &f.breakpoint },
	       COMMON("1000000001", "counter",
		      "breakpoint") "\"access\":\"w\",\"length\":4,\"ip\":\"0x10\",\"old\":\"0x29\",\"new\":\"0x2a\",\"flags\":[]}\n");
	fixture_close(&f);
}

static void test_states(void **state)
{
	static const struct {
		uint32_t state;
		const char *wanted;
	} cases[] = { { 0, "R" }, { 1, "S" },	 { 2, "D" },	{ 0x402, "I" },
		      { 4, "T" }, { 0x81, "S" }, { 0x20, "Z" }, { 0x4000, "?" } };
	struct fixture f;
	char wanted[64];

	(void)state;
	fixture_open(&f);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct record_event record = { .kind = REC_OFFCPU,
					       .comm = "app",
					       .state = cases[i].state };
		struct event event = { .record = &record, .source = &f.offcpu };
		char *text = print_events(&f, &output_json, &event, 1);

		snprintf(wanted, sizeof(wanted), "\"state\":\"%s\"", cases[i].wanted);
		assert_contains(text, wanted);
		free(text);
	}
	fixture_close(&f);
}

static void test_stacks(void **state)
{
	struct fixture f;
	struct record_event record = { .kind = REC_SAMPLE, .comm = "app" };
	struct frame frames[2];
	struct stack *user, *kernel;
	struct event event;

	(void)state;
	fixture_open(&f);
	frames[0] = stripped_frame(&f, 0x1230);
	frames[1] = unknown_frame(&f, 0x99);
	user = new_stack(STACK_USER, STACK_FP_BROKEN, 2, frames);
	kernel = usual_kernel_stack(&f);
	event = (struct event){
		.record = &record, .source = &f.sample, .user = user, .kernel = kernel
	};
	expect(&f, event,
	       COMMON("1000000001", "cpu-clock",
		      "sample") "\"period\":10101010,\"flags\":[],\"stack_end\":\"frame pointers broken\","
				"\"user\":[{\"address\":\"0x1230\",\"module\":\"libs.so\"},{\"address\":\"0x99\",\"module\":\"[unknown]\"}],"
				"\"kernel\":[{\"address\":\"0x7f0000000010\",\"symbol\":\"do_work\",\"offset\":\"0x10\",\"module\":\"[bpf]\"},"
				"{\"address\":\"0x7f0000000110\",\"symbol\":\"entry\",\"offset\":\"0x10\",\"module\":\"[bpf]\"}]}\n");
	f.config.user_only = true;
	event.user = NULL;
	expect(&f, event,
	       COMMON("1000000001", "cpu-clock", "sample") "\"period\":10101010,\"flags\":[]}\n");
	free(user);
	free(kernel);
	fixture_close(&f);
}

static void test_summary(void **state)
{
	struct stack_blame blame;
	struct fixture f;
	char *text;

	(void)state;
	fixture_open(&f);
	blame = (struct stack_blame){ STACK_DEPTH, &f.app, 1 };
	f.quality.blames = &blame;
	f.quality.blame_count = 1;
	text = print_events(&f, &output_json, NULL, 0);
	assert_string_equal(text, SUMMARY);
	free(text);
	/* A number that no JSON knows must not get out. */
	f.summary.seconds = 0.0 / 0.0;
	f.summary.title = NULL;
	text = print_events(&f, &output_json, NULL, 0);
	assert_contains(text, "\"duration_us\":0,");
	assert_contains(text, "\"title\":\"\",");
	free(text);
	fixture_close(&f);
}

static void test_hostile(void **state)
{
	struct fixture f;
	struct record_event record = { .kind = REC_BREAKPOINT, .comm = "\"},{\"\\\xff\n\xc2\x9b" };
	struct frame frame;
	struct stack *kernel;
	struct event events[2];
	char *text;

	(void)state;
	fixture_open(&f);
	f.breakpoint.name = NASTY;
	f.summary.title = NASTY;
	strcpy(f.breakpoint.access, "\"\\");
	frame = kernel_frame(&f, NASTY);
	kernel = new_stack(STACK_KERNEL, STACK_COMPLETE, 1, &frame);
	events[0] = events[1] = (struct event){
		.record = &record, .source = &f.breakpoint, .kernel = kernel, .time = 1
	};
	text = print_events(&f, &output_json, events, 2);
	assert_printable(text);
	if (system("command -v python3 >/dev/null") == 0)
		assert_int_equal(
			pipe_to("python3 -c 'import json, sys\n"
				"rows = [json.loads(l) for l in sys.stdin.buffer.read().decode().splitlines()]\n"
				"assert [r[\"type\"] for r in rows] == [\"event\", \"event\", \"summary\"]\n"
				"assert rows[0][\"time_ns\"] == 1 - 5000000000\n"
				"assert rows[0][\"comm\"] == \"\\\"},{\\\"\\\\\\ufffd\\n\\x9b\", rows[0][\"comm\"]\n"
				"assert rows[0][\"kernel\"][0][\"symbol\"] == rows[2][\"title\"]'",
				text),
			0);
	free(text);
	free(kernel);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),	cmocka_unit_test(test_states),
		cmocka_unit_test(test_stacks),	cmocka_unit_test(test_summary),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

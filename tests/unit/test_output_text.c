/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The text format, and what all formats share: the registry and how frames are named. */
#include "output_fixture.h"
#include "output/frames.h"

static void test_registry(void **state)
{
	static const struct {
		const char *path;
		const struct output_ops *ops;
	} endings[] = {
		{ "a.txt", &output_text },
		{ "a.json", &output_json },
		{ "a.jsonl", &output_json },
		{ "a.svg", &output_svg },
		{ "d.svg/a.perf", &output_perf_script },
		{ "a.b.folded", &output_folded },
		{ "a.jso", NULL },
		{ "a", NULL },
		{ "d.svg/a", NULL },
		{ "a.", NULL },
		{ "", NULL },
		{ "a.json ", NULL },
	};
	char names[128], *save, *name;

	(void)state;
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		assert_ptr_equal(output_by_ending(endings[i].path), endings[i].ops);
	snprintf(names, sizeof(names), "%s", output_names());
	for (name = strtok_r(names, ", ", &save); name; name = strtok_r(NULL, ", ", &save)) {
		assert_non_null(output_by_name(name));
		assert_string_equal(output_by_name(name)->name, name);
	}
	assert_ptr_equal(output_by_name("count"), &output_count);
	assert_ptr_equal(output_by_name("perf-script"), &output_perf_script);
	assert_null(output_by_name("tex"));
	assert_null(output_by_name(""));
}

static void test_return_addresses(void **state)
{
	(void)state;
	assert_false(frame_is_caller(REC_SAMPLE, STACK_USER, 0));
	assert_true(frame_is_caller(REC_SAMPLE, STACK_USER, 1));
	assert_false(frame_is_caller(REC_UPROBE, STACK_USER, 0));
	assert_true(frame_is_caller(REC_URETPROBE, STACK_USER, 0));
	assert_false(frame_is_caller(REC_URETPROBE, STACK_KERNEL, 0));
	assert_true(frame_is_caller(REC_OFFCPU, STACK_KERNEL, 1));
}

static void test_end_names(void **state)
{
	(void)state;
	for (int end = STACK_COMPLETE; end < STACK_END_MAX; end++) {
		assert_string_not_equal(stack_end_name((enum stack_end)end), "unknown");
		for (int other = STACK_COMPLETE; other < end; other++)
			assert_string_not_equal(stack_end_name((enum stack_end)end),
						stack_end_name((enum stack_end)other));
	}
	assert_string_equal(stack_end_name(STACK_FP_BROKEN), "frame pointers broken");
	assert_string_equal(stack_end_name((enum stack_end)0), "unknown");
	assert_string_equal(stack_end_name((enum stack_end)77), "unknown");
}

/* Prints one event and compares its line (the second), without what is left of the event's name. */
static void expect_details(struct fixture *f, struct event event, const char *wanted)
{
	char *text, *line, *name;

	event.pid = 7;
	event.tid = 8;
	event.cpu = 1;
	event.time = f->config.start + 1234567890;
	text = print_events(f, &output_text, &event, 1);
	line = strchr(text, '\n') + 1;
	*strchr(line, '\n') = '\0';
	name = strstr(line, event.source->name);
	assert_non_null(name);
	name += strlen(event.source->name);
	assert_string_equal(name + strspn(name, " "), wanted);
	free(text);
}

static void test_columns(void **state)
{
	struct fixture f;
	struct record_event record = { .kind = REC_UPROBE, .comm = "a\033b\xc3\xbc" };
	struct event events[2] = {
		{ .time = 6234567890, .pid = 1234567, .tid = 8, .cpu = 12, .record = &record },
		{ .time = 4999999000, .pid = 7, .tid = 4194303, .cpu = 0, .record = &record },
	};
	char *text;

	(void)state;
	fixture_open(&f);
	events[0].source = events[1].source = &f.uprobe;
	text = print_events(&f, &output_text, events, 2);
	assert_string_equal(
		text,
		"#       TIME  COMM                PID     TID  CPU  EVENT                DETAILS\n"
		"    1.234567  a\\x1bb\xc3\xbc         1234567       8   12  prog:probed_leaf     (0x0, 0x0, 0x0, 0x0, 0x0, 0x0)\n"
		"   -0.000001  a\\x1bb\xc3\xbc               7 4194303    0  prog:probed_leaf     (0x0, 0x0, 0x0, 0x0, 0x0, 0x0)\n"
		"# 10.0 s, 12 seen, 9 delivered, 3 lost (2 ring full, 1 scratch busy), 4 stacks lost\n"
		"# user stacks 80.0 % complete (1 max depth, 1 lost)\n");
	free(text);
	fixture_close(&f);
}

static void test_probes(void **state)
{
	struct fixture f;
	struct record_event entry = { .kind = REC_UPROBE, .arg = { 1, 0x2a, UINT64_MAX, 4, 5, 6 } };
	struct record_event ret = { .kind = REC_URETPROBE, .arg = { 0x2a } };
	struct stack *user, *returned;
	struct frame frames[2];

	(void)state;
	fixture_open(&f);
	user = usual_stack(&f, STACK_COMPLETE);
	expect_details(&f, (struct event){ .record = &entry, .source = &f.uprobe, .user = user },
		       "(0x1, 0x2a, 0xffffffffffffffff, 0x4, 0x5, 0x6) <- its_caller+0x5");
	/* of USDT these registers are no arguments */
	f.uprobe.is_usdt = true;
	expect_details(&f, (struct event){ .record = &entry, .source = &f.uprobe, .user = user },
		       "in probed_leaf+0x4 <- its_caller+0x5");
	expect_details(&f, (struct event){ .record = &entry, .source = &f.uprobe }, "");
	f.uprobe.is_usdt = false;
	expect_details(&f, (struct event){ .record = &ret, .source = &f.uretprobe }, "= 0x2a");
	/* The address after a call that ends its function belongs to that function. */
	frames[0] = app_frame(&f, its_caller, 7);
	frames[1] = app_frame(&f, outermost, 5);
	returned = new_stack(STACK_USER, STACK_COMPLETE, 2, frames);
	expect_details(&f,
		       (struct event){ .record = &ret, .source = &f.uretprobe, .user = returned },
		       "= 0x2a <- its_caller+0x7");
	/* A signal came at a function's first instruction: not the function before it. */
	user->frame[1] = app_frame(&f, its_caller, 0);
	user->frame[1].exact = true;
	expect_details(&f, (struct event){ .record = &entry, .source = &f.uprobe, .user = user },
		       "(0x1, 0x2a, 0xffffffffffffffff, 0x4, 0x5, 0x6) <- its_caller+0x0");
	free(user);
	free(returned);
	fixture_close(&f);
}

static void test_samples(void **state)
{
	struct fixture f;
	struct record_event record = { .kind = REC_SAMPLE };
	struct stack *user, *kernel, *stripped, *unknown;
	struct frame frame;

	(void)state;
	fixture_open(&f);
	user = usual_stack(&f, STACK_COMPLETE);
	kernel = usual_kernel_stack(&f);
	frame = stripped_frame(&f, 0x1230);
	stripped = new_stack(STACK_USER, STACK_COMPLETE, 1, &frame);
	frame = unknown_frame(&f, 0x99);
	unknown = new_stack(STACK_USER, STACK_COMPLETE, 1, &frame);
	expect_details(&f, (struct event){ .record = &record, .source = &f.sample, .user = user },
		       "probed_leaf+0x4 (prog)");
	expect_details(&f,
		       (struct event){ .record = &record,
				       .source = &f.sample,
				       .user = user,
				       .kernel = kernel },
		       "do_work+0x10 ([bpf])");
	expect_details(&f,
		       (struct event){ .record = &record, .source = &f.sample, .user = stripped },
		       "libs.so+0x1230");
	expect_details(&f,
		       (struct event){ .record = &record, .source = &f.sample, .user = unknown },
		       "[unknown]");
	expect_details(&f, (struct event){ .record = &record, .source = &f.sample }, "");
	f.config.user_only = true;
	expect_details(&f,
		       (struct event){ .record = &record,
				       .source = &f.sample,
				       .user = user,
				       .kernel = kernel },
		       "probed_leaf+0x4 (prog)");
	free(user);
	free(kernel);
	free(stripped);
	free(unknown);
	fixture_close(&f);
}

static void test_breakpoints(void **state)
{
	static const struct {
		const char *access;
		uint32_t flags;
		uint64_t old_value;
		const char *wanted;
	} cases[] = {
		{ "w", EVENT_OLD_KNOWN | EVENT_NEW_KNOWN, 0x29, "w 0x29 -> 0x2a" },
		{ "w", EVENT_OLD_KNOWN | EVENT_NEW_KNOWN, 0x2a, "w 0x2a -> 0x2a" },
		{ "w", EVENT_NEW_KNOWN, 0, "w ? -> 0x2a" },
		{ "w", EVENT_OLD_KNOWN, 0x29, "w 0x29 -> ?" },
		{ "w", 0, 0, "w" },
		{ "rw", EVENT_OLD_KNOWN | EVENT_NEW_KNOWN, 0x2a, "rw 0x2a" },
		{ "rw", EVENT_OLD_KNOWN | EVENT_NEW_KNOWN, 0x29, "rw 0x29 -> 0x2a" },
		{ "r", EVENT_OLD_KNOWN | EVENT_NEW_KNOWN, 0x2a, "r 0x2a" },
		{ "x", EVENT_OLD_KNOWN | EVENT_NEW_KNOWN, 0x29, "x" },
	};
	struct fixture f;
	struct stack *user;
	char wanted[128];

	(void)state;
	fixture_open(&f);
	user = usual_stack(&f, STACK_COMPLETE);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct record_event record = { .kind = REC_BREAKPOINT,
					       .flags = cases[i].flags,
					       .old_value = cases[i].old_value,
					       .new_value = 0x2a };
		struct event event = { .record = &record, .source = &f.breakpoint };

		snprintf(f.breakpoint.access, sizeof(f.breakpoint.access), "%s", cases[i].access);
		expect_details(&f, event, cases[i].wanted);
		event.user = user;
		snprintf(wanted, sizeof(wanted), "%s in probed_leaf+0x4 <- its_caller+0x5",
			 cases[i].wanted);
		expect_details(&f, event, wanted);
	}
	free(user);
	fixture_close(&f);
}

static void test_offcpu(void **state)
{
	static const struct {
		uint32_t flags;
		bool has_stack;
		const char *wanted;
	} cases[] = {
		{ 0, true, "1234.567 ms blocked in probed_leaf+0x4" },
		{ EVENT_STILL_BLOCKED, true,
		  "1234.567 ms blocked in probed_leaf+0x4 (still blocked)" },
		{ EVENT_RUNNABLE, true,
		  "1234.567 ms waiting for a CPU in probed_leaf+0x4 (runnable)" },
		{ EVENT_BEFORE_START | EVENT_STILL_BLOCKED, false,
		  "1234.567 ms blocked (still blocked) (blocked before start)" },
		{ EVENT_NEW_TASK, false, "1234.567 ms waiting for a CPU (new thread)" },
	};
	struct fixture f;
	struct stack *user;

	(void)state;
	fixture_open(&f);
	user = usual_stack(&f, STACK_COMPLETE);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct record_event record = { .kind = REC_OFFCPU,
					       .flags = cases[i].flags,
					       .blocked_ns = 1234567890 };

		expect_details(&f,
			       (struct event){ .record = &record,
					       .source = &f.offcpu,
					       .user = cases[i].has_stack ? user : NULL },
			       cases[i].wanted);
	}
	free(user);
	fixture_close(&f);
}

static void test_stacks(void **state)
{
	struct fixture f;
	struct record_event record = { .kind = REC_SAMPLE, .comm = "app" };
	struct frame frames[3];
	struct stack *user, *kernel;
	struct event event;
	char *text;

	(void)state;
	fixture_open(&f);
	f.config.stacks = true;
	frames[0] = unknown_frame(&f, 0x99);
	frames[1] = stripped_frame(&f, 0x1230);
	frames[2] = app_frame(&f, outermost, 5);
	user = new_stack(STACK_USER, STACK_FP_BROKEN, 3, frames);
	kernel = usual_kernel_stack(&f);
	event = (struct event){
		.record = &record, .source = &f.sample, .user = user, .kernel = kernel
	};
	text = print_events(&f, &output_text, &event, 1);
	assert_contains(text, "do_work+0x10 ([bpf])\n"
			      "\t  0x7f0000000010 do_work+0x10 ([bpf])\n"
			      "\t  0x7f0000000110 entry+0x10 ([bpf])\n"
			      "\t  0x99 ([unknown])\n"
			      "\t  0x1230 (libs.so)\n"
			      "\t  0x");
	assert_contains(text, " outermost+0x5 (prog)\n\t  [incomplete: frame pointers broken]\n#");
	free(text);
	f.config.user_only = true;
	text = print_events(&f, &output_text, &event, 1);
	assert_lacks(text, "do_work");
	free(text);
	user->end = STACK_FP_ROOT;
	text = print_events(&f, &output_text, &event, 1);
	assert_lacks(text, "[incomplete");
	free(text);
	free(user);
	free(kernel);
	fixture_close(&f);
}

static void test_lost_stacks(void **state)
{
	struct fixture f;
	struct record_event record = { .kind = REC_SAMPLE,
				       .flags = EVENT_USER_STACK_LOST,
				       .kernel_stack = 5 };
	struct event event;
	char *text;

	(void)state;
	fixture_open(&f);
	f.config.stacks = true;
	event = (struct event){ .record = &record, .source = &f.sample };
	text = print_events(&f, &output_text, &event, 1);
	assert_contains(text, "\n\t  [kernel stack lost]\n\t  [stack lost]\n");
	free(text);
	f.config.kernel_only = true;
	text = print_events(&f, &output_text, &event, 1);
	assert_lacks(text, "[stack lost]");
	free(text);
	fixture_close(&f);
}

static void test_hostile(void **state)
{
	struct fixture f;
	struct record_event record = { .kind = REC_SAMPLE, .comm = "\033[2J\n#x\xc2\x9b" };
	struct event event;
	struct frame frame;
	struct stack *kernel;
	char *text;
	size_t lines = 0;

	(void)state;
	fixture_open(&f);
	f.config.stacks = true;
	f.sample.name = "ev" NASTY;
	frame = kernel_frame(&f, NASTY);
	kernel = new_stack(STACK_KERNEL, STACK_COMPLETE, 1, &frame);
	event = (struct event){ .record = &record, .source = &f.sample, .kernel = kernel };
	text = print_events(&f, &output_text, &event, 1);
	assert_printable(text);
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	assert_int_equal(lines, 5);
	free(text);
	free(kernel);
	fixture_close(&f);
}

static void test_write_errors(void **state)
{
	static const struct output_ops *const all[] = { &output_text,	     &output_json,
							&output_perf_script, &output_folded,
							&output_svg,	     &output_count };
	struct fixture f;
	struct record_event record = { .kind = REC_SAMPLE, .comm = "app" };
	struct event event;

	(void)state;
	fixture_open(&f);
	event = (struct event){ .record = &record, .source = &f.sample };
	add_row(&f, (struct count_row){ .source = &f.sample, .count = 1 });
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_int_equal(print_to_full_disk(&f, all[i], all[i]->aggregates ? NULL : &event),
				 -ENOSPC);
	fixture_close(&f);
}

static void test_count(void **state)
{
	struct fixture f;
	struct stack *user, *elsewhere;
	char *text;

	(void)state;
	fixture_open(&f);
	user = usual_stack(&f, STACK_DEPTH);
	elsewhere = usual_stack(&f, STACK_DEPTH);
	elsewhere->frame[0] = app_frame(&f, probed_leaf, 8);
	add_row(&f, (struct count_row){ .source = &f.offcpu,
					.count = 5,
					.ns = 1000,
					.flags = EVENT_USER_STACK_LOST });
	add_row(&f, (struct count_row){ .source = &f.uprobe, .count = 3, .user = user, .tid = 9 });
	add_row(&f,
		(struct count_row){ .source = &f.uprobe, .count = 4, .user = elsewhere, .tid = 9 });
	text = print_rows(&f, &output_count);
	assert_string_equal(
		text,
		"#   COUNT      TIME_MS  COMM PID[/TID] EVENT\n"
		"        7        0.000  app 7/9 prog:probed_leaf\n"
		"\t  probed_leaf (prog)\n\t  its_caller (prog)\n\t  outermost (prog)\n"
		"\t  [incomplete: max depth]\n"
		"\n"
		"        5        0.001  app 7 off-cpu\n"
		"\t  [stack lost]\n"
		"\n"
		"# total: 12 events, 0.001 ms in 2 stacks\n"
		"# 10.0 s, 12 seen, 9 delivered, 3 lost (2 ring full, 1 scratch busy), 4 stacks lost\n"
		"# user stacks 80.0 % complete (1 max depth, 1 lost)\n");
	free(text);
	f.config.by_time = true;
	text = print_rows(&f, &output_count);
	/* by time, the heaviest first is another one */
	assert_true(strstr(text, "app 7 off-cpu") < strstr(text, "app 7/9 prog:probed_leaf"));
	assert_contains(text, "# total: 12 events, 0.001 ms in 2 stacks\n");
	free(text);
	free(user);
	free(elsewhere);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_registry),    cmocka_unit_test(test_return_addresses),
		cmocka_unit_test(test_end_names),   cmocka_unit_test(test_columns),
		cmocka_unit_test(test_probes),	    cmocka_unit_test(test_samples),
		cmocka_unit_test(test_breakpoints), cmocka_unit_test(test_offcpu),
		cmocka_unit_test(test_stacks),	    cmocka_unit_test(test_lost_stacks),
		cmocka_unit_test(test_hostile),	    cmocka_unit_test(test_write_errors),
		cmocka_unit_test(test_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

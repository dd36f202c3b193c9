/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Folded lines: which frames a row has, how they merge, and that no weight gets lost. */
#include "output_fixture.h"

static void expect(struct fixture *f, const char *wanted)
{
	char *text = print_rows(f, &output_folded);

	assert_string_equal(text, wanted);
	free(text);
}

/* One row alone. */
static void expect_row(struct fixture *f, struct count_row row, const char *wanted)
{
	counts_free(f->counts);
	f->counts = counts_new();
	add_row(f, row);
	expect(f, wanted);
}

static void test_merging(void **state)
{
	struct fixture f;
	struct stack *user, *elsewhere, *kernel;

	(void)state;
	fixture_open(&f);
	expect(&f, "");
	user = usual_stack(&f, STACK_COMPLETE);
	elsewhere = usual_stack(&f, STACK_COMPLETE);
	elsewhere->frame[0] = app_frame(&f, probed_leaf, 8);
	kernel = usual_kernel_stack(&f);
	add_row(&f, (struct count_row){
			    .source = &f.sample, .user = user, .kernel = kernel, .count = 1 });
	add_row(&f, (struct count_row){ .source = &f.sample, .user = user, .count = 2 });
	add_row(&f, (struct count_row){
			    .source = &f.sample, .user = elsewhere, .count = 30, .pid = 8 });
	add_row(&f, (struct count_row){
			    .source = &f.sample, .user = user, .count = 4, .comm = "a b;c" });
	expect(&f, "a_b:c;outermost;its_caller;probed_leaf 4\n"
		   "app;outermost;its_caller;probed_leaf 32\n"
		   "app;outermost;its_caller;probed_leaf;entry_[k];do_work_[k] 1\n");
	f.config.user_only = true;
	expect(&f, "a_b:c;outermost;its_caller;probed_leaf 4\n"
		   "app;outermost;its_caller;probed_leaf 33\n");
	f.config.user_only = false;
	f.config.kernel_only = true;
	expect(&f, "a_b:c;[no kernel stack] 4\n"
		   "app;[no kernel stack] 32\n"
		   "app;entry_[k];do_work_[k] 1\n");
	free(user);
	free(elsewhere);
	free(kernel);
	fixture_close(&f);
}

static void test_roots(void **state)
{
	struct fixture f;
	struct count_row row = {
		.comm = "a b", .pid = 7, .tid = 8, .cpu = 3, .cgroup = 4294967297, .count = 1
	};

	(void)state;
	fixture_open(&f);
	row.source = &f.sample;
	expect_row(&f, row, "a_b;[no stack] 1\n");
	f.config.by = BY_PID;
	expect_row(&f, row, "a_b-7;[no stack] 1\n");
	f.config.by = BY_TID;
	expect_row(&f, row, "a_b-7/8;[no stack] 1\n");
	f.config.by = BY_CPU;
	expect_row(&f, row, "cpu-3;a_b;[no stack] 1\n");
	f.config.by = BY_CGROUP;
	expect_row(&f, row, "cgroup-4294967297;a_b;[no stack] 1\n");
	fixture_close(&f);
}

static void test_unknown_frames(void **state)
{
	struct fixture f;
	struct frame frames[3];
	struct stack *user;

	(void)state;
	fixture_open(&f);
	frames[0] = unknown_frame(&f, 0x99);
	frames[1] = stripped_frame(&f, 0x1230);
	frames[2] = (struct frame){ .object = &f.kernel, .offset = KERNEL_BASE + 0x999999 };
	user = new_stack(STACK_USER, STACK_COMPLETE, 3, frames);
	expect_row(&f, (struct count_row){ .source = &f.sample, .user = user, .count = 1 },
		   "app;[kernel.kallsyms];[libs.so];[unknown] 1\n");
	free(user);
	fixture_close(&f);
}

static void test_ends(void **state)
{
	static const struct {
		enum stack_end end;
		const char *mark;
	} cases[] = {
		{ STACK_COMPLETE, "" },
		{ STACK_FP_ROOT, "" },
		{ STACK_FRAME0, "" },
		{ STACK_GUESS, "[guessed];" },
		{ STACK_NO_TABLE, "[incomplete: no unwind table];" },
		{ STACK_LATE, "[incomplete: unwind table not ready];" },
		{ STACK_FP_BROKEN, "[incomplete: frame pointers broken];" },
		{ STACK_DEPTH, "[incomplete: max depth];" },
		{ STACK_FAULT, "[incomplete: unreadable stack memory];" },
		{ STACK_NO_REGS, "[incomplete: no user registers];" },
		{ STACK_32BIT, "[32-bit task];" },
	};
	struct fixture f;
	struct stack *user;
	char wanted[128];

	(void)state;
	fixture_open(&f);
	user = usual_stack(&f, STACK_COMPLETE);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		user->end = cases[i].end;
		snprintf(wanted, sizeof(wanted), "app;%soutermost;its_caller;probed_leaf 1\n",
			 cases[i].mark);
		expect_row(&f, (struct count_row){ .source = &f.sample, .user = user, .count = 1 },
			   wanted);
	}
	free(user);
	fixture_close(&f);
}

static void test_probes(void **state)
{
	struct fixture f;
	struct stack *user;
	struct count_row row = { .count = 3 };

	(void)state;
	fixture_open(&f);
	user = usual_stack(&f, STACK_COMPLETE);
	row.user = user;
	row.source = &f.uprobe;
	expect_row(&f, row, "app;outermost;its_caller;probed_leaf 3\n");
	row.source = &f.breakpoint;
	expect_row(&f, row, "app;outermost;its_caller;probed_leaf 3\n");
	row.source = &f.uretprobe;
	expect_row(&f, row, "app;outermost;its_caller;probed_leaf;ns::gone 3\n");
	f.uretprobe.name = "ns::gone";
	expect_row(&f, row, "app;outermost;its_caller;probed_leaf;ns::gone 3\n");
	f.uretprobe.name = "gone";
	row.user = NULL;
	expect_row(&f, row, "app;gone 3\n");
	free(user);
	fixture_close(&f);
}

static void test_notes(void **state)
{
	struct fixture f;
	struct stack *user, *kernel;

	(void)state;
	fixture_open(&f);
	user = usual_stack(&f, STACK_COMPLETE);
	kernel = usual_kernel_stack(&f);
#define OFF(...) (struct count_row){ .source = &f.offcpu, .count = 1, .ns = 5000, __VA_ARGS__ }
	expect_row(&f, OFF(), "app;[no stack] 1\n");
	expect_row(&f, OFF(.flags = EVENT_BEFORE_START), "app;[blocked before start] 1\n");
	expect_row(&f, OFF(.flags = EVENT_BEFORE_START | EVENT_STILL_BLOCKED),
		   "app;[blocked before start];[still blocked] 1\n");
	expect_row(&f, OFF(.flags = EVENT_NEW_TASK), "app;[not yet run] 1\n");
	expect_row(&f, OFF(.flags = EVENT_USER_STACK_LOST), "app;[stack lost] 1\n");
	expect_row(&f, OFF(.flags = EVENT_USER_STACK_LOST, .kernel = kernel),
		   "app;[stack lost];entry_[k];do_work_[k] 1\n");
	expect_row(&f, OFF(.flags = EVENT_KERNEL_STACK_LOST, .user = user),
		   "app;outermost;its_caller;probed_leaf;[kernel stack lost] 1\n");
	expect_row(&f, OFF(.user = user, .flags = EVENT_STILL_BLOCKED),
		   "app;outermost;its_caller;probed_leaf;[still blocked] 1\n");
	expect_row(&f, OFF(.user = user, .flags = EVENT_RUNNABLE),
		   "app;outermost;its_caller;probed_leaf;[runnable] 1\n");
	f.config.is_wall = f.config.by_time = true;
	expect_row(&f, OFF(.user = user), "app;outermost;its_caller;probed_leaf;[off-CPU] 5\n");
	expect_row(&f, OFF(.user = user, .flags = EVENT_RUNNABLE),
		   "app;outermost;its_caller;probed_leaf;[off-CPU];[runnable] 5\n");
	expect_row(&f, (struct count_row){ .source = &f.sample, .ns = 7000 },
		   "app;[on-CPU, no sample] 7\n");
	expect_row(&f,
		   (struct count_row){ .source = &f.sample, .ns = 7000, .count = 1, .user = user },
		   "app;outermost;its_caller;probed_leaf 7\n");
	expect_row(&f, (struct count_row){ .source = &f.uprobe, .count = 1, .user = user }, "");
#undef OFF
	free(user);
	free(kernel);
	fixture_close(&f);
}

/* Rows of 1.4 us, in different threads so that they stay apart. */
static void test_rounding(void **state)
{
	struct fixture f;
	char *text, *save, *line;
	unsigned long sum = 0;
	size_t lines = 0;

	(void)state;
	fixture_open(&f);
	f.config.by_time = true;
	expect_row(&f, (struct count_row){ .source = &f.offcpu, .count = 1, .ns = 1 },
		   "app;[no stack] 1\n");
	counts_free(f.counts);
	f.counts = counts_new();
	f.config.by = BY_PID;
	for (uint32_t i = 0; i < 100; i++)
		add_row(&f, (struct count_row){
				    .source = &f.offcpu, .pid = 100 + i, .count = 1, .ns = 1400 });
	text = print_rows(&f, &output_folded);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		sum += strtoul(strrchr(line, ' ') + 1, NULL, 10);
		lines++;
	}
	assert_int_equal(lines, 100);
	assert_in_range(sum, 139, 141);
	free(text);
	fixture_close(&f);
}

static void test_hostile(void **state)
{
	struct fixture f;
	struct frame frame;
	struct stack *kernel;
	char *text;

	(void)state;
	fixture_open(&f);
	frame = kernel_frame(&f, NASTY "; 99\napp;forged 1000");
	kernel = new_stack(STACK_KERNEL, STACK_COMPLETE, 1, &frame);
	add_row(&f, (struct count_row){
			    .source = &f.sample, .kernel = kernel, .count = 2, .comm = "a;\n 7" });
	text = print_rows(&f, &output_folded);
	assert_printable(text);
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	assert_ptr_equal(strchr(text, ';'), strrchr(text, ';'));
	assert_int_equal(strncmp(text, "a:\\n_7;", 7), 0);
	assert_string_equal(strrchr(text, ' '), " 2\n");
	free(text);
	free(kernel);
	fixture_close(&f);
}

/* As deep as stacks get, with a name as long as they come. */
static void test_deep_and_long(void **state)
{
	struct fixture f;
	static struct frame frames[TRACER_MAX_STACK];
	static char name[10000];
	struct stack *kernel;
	char *text;
	size_t depth = 0;

	(void)state;
	fixture_open(&f);
	memset(name, 'n', sizeof(name) - 1);
	frames[0] = kernel_frame(&f, name);
	for (size_t i = 1; i < TRACER_MAX_STACK; i++)
		frames[i] = frames[0];
	kernel = new_stack(STACK_KERNEL, STACK_COMPLETE, TRACER_MAX_STACK, frames);
	add_row(&f, (struct count_row){ .source = &f.sample, .kernel = kernel, .count = 2 });
	text = print_rows(&f, &output_folded);
	for (const char *c = text; *c; c++)
		depth += *c == ';';
	assert_int_equal(depth, TRACER_MAX_STACK);
	assert_string_equal(text + strlen(text) - 7, "n_[k] 2\n" + 1);
	free(text);
	free(kernel);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merging),	       cmocka_unit_test(test_roots),
		cmocka_unit_test(test_unknown_frames), cmocka_unit_test(test_ends),
		cmocka_unit_test(test_probes),	       cmocka_unit_test(test_notes),
		cmocka_unit_test(test_rounding),       cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_deep_and_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

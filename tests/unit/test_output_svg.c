/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Flame graphs are well-formed and complete whatever names are; tests/browser looks at what they do. */
#include "output_fixture.h"
#include "output/svg_script.h"

/* The graph as another parser sees it; text of failures goes to stderr. */
#define PARSE                                                                                            \
	"python3 -c '\n"                                                                                 \
	"import sys, xml.etree.ElementTree as tree\n"                                                    \
	"root = tree.fromstring(sys.stdin.buffer.read())\n"                                              \
	"n = \"{http://www.w3.org/2000/svg}\"\n"                                                         \
	"blocks = {m.get(\"class\"): m.text.split(\"\\n\")[:-1] for m in root.iter(n + \"metadata\")}\n" \
	"names = [l[1:] for l in blocks[\"names\"]]\n"                                                   \
	"rows = [[int(x) for x in l.split(\" \")] + [0, 0] for l in blocks[\"data\"]]\n"                 \
	"frames = [(r[0], names[r[2]], r[3]) for r in rows]\n"                                           \
	"texts = [t.text for t in root.iter(n + \"text\")]\n"                                            \
	"assert len(list(root.iter(n + \"script\"))) == 1\n"                                             \
	"assert not [a for e in root.iter() for a in e.attrib if a.startswith(\"on\") or \"href\" in a]\n"

static void check(struct fixture *f, const char *assertions)
{
	char command[4096];
	char *text = print_rows(f, &output_svg);

	assert_int_equal(strncmp(text, "<?xml ", 6), 0);
	assert_string_equal(text + strlen(text) - 17, "</script>\n</svg>\n");
	snprintf(command, sizeof(command), "%s%s'", PARSE, assertions);
	if (system("command -v python3 >/dev/null") == 0)
		assert_int_equal(pipe_to(command, text), 0);
	else
		print_message("no python3: not looked into\n");
	free(text);
}

static void test_empty(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f);
	check(&f, "assert frames == [(0, \"all\", 0)], frames\n"
		  "assert \"no events: nothing to show\" in texts\n");
	fixture_close(&f);
}

static void test_frames(void **state)
{
	struct fixture f;
	struct stack *user, *kernel;

	(void)state;
	fixture_open(&f);
	user = usual_stack(&f, STACK_DEPTH);
	kernel = usual_kernel_stack(&f);
	add_row(&f, (struct count_row){
			    .source = &f.sample, .user = user, .kernel = kernel, .count = 3 });
	add_row(&f, (struct count_row){ .source = &f.sample, .count = 1, .comm = "zz" });
	check(&f,
	      "assert frames == [(0, \"all\", 4), (1, \"app\", 3), (2, \"[incomplete: max depth]\", 3),\n"
	      "  (3, \"outermost\", 3), (4, \"its_caller\", 3), (5, \"probed_leaf\", 3), (6, \"entry_[k]\", 3),\n"
	      "  (7, \"do_work_[k]\", 3), (1, \"zz\", 1), (2, \"[no stack]\", 1)], frames\n"
	      "assert root.get(\"data-unit\") == \"samples\"\n"
	      "assert \"tracer -p 7\" in texts and \"probed_leaf\" in texts\n"
	      "assert \"10.0 s, 12 seen, 9 delivered, 3 lost (2 ring full, 1 scratch busy), 4 stacks lost\" in texts\n"
	      "assert \"user stacks 80.0 % complete (1 max depth, 1 lost)\" in texts\n"
	      "assert \"on-CPU, kernel\" in texts and \"outer frames missing\" in texts\n"
	      "assert not [t for t in texts if t and (\"off-CPU\" in t or \"left out\" in t)]\n");
	free(user);
	free(kernel);
	fixture_close(&f);
}

/* Weights of a row are of both kinds; ns become us, and parts never exceed their whole. */
static void test_wall(void **state)
{
	struct fixture f;
	struct stack *user;

	(void)state;
	fixture_open(&f);
	f.config.by_time = f.config.is_wall = true;
	user = usual_stack(&f, STACK_COMPLETE);
	add_row(&f,
		(struct count_row){ .source = &f.sample, .user = user, .count = 1, .ns = 1000600 });
	add_row(&f,
		(struct count_row){ .source = &f.offcpu, .user = user, .count = 1, .ns = 3000600 });
	add_row(&f, (struct count_row){ .source = &f.uprobe, .user = user, .count = 8 });
	check(&f,
	      "assert rows[0][3:6] == [4001, 0, 3001], rows[0]\n"
	      "leaf = [r for r, t in zip(rows, frames) if t[1] == \"probed_leaf\"][0]\n"
	      "note = [r for r, t in zip(rows, frames) if t[1] == \"[off-CPU]\"][0]\n"
	      "assert leaf[3:6] == [4001, 0, 3001] and note[1] == 3 + 8 and note[3:6] == [3000, 1001, 0], (leaf, note)\n"
	      "assert \"8 events without a time left out\" in texts\n"
	      "assert \"two colours: shares on and off the CPU\" in texts\n");
	free(user);
	fixture_close(&f);
}

static void test_pruning(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f);
	add_row(&f, (struct count_row){ .source = &f.sample, .count = 100000 });
	add_row(&f, (struct count_row){ .source = &f.sample, .count = 1, .comm = "aa" });
	add_row(&f, (struct count_row){ .source = &f.sample, .count = 50, .comm = "ab" });
	check(&f,
	      "assert [t[1] for t in frames] == [\"all\", \"ab\", \"[no stack]\", \"app\", \"[no stack]\"], frames\n"
	      "assert rows[1][4] == 1 and rows[3][4] == 51, rows\n"
	      "assert \"2 frames narrower than 0.1 px left out\" in texts, texts\n");
	fixture_close(&f);
}

static void test_hostile(void **state)
{
	struct fixture f;
	struct frame frames[3];
	struct stack *kernel;

	(void)state;
	fixture_open(&f);
	f.summary.title = "</text><script>alert(1)</script>" NASTY;
	frames[0] = kernel_frame(&f, NASTY);
	frames[1] = kernel_frame(&f, "<script>alert(1)</script>\" onload=\"alert(1)");
	frames[2] = kernel_frame(&f, "]]></metadata><script>x()</script>\xef\xbf\xbe\xef\xbf\xbf");
	kernel = new_stack(STACK_KERNEL, STACK_COMPLETE, 3, frames);
	add_row(&f, (struct count_row){ .source = &f.sample,
					.kernel = kernel,
					.count = 3,
					.comm = "<b>\n&\xff\"" });
	check(&f,
	      "got = [t[1] for t in frames]\n"
	      "assert got[1] == \"<b>\\\\n&\\\\xff\\\"\", got\n"
	      "assert got[2] == \"]]></metadata><script>x()</script>\\ufffd\\ufffd_[k]\", got\n"
	      "assert got[3] == \"<script>alert(1)</script>\\\" onload=\\\"alert(1)_[k]\", got\n"
	      "assert len(got) == 5\n");
	free(kernel);
	fixture_close(&f);
}

/* Labels are cut between characters. */
static void test_wide_characters(void **state)
{
	struct fixture f;
	char name[600] = "";
	struct frame frame;
	struct stack *kernel;

	(void)state;
	fixture_open(&f);
	for (int i = 0; i < 150; i++)
		strcat(name, "\xe6\x97\xa5");
	frame = kernel_frame(&f, name);
	kernel = new_stack(STACK_KERNEL, STACK_COMPLETE, 1, &frame);
	add_row(&f, (struct count_row){ .source = &f.sample, .kernel = kernel, .count = 1 });
	check(&f, "label = [t for t in texts if t and t[0] == \"\\u65e5\"][0]\n"
		  "assert label.endswith(\"..\") and 60 < len(label) < 90, label\n");
	free(kernel);
	fixture_close(&f);
}

static void test_size(void **state)
{
	struct fixture f;
	static struct frame names[200];
	struct stack *stacks[1000];
	char name[40], *text;
	uint32_t random = 1;

	(void)state;
	fixture_open(&f);
	for (unsigned i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "some_module_function_number_%u", i);
		names[i] = kernel_frame(&f, name);
	}
	for (unsigned i = 0; i < 1000; i++) {
		struct frame frames[20];

		for (unsigned depth = 0; depth < 20; depth++) {
			random = random * 1664525 + 1013904223;
			frames[19 - depth] =
				names[(random >> 16) % (depth < 10 ? 2 : 20) + depth * 8];
		}
		stacks[i] = new_stack(STACK_KERNEL, STACK_COMPLETE, 20, frames);
		add_row(&f, (struct count_row){
				    .source = &f.sample, .kernel = stacks[i], .count = 1 + i % 7 });
	}
	text = print_rows(&f, &output_svg);
	assert_in_range(strlen(text), 50000, 300000);
	free(text);
	for (unsigned i = 0; i < 1000; i++)
		free(stacks[i]);
	fixture_close(&f);
}

static void test_self_contained(void **state)
{
	(void)state;
	assert_null(strstr(svg_script, "]]>"));
	assert_null(strstr(svg_style, "]]>"));
	assert_null(strstr(svg_style, "@import"));
	assert_null(strstr(svg_script, "innerHTML"));
	assert_null(strstr(svg_script, "eval"));
	assert_null(strstr(svg_script, "fetch"));
}

/* Frames root first, up to a NULL. */
static void add_named(struct fixture *f, struct count_row row, const char *const *names)
{
	struct frame frames[8];
	uint32_t depth = 0;

	while (names[depth])
		depth++;
	for (uint32_t i = 0; i < depth; i++)
		frames[depth - 1 - i] = kernel_frame(f, names[i]);
	row.kernel = new_stack(STACK_KERNEL, STACK_COMPLETE, depth, frames);
	add_row(f, row);
}

static void free_stacks(struct fixture *f)
{
	for (size_t i = 0; i < counts_size(f->counts); i++)
		free((void *)counts_row(f->counts, i)->kernel);
}

/* What tests/browser looks at; its expectations are of these names and numbers. */
static void add_browser_rows(struct fixture *f)
{
	static const char *const stacks[][6] = {
		{ "main", "work", "hash" },
		{ "main", "work", "sort" },
		{ "main", "rest" },
		{ "<script>window.injected=1</script>", "\"><img src=x onerror=injected=1>" },
		{ "]]></metadata><script>window.injected=1</script>",
		  "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e"
		  "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e" },
	};
	static const uint64_t weights[] = { 60, 30, 10, 20, 5 };

	for (size_t i = 0; i < sizeof(weights) / sizeof(weights[0]); i++) {
		struct count_row row = { .source = &f->sample,
					 .count = weights[i],
					 .ns = weights[i] * 1000000 };

		strcpy(row.comm, i < 3 ? "app" : "<b>x\"");
		add_named(f, row, stacks[i]);
	}
	if (!f->config.is_wall)
		return;
	add_named(f, (struct count_row){ .source = &f->offcpu, .count = 1, .ns = 300000000 },
		  stacks[1]);
}

/* "--print samples" or "--print wall": a graph on stdout. */
static int print_for_browser(const char *kind)
{
	struct fixture f;
	char *text;

	fixture_open(&f);
	f.config.is_wall = f.config.by_time = strcmp(kind, "wall") == 0;
	f.summary.title = "<script>window.injected=1</script> && tracer";
	add_browser_rows(&f);
	text = print_rows(&f, &output_svg);
	fputs(text, stdout);
	free(text);
	free_stacks(&f);
	fixture_close(&f);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),	cmocka_unit_test(test_frames),
		cmocka_unit_test(test_wall),	cmocka_unit_test(test_pruning),
		cmocka_unit_test(test_hostile), cmocka_unit_test(test_wide_characters),
		cmocka_unit_test(test_size),	cmocka_unit_test(test_self_contained),
	};

	if (argc == 3 && strcmp(argv[1], "--print") == 0)
		return print_for_browser(argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

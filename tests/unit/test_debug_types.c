// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Types as compilers describe them, against what the compiled program says of itself. */
#include "debug_program.h"

#include <errno.h>

#include "debug/type.h"
#include "debug/variables.h"

/* ---- C: sizes, offsets and bit-fields, printed by the program ---- */

static const char layout_c[] =
	"#include <stddef.h>\n#include <stdio.h>\n#include <string.h>\n"
	"struct inner { char c; long l; };\n"
	"struct outer {\n"
	"  char first; struct inner in; short s[3][5];\n"
	"  union { int number; double real; };\n"
	"  struct { char deep1; struct { long deep2; }; };\n"
	"  int (*call)(int, const char *); char tail[];\n"
	"} outer;\n"
	"struct bits { unsigned a : 3; int b : 7; unsigned : 0; unsigned long c : 33; unsigned d : 1;\n"
	"  long long e : 40; char f; unsigned char g : 5; } bits;\n"
	"struct packed { char x; unsigned long y : 61; unsigned z : 10; }\n"
	"  __attribute__((packed)) packed;\n"
	"static void show(const char *name, const void *bytes, size_t size) {\n"
	"  printf(\"bits %s \", name);\n"
	"  for (size_t i = 0; i < size; i++) printf(\"%02x\", ((const unsigned char *)bytes)[i]);\n"
	"  printf(\"\\n\"); }\n"
	"#define OFFSET(m) printf(\"offset \" #m \" %zu %zu\\n\", offsetof(struct outer, m), "
	"sizeof(outer.m))\n"
	"#define BITS(v, m) memset(&v, 0, sizeof(v)); v.m = -1; show(#v \".\" #m, &v, sizeof(v))\n"
	"int main(void) {\n"
	"  OFFSET(first); OFFSET(in); OFFSET(s); OFFSET(number); OFFSET(real); OFFSET(deep1);\n"
	"  OFFSET(deep2); OFFSET(call);\n"
	"  printf(\"offset tail %zu 0\\n\", offsetof(struct outer, tail));\n"
	"  BITS(bits, a); BITS(bits, b); BITS(bits, c); BITS(bits, d); BITS(bits, e); BITS(bits, g);\n"
	"  BITS(packed, y); BITS(packed, z); return 0; }\n";

/* The only variable of a name, whose list the caller frees. */
static struct debug_type *type_of_variable(struct debug_info *info, const char *name,
					   struct debug_variables *found)
{
	assert_int_equal(debug_variables_named(info, name, found), 0);
	assert_int_equal(found->count, 1);
	assert_non_null(found->list[0].type);
	return found->list[0].type;
}

static void check_offset(struct debug_info *info, const char *name, unsigned long offset,
			 unsigned long size)
{
	struct debug_variables found;
	struct debug_type *type = type_of_variable(info, "outer", &found);
	struct debug_member member;

	assert_int_equal(debug_type_member_named(type, name, &member), 0);
	assert_string_equal(member.name, name);
	assert_true(member.has_offset);
	assert_int_equal(member.offset, offset);
	assert_int_equal(debug_type_size(member.type), size);
	assert_false(member.is_bit_field);
	debug_variables_free(&found);
}

/* The ones among the bytes of a variable of which only this field is set are its bits. */
static void check_bits(struct debug_info *info, char *path, const char *hex)
{
	struct debug_variables found;
	struct debug_member member;
	char *dot = strchr(path, '.');
	size_t bytes = strlen(hex) / 2;
	uint64_t first;

	*dot = '\0';
	assert_int_equal(debug_type_member_named(type_of_variable(info, path, &found), dot + 1,
						 &member),
			 0);
	assert_true(member.is_bit_field);
	assert_true(member.bit_offset < 8);
	first = member.offset * 8 + member.bit_offset;
	for (uint64_t bit = 0; bit < bytes * 8; bit++) {
		unsigned int byte;

		assert_int_equal(sscanf(hex + bit / 8 * 2, "%2x", &byte), 1);
		assert_int_equal(byte >> bit % 8 & 1,
				 bit >= first && bit < first + member.bit_size);
	}
	debug_variables_free(&found);
}

static void check_layout(const char *folder, const struct debug_build *build)
{
	char line[256], name[64], hex[128];
	unsigned long offset, size;
	struct debug_info *info;
	FILE *output;
	int lines = 0;

	build_program(folder, build, "layout.c");
	info = open_program(folder, "program");
	output = output_of("%s/program", folder);
	while (fgets(line, sizeof(line), output)) {
		lines++;
		if (sscanf(line, "offset %63s %lu %lu", name, &offset, &size) == 3)
			check_offset(info, name, offset, size);
		else if (sscanf(line, "bits %63s %127s", name, hex) == 2)
			check_bits(info, name, hex);
		else
			fail_msg("what is this: %s", line);
	}
	pclose(output);
	assert_int_equal(lines, 17);
	debug_info_close(info);
}

static void test_layout(void **state)
{
	/* Up to DWARF 3, bits were counted from the other end. */
	static const struct debug_build old = { "gcc", "g++", "-O0 -gdwarf-3 -gstrict-dwarf" };

	write_file(*state, "layout.c", layout_c);
	for (size_t i = 0; i < DEBUG_BUILDS; i++)
		check_layout(*state, &debug_builds[i]);
	check_layout(*state, &old);
}

/* ---- names, kinds, sizes ---- */

struct expected_type {
	const char *variable;
	const char *name, *stripped;
	enum debug_kind kind;
	unsigned int size;
	bool is_signed;
};

static void check_types(const char *folder, const struct debug_build *build, const char *source,
			const struct expected_type *types, size_t count)
{
	struct debug_info *info;

	build_program(folder, build, source);
	info = open_program(folder, "program");
	for (size_t i = 0; i < count; i++) {
		struct debug_variables found;
		struct debug_type *type = type_of_variable(info, types[i].variable, &found);

		assert_string_equal(debug_type_name(type), types[i].name);
		assert_string_equal(debug_type_name(debug_type_stripped(type)),
				    types[i].stripped ? types[i].stripped : types[i].name);
		assert_int_equal(debug_type_kind(type), types[i].kind);
		assert_int_equal(debug_type_size(type), types[i].size);
		assert_int_equal(debug_type_is_signed(type), types[i].is_signed);
		debug_variables_free(&found);
	}
	debug_info_close(info);
}

static const char kinds_c[] =
	"#include <stddef.h>\n#include <stdint.h>\n#include <stdbool.h>\n"
	"struct point { int x, y; }; typedef struct point point_t; typedef point_t *point_p;\n"
	"enum color { RED = -3, GREEN, BLUE = 300 }; enum big { BIG = 0xffffffffu };\n"
	"union u { int i; double d; }; struct hidden;\n"
	"const char *text = \"\"; char *const fixed = 0; const volatile int cv = 3;\n"
	"unsigned long ul; long long ll; unsigned short us; short s; unsigned char uc; signed char sc;\n"
	"char c; _Bool b; float f; double d; long double ld; size_t sz; int64_t i64;\n"
	"struct point pt; point_t tpt; point_p ppt; enum color color; enum big big; union u un;\n"
	"int array[7]; char grid[2][3]; const char *names[4]; int (*fp)(int, const char *);\n"
	"void (*vp)(void); int (*arrays)[3]; int (*table[5])(void); void *v; struct hidden *h;\n"
	"struct { int z; } anonymous; int (*(*ff)(char))(int, ...); int *restrict rp; int **pp;\n"
	"int main(void) { return cv; }\n";

static const struct expected_type kinds[] = {
	{ "text", "const char *", NULL, DEBUG_KIND_POINTER, 8, false },
	{ "fixed", "char *const", "char *", DEBUG_KIND_POINTER, 8, false },
	{ "cv", "const volatile int", "int", DEBUG_KIND_SIGNED, 4, true },
	{ "ul", "unsigned long", NULL, DEBUG_KIND_UNSIGNED, 8, false },
	{ "ll", "long long", NULL, DEBUG_KIND_SIGNED, 8, true },
	{ "us", "unsigned short", NULL, DEBUG_KIND_UNSIGNED, 2, false },
	{ "s", "short", NULL, DEBUG_KIND_SIGNED, 2, true },
	{ "uc", "unsigned char", NULL, DEBUG_KIND_CHAR, 1, false },
	{ "sc", "signed char", NULL, DEBUG_KIND_CHAR, 1, true },
	{ "b", "_Bool", NULL, DEBUG_KIND_BOOL, 1, false },
	{ "f", "float", NULL, DEBUG_KIND_FLOAT, 4, true },
	{ "d", "double", NULL, DEBUG_KIND_FLOAT, 8, true },
	{ "sz", "size_t", "unsigned long", DEBUG_KIND_UNSIGNED, 8, false },
	{ "i64", "int64_t", "long", DEBUG_KIND_SIGNED, 8, true },
	{ "pt", "struct point", NULL, DEBUG_KIND_STRUCT, 8, false },
	{ "tpt", "point_t", "struct point", DEBUG_KIND_STRUCT, 8, false },
	{ "ppt", "point_p", "point_t *", DEBUG_KIND_POINTER, 8, false },
	{ "color", "enum color", NULL, DEBUG_KIND_ENUM, 4, true },
	{ "big", "enum big", NULL, DEBUG_KIND_ENUM, 4, false },
	{ "un", "union u", NULL, DEBUG_KIND_UNION, 8, false },
	{ "array", "int [7]", NULL, DEBUG_KIND_ARRAY, 28, false },
	{ "grid", "char [2][3]", NULL, DEBUG_KIND_ARRAY, 6, false },
	{ "names", "const char *[4]", NULL, DEBUG_KIND_ARRAY, 32, false },
	{ "fp", "int (*)(int, const char *)", NULL, DEBUG_KIND_POINTER, 8, false },
	{ "vp", "void (*)(void)", NULL, DEBUG_KIND_POINTER, 8, false },
	{ "arrays", "int (*)[3]", NULL, DEBUG_KIND_POINTER, 8, false },
	{ "table", "int (*[5])(void)", NULL, DEBUG_KIND_ARRAY, 40, false },
	{ "v", "void *", NULL, DEBUG_KIND_POINTER, 8, false },
	{ "h", "struct hidden *", NULL, DEBUG_KIND_POINTER, 8, false },
	{ "anonymous", "struct {...}", NULL, DEBUG_KIND_STRUCT, 4, false },
	{ "ff", "int (*(*)(char))(int, ...)", NULL, DEBUG_KIND_POINTER, 8, false },
	{ "rp", "int *restrict", "int *", DEBUG_KIND_POINTER, 8, false },
	{ "pp", "int **", NULL, DEBUG_KIND_POINTER, 8, false },
};

static void test_kinds(void **state)
{
	write_file(*state, "kinds.c", kinds_c);
	for (size_t i = 0; i < DEBUG_BUILDS; i++)
		check_types(*state, &debug_builds[i], "kinds.c", kinds,
			    sizeof(kinds) / sizeof(kinds[0]));
}

static const char kinds_cc[] =
	"namespace ns { enum class Color : short { red = -3, green, blue = 300 };\n"
	"struct Base { long base_value; virtual ~Base() {} };\n"
	"template <typename T> struct Box { T value; };\n"
	"class Derived : public Base { public: int a; static int count; struct Inner { long l; } in;\n"
	"  union { int u1; float u2; }; };\n"
	"struct Virtual : virtual Base { int own; };\n"
	"int Derived::count; namespace { int unseen; }\n"
	"Color color; Box<int> box; Derived derived; Virtual virt; int Derived::*pm;\n"
	"int (Derived::*pmf)(char); Derived &ref = derived; const Derived *cp; char32_t wide; bool yes;\n"
	"}\nint main() { return ns::unseen; }\n";

static const struct expected_type kinds_of_cc[] = {
	{ "ns::color", "ns::Color", NULL, DEBUG_KIND_ENUM, 2, true },
	{ "ns::box", "ns::Box<int>", NULL, DEBUG_KIND_STRUCT, 4, false },
	{ "ns::derived", "ns::Derived", NULL, DEBUG_KIND_STRUCT, 40, false },
	{ "ns::pm", "int ns::Derived::*", NULL, DEBUG_KIND_OTHER, 0, false },
	{ "ns::ref", "ns::Derived &", NULL, DEBUG_KIND_REFERENCE, 8, false },
	{ "ns::cp", "const ns::Derived *", NULL, DEBUG_KIND_POINTER, 8, false },
	{ "ns::wide", "char32_t", NULL, DEBUG_KIND_CHAR, 4, false },
	{ "ns::yes", "bool", NULL, DEBUG_KIND_BOOL, 1, false },
	/* by its last part, since no other is called so */
	{ "box", "ns::Box<int>", NULL, DEBUG_KIND_STRUCT, 4, false },
};

static void check_members_of_cc(struct debug_info *info)
{
	struct debug_variables found;
	struct debug_type *type = type_of_variable(info, "ns::derived", &found);
	struct debug_member member;

	/* the base, a, in, the union */
	assert_int_equal(debug_type_member_count(type), 4);
	assert_int_equal(debug_type_member(type, 0, &member), 0);
	assert_true(member.is_base);
	assert_string_equal(debug_type_name(member.type), "ns::Base");
	assert_int_equal(debug_type_member(type, 4, &member), -ENOENT);
	assert_int_equal(debug_type_member_named(type, "base_value", &member), 0);
	assert_int_equal(member.offset, 8);
	assert_int_equal(debug_type_member_named(type, "u2", &member), 0);
	assert_int_equal(member.offset, 32);
	assert_int_equal(debug_type_member_named(type, "in", &member), 0);
	assert_string_equal(debug_type_name(member.type), "ns::Derived::Inner");
	assert_int_equal(debug_type_member_named(type, "count", &member), -ENOENT);
	debug_variables_free(&found);
	type = type_of_variable(info, "ns::virt", &found);
	assert_int_equal(debug_type_member_named(type, "base_value", &member), 0);
	assert_false(member.has_offset);
	debug_variables_free(&found);
}

static void test_kinds_of_cc(void **state)
{
	write_file(*state, "kinds.cc", kinds_cc);
	for (size_t i = 0; i < DEBUG_BUILDS; i++) {
		struct debug_info *info;

		check_types(*state, &debug_builds[i], "kinds.cc", kinds_of_cc,
			    sizeof(kinds_of_cc) / sizeof(kinds_of_cc[0]));
		info = open_program(*state, "program");
		check_members_of_cc(info);
		debug_info_close(info);
	}
}

/* ---- enumerators, arrays, incomplete types ---- */

static void check_enumerators(struct debug_info *info)
{
	static const struct {
		const char *name;
		int64_t value;
	} expected[] = { { "RED", -3 }, { "GREEN", -2 }, { "BLUE", 300 } };
	struct debug_variables found;
	struct debug_type *type = type_of_variable(info, "color", &found);
	const char *name;
	int64_t value;

	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(debug_type_enumerator(type, i, &name, &value), 0);
		assert_string_equal(name, expected[i].name);
		assert_int_equal(value, expected[i].value);
		assert_string_equal(debug_type_enumerator_of(type, value), name);
		assert_int_equal(debug_type_enumerator_named(type, name, &value), 0);
		assert_int_equal(value, expected[i].value);
	}
	assert_int_equal(debug_type_enumerator(type, 3, &name, &value), -ENOENT);
	assert_null(debug_type_enumerator_of(type, 17));
	assert_int_equal(debug_type_enumerator_named(type, "PINK", &value), -ENOENT);
	debug_variables_free(&found);
	type = type_of_variable(info, "big", &found);
	assert_string_equal(debug_type_enumerator_of(type, 0xffffffff), "BIG");
	debug_variables_free(&found);
}

static void check_grid(struct debug_info *info)
{
	struct debug_variables found;
	struct debug_type *type = type_of_variable(info, "grid", &found);

	assert_int_equal(debug_type_count(type), 2);
	type = debug_type_target(type);
	assert_string_equal(debug_type_name(type), "char [3]");
	assert_int_equal(debug_type_count(type), 3);
	assert_int_equal(debug_type_size(type), 3);
	type = debug_type_target(type);
	assert_string_equal(debug_type_name(type), "char");
	assert_int_equal(debug_type_kind(type), DEBUG_KIND_CHAR);
	assert_null(debug_type_target(type));
	debug_variables_free(&found);
}

static void test_enumerators_and_arrays(void **state)
{
	write_file(*state, "kinds.c", kinds_c);
	for (size_t i = 0; i < DEBUG_BUILDS; i++) {
		struct debug_info *info;

		build_program(*state, &debug_builds[i], "kinds.c");
		info = open_program(*state, "program");
		check_enumerators(info);
		check_grid(info);
		debug_info_close(info);
	}
}

/* A pointer to what another unit defines, and to what none does. */
static void test_incomplete(void **state)
{
	write_file(*state, "user.c",
		   "struct elsewhere; struct nowhere; extern struct elsewhere *made(void);\n"
		   "struct elsewhere *e; struct nowhere *n; void *v;\n"
		   "int main(void) { e = made(); return 0; }\n");
	write_file(
		*state, "maker.c",
		"struct elsewhere { long a, b; } one; struct elsewhere *made(void) { return &one; }\n");
	for (size_t i = 0; i < DEBUG_BUILDS; i++) {
		struct debug_variables found;
		struct debug_member member;
		struct debug_info *info;
		struct debug_type *type;

		build_program(*state, &debug_builds[i], "user.c maker.c");
		info = open_program(*state, "program");
		type = debug_type_target(type_of_variable(info, "e", &found));
		assert_false(debug_type_is_incomplete(type));
		assert_int_equal(debug_type_size(type), 16);
		assert_int_equal(debug_type_member_named(type, "b", &member), 0);
		assert_int_equal(member.offset, 8);
		debug_variables_free(&found);
		type = debug_type_target(type_of_variable(info, "n", &found));
		assert_true(debug_type_is_incomplete(type));
		assert_string_equal(debug_type_name(type), "struct nowhere");
		assert_int_equal(debug_type_size(type), 0);
		assert_int_equal(debug_type_member_count(type), 0);
		debug_variables_free(&found);
		type = debug_type_target(type_of_variable(info, "v", &found));
		assert_int_equal(debug_type_kind(type), DEBUG_KIND_VOID);
		assert_string_equal(debug_type_name(type), "void");
		debug_variables_free(&found);
		debug_info_close(info);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),	    cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_kinds_of_cc), cmocka_unit_test(test_enumerators_and_arrays),
		cmocka_unit_test(test_incomplete),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

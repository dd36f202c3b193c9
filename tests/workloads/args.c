// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * args: calls each function below once or more with what main() says, so that 18-args.sh can tell each argument. Numbers,
 * characters, enumerations, flags; strings, also NULL, unreadable and long ones; structs by value, small, mixed, large;
 * pointers into a list; floating point; more arguments than there are registers; a function that is inlined in another
 * one with the names the other way round. Prints nothing; exits with 0.
 */
#include "workload.h"

#include <stdbool.h>

enum args_color { RED, GREEN = 5, BLUE };
enum args_flags { READ = 1, WRITE = 2, EXECUTE = 4 };

struct args_point {
	int x, y;
};

struct args_pair {
	long number;
	const char *name;
};

struct args_mixed {
	double weight;
	long number;
};

struct args_large {
	int id;
	char name[12];
	double weight;
	struct args_point corner[2];
	unsigned int low : 3, high : 5;
	enum args_color color;
};

struct args_node {
	struct args_node *next;
	int value;
	const char *name;
};

static volatile long args_sink;

/* Not static: who may call them is not known to the compiler, as of most functions that people probe. */
long args_numbers(int a, unsigned char b, long c, bool d, enum args_color e, char f);
int args_strings(const char *first, char *second, enum args_flags flags);
struct args_point args_by_value(struct args_point point, struct args_pair pair);
struct args_large args_large(struct args_large large);
double args_floats(double ratio, int count, float single, struct args_mixed mixed, int last);
const char *args_list(const struct args_node *node);
void args_many(int a, int b, int c, int d, int e, int f, int g, struct args_point h, short i);
void args_none(void);
int args_swapped(int limit, int value);

KEEP long args_numbers(int a, unsigned char b, long c, bool d, enum args_color e, char f)
{
	args_sink = a + b + c + d + (long)e + f;
	return c - 1;
}

KEEP int args_strings(const char *first, char *second, enum args_flags flags)
{
	args_sink = (first ? first[0] : 0) + (second != NULL) + (long)flags;
	return (int)flags - 9;
}

KEEP struct args_point args_by_value(struct args_point point, struct args_pair pair)
{
	point.x += (int)pair.number;
	point.y = -point.y;
	return point;
}

KEEP struct args_large args_large(struct args_large large)
{
	large.id++;
	large.color = BLUE;
	return large;
}

KEEP double args_floats(double ratio, int count, float single, struct args_mixed mixed, int last)
{
	args_sink = (long)(ratio + (double)single + mixed.weight) + mixed.number + last;
	return ratio * count;
}

KEEP const char *args_list(const struct args_node *node)
{
	args_sink = node->value;
	return node->name;
}

KEEP void args_many(int a, int b, int c, int d, int e, int f, int g, struct args_point h, short i)
{
	args_sink = a + b + c + d + e + f + g + h.x + h.y + i;
}

KEEP void args_none(void)
{
	args_sink++;
}

/* Its code is all there is of the next function's, from the first instruction on; its names are not those. */
static inline __attribute__((always_inline)) int args_clamped(int value, int limit)
{
	args_sink = value;
	return value < limit ? value : limit;
}

KEEP int args_swapped(int limit, int value)
{
	return args_clamped(limit, value);
}

int main(void)
{
	static const char seventy[] =
		"0123456789012345678901234567890123456789012345678901234567890123456789";
	static char sixty_four[] =
		"0123456789012345678901234567890123456789012345678901234567890123";
	struct args_node second = { NULL, 2, "second" },
			 first = { &second, 1, "a \"quoted\"\nline" };
	const struct args_large large = { 7, "a name", 2.5, { { 1, -2 }, { 3, -4 } }, 5, 17, GREEN };

	args_numbers(-1, 200, -5000000000L, true, GREEN, 'x');
	args_numbers(2147483647, 255, 1, false, (enum args_color)7, '\n');
	args_strings("hello", NULL, READ | EXECUTE);
	args_strings(NULL, (char *)8, (enum args_flags)9);
	args_strings(seventy, sixty_four, WRITE);
	args_strings("", "\x1b[31m\xff", READ);
	args_by_value((struct args_point){ 3, 4 }, (struct args_pair){ 10, "pair" });
	args_large(large);
	args_floats(1.5, 3, 0.25f, (struct args_mixed){ 0.5, 6 }, 7);
	args_list(&first);
	args_many(1, 2, 3, 4, 5, 6, 7, (struct args_point){ 8, 9 }, 10);
	args_none();
	args_swapped(10, 200);
	return 0;
}

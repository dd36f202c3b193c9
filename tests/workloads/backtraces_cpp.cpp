// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * backtraces_cpp [MS]
 *
 * Calls traced_here of backtrace.c, first from a constructor, then, after MS, from below and within
 * libstdc++. Exits with 0.
 */
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "backtrace.h"

namespace
{

volatile unsigned long zero;

struct destroyed {
	APART ~destroyed()
	{
		HERE();
	}
};

APART bool smaller(const std::string &a, const std::string &b)
{
	static int comparisons;

	if (++comparisons % 40 == 1)
		HERE();
	return a < b;
}

APART void sort()
{
	std::vector<std::string> words;

	for (int i = 0; i < 100; i++)
		words.push_back(std::to_string(i * 37 % 101));
	std::sort(words.begin(), words.end(), smaller);
	std::stable_sort(words.begin(), words.end(),
			 [](const auto &a, const auto &b) { return smaller(b, a); });
}

APART void call_function()
{
	std::function<void(int)> function = [](int depth) {
		std::string text(zero + 20, 'x');

		if (depth)
			HERE();
	};

	function(1);
}

APART void call_once()
{
	std::once_flag flag;

	std::call_once(flag, [] { HERE(); });
}

APART void in_thread()
{
	std::thread thread([](const std::string &) { HERE(); }, "argument");

	thread.join();
}

APART void thrower(unsigned long depth)
{
	destroyed local;

	if (depth == 0)
		throw std::runtime_error("thrown");
	thrower(depth - 1);
	HERE();
}

/* While the stack is unwound destructors run, and one of them throws and catches. */
struct throws_inside {
	APART ~throws_inside()
	{
		try {
			thrower(1);
		} catch (const std::exception &) {
			HERE();
		}
	}
};

APART void rethrow()
{
	throws_inside local;

	try {
		thrower(3);
	} catch (...) {
		HERE();
		throw;
	}
}

APART void exceptions()
{
	try {
		rethrow();
	} catch (const std::runtime_error &error) {
		HERE();
	}
	HERE();
}

struct object {
	virtual ~object() = default;
	virtual void method(unsigned long size) = 0;
};

struct derived : object {
	std::string text;

	APART void method(unsigned long size) override
	{
		text.resize(size);
		HERE();
	}
};

APART void virtual_call()
{
	std::vector<object *> objects;

	objects.push_back(new derived);
	std::for_each(objects.begin(), objects.end(), [](object *one) { one->method(10 + zero); });
	delete objects[0];
}

/* Called by the library's operator new. */
APART void on_no_memory()
{
	HERE();
	throw std::bad_alloc();
}

APART void no_memory()
{
	std::set_new_handler(on_no_memory);
	try {
		operator delete(operator new(~0ul / 4 - zero));
	} catch (const std::bad_alloc &) {
		HERE();
	}
	std::set_new_handler(nullptr);
}

struct shown {
};

std::ostream &operator<<(std::ostream &stream, const shown &)
{
	HERE();
	return stream << "shown";
}

APART void output()
{
	std::ostringstream stream;

	stream << 1 << shown() << 2.5;
}

[[noreturn]] APART void on_terminate()
{
	HERE();
	_exit(0);
}

/* Nobody catches: std::terminate is called from within the throw. */
APART void terminated() noexcept
{
	thrower(zero);
}

APART void terminate()
{
	pid_t pid = fork();
	int status = 1;

	if (pid == 0) {
		std::set_terminate(on_terminate);
		terminated();
	}
	if (waitpid(pid, &status, 0) != pid || status != 0)
		abort();
}

struct global {
	APART global()
	{
		traced_name("constructor");
		HERE();
	}
	APART ~global()
	{
		traced_name("destructor");
		HERE();
	}
} global_object;

const struct {
	const char *name;
	void (*run)();
} situations[] = {
	{ "sort", sort },	    { "function", call_function }, { "call_once", call_once },
	{ "thread", in_thread },    { "exceptions", exceptions },  { "virtual_call", virtual_call },
	{ "no_memory", no_memory }, { "output", output },	   { "terminate", terminate },
};

} // namespace

int main(int argc, char **argv)
{
	usleep(argc > 1 ? 1000 * (useconds_t)atoi(argv[1]) : 0);
	for (const auto &situation : situations) {
		traced_name(situation.name);
		situation.run();
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#include <map>
#include <sstream>
#include <algorithm>
struct D {
	std::string s;
	~D()
	{
		s += 'x';
	}
};
int f(int n)
{
	D d;
	if (!n)
		throw std::runtime_error(d.s);
	return f(n - 1) + 1;
}
static volatile int sink;
void work()
{
	for (;;) {
		try {
			sink = f(10);
		} catch (std::exception &e) {
			sink = e.what()[0];
		}
		std::map<std::string, int> m;
		for (int i = 0; i < 50; i++)
			m[std::to_string(i)]++;
		std::ostringstream o;
		for (auto &p : m)
			o << p.first << p.second;
		sink = o.str().size();
		std::vector<int> v(100);
		for (int i = 0; i < 100; i++)
			v[i] = i * 7 % 13;
		std::sort(v.begin(), v.end());
	}
}
int main()
{
	std::thread a(work), b([] { std::this_thread::sleep_for(std::chrono::hours(1)); });
	work();
}

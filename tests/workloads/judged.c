// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * judged: calls judged_handle(request, count, what, ratio, byte) ten times, for i from 0 to 9, with
 *   request->conn.fd i, request->conn.name "conn0" to "conn9", request->color GREEN for odd i and BLUE for even,
 *   request->low i & 7, request->size -i; count 100 + i; what "POST" for every third, else "GET /x"; ratio 1.5;
 *   byte 200 + i; request NULL for i 9
 * It returns count - 105. judged_twice() is inlined in judged_handle() and in judged_other(), which is called five
 * times. Each call of judged_handle() adds one to judged_total first. Exits with 0.
 */
#include "workload.h"

enum judged_color { RED, GREEN = 5, BLUE };

struct judged_connection {
	int fd;
	char name[16];
};

struct judged_request {
	struct judged_connection conn;
	const char *path;
	enum judged_color color;
	unsigned int low : 3, high : 5;
	long long size;
};

static int judged_total;
static volatile int judged_sink;

static inline __attribute__((always_inline)) int judged_twice(int value)
{
	judged_sink = value; /* the line that 17-if.sh names */
	return value * 2;
}

static KEEP int judged_handle(const struct judged_request *request, int count, const char *what,
			      double ratio, unsigned char byte)
{
	judged_total++;
	judged_sink = judged_twice(request ? request->conn.fd : 0) + (int)ratio + byte + what[0];
	return count - 105;
}

static KEEP int judged_other(int value)
{
	return judged_twice(value + 1000) + 1;
}

int main(void)
{
	struct judged_request request = { .path = "/index.html" };

	for (int i = 0; i < 10; i++) {
		request.conn.fd = i;
		snprintf(request.conn.name, sizeof(request.conn.name), "conn%d", i);
		request.color = i & 1 ? GREEN : BLUE;
		request.low = (unsigned int)i & 7;
		request.size = -i;
		judged_sink = judged_handle(i == 9 ? NULL : &request, 100 + i,
					    i % 3 ? "GET /x" : "POST", 1.5,
					    (unsigned char)(200 + i));
	}
	for (int i = 0; i < 5; i++)
		judged_sink = judged_other(i);
	return judged_total != 10;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
const { Worker, isMainThread } = require('worker_threads');
const zlib = require('zlib');
const crypto = require('crypto');

if (isMainThread)
	new Worker(__filename);

function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

while (true) {
	fib(18);
	JSON.parse(JSON.stringify(Array(100).fill({ a: [1, 'x'] })));
	[...Array(300).keys()].sort((a, b) => b % 7 - a % 7).map(String).join('').replace(/1(\d)/g, '$1');
	new Map([...Array(100).keys()].map(i => [i, { i }]));
	crypto.createHash('sha1').update('x'.repeat(1000)).digest();
	zlib.deflateSync('abc'.repeat(1000));
	try { null.x } catch (e) { e.stack }
}

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Functions of programs and libraries as the distribution has them: C, C++, Rust and Go, stripped, PIE and not,
# chosen at run time, with versions. Each is called a known number of times, all of which are seen.
# once: nothing of it depends on the kernel (make test runs it on this machine only).
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/events.sh
. "$(dirname "$0")/events.sh"

# What call passes in the first three registers, as text shows it: ERE. Doubles go by others.
wanted_arguments() {
	case $1 in
	l) echo '\(0xb, 0x16, 0x21, ' ;;
	s) echo '\(0x[0-9a-f]+, 0x[0-9a-f]+, 0x6, ' ;;
	z) echo '\(0x0, 0x[0-9a-f]+, 0x6, ' ;;
	*) echo '\(' ;;
	esac
}

have_library() { [ -e "/usr/lib/x86_64-linux-gnu/$1" ] || [ -e "/usr/lib/aarch64-linux-gnu/$1" ]; }

# A library's function, called 37 times by the workload: from its call_it(), so that other callers do not count.
calls_of_library() {
	have_library "$library" || skip "$library is not installed"
	run_tracer --uprobe "$library:${name:-$function}" --args none -- "$WORKLOADS/call" 37 "$library" "$function" "$form"
	assert_status 0
	assert_eq "$(count_events "$(wanted_arguments "$form").* <- call_it\+0x")" 37 "calls"
}

#	LIBRARY FUNCTION FORM [NAME as it is probed]
while read -r library function form name; do
	t_case "$library: ${name:-$function}" calls_of_library
done <<'TABLE'
libc.so.6 labs l
libc.so.6 toupper l
libc.so.6 atoi s
libc.so.6 getenv s
libc.so.6 strtol s
libc.so.6 htonl l
libc.so.6 strlen s
libc.so.6 strchr s
libc.so.6 memcmp s
libc.so.6 memchr s
libc.so.6 strncasecmp s
libc.so.6 gnu_get_libc_version n
libm.so.6 sin d
libm.so.6 floor d
libm.so.6 cbrt d
libz.so.1 crc32 z
libz.so.1 adler32 z
libz.so.1 compressBound l
libcrypto.so.3 CRYPTO_memcmp s
libcrypto.so.3 OpenSSL_version_num n
libsqlite3.so.0 sqlite3_complete s
libsqlite3.so.0 sqlite3_libversion_number n
libstdc++.so.6 _ZSt19uncaught_exceptionsv n std::uncaught_exceptions
libstdc++.so.6 _ZNSt6chrono3_V212steady_clock3nowEv n std::chrono::_V2::steady_clock::now
libstdc++.so.6 _ZNSt6thread20hardware_concurrencyEv n std::thread::hardware_concurrency()
TABLE

# calls_of_program N BIN:FUNCTION COMMAND...: all calls of it, and no others.
calls_of_program() {
	calls=$1 probe=$2
	shift 2
	[ -x "$1" ] || skip "$1 is not installed"
	run_tracer -o events.txt --uprobe "$probe" -- "$@"
	assert_status 0
	assert_eq "$(events_of events.txt | grep -c .)" "$calls" "calls of $probe"
}

bash_builtin() {
	# shellcheck disable=SC2016 # bash's own
	calls_of_program 500 /usr/bin/bash:colon_builtin /usr/bin/bash -c 'for ((i = 0; i < 500; i++)); do :; done'
}
t_case "bash (C, stripped, PIE): colon_builtin" bash_builtin

python_function() {
	calls_of_program 1 /usr/bin/python3:PyRun_SimpleStringFlags /usr/bin/python3 -I -c pass
}
t_case "python3 (C, stripped): PyRun_SimpleStringFlags" python_function

python_library() {
	calls_of_program 250 libz:adler32 /usr/bin/python3 -I -c 'import zlib
for i in range(250): zlib.adler32(b"tracer")'
}
t_case "python3 and zlib: adler32" python_library

rust_function() {
	library=$(echo /usr/lib/*-linux-gnu/librustc_driver-*.so)
	[ -e "$library" ] || skip "the distribution's rustc is not installed"
	calls_of_program 1 "$library:rustc_driver::main" /usr/bin/rustc --version
}
t_case "rustc (Rust, stripped, a library of 64 MiB): rustc_driver::main" rust_function

go_program() { readlink -f /usr/bin/go; }

go_main() { calls_of_program 1 "$(go_program):main.main" "$(go_program)" version; }
go_inside() {
	calls_of_program 1 "$(go_program):cmd/go/internal/version.runVersion" "$(go_program)" version
}
t_case "go (Go, static, stripped): main.main" go_main
t_case "go (Go, static, stripped): cmd/go/internal/version.runVersion" go_inside

static_function() { calls_of_program 300 "$WORKLOADS/calls-static:traced_function" "$WORKLOADS/calls-static" 300; }
t_case "a static program: traced_function" static_function

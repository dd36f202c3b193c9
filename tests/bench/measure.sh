#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the benches share: sourced with the checkout as working folder and $build set to that of their programs.
# Sets $work, a folder for the run, and $failed, which is for exit.
# shellcheck disable=SC2034 # used by who sources this
failed=0
cost_options=

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

say() { printf '%s\n' "$*"; }
head_line() { printf '\n%s\n' "$*"; }
note() { printf '  (%s)\n' "$*"; }
have() { command -v "$1" >/dev/null; }

calculate() { awk "BEGIN { printf \"$1\", $2 }"; }

# The smallest, and the middle one, of the numbers in a file, a line each.
least() { sort -g "$1" | head -n 1; }
median() { sort -g "$1" | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }

machine() {
	cpus=$(getconf _NPROCESSORS_ONLN)
	read -r load_now _ </proc/loadavg
	model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
	say "machine: Linux $(uname -r) $(uname -m), $cpus x ${model:-CPU}, load $load_now"
	awk -v load_now="$load_now" -v cpus="$cpus" 'BEGIN { exit !(load_now > cpus / 2) }' || return 0
	say "WARNING: the load is above 0.5 a CPU: these numbers say little"
}

need_root() {
	[ "$(id -u)" -eq 0 ] || {
		echo "bench: needs root" >&2
		exit 1
	}
}

# cost NAME COMMAND...: what it costs to $work/NAME.cost, what it says to $work/NAME.log
cost() {
	cost_name=$1
	shift
	# shellcheck disable=SC2086,SC2154 # a list of words; build is set by who sources this
	"$build/cost" $cost_options "$work/$cost_name.cost" "$@" >"$work/$cost_name.log" 2>&1
}

# of NAME KEY: a line of the cost
of() { awk -v key="$2" '$1 == key { print $2; exit }' "$work/$1.cost"; }

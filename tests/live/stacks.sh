#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Stacks in the tracer's text, compared with what another says they are. Sourced after lib.sh.
#
#	need_workload NAME	skips where it was not built
#	need_some NAME...	sets $built to those that were built; skips where none was
#	stacks_by_index FILE	of events at traced_here in FILE, text with -g, one line each, as the workload
#				writes it: "INDEX 0xVADDR MODULE ... end", callers only, "end" when complete,
#				else "[WHY]"
#	stacks_of FILE		of all events, one a line: "0xVADDR NAME MODULE ... end", the leaf too
#	own_stacks FILE		what the workload wrote, sorted, without its situations
#	last_stacks FILE	of the last event of each thread, sorted: "TID 0xVADDR MODULE ... end"
#	stacks_of_threads FILE MODULE	the same, but names only, of functions in MODULE
#	eu_stacks PID		what eu-stack of elfutils says of each thread of PID, in the same form, "[marked]"
#				at the end of those that it could not walk to their end
#	compare_stacks OWN THEIRS [marked]
#				of files with lines as above: fails if one of THEIRS differs from that of OWN,
#				or is missing, or not complete; where OWN's does not end, it must be marked.
#				"marked": any may be marked, and end early then. Tells in $T/differences
#	same_stacks FILE OWN [marked]
#				the same of text with -g, and of what the workload itself wrote

# Those of the names that were built, to $built: a cross-build has fewer. Skips where there is none.
need_some() {
	built=
	for one; do
		[ ! -x "$WORKLOADS/$one" ] || built="$built $one"
	done
	[ -n "$built" ] || skip "no $1 here (make stack-workloads)"
}

need_workload() { [ -x "$WORKLOADS/$1" ] || skip "no $1 here (make stack-workloads)"; }

stacks_of() {
	awk '
	function flush() {
		if (line != "")
			print line (mark == "" ? " end" : " [" mark "]")
		line = ""
	}
	/^\t  0x/ {
		name = $2 ~ /\+0x/ ? $2 : "?"
		sub(/\+0x.*/, "", name)
		module = $NF
		gsub(/[()]/, "", module)
		line = (line == "" ? "" : line " ") $1 " " name " " module
		next
	}
	/^\t  \[(incomplete: |guessed)/ { mark = $0; gsub(/^\t *\[(incomplete: )?|\]$/, "", mark); next }
	{ flush(); mark = "" }
	END { flush() }' "$1"
}

stacks_by_index() {
	awk '
	function number(hexadecimal,   i, value) {
		for (i = 3; i <= length(hexadecimal); i++)
			value = value * 16 + index("0123456789abcdef", substr(hexadecimal, i, 1)) - 1
		return value
	}
	function flush() {
		if (index_now != "")
			print index_now line (mark == "" ? " end" : " [" mark "]")
		index_now = line = mark = ""
	}
	/^ *-?[0-9]+\.[0-9]+ / {
		flush()
		if (match($0, /traced_here +\(0x[0-9a-f]+/)) {
			first = substr($0, RSTART, RLENGTH)
			sub(/.*\(/, "", first)
			index_now = number(first)
		}
		is_leaf = 1
		next
	}
	/^\t  0x/ {
		module = $NF
		gsub(/[()]/, "", module)
		if (!is_leaf)
			line = line " " $1 " " module
		is_leaf = 0
	}
	/^\t  \[(incomplete: |guessed)/ { mark = $0; gsub(/^\t *\[(incomplete: )?|\]$/, "", mark) }
	END { flush() }' "$1" | sort -n
}

last_stacks() {
	awk '
	/^ *-?[0-9]+\.[0-9]+ / { tid = $4; line[tid] = ""; mark[tid] = " end"; next }
	/^\t  0x/ {
		module = $NF
		gsub(/[()]/, "", module)
		line[tid] = line[tid] " " $1 " " module
	}
	/^\t  \[(incomplete: |guessed)/ {
		mark[tid] = " " $0
		gsub(/\t *|incomplete: /, "", mark[tid])
	}
	END { for (tid in line) print tid line[tid] mark[tid] }' "$1" | sort -n
}

stacks_of_threads() {
	awk -v module="($2)" '
	/^ *-?[0-9]+\.[0-9]+ / { tid = $4; line[tid] = "" }
	/^\t  0x/ && $NF == module { sub(/\+0x.*/, "", $2); line[tid] = line[tid] " " $2 }
	END { for (tid in line) print tid line[tid] }' "$1" | sort -n
}

# The second line of a frame has where its module begins. A program that is no PIE begins where its file
# says, mostly 0x400000.
eu_stacks() {
	eu-stack -p "$1" -n 0 -q -m -b 2>"$T/eu-stack.err" | awk '
	function number(hexadecimal,   i, value) {
		value = 0
		for (i = 3; i <= length(hexadecimal); i++)
			value = value * 16 + index("0123456789abcdef", substr(hexadecimal, i, 1)) - 1
		return value
	}
	function flush() { if (tid != "") print tid line " end"; line = "" }
	/^TID / { flush(); tid = $2; sub(/:/, "", tid) }
	/^#/ { pc = number($2); module = $NF; sub(/.*\//, "", module) }
	/^ +\[/ {
		sub(/.*@0x/, "0x")
		base = number(substr($0, 1, index($0, "+") - 1))
		line = line " " sprintf("0x%x", base == 4194304 ? pc : pc - base) " " module
	}
	END { flush() }' >"$T/eu-stack.out"
	# on stderr: "eu-stack: dwfl_thread_getframes tid 123 at 0x1234 in ...: No DWARF information found"
	cut=$(sed -n 's/.* tid \([0-9]*\) .*/\1/p' "$T/eu-stack.err" | tr '\n' ' ')
	awk -v cut=" $cut" 'index(cut, " " $1 " ") { sub(/end$/, "[marked]") } { print }' "$T/eu-stack.out" | sort -n
}

own_stacks() { awk '{ $2 = ""; sub(/  /, " "); print }' "$1" | sort -n; }

# A stack that OWN lacks was left out there on purpose.
compare_stacks() {
	awk -v may_be_marked="${3:-}" '
	function begins_with(text, start) { return substr(text " ", 1, length(start) + 1) == start " " }
	function is_alike(got, is_marked, own, is_whole) {
		if (is_marked)
			return is_whole ? may_be_marked && begins_with(own, got) : begins_with(got, own)
		return is_whole && got == own
	}
	NR == FNR { own[$1] = $0; count++; next }
	!($1 in own) { next }
	{
		got = $0
		is_marked = sub(/ \[[^]]*\]$/, "", got)
		sub(/ end$/, "", got)
		wanted = own[$1]
		is_whole = sub(/ end$/, "", wanted)
		sub(/ \[marked\]$/, "", wanted)
		if (!is_alike(got, is_marked, wanted, is_whole))
			print "tracer: " $0 "\nwanted: " own[$1]
		seen[$1]++
	}
	END {
		for (i in own)
			if (seen[i] != 1)
				print "stack " i " was seen " seen[i] + 0 " times"
		if (!count)
			print "no stacks"
	}' "$1" "$2" >"$T/differences"
	[ -s "$T/differences" ] || return 0
	head -n 8 "$T/differences"
	return 1
}

same_stacks() {
	stacks_by_index "$1" >"$T/theirs"
	own_stacks "$2" >"$T/own"
	compare_stacks "$T/own" "$T/theirs" "${3:-}" ||
		fail "$(grep -c . "$T/differences") lines of differences: $(head -n 1 "$T/differences")"
}

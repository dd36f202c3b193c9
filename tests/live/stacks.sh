#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Stacks in the tracer's text, compared with what another says they are. Sourced after lib.sh.
#
#	stacks_by_index FILE	of events at traced_here in FILE, text with -g, one line each, as the workload
#				writes it: "INDEX 0xVADDR MODULE ... end", callers only, "end" when complete,
#				else "[WHY]"
#	stacks_of FILE		of all events, one a line: "0xVADDR NAME MODULE ... end", the leaf too
#	own_stacks FILE		what the workload wrote, sorted, without its situations
#	same_stacks FILE OWN [marked]
#				fails if a stack in FILE differs from that in OWN (a file that backtrace.c
#				wrote) or is not complete; where OWN's does not end, it must be marked.
#				"marked": any may be marked, and end early then

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
		if (match($0, /traced_here \(0x[0-9a-f]+/))
			index_now = number(substr($0, RSTART + 13, RLENGTH - 13))
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

own_stacks() { awk '{ $2 = ""; sub(/  /, " "); print }' "$1" | sort -n; }

# A stack that OWN lacks was left out there on purpose.
same_stacks() {
	stacks_by_index "$1" >"$T/theirs"
	own_stacks "$2" >"$T/own"
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
		is_marked = sub(/ \[.*\]$/, "", got)
		sub(/ end$/, "", got)
		wanted = own[$1]
		is_whole = sub(/ end$/, "", wanted)
		if (!is_alike(got, is_marked, wanted, is_whole))
			print "tracer: " $0 "\nitself: " own[$1]
		seen[$1]++
	}
	END {
		for (i in own)
			if (seen[i] != 1)
				print "stack " i " was seen " seen[i] + 0 " times"
		if (!count)
			print "no stacks"
	}' "$T/own" "$T/theirs" >"$T/differences"
	[ ! -s "$T/differences" ] || {
		head -n 8 "$T/differences"
		fail "$(grep -c . "$T/differences") lines of differences: $(head -n 1 "$T/differences")"
	}
}

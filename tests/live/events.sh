#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Reading the tracer's outputs. Sourced after lib.sh.
#
# Text output is "TIME COMM PID TID CPU EVENT DETAILS" a line. A comm with blanks in it would shift the
# columns; no workload but hostile has one.
#	events				the lines of $T/out that are events: no header, comment or stack
#	events_of FILE			the same of another file
#	count_events ERE		how many of those in $T/out match; '.' for all
#	column N			the N-th column of events on stdin: 3 PID, 4 TID, 5 CPU, 6 EVENT
#	details				what comes after EVENT, of events on stdin
# Folded output is "COMM;FRAME;...;LEAF N" a line:
#	folded_sum FILE [ERE]		the sum of N, over the lines that match
# Messages:
#	accounted seen|delivered|lost	that number of the line that -v prints, from $T/err
#	assert_summary EVENTS PROCESSES	the summary in $T/err says so, and that nothing was lost
#	assert_printable FILE		no control character but line feed and tab, no C1 control either

events_of() { grep -E '^ *-?[0-9]+\.[0-9][0-9][0-9][0-9][0-9][0-9]  ' "$1" || :; }

events() { events_of "$T/out"; }

count_events() { events | grep -cE -- "$1" || :; }

column() { awk -v n="$1" '{ print $n }'; }

details() { awk '{ $1 = $2 = $3 = $4 = $5 = $6 = ""; sub(/^ +/, ""); print }'; }

folded_sum() { { grep -E -- "${2:-}" "$1" || :; } | awk '{ sum += $NF } END { printf "%.0f\n", sum }'; }

accounted() { sed -n "s/^tracer: accounting:.* $1=\([0-9]*\).*/\1/p" "$T/err"; }

assert_summary() {
	summary_noun=processes
	[ "$2" -ne 1 ] || summary_noun=process
	assert_match "^tracer: [0-9]+\.[0-9] s, $1 events in $2 $summary_noun, 0 lost" "$T/err"
}

# In the C locale bytes are characters, so that nothing is hidden from tr and grep.
assert_printable() {
	printable_bad=$(LC_ALL=C tr -d '\n\t -~\200-\377' <"$1" | wc -c)
	[ "$printable_bad" -eq 0 ] || fail "${1##*/} has $printable_bad control characters"
	printable_c1=$(printf '\302[\200-\237]')
	! LC_ALL=C grep -q "$printable_c1" "$1" || fail "${1##*/} has C1 control characters"
}

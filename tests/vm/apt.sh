#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Debian's packages without installing them. Sourced by the fetch scripts.
#
# They come through the ordinary apt client, with a private sources list and private state, so that the
# machine's own package lists stay as they are; no root is needed. The mirror is the one the machine is
# configured for, or $TRACER_TEST_MIRROR.
#
#	apt_begin FOLDER ARCH		sets $work, a folder below FOLDER that vanishes with the script
#	apt_open SUITE...		reads the lists of that suite, of the first mirror that has it and in
#					which apt_wanted, a function of the script, finds what it wants
#	apt_private TOOL ARG...		apt-get or apt-cache
#	apt_unpack PACKAGE...		into $work/root
#
# The script defines cannot WHY, which ends it, and apt_wanted.
#
# shellcheck disable=SC2154 # work is set by apt_begin

apt_begin() {
	for tool in apt-get apt-cache dpkg-deb; do
		command -v "$tool" >/dev/null || cannot "no $tool here"
	done
	apt_keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	[ -r "$apt_keyring" ] || cannot "$apt_keyring is missing (package debian-archive-keyring)"
	apt_architecture=$2
	mkdir -p "$1"
	work=$(mktemp -d "$1/.fetch.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/root"
}

# Status and preferences of the machine must not change what is found; an old suite's Release file has
# expired, but its signature is still checked. apt's own unprivileged user cannot write below a home
# directory, hence Sandbox::User.
apt_private() {
	apt_tool=$1
	shift
	"$apt_tool" -qq \
		-o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null \
		-o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null \
		-o Dir::State::Lists="$work/lists" -o Dir::State::status=/dev/null -o Dir::Cache="$work/cache" \
		-o APT::Architecture="$apt_architecture" -o APT::Architectures="$apt_architecture" \
		-o APT::Sandbox::User=root -o Acquire::Languages=none -o Acquire::Retries=2 \
		-o Acquire::Check-Valid-Until=false "$@"
}

# Debian mirrors of this machine, plain archives before security ones.
apt_mirrors() {
	if [ -n "${TRACER_TEST_MIRROR:-}" ]; then
		echo "$TRACER_TEST_MIRROR"
		return
	fi
	# shellcheck disable=SC2016 # apt fills these in
	apt-get indextargets --format '$(REPO_URI) $(ORIGIN)' 'Created-By: Packages' |
		awk '$2 == "" || $2 == "Debian" { print $1 ~ /security/, $1 }' | sort -u | cut -d' ' -f2
}

apt_open() {
	for apt_suite; do
		for apt_mirror in $(apt_mirrors); do
			echo "deb [signed-by=$apt_keyring] $apt_mirror $apt_suite main" >"$work/sources.list"
			apt_private apt-get update --error-on=any >"$work/log" 2>&1 || continue
			if apt_wanted; then return; fi
		done
	done
	apt_show_log
	cannot "no mirror of this machine has it in $*; TRACER_TEST_MIRROR=URI names another"
}

apt_unpack() {
	(cd "$work" && apt_private apt-get download "$@") >"$work/log" 2>&1 || {
		apt_show_log
		cannot "download of $* failed"
	}
	for apt_package in "$work"/*.deb; do
		dpkg-deb -x "$apt_package" "$work/root" || cannot "${apt_package##*/} cannot be unpacked"
	done
}

apt_show_log() { sed 's/^/  | /' "$work/log" >&2; }

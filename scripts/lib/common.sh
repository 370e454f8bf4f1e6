# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# What every script here needs: where things are, how to say what goes on, and
# how to make something in the cache exactly once.

# shellcheck disable=SC2034 # others use it
PROJECT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
CACHE=${XRDMA_CACHE:-${HOME:-/root}/.cache/xrdma}
mkdir -p "$CACHE/locks" "$CACHE/logs" || exit 1
CACHE=$(cd "$CACHE" && pwd -P)

me=${0##*/}
# shellcheck disable=SC2034 # host.sh uses it
INVOCATION=("$@")

say()
{
	printf '%s: %s\n' "$me" "$*" >&2
}

die()
{
	say "$*"
	exit 1
}

usage_error()
{
	say "$* (see $me --help)"
	exit 2
}

# step TITLE COMMAND [ARG...]: a step of more than a few seconds. Its output
# goes to a log, which is shown only if it fails.
step()
{
	local title=$1 log start=$SECONDS
	shift
	log=$CACHE/logs/$(printf '%s' "${title%% (*}" | tr -c 'A-Za-z0-9.\n' '-').log
	say "$title ..."
	if ! "$@" > "$log" 2>&1; then
		tail -n 40 "$log" >&2
		die "this step failed: ${title%% (*}; its whole log is $log"
	fi
	say "  done in $((SECONDS - start)) s"
}

# locked NAME COMMAND [ARG...]: one process at a time. Runs the command in a
# subshell, so that the lock ends with it whatever happens.
locked()
{
	local name=$1
	shift
	(
		if ! flock -n 9; then
			say "waiting for another run that holds $name"
			flock 9
		fi
		"$@"
	) 9> "$CACHE/locks/$name"
}

# once DIR KEY COMMAND [ARG...]: make DIR, which was made by this very recipe if
# DIR/.key says KEY. The command fills a folder given to it as last argument;
# the rename at the end is what makes an interrupted run harmless.
once()
{
	have_once "$1" "$2" || locked "${1//\//_}" once_locked "$@"
}

have_once()
{
	[ "$(cat "$CACHE/$1/.key" 2>/dev/null)" = "$2" ]
}

once_locked()
{
	local dir=$CACHE/$1 key=$2
	shift 2
	have_once "${dir#"$CACHE"/}" "$key" && return
	rm -rf --one-file-system "$dir.new" "$dir.old"
	mkdir -p "$dir.new"
	"$@" "$dir.new" || exit
	printf '%s\n' "$key" > "$dir.new/.key"
	[ ! -e "$dir" ] || mv "$dir" "$dir.old"
	mv "$dir.new" "$dir"
	rm -rf --one-file-system "$dir.old"
}

hash_of()
{
	sha256sum | cut -c 1-16
}

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=sh
#
# enter-root.sh ROOT PROJECT CACHE COMMAND [ARG...], inside a new mount and PID
# namespace: mounts what a build needs below ROOT and runs the command there.
# See in_builder in builders.sh.
set -e
root=$1 project=$2 cache=$3
shift 3

bind()
{
	mkdir -p "$root$1"
	mount --bind "$1" "$root$1"
}

mount --make-rprivate /
mount -t proc proc "$root/proc"
mount -t tmpfs tmp "$root/tmp"
for node in null zero full random urandom; do
	[ -e "$root/dev/$node" ] || : > "$root/dev/$node"
	mount --bind "/dev/$node" "$root/dev/$node"
done
bind "$project"
mount -o remount,bind,ro "$root$project"
bind "$cache/build"
bind "$cache/tools"
dir=$(pwd)
[ -d "$root$dir" ] || dir=/

# env -i: nothing of the caller's set-up (locale, flags of an outer make) may
# reach the build.
# No exec: this shell stays process 1. make as process 1 never ends when it is told
# to, for it can't kill itself, and would hold the build's lock for ever.
status=0
# shellcheck disable=SC2016 # expanded by the shell inside
env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
	TMPDIR=/tmp ${TOOLS:+TOOLS="$TOOLS"} \
	chroot "$root" sh -c 'cd "$1" && shift && exec "$@"' sh "$dir" "$@" || status=$?
exit $status

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=sh
#
# Runs inside a new mount and PID namespace: mounts what a build needs below
# $ROOT and runs the arguments there. See in_builder in builders.sh.
set -e

bind()
{
	mkdir -p "$ROOT$1"
	mount --bind "$1" "$ROOT$1"
}

mount --make-rprivate /
mount -t proc proc "$ROOT/proc"
mount -t tmpfs tmp "$ROOT/tmp"
for node in null zero full random urandom; do
	[ -e "$ROOT/dev/$node" ] || : > "$ROOT/dev/$node"
	mount --bind "/dev/$node" "$ROOT/dev/$node"
done
bind "$PROJECT"
mount -o remount,bind,ro "$ROOT$PROJECT"
bind "$CACHE/build"
bind "$CACHE/tools"
if [ -d "$ROOT$CWD" ]; then dir=$CWD; else dir=/; fi

# env -i: nothing of the caller's set-up (locale, flags of an outer make) may
# reach the build.
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
	TMPDIR=/tmp ${W:+W="$W"} ${TOOLS:+TOOLS="$TOOLS"} \
	chroot "$ROOT" sh -c 'cd "$1" && shift && exec "$@"' sh "$dir" "$@"

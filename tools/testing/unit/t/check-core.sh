#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The include whitelist holds for the cores, and the check that says so can fail.

top=$(cd "$(dirname "$0")/../../../.." && pwd)
check=$top/scripts/check-core.sh
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
n=0

# $1: name, $2: wanted exit status, $3...: what to run
test_case()
{
	n=$((n + 1))
	name=$1 want=$2
	shift 2
	"$@" >"$dir/log" 2>&1
	if [ $? -eq "$want" ]; then
		echo "ok $n $name"
	else
		sed 's/^/# /' "$dir/log"
		echo "not ok $n $name"
	fi
}

# $1: text of a core file
check_text()
{
	mkdir -p "$dir/core"
	: >"$dir/core/neighbour.h"
	printf '%s\n' "$1" >"$dir/core/x.c"
	"$check" "$dir/core"
}

echo 1..9
test_case check_core__holds 0 "$check"
test_case check_core__whitelist 0 check_text '#include <linux/types.h> /* u8 */'
test_case check_core__neighbour 0 check_text '#include "neighbour.h"'
test_case check_core__comment_may_name_anything 0 check_text '/* no float, no __KERNEL__ */'
test_case check_core__other_header 1 check_text '#include <linux/skbuff.h>'
test_case check_core__other_directory 1 check_text '#include "../qp.h"'
test_case check_core__header_that_is_not_there 1 check_text '#include "qp.h"'
test_case check_core__floating_point 1 check_text 'static double rate;'
test_case check_core__asks_where_it_is_built 1 check_text '#ifdef __KERNEL__'

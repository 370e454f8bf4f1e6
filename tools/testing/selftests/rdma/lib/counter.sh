# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# Counters of a device, and the kernel's log.

# counter SIDE NAME
counter()
{
	local value
	read -r value < "/sys/class/infiniband/xr$1/ports/1/hw_counters/$2"
	echo "$value"
}

# Names of the counters that tell why packets were dropped.
drop_counters()
{
	(cd "/sys/class/infiniband/xr$1/ports/1/hw_counters" && echo drop_*)
}

sum_of_drops()
{
	local name sum=0
	for name in $(drop_counters "$1"); do
		sum=$((sum + $(counter "$1" "$name")))
	done
	printf '%d\n' "$sum"
}

# show_counters SIDE: those that are not 0, for a failure's report.
show_counters()
{
	(cd "/sys/class/infiniband/xr$1/ports/1/hw_counters" &&
		grep -v -x -H 0 ./* | sed "s/^\.\//xr$1 /")
}

# mark_log, and later log_since_mark: what the kernel logged in between, but for
# its remarks about a slow machine and that a netdev came up.
mark_log()
{
	log_mark="mark $$ $RANDOM$RANDOM"
	echo "selftests: $log_mark" > /dev/kmsg
}

log_since_mark()
{
	dmesg | sed "1,/selftests: $log_mark\$/d" |
		grep -v -E 'hrtimer: interrupt took|perf: interrupt took|clocksource|link becomes ready' || true
}

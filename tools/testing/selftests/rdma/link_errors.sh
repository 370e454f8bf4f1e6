#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# "rdma link add" that can't work.
#
#	namespace xr1                          namespace xr2
#	  eth0  ------------- veth -------------  eth0
#	  tun0 IP in IP tunnel
#
# Promises: each kind of mistake gives its own errno, which "rdma" prints, and one
# line in the kernel's log that says what to do; a thousand of them leave nothing
# behind: no memory, no reference to netdev or module, no socket on port 4791.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need python3 python3
[ "$LINK_TYPE" = xroce ] || skip_all "it is about xroce's messages"

plan 12

# refused ERROR LOG COMMAND...: the command fails with ERROR and logs one line,
# which matches LOG; '' if the kernel's core refuses it before we are asked.
refused()
{
	local error=$1 log=$2 said lines
	shift 2
	mark_log
	! said=$("$@" 2>&1) || fail "it succeeded: $*"
	printf '%s\n' "$said"
	grep -q -F "$error" <<< "$said" || fail "not refused with '$error': $said"
	lines=$(log_since_mark | grep 'xroce: ' || true)
	printf '%s\n' "$lines"
	if [ -z "$log" ]; then
		[ -z "$lines" ] || fail "it logged something"
		return
	fi
	[ "$(wc -l <<< "$lines")" = 1 ] || fail "not one line in the log"
	grep -q -E "$log" <<< "$lines" || fail "the log does not say '$log'"
}

netdev_twice()
{
	add_link 1 xr1 eth0
	refused 'File exists' "eth0 has the device xr1 .*rdma link del xr1" add_link 1 other eth0
	device_exists xr1 || fail "the first device is gone"
	! device_exists other || fail "there is a second device"
}

# The name is refused by the kernel's core, with an errno of its choice.
name_twice()
{
	! add_link 2 xr1 eth0 || fail "two devices of one name"
	! in_side 2 rdma link show | grep -q eth0 || fail "there is a device"
	add_link 2 xr2 eth0 || fail "the netdev can't be used any more"
	rdma link del xr2
	rdma link del xr1
}

# hold_port SIDE 4|6
hold_port()
{
	(exec_side "$1" timeout $((300 * patience)) python3 -c "
import socket, time
s = socket.socket(socket.AF_INET6 if $2 == 6 else socket.AF_INET, socket.SOCK_DGRAM)
if $2 == 6:
    s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
s.bind(('::' if $2 == 6 else '0.0.0.0', 4791))
time.sleep(300)") &
	holder=$!
	wait_for 10 port_is_bound "$1"
}

port_taken()
{
	hold_port 1 "$1"
	refused 'Address already in use' 'port 4791 is taken.*eth0' add_link 1 xr1 eth0
	! device_exists xr1 || fail "there is a device"
	kill "$holder"
	wait "$holder" || true
	wait_for 5 not port_is_bound 1
	add_link 1 xr1 eth0 || fail "the port is free, and yet it fails"
	rdma link del xr1
}

# The other holder of the port is the kernel's own driver.
rxe_is_there()
{
	modprobe -n -q rdma_rxe || skip "no rdma_rxe for this kernel"
	ip link add xr-dummy type dummy
	trap 'rdma link del xr-rxe; ip link del xr-dummy; modprobe -r rdma_rxe' EXIT
	ip link set xr-dummy up
	rdma link add xr-rxe type rxe netdev xr-dummy || skip "rxe does not work here"
	refused 'File exists' 'xr-dummy has the rxe device xr-rxe' add_link 0 xr1 xr-dummy
	refused 'Address already in use' 'port 4791 is taken' add_link 0 xr1 lo
}

tunnel()
{
	in_side 1 ip link add tun0 type ipip local 10.0.0.1 remote 10.0.0.2 || skip "no IP in IP"
	refused 'not supported' 'tun0 is neither' add_link 1 xr1 tun0
	in_side 1 ip link del tun0
}

# Is anything left that was not there before? Memory in KiB.
memory_in_use()
{
	sync
	echo 3 > /proc/sys/vm/drop_caches
	awk '/^(SUnreclaim|Percpu|VmallocUsed):/ { sum += $2 } END { print sum }' /proc/meminfo
}

# Of each kind; 1,050 in all.
times=350

again_and_again()
{
	local name=$1 netdev=$2 i before after references
	for ((i = 0; i < times; i++)); do
		echo "link add $name type xroce netdev $netdev"
	done > "$scratch/batch"
	# The first ones may fill caches.
	head -n 20 "$scratch/batch" > "$scratch/first"
	in_side 1 rdma -f -b "$scratch/first" > /dev/null 2>&1 || true
	before=$(memory_in_use)
	references=$(cat /sys/module/xroce/refcnt)
	in_side 1 rdma -f -b "$scratch/batch" > "$scratch/said" 2>&1 || true
	after=$(memory_in_use)
	[ "$(grep -c '^error' "$scratch/said")" = "$times" ] ||
		fail "not all failed: $(sort "$scratch/said" | uniq -c | sort -n | tail -n 3)"
	note "memory in use: $before KiB before, $after KiB after"
	[ $((after - before)) -lt 1024 ] || fail "$((after - before)) KiB more are in use"
	[ "$(cat /sys/module/xroce/refcnt)" = "$references" ] ||
		fail "references to the module: $(cat /sys/module/xroce/refcnt), were $references"
}

many_duplicates()
{
	add_link 1 xr1 eth0
	again_and_again other eth0
	rdma link del xr1
}

many_names()
{
	add_link 2 xr1 eth0
	again_and_again xr1 eth0
	rdma link del xr1
}

many_taken_ports()
{
	hold_port 1 6
	again_and_again xr1 eth0
	kill "$holder"
	wait "$holder" || true
}

log_is_bounded()
{
	local lines
	lines=$(dmesg | grep -c 'xroce: ')
	note "$lines lines in the log, of more than 1,000 mistakes"
	[ "$lines" -lt 300 ] || fail "$lines lines in the log: a loop of mistakes floods it"
}

nothing_is_left()
{
	local start=$EPOCHREALTIME
	unload || fail "the module can't be unloaded"
	! port_is_bound 1 || fail "port 4791 is bound"
	! port_is_bound 2 || fail "port 4791 is bound"
	in_side 1 timeout $((20 * patience)) ip link del eth0 || fail "the netdev can't be removed"
	note "unloading and removing the netdev took $(since "$start") s"
}

make_wire 4200 || bail_out "cannot make two namespaces with a veth pair"
modprobe xroce || bail_out "cannot load xroce"

run "a netdev that has a device" netdev_twice
run "a name that is taken" name_twice
run "no such netdev" refused '' '' add_link 1 xr1 nosuch
run "no such link type" refused '' '' in_side 1 rdma link add xr1 type nosuch netdev eth0
run "UDP port 4791 taken, IPv4" port_taken 4
run "UDP port 4791 taken, IPv6" port_taken 6
run "an IP tunnel" tunnel
run "rxe is there" rxe_is_there
run "many times a netdev that has a device" many_duplicates
run "many times a name that is taken" many_names
run "many times a port that is taken" many_taken_ports
run "nothing is left, the log is not flooded" eval 'log_is_bounded; nothing_is_left'
finish

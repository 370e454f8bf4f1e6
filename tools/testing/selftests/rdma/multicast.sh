#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Datagrams to groups.
#
#	namespace xr1                          namespace xr2
#	  device xr1                             device xr2
#	  eth0  10.0.0.1/24 fd00::1/64 --veth--  eth0  10.0.0.2/24 fd00::2/64
#	  members                                members, senders
#
# Promises, for RoCEv1, RoCEv2 over IPv4 and over IPv6: each member gets each
# datagram once, wherever on the wire or on the sender's own host it is; the sender
# too if it is a member and does not refuse; with the right 40 bytes in front. Who
# has another Q_Key gets nothing. MAC filter and IP membership come with the first
# member and go with the last. rdma_cm's programs work with groups.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
[ "$LINK_TYPE" = xroce ] || skip_all "the kernel's own driver loses them"
need mckey rdmacm-utils
need python3 python3
need_helper group

kinds='v1 ipv4 ipv6'
plan $((9 * 3 + 7))

declare -A group_of=([v1]=ff0e::ffff:239.5.6.7 [ipv4]=239.5.6.7 [ipv6]=ff15::5:6:7)
declare -A address_of=([v1]=4 [ipv4]=4 [ipv6]=6)
declare -A type_of=([v1]='IB/RoCE v1' [ipv4]='RoCE v2' [ipv6]='RoCE v2')
declare -A header_of=([v1]=1 [ipv4]=4 [ipv6]=6)
declare -A inputs pids
# Netdev's list of MAC addresses, as "ip maddr" shows them.
declare -A mac_of_group=([v1]=33:33:ef:05:06:07 [ipv4]=01:00:5e:05:06:07 [ipv6]=33:33:00:06:00:07)

# group_at SIDE KIND [OPTION...]: the helper's command line, in "command".
group_at()
{
	local side=$1 kind=$2 index
	shift 2
	index=$(gid_index "$side" "$(address "$side" "${address_of[$kind]}")" "${type_of[$kind]}") ||
		fail "no such GID on xr$side"
	command=("$(helper group)" "xr$side" "$index" "${group_of[$kind]}" -v "${header_of[$kind]}" "$@")
}

# members NAME SIDE KIND [OPTION...]: starts some, in the background, until "end NAME".
members()
{
	local name=$1 fd
	shift
	group_at "$@"
	rm -f "$scratch/$name.in"
	mkfifo "$scratch/$name.in"
	(
		# Or they would never see the end of their own input.
		for fd in "${inputs[@]}"; do
			exec {fd}>&-
		done
		exec timeout -k 5 "$limit" "${command[@]}"
	) < "$scratch/$name.in" > "$scratch/$name.out" 2>&1 &
	pids[$name]=$!
	exec {fd}> "$scratch/$name.in"
	inputs[$name]=$fd
	wait_for 10 grep -q -x ready "$scratch/$name.out" ||
		fail "$name is not ready: $(cat "$scratch/$name.out")"
}

# end NAME: its result in "got".
end()
{
	local fd=${inputs[$1]}
	exec {fd}>&-
	unset "inputs[$1]"
	wait "${pids[$1]}" || fail "$1: $(cat "$scratch/$1.out")"
	got=$(sed -n 's/^got *//p' "$scratch/$1.out")
	note "$1 got: $got"
	rm "$scratch/$1.in"
}

# expect NAME WHAT
expect()
{
	end "$1"
	[ "$got" = "$2" ] || { show_counters 1; show_counters 2; fail "$1 got '$got', not '$2'"; }
}

# send_to SIDE KIND [OPTION...]: from a QP that is no member.
send_to()
{
	group_at "$@"
	timeout -k 5 "$limit" "${command[@]}" < /dev/null > "$scratch/sender" 2>&1 ||
		fail "sender: $(cat "$scratch/sender")"
}

over_the_wire()
{
	members far 1 "$1" -m 3
	members near 1 "$1" -m 2
	send_to 2 "$1" -s 20
	sleep 0.2
	expect near '20 20'
	expect far '20 20 20'
}

on_the_same_host()
{
	members one 2 "$1" -m 2
	members two 2 "$1" -m 1
	members far 1 "$1" -m 1
	send_to 2 "$1" -s 20
	sleep 0.2
	expect one '20 20'
	expect two 20
	expect far 20
}

to_itself()
{
	members far 1 "$1" -m 1
	members own 2 "$1" -m 2 -s 10
	sleep 0.2
	expect own '10 10'
	expect far 10
}

not_to_itself()
{
	members far 1 "$1" -m 1
	members neighbour 2 "$1" -m 1
	members own 2 "$1" -m 2 -s 10 -b
	sleep 0.2
	expect own '0 10'
	expect neighbour 10
	expect far 10
}

wrong_qkey()
{
	local before
	before=$(counter 1 drop_qkey)
	members right 1 "$1" -m 1
	members wrong 1 "$1" -m 1 -q 0x22222222
	send_to 2 "$1" -s 10
	sleep 0.2
	expect right 10
	expect wrong 0
	[ "$(counter 1 drop_qkey)" = $((before + 10)) ] || fail "drop_qkey did not count 10"
}

# With the highest bit set in the request the QP's own Q_Key is sent (IBA 10.2.5).
own_qkey()
{
	members right 1 "$1" -m 1 -q 0x33333333
	send_to 2 "$1" -s 10 -Q 0x33333333 -k 0x80000000
	sleep 0.2
	expect right 10
}

filter_and_membership()
{
	local mac=${mac_of_group[$1]} group=${group_of[$1]}
	in_side 1 ip maddr show dev eth0 > "$scratch/before"
	members first 1 "$1" -m 2
	members second 1 "$1" -m 1
	in_side 1 ip maddr show dev eth0 > "$scratch/during"
	cat "$scratch/during"
	grep -q "link *$mac" "$scratch/during" || fail "no filter for $mac"
	[ "$1" = v1 ] || grep -q -E "inet6? *$group" "$scratch/during" || fail "no membership"
	end first
	in_side 1 ip maddr show dev eth0 | grep -q "link *$mac" || fail "the filter is closed"
	end second
	in_side 1 ip maddr show dev eth0 > "$scratch/after"
	diff "$scratch/before" "$scratch/after" || fail "something is left"
}

# A program that is killed leaves nothing either.
killed_member()
{
	in_side 1 ip maddr show dev eth0 > "$scratch/before"
	members victim 1 "$1" -m 2
	pkill -KILL -P "${pids[victim]}"
	wait "${pids[victim]}" || true
	in_side 1 ip maddr show dev eth0 > "$scratch/after"
	diff "$scratch/before" "$scratch/after" || fail "something is left"
}

# The same MAC, another group: the filter lets it through, nobody gets it.
another_group()
{
	local own=${group_of[$1]} before
	before=$(counter 1 drop_no_qp)
	members right 1 "$1" -m 1
	case $1 in
	v1) group_of[v1]=ff0f::ffff:239.5.6.7 ;;
	ipv4) group_of[ipv4]=239.133.6.7 ;;
	ipv6) group_of[ipv6]=ff15::1:5:6:7 ;;
	esac
	send_to 2 "$1" -s 5
	sleep 0.2
	expect right 0
	group_of[$1]=$own
	# IP knows that nobody is in that group.
	[ "$1" != v1 ] || [ "$(counter 1 drop_no_qp)" = $((before + 5)) ] ||
		fail "drop_no_qp did not count 5"
}

refusals()
{
	group_at 1 ipv4 -x
	"${command[@]}" > "$scratch/said"
	cat "$scratch/said"
	[ "$(cat "$scratch/said")" = 'rc EINVAL unicast EINVAL stranger EINVAL once success twice success' ] ||
		fail "other errors"
}

mckey_on()
{
	local group=$1 side pid
	exec_side 1 timeout -k 5 "$limit" mckey -m "$group" -b "$2" -C 20 > "$scratch/server" 2>&1 &
	pid=$!
	wait_for 10 is_member 1 "$group" || { cat "$scratch/server"; fail "it does not join"; }
	sleep 0.5
	in_side 2 timeout -k 5 "$limit" mckey -s -m "$group" -b "$3" -C 20 > "$scratch/client" 2>&1 ||
		{ cat "$scratch/client"; fail "sender"; }
	wait $pid || { cat "$scratch/server"; show_counters 1; show_counters 2; fail "receiver"; }
	cat "$scratch/server" "$scratch/client"
	grep -q 'data transfers complete' "$scratch/server" || fail "it did not get all"
}

is_member()
{
	in_side "$1" ip maddr show dev eth0 | grep -q -w "$2"
}

# mckey_v1 GROUP MAC BIND-1 BIND-2: RoCEv1 takes IPv6 groups too, which the kernel's
# rdma_cm refuses for RoCEv2.
mckey_v1()
{
	cm_mode 'IB/RoCE v1'
	trap 'cm_mode "RoCE v2"; rmdir /sys/kernel/config/rdma_cm/xr?; end_background' EXIT
	count_wire 2
	exec_side 1 timeout -k 5 "$limit" mckey -m "$1" -b "$3" -C 20 > "$scratch/server" 2>&1 &
	wait_for 10 is_member 1 "$2" || { cat "$scratch/server"; fail "it does not join"; }
	sleep 0.5
	in_side 2 timeout -k 5 "$limit" mckey -s -m "$1" -b "$4" -C 20 > "$scratch/client" 2>&1 ||
		{ cat "$scratch/client"; fail "sender"; }
	wait $! || { cat "$scratch/server"; fail "receiver"; }
	[ "$(on_wire 2 v1)" -ge 20 ] || fail "it was not RoCEv1"
	end_count_wire 2
}

# On the loopback netdev, where frames come back by themselves.
loopback_netdev()
{
	local index
	add_link 1 xrlo lo
	trap 'rdma link del xrlo; end_background' EXIT
	index=$(grep -l -x '0000:0000:0000:0000:0000:ffff:7f00:0001' /sys/class/infiniband/xrlo/ports/1/gids/{0..15} 2> /dev/null |
		while read -r file; do
			n=${file##*/}
			[ "$(cat "/sys/class/infiniband/xrlo/ports/1/gid_attrs/types/$n")" != 'RoCE v2' ] || echo "$n"
		done | head -n 1)
	[ -n "$index" ] || fail "no GID for 127.0.0.1"
	sleep 1 | timeout 20 "$(helper group)" xrlo "$index" 239.5.6.7 -m 2 -s 10 > "$scratch/lo" || true
	grep -q -x 'got 10 10' "$scratch/lo" || { cat "$scratch/lo"; fail "not each once"; }
	sleep 1 | timeout 20 "$(helper group)" xrlo "$index" 239.5.6.7 -m 2 -s 10 -b > "$scratch/lo" || true
	grep -q -x 'got 0 10' "$scratch/lo" || { cat "$scratch/lo"; fail "not blocked"; }
}

make_pair 4200

for kind in $kinds; do
	run "$kind: five members over the wire" over_the_wire $kind
	run "$kind: members on the sender's host" on_the_same_host $kind
	run "$kind: a sender that is a member" to_itself $kind
	run "$kind: a sender that blocks its own" not_to_itself $kind
	run "$kind: another Q_Key" wrong_qkey $kind
	run "$kind: a Q_Key with the highest bit" own_qkey $kind
	run "$kind: MAC filter and IP membership" filter_and_membership $kind
	run "$kind: a member is killed" killed_member $kind
	run "$kind: another group of the same MAC" another_group $kind
done
run "what is refused" refusals
run "on the loopback netdev" loopback_netdev
run "mckey, IPv4 group" mckey_on 239.1.2.3 10.0.0.1 10.0.0.2
run "mckey, IPv4 group, all hosts" mckey_on 224.0.0.99 10.0.0.1 10.0.0.2
run "mckey, IPv4 group, RoCEv1" mckey_v1 239.1.2.3 33:33:ef:01:02:03 10.0.0.1 10.0.0.2
run "mckey, IPv6 group, RoCEv1" mckey_v1 ff15::1:2:3 33:33:00:02:00:03 fd00::1 fd00::2
run "traffic works as before" pingpong ud 4
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Taking an iWARP device away from those who use it.
#
#	first namespace     namespace xr1            namespace xr2
#	                      device xr1               device xr2
#	                      eth0 ------- veth -------- eth0
#	                      servers                  clients
#
# Promises: "rdma link del", the removal of the netdev, the end of its namespace
# and "rmmod" return soon while programs are connected and sending; the programs
# notice; nothing of TCP is left; afterwards the module can be unloaded. A QP can be
# destroyed while its connection is made, accepted or ended (iw_races.c).

LINK_TYPE=xiwarp
# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need rping rdmacm-utils
need ib_send_bw perftest
need_helper iw_races

# Promised is a second; a machine that others use, too, stalls now and then.
hang_s=${REMOVE_SECONDS:-$((5 * patience))}

plan 11

start_programs()
{
	programs=()
	start_one 1 rping -s -a 10.0.0.1 -P
	wait_for 20 listens_by_cm 7174 || fail "rping does not listen"
	start_one 2 rping -c -a 10.0.0.1 -C 10000000
	# Both ways (-b), so that both have receives to be flushed. Over iWARP, a client
	# that sent as much as his peer has room for watches memory for a WRITE that says
	# go on; and if TCP has taken all of it, no completion ever tells him of the end.
	start_one 1 ib_send_bw -R -F -b -D 100 -p 18600
	wait_for 20 listens_by_cm 18600 || fail "ib_send_bw does not listen"
	start_one 2 ib_send_bw -R -F -b -D 100 -p 18600 10.0.0.1
	wait_for 60 is_busy || { tail -n 4 "$scratch"/program.*; fail "nothing is sent"; }
}

# start_one SIDE COMMAND...
start_one()
{
	(exec_side "$1" timeout -k 5 "$limit" stdbuf -oL "${@:2}") > "$scratch/program.${#programs[@]}" 2>&1 &
	programs+=($!)
}

# Both pairs: rping alone would take longer to get there.
is_busy()
{
	[ "$(counter 2 rx_read_requests)" -gt 20 ] && [ "$(counter 1 rx_send_messages)" -gt 1000 ]
}

take_away()
{
	local start
	start_programs
	start=$EPOCHREALTIME
	limited 60 "$@" || fail "failed or hangs: $*"
	wait_for 20 not device_exists xr1 || fail "the device is still there"
	note "took $(since "$start") s"
	[ "$(since "$start" | cut -d . -f 1)" -lt "$hang_s" ] || fail "took $(since "$start") s"
	programs_end || fail "a program does not notice"
}

programs_end()
{
	wait_for 30 programs_have_ended || { show_hanging; return 1; }
}

show_hanging()
{
	local i
	for i in "${!programs[@]}"; do
		kill -0 "${programs[i]}" 2> /dev/null || continue
		sed 's/^/said: /' "$scratch/program.$i" | tail -n 8
		show_programs "${programs[i]}"
	done
	show_objects
	show_stuck
}

kill_all()
{
	# They may end by themselves at this moment.
	ip netns pids "xr$1" | xargs -r kill -KILL 2> /dev/null || true
}

# Of the namespace that the netdev is in; who is in it keeps it.
end_namespace()
{
	kill_all 1
	ip netns del xr1
}

# Programs hold no reference; parts of the kernel may, for moments.
unload_busy()
{
	[ "$(cat /sys/module/xiwarp/refcnt)" = 0 ] ||
		note "references: $(cat /sys/module/xiwarp/refcnt)"
	modprobe -r --wait=$((1000 * patience)) xiwarp
}

killed()
{
	start_programs
	kill_all 1
	kill_all 2
	limited 60 rdma link del xr1 || fail "rdma link del hangs"
	add_link 1 xr1 eth0
}

programs_have_ended()
{
	local pid
	for pid in "${programs[@]}"; do
		! kill -0 "$pid" 2> /dev/null || return
	done
}

again()
{
	drop_wire 2> /dev/null || true
	make_pair 1500
}

has_no_tcp()
{
	! in_side 2 ss -Htn 'state established or state fin-wait-1 or state close-wait' | grep .
}

# In every second round the programs are killed, too.
twenty_times()
{
	local i
	for ((i = 0; i < 20; i++)); do
		programs=()
		start_one 1 rping -s -a 10.0.0.1 -P
		wait_for 20 listens_by_cm 7174 || fail "round $i: no listener"
		start_one 2 rping -c -a 10.0.0.1 -C 100000
		sleep "0.0$((i % 10))"
		limited 20 rdma link del xr1 || fail "round $i"
		add_link 1 xr1 eth0 || fail "round $i: cannot add it again"
		[ $((i % 2)) = 0 ] || { kill_all 1; kill_all 2; }
		programs_end || fail "round $i: a program does not end"
	done
}

race()
{
	limited 30 in_side 1 "$(helper iw_races)" 10.0.0.1 4 "$1" > "$scratch/race" 2>&1 ||
		{ cat "$scratch/race"; fail "race: $1"; }
	note "$(cat "$scratch/race")"
	grep -q -v '^0 ' "$scratch/race" || fail "no connection"
}

make_pair 1500
run "rdma link del" take_away rdma link del xr1
again
run "removal of the netdev" take_away ip -n xr1 link del eth0
again
run "end of the namespace" take_away end_namespace
again
run "modprobe -r" take_away unload_busy
again
run "rdma link del under killed programs" killed
run "twenty times in a row" twenty_times
run "a QP destroyed while it is being connected" race connect
run "a QP destroyed while it is accepted" race accept
run "a QP destroyed together with its id" race destroy
run "no connection is left" wait_for 10 has_no_tcp
run "the module can be unloaded" unload
finish

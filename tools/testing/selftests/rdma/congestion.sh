#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# A network that marks packets instead of dropping them, and one that drops.
#
#	namespace xr1                              namespace xr2
#	  device xr1                                 device xr2
#	  eth0 -> netem, tbf ------- veth ---------- eth0
#
# Promises: who reacts to marks says so, and only he; marks become notifications,
# not more often than allowed; those lower the rate of the QP that they name, of
# what it sends as well as of what is read from it, whoever sends them, from
# whatever port. Each algorithm moves all data through a bottleneck unharmed. What
# can be set can be read, and nothing else can be set. Numbers about speed are
# scripts/bench's affair.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need tc iproute2
need python3 python3
need_helper transfer
need_helper victim
[ "$LINK_TYPE" = xroce ] || skip_all "it is about xroce's parameters"

declare -A before
seed=${SEED:-$RANDOM}
plan 17

# param SIDE roce_np|roce_rp NAME [VALUE]: read, or write
param()
{
	local file=/sys/class/infiniband/xr$1/ecn/$2/$3
	if [ $# = 3 ]; then
		cat "$file"
	else
		echo "$4" > "$file"
	fi
}

everything_as_it_was()
{
	local side
	for side in 1 2; do
		in_side $side tc qdisc del dev eth0 root 2> /dev/null || true
		param $side roce_rp enable 1
		param $side roce_np enable 1
		param $side roce_np min_time_between_cnps 50
		param $side roce_rp algorithm dcqcn
	done
}

# marking SIDE: a twentieth of what it sends; what may not be marked is dropped.
marking()
{
	modprobe -q sch_netem || true
	in_side "$1" tc qdisc replace dev eth0 root netem loss 5% ecn || skip "no netem"
}

remember()
{
	local side name
	for side in 1 2; do
		for name in np_ecn_marked_roce_packets np_cnp_sent rp_cnp_handled \
			rp_cnp_ignored retransmitted_packets kept_packets; do
			before[$side$name]=$(counter "$side" "$name")
		done
	done
}

# change SIDE NAME: of a counter since remember
change()
{
	echo $(($(counter "$1" "$2") - before[$1$2]))
}

# counted SIDE NAME, silent SIDE NAME
counted()
{
	[ "$(change "$1" "$2")" -gt 0 ] || fail "$2 of xr$1 did not count"
}

silent()
{
	[ "$(change "$1" "$2")" = 0 ] || fail "$2 of xr$1 counted: $(change "$1" "$2")"
}

# ---- parameters ---------------------------------------------------------------

parameters()
{
	local name value
	[ "$(param 1 roce_rp algorithm)" = '[dcqcn] delay none ' ] ||
		fail "algorithms: $(param 1 roce_rp algorithm)"
	[ "$(param 1 roce_np cnp_dscp)" = 48 ] || fail "cnp_dscp: $(param 1 roce_np cnp_dscp)"
	for name in rpg_time_reset rpg_byte_reset rpg_threshold rpg_max_rate rpg_ai_rate \
		rpg_hai_rate rpg_gd rpg_min_dec_fac rpg_min_rate rate_to_set_on_first_cnp \
		dce_tcp_g dce_tcp_rtt rate_reduce_monitor_period initial_alpha_value \
		clamp_tgt_rate clamp_tgt_rate_after_time_inc; do
		value=$(param 1 roce_rp "$name") || fail "no $name"
		param 1 roce_rp "$name" "$value" || fail "$name: its own value is refused"
	done
	param 1 roce_rp rpg_ai_rate 7
	[ "$(param 1 roce_rp rpg_ai_rate)" = 7 ] || fail "a value did not stay"
	[ "$(param 2 roce_rp rpg_ai_rate)" != 7 ] || fail "both devices have it"
	param 1 roce_rp rpg_ai_rate 5
}

bad_parameters()
{
	local bad
	for bad in 'roce_np cnp_dscp 64' 'roce_np cnp_802p_prio 8' 'roce_rp rpg_gd 16' \
		'roce_rp rpg_ai_rate 0' 'roce_rp rpg_ai_rate -1' 'roce_rp rpg_ai_rate x' \
		'roce_rp enable 2' 'roce_rp algorithm reno' 'roce_rp dce_tcp_g 1024' \
		'roce_rp rpg_min_dec_fac 4294967297'; do
		# shellcheck disable=SC2086 # a list of words
		! param 1 $bad 2> /dev/null || fail "taken: $bad"
	done
}

# ---- marks ----------------------------------------------------------------------

# marks FAMILY: nothing is lost, all of the marks are told.
marks()
{
	marking 1
	remember
	transfer "$1" -n 60 -s "$seed"
	counted 2 np_ecn_marked_roce_packets
	counted 2 np_cnp_sent
	counted 1 rp_cnp_handled
	silent 1 rp_cnp_ignored
	# side 2 answers READs; what it sends is not marked
	silent 1 np_ecn_marked_roce_packets
	wait_for 5 all_handled ||
		fail "of $(change 2 np_cnp_sent) CNPs $(change 1 rp_cnp_handled) were handled"
}

all_handled()
{
	[ "$(change 1 rp_cnp_handled)" = "$(change 2 np_cnp_sent)" ]
}

# Nothing says that it reacts to marks, so it is dropped.
no_reaction_no_mark()
{
	"$@"
	marking 1
	remember
	transfer 4 -n 60 -s "$seed"
	silent 2 np_ecn_marked_roce_packets
	silent 2 np_cnp_sent
	counted 1 retransmitted_packets
}

notifier_off()
{
	param 2 roce_np enable 0
	marking 1
	remember
	transfer 4 -n 60 -s "$seed"
	counted 2 np_ecn_marked_roce_packets
	silent 2 np_cnp_sent
	silent 1 rp_cnp_handled
}

# Four QPs, each at most one in 131 ms.
seldom()
{
	local start=$EPOCHREALTIME most
	param 2 roce_np min_time_between_cnps 131000
	marking 1
	remember
	transfer 4 -n 100 -q 4 -s "$seed"
	most=$(awk -v t="$(since "$start")" 'BEGIN { print int(4 * (t / 0.131 + 1)) }')
	counted 2 np_cnp_sent
	note "$(change 2 np_cnp_sent) CNPs for $(change 2 np_ecn_marked_roce_packets) marks," \
		"$most allowed"
	[ "$(change 2 np_cnp_sent)" -le "$most" ] || fail "more than $most CNPs"
	[ "$(change 2 np_cnp_sent)" -lt "$(change 2 np_ecn_marked_roce_packets)" ] ||
		fail "one for each mark"
}

# ---- rates ----------------------------------------------------------------------

# rate_is_shown FILTER: a QP of xr1 has a rate now, or all of it is over.
rate_is_shown()
{
	rdma resource show qp link xr1/1 -dd > "$scratch/qps" 2> /dev/null || true
	grep -q -E "cc_rate_kbps $1" "$scratch/qps" || ! kill -0 "$transfer_pid" 2> /dev/null
}

# shows RATE OPTION...: while data move
shows()
{
	local rate=$1
	shift
	transfer 4 -n 2000 -s "$seed" "$@" > "$scratch/alone" 2>&1 &
	transfer_pid=$!
	wait_for 60 rate_is_shown "$rate" || fail "no rate is shown"
	pkill -P "$transfer_pid" -x timeout || true
	wait "$transfer_pid" 2> /dev/null || true
	grep -q -E "cc_rate_kbps $rate" "$scratch/qps" ||
		{ cat "$scratch/qps" "$scratch/alone"; fail "no rate was shown"; }
}

rate_after_marks()
{
	marking 1
	shows '[1-9][0-9]*'
}

# IBV_RATE_2_5_GBPS
static_rate()
{
	shows 2500000 -r 2
}

# ---- notifications by hand ------------------------------------------------------

start_victim()
{
	coproc VICTIM { "$(helper victim)" xr1 "$(gid_index 1 10.0.0.1)" 10.0.0.2 1 2>&1; }
	read -r -t 60 -u "${VICTIM[0]}" line || fail "no victim"
	qpn=$(awk '{ print $2 }' <<< "$line")
	exec {victim_in}>&"${VICTIM[1]}"
	# shellcheck disable=SC2153 # coproc sets it
	victim_pid=$VICTIM_PID
}

end_victim()
{
	exec {victim_in}>&-
	eval "exec ${VICTIM[1]}>&-"
	wait "$victim_pid" 2> /dev/null || true
}

# notify FIELD=VALUE...: a CNP for the victim
notify()
{
	in_side 2 python3 "$(dirname "$0")/frame.py" eth0 v=4 src=10.0.0.2 dst=10.0.0.1 \
		"dmac=$(in_side 1 cat /sys/class/net/eth0/address)" op=0x81 "qpn=$qpn" \
		tclass=0xc0 data=00000000000000000000000000000000 "$@"
}

by_hand()
{
	start_victim
	remember
	"$@"
	wait_for 5 has_come "$expected" || fail "$expected did not count"
	end_victim
}

has_come()
{
	[ "$(change 1 "$1")" -gt 0 ]
}

odd_notifications()
{
	notify sport=0
	notify pkey=0x7fff
	notify data=eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee
	wait_for 5 all_three || fail "of 3 odd CNPs $(change 1 rp_cnp_handled) were taken"
}

all_three()
{
	[ "$(change 1 rp_cnp_handled)" = 3 ]
}

# Another host than the QP's peer; then the peer itself, so that there is an end.
from_a_stranger()
{
	notify src=10.0.0.7
	notify
	wait_for 5 has_come rp_cnp_handled || fail "nothing came"
	[ "$(change 1 rp_cnp_handled)" = 1 ] || fail "a stranger's CNP was taken"
}

# ---- bottlenecks ----------------------------------------------------------------

# bottleneck ALGORITHM QDISC...: behind 100 Mbit/s
bottleneck()
{
	local side
	for side in 1 2; do
		param "$side" roce_rp algorithm "$1"
	done
	modprobe -q -a sch_tbf sch_red || true
	in_side 1 tc qdisc replace dev eth0 root handle 1: tbf rate 100mbit burst 10kb \
		limit 300kb || skip "no tbf"
	[ $# = 1 ] || in_side 1 tc qdisc replace dev eth0 parent 1:1 "${@:2}" || skip "no red"
	remember
	transfer 4 -n 30 -q 8 -s "$seed" -u 17
}

marking_bottleneck()
{
	bottleneck dcqcn red limit 300kb min 20kb max 60kb avpkt 1100 burst 30 bandwidth 100mbit \
		probability 1 ecn
	counted 2 np_ecn_marked_roce_packets
	counted 1 rp_cnp_handled
}

make_pair 4200
fix_neighbours || bail_out "cannot name neighbours"
note "seed $seed"

# case NAME COMMAND...: from a fresh start
case_of()
{
	run "$1" fresh "${@:2}"
}

fresh()
{
	everything_as_it_was
	"$@"
}

case_of "parameters have the names and values of NICs" parameters
case_of "values out of bounds are refused" bad_parameters
case_of "marks become notifications, IPv4" marks 4
case_of "marks become notifications, IPv6" marks 6
case_of "who does not react is not marked: switched off" \
	no_reaction_no_mark param 1 roce_rp enable 0
case_of "who does not react is not marked: none" \
	no_reaction_no_mark param 1 roce_rp algorithm none
case_of "who does not react is not marked: delay" \
	no_reaction_no_mark param 1 roce_rp algorithm delay
case_of "no notifications if they are switched off" notifier_off
case_of "notifications no more often than allowed" seldom
case_of "the rate is shown" rate_after_marks
case_of "the address vector's rate is obeyed" static_rate
expected=rp_cnp_handled
case_of "a notification by hand" by_hand notify
case_of "odd notifications" by_hand odd_notifications
case_of "a stranger's notification" by_hand from_a_stranger
case_of "bottleneck that marks, dcqcn" marking_bottleneck
case_of "bottleneck that drops, delay" bottleneck delay
case_of "bottleneck that drops, none" bottleneck none
everything_as_it_was
finish

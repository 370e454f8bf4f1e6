#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The perftest programs and their ways to post and to wait.
#
#	namespace xr1                          namespace xr2
#	  device xr1                             device xr2
#	  eth0  10.0.0.1/24 fd00::1/64 --veth--  eth0  10.0.0.2/24 fd00::2/64
#	  servers                                clients
#
# Promises: each operation works on each transport that has it, with events,
# inline data, several QPs, posting lists, shared receive queues, both directions
# at once, and rdma_cm. Figures are not looked at.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need ib_write_bw perftest

tests_of_perftest='
ib_write_bw
ib_write_lat
ib_read_bw
ib_read_lat
ib_send_bw
ib_send_lat
ib_atomic_bw
ib_atomic_lat
ib_atomic_bw -A CMP_AND_SWAP
ib_write_bw -c UC
ib_write_lat -c UC
ib_send_bw -c UC
ib_send_lat -c UC
ib_send_bw -c UD
ib_send_lat -c UD
ib_send_bw -e
ib_send_lat -e
ib_write_bw -I 64 -s 64
ib_send_lat -I 64 -s 64
ib_write_bw -q 4
ib_send_bw -q 4 --use-srq
ib_write_bw -b
ib_send_bw -b
ib_read_bw -b
ib_write_bw -l 4 -q 2 -n 40
ib_write_bw -Q 16
ib_write_bw -m 256 -s 5000
ib_read_bw -o 1
ib_read_bw -s 1000000 -n 10
ib_write_bw -a -n 5
ib_send_lat -a -n 5
ib_write_bw -q 64 -s 8192 -n 10
ib_write_bw -R
ib_read_lat -R
ib_send_bw -R
ib_send_bw -R -c UD
ib_send_bw -R --use-srq
'

plan $((37 + 3))

# UC and UD have no flow control, and perftest wants every message to arrive.
options_for()
{
	case "$*" in
	*'-c U'* | *-n*) ;;
	*) printf '%s\n' '-n 50' ;;
	esac
}

make_pair 4200

while read -r line; do
	[ -n "$line" ] || continue
	read -r -a words <<< "$line"
	read -r -a more <<< "$(options_for "$line")"
	run "$line" perftest "${words[0]}" 4 "${words[@]:1}" "${more[@]}"
done <<< "$tests_of_perftest"
run "ib_write_bw, IPv6" perftest ib_write_bw 6 -n 50
run "ib_send_lat, IPv6" perftest ib_send_lat 6 -n 50
run "ib_send_bw -c UD, IPv6" perftest ib_send_bw 6 -c UD -n 50
finish

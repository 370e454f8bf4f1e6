# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# shellcheck disable=SC2154 # scratch and limit are set by the other parts
#
# Programs of librdmacm, between the two sides and in one; see programs.sh for rping.

ucmatose_by_address()
{
	local address
	address=$(address 1 "$1")
	shift
	talk cm:7471 ucmatose -b "$address" "$@" -- ucmatose -s "$address" "$@"
	grep -q 'return status 0' "$scratch/client" || { show_talk; fail "status"; }
}

rdma_client_server()
{
	talk cm:7471 rdma_server -s 10.0.0.1 -- rdma_client -s 10.0.0.1
	grep -q 'end 0' "$scratch/client" || { show_talk; fail "status"; }
}

persistent_rping()
{
	local i
	serve cm:7174 rping -s -a 10.0.0.1 -P
	for i in 1 2 3 4; do
		ask rping -c -a 10.0.0.1 -C 10 -V -v
		[ "$(grep -c '^ping data' "$scratch/client")" = 10 ] || { show_talk; fail "round $i"; }
	done
	kill "$server_pid"
}

many_connections()
{
	command -v cmtime > /dev/null || skip "no cmtime in this rdmacm-utils"
	# Its last stage ends in a rejection with the kernel's own driver too.
	(exec_side 1 timeout -k 5 "$limit" cmtime -b 10.0.0.1 -c 30) > "$scratch/server" 2>&1 &
	server_pid=$!
	wait_for 20 is_ready cm:7471
	in_side 2 timeout -k 5 "$limit" cmtime -s 10.0.0.1 -c 30 > "$scratch/client" 2>&1 || true
	cat "$scratch/client"
	grep -q 'disconnect' "$scratch/client" || { show_talk; fail "no result"; }
}

# Over iWARP, where its TCP connection can't have the port of its rdma_cm listener: not
# with rdma-core 56, older ones have no TCP connection, newer ones any port for the other.
many_connections_beside_tcp()
{
	command -v cmtime > /dev/null || skip "no cmtime in this rdmacm-utils"
	local usage client=(-s 10.0.0.1 -c 30) server=(-b 10.0.0.1 -c 30) ready=cm:7471
	usage=$(cmtime -h 2>&1 || true)
	case $usage in
	*oob_port*)
		server=(-L -b 10.0.0.1 -C 10.0.0.1 -c 30)
		client=(-b 10.0.0.2 -C 10.0.0.1 -c 30)
		ready=tcp:7471
		;;
	*mimic*) skip "this cmtime wants one port number for TCP and rdma_cm" ;;
	esac
	serve $ready cmtime "${server[@]}"
	in_side 2 timeout -k 5 "$limit" cmtime "${client[@]}" > "$scratch/client" 2>&1 || true
	cat "$scratch/client"
	grep -q 'disconnect' "$scratch/client" || { show_talk; fail "no result"; }
	kill "$server_pid"
}

# stream PROGRAM 4|6 OPTION... Not with -T a, which now and then returns EBUSY at
# its end with the kernel's own driver too.
stream()
{
	local program=$1 address
	address=$(address 1 "$2")
	shift 2
	talk cm:7471 "$program" -b "$address" -S 4096 -I 10 -C 10 "$@" \
		-- "$program" -s "$address" -S 4096 -I 10 -C 10 "$@"
	grep -q '4k' "$scratch/client" || { show_talk; fail "no result"; }
}

copy_file()
{
	head -c 300000 /dev/urandom > "$scratch/original"
	serve cm:7427 rcopy
	ask rcopy "$scratch/original" "10.0.0.1:$scratch/copy"
	cmp "$scratch/original" "$scratch/copy"
	kill "$server_pid"
}

nobody_listens()
{
	! in_side 2 timeout 20 rping -c -a 10.0.0.1 -C 1 > "$scratch/client" 2>&1 || fail "it worked"
	cat "$scratch/client"
	grep -q -i 'reject' "$scratch/client" || fail "not rejected"
}

to_itself()
{
	(exec_side 1 timeout -k 5 "$limit" rping -s -a 10.0.0.1 -C 10 -V) > "$scratch/server" 2>&1 &
	server_pid=$!
	wait_for 20 is_ready cm:7174
	in_side 1 timeout -k 5 "$limit" rping -c -a 10.0.0.1 -C 10 -V
	wait "$server_pid" || fail "server: $(cat "$scratch/server")"
}

link_local_rping()
{
	local address
	address=$(link_local 1)
	talk cm:7174 rping -s -a "$address%eth0" -C 10 -V -- rping -c -a "$address%eth0" -C 10 -V
}

# The listener has no address, and the packets go by lo.
to_itself_by_wildcard()
{
	(exec_side 1 timeout -k 5 "$limit" rping -s -C 10 -V) > "$scratch/server" 2>&1 &
	server_pid=$!
	wait_for 20 is_ready cm:7174
	in_side 1 timeout -k 5 "$limit" rping -c -a 10.0.0.1 -C 10 -V
	wait "$server_pid" || fail "server: $(cat "$scratch/server")"
}

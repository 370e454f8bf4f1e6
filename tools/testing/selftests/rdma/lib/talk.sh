# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# shellcheck disable=SC2154 # scratch and limit are set by the other parts
#
# Running a pair of programs, a server on side 1 and a client on side 2.

# talk READY SERVER... -- CLIENT...: run both to their end; both must succeed.
# READY says when the server is ready for its client: tcp:PORT or cm:PORT. What
# they print is in $scratch/server and $scratch/client, and is shown if one fails.
talk()
{
	local ready=$1 server=()
	shift
	while [ "$1" != -- ]; do
		server+=("$1")
		shift
	done
	shift
	serve "$ready" "${server[@]}"
	ask "$@"
	server_ends
}

# serve READY SERVER...
serve()
{
	local ready=$1
	shift
	rm -f "$scratch/client" "$scratch/server" "$scratch/hang"
	(exec_side 1 timeout -k 5 "$limit" stdbuf -oL "$@") > "$scratch/server" 2>&1 < /dev/null &
	server_pid=$!
	wait_for 30 is_ready "$ready" || { show_talk; fail "the server is not ready: $*"; }
}

# rdma_cm says so a moment before it is true: iWARP has its socket then, others had time.
listens_by_cm()
{
	in_side 1 rdma resource show cm_id | grep -q "LISTEN .*src-addr [^ ]*:$1 " || return
	in_side 1 ss -Htln "sport = :$1" | grep -q . || sleep 0.1
}

is_ready()
{
	case $1 in
	tcp:*) in_side 1 ss -Htln "sport = :${1#tcp:}" | grep -q . ;;
	cm:*) listens_by_cm "${1#cm:}" ;;
	esac || ! kill -0 "$server_pid"
}

# ask CLIENT...: of one that hangs the log says where.
ask()
{
	local client_pid status
	(exec_side 2 timeout -k 5 "$limit" stdbuf -oL "$@") > "$scratch/client" 2>&1 < /dev/null &
	client_pid=$!
	wait_for $((limit / patience * 4 / 5)) not kill -0 "$client_pid" ||
		{ show_programs "$client_pid" "$server_pid"; show_objects; } > "$scratch/hang"
	wait "$client_pid" ||
		{ status=$?; show_talk; fail "the client ended with status $status: $*"; }
}

server_ends()
{
	wait_for 20 not kill -0 "$server_pid" || {
		{ show_programs "$server_pid"; show_objects; } > "$scratch/hang"
		show_talk
		fail "the server does not end"
	}
	wait "$server_pid" || { status=$?; show_talk; fail "the server ended with status $status"; }
}

show_talk()
{
	sed 's/^/server: /' "$scratch/server"
	[ ! -e "$scratch/client" ] || sed 's/^/client: /' "$scratch/client"
	[ ! -e "$scratch/hang" ] || cat "$scratch/hang"
}

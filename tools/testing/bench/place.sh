# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set or used by run.sh and the tests' library
#
# Where it is measured. The server is on side 1, the client on side 2.
#
#	veth:  namespace xr1, server --veth-- namespace xr2, client
#	self:  server and client in namespace xr1, on one device
#	wire:  two hosts that are joined by eth0. The client's host, 2, measures; it has
#	       the other do its part, line by line over a connection of TCP.

agent_port=7190
end_mark='# the end, status'

client_side()
{
	if [ "$topology" = self ]; then echo 1; else echo 2; fi
}

# The sides that this host has.
own_sides()
{
	if [ "$topology" = wire ]; then echo "$side"; else echo 1 2; fi
}

# at_server FUNCTION ARG...: of these files, where the server is
at_server()
{
	local line
	if [ "$topology" != wire ] || [ "$side" = 1 ]; then
		"$@"
		return
	fi
	printf '%q ' "$@" >&"$agent"
	echo >&"$agent"
	while IFS= read -r -t 180 line <&"$agent"; do
		case $line in
		"$end_mark "*) return "${line##* }" ;;
		'') ;;
		*) printf '%s\n' "$line" ;;
		esac
	done
	return 1
}

# What the server's host does for the other one.
obey()
{
	local line
	while IFS= read -r line; do
		eval "$line" < /dev/null 2>&1
		printf '\n%s %d\n' "$end_mark" $?
	done
}

# This host is all there is of the two sides.
be_one_host()
{
	in_side()
	{
		shift
		"$@"
	}
	exec_side()
	{
		shift
		exec "$@"
	}
	add_links()
	{
		add_link "$side" "xr$side" eth0 && wait_for_gids "$side"
	}
}

join_wire()
{
	modprobe -q virtio_net
	wait_for 10 test -e /sys/class/net/eth0 && bring_up "$side" && wait_for 10 has_carrier "$side" ||
		return
	[ "$side" = 1 ] || wait_for 120 open_agent
}

open_agent()
{
	exec {agent}<> "/dev/tcp/$(address 1 4)/$agent_port"
}

make_place()
{
	case $topology in
	wire) join_wire ;;
	*) make_wire 1500 ;;
	esac
}

# set_mtu N: on this host; devices come after it
set_mtu()
{
	local s
	drop_links
	in_use=''
	for s in $(own_sides); do
		in_side "$s" ip link set eth0 mtu "$1" || return
	done
}

# ---- programs in pairs --------------------------------------------------------------

is_listening()
{
	in_side 1 ss -Hltun "sport = :$1" | grep -q .
}

# begin_server PORT COMMAND...
begin_server()
{
	local port=$1
	shift
	(exec_side 1 timeout -k 5 "$limit" "$@") > "$scratch/server" 2>&1 < /dev/null &
	server_pid=$!
	wait_for 30 is_listening "$port"
}

end_server()
{
	kill "$server_pid" 2> /dev/null
	wait "$server_pid"
	return 0
}

# converse PORT SERVER... -- CLIENT...: the client's output is in $scratch/client
converse()
{
	local port=$1 server=() status
	shift
	while [ "$1" != -- ]; do
		server+=("$1")
		shift
	done
	shift
	at_server begin_server "$port" "${server[@]}" > "$scratch/agent"
	in_side "$(client_side)" timeout -k 5 "$limit" "$@" > "$scratch/client" 2>&1 < /dev/null
	status=$?
	at_server end_server > "$scratch/agent"
	return $status
}

# ---- what it took ------------------------------------------------------------------

# Hundredths of seconds that processors were busy so far, and switches from one task to
# another, of this host.
effort_here()
{
	awk '/^cpu / { busy = $2 + $3 + $4 + $7 + $8 } /^ctxt/ { switches = $2 }
	     END { print busy, switches }' /proc/stat
}

effort_so_far()
{
	{ effort_here; [ "$topology" != wire ] || at_server effort_here; } |
		awk '{ busy += $1; switches += $2 } END { print busy, switches }'
}

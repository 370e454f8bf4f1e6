#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Libraries and programs on top of verbs that nobody wrote for us.
#
#	namespace xr1                          namespace xr2
#	  device xr1                             device xr2
#	  eth0  10.0.0.1/24 fd00::1/64 --veth--  eth0  10.0.0.2/24 fd00::2/64
#	  servers                                clients
#
# Promises: qperf, libfabric (its verbs provider, and RxM and RxD on top), fio, UCX and
# Open MPI over UCX work with their own defaults; MPI on one device and between two.
# Over iWARP: libfabric without RxD, and fio (and qperf, see iw_traffic.sh).

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type

# want PROGRAM PACKAGE: in a case
want()
{
	command -v "$1" > /dev/null || skip "$1 is not here: install $2"
}

# ---- qperf ---------------------------------------------------------------------------

# Without -cm 1 it names no GID, which RoCE needs.
qperf_rc()
{
	local test
	want qperf qperf
	serve tcp:19765 qperf
	for test; do
		qperf_test "$test"
	done
	kill "$server_pid"
}

# ---- libfabric -----------------------------------------------------------------------

# libfabric PROVIDER ENDPOINT SIZE
libfabric()
{
	want fi_pingpong libfabric-bin
	talk tcp:47592 fi_pingpong -p "$1" -e "$2" -v -I 50 -S "$3" -s 10.0.0.1 \
		-- fi_pingpong -p "$1" -e "$2" -v -I 50 -S "$3" -s 10.0.0.2 10.0.0.1
	grep -q -E '^[0-9]+[km]? +50 ' "$scratch/client" || { show_talk; fail "no result"; }
}

# RxD goes by the device that it is told, and a datagram has no address of IP's. GID 0,
# its default, is of RoCEv1.
libfabric_rxd()
{
	want fi_pingpong libfabric-bin
	talk tcp:47592 env FI_VERBS_DEVICE_NAME=xr1 fi_pingpong -p 'verbs;ofi_rxd' -e rdm -v -I 50 -S "$1" \
		-- env FI_VERBS_DEVICE_NAME=xr2 fi_pingpong -p 'verbs;ofi_rxd' -e rdm -v -I 50 -S "$1" 10.0.0.1
	grep -q -E '^[0-9]+[km]? +50 ' "$scratch/client" || { show_talk; fail "no result"; }
}

# ---- fio -----------------------------------------------------------------------------

# fio_over_rdma VERB VERB-OF-THE-SERVER
fio_over_rdma()
{
	want fio fio
	serve cm:18516 fio --name=server --ioengine=rdma --port=18516 --verb="$2" --rw=read \
		--bs=64k --size=16m --iodepth=8
	ask fio --name=client --ioengine=rdma --hostname=10.0.0.1 --port=18516 --verb="$1" \
		--rw=write --bs=64k --size=16m --iodepth=8
	server_ends
	grep -q 'io=16.0MiB' "$scratch/client" || { show_talk; fail "not all was done"; }
}

# ---- UCX -----------------------------------------------------------------------------

# One of the transports of verbs, by itself: uct TRANSPORT OPTION... -P 0: not by MPI.
uct()
{
	local transport=$1 server client
	want ucx_perftest ucx-utils
	shift
	server=$(gid_index 1 10.0.0.1)
	client=$(gid_index 2 10.0.0.2)
	talk tcp:13337 env UCX_IB_GID_INDEX="$server" \
		ucx_perftest -P 0 -d xr1:1 -x "$transport" "$@" \
		-- env UCX_IB_GID_INDEX="$client" \
		ucx_perftest -P 0 -d xr2:1 -x "$transport" 10.0.0.1 -n 200 -w 10 "$@"
	grep -q 'Final:' "$scratch/client" || { show_talk; fail "no result"; }
}

# What programs use: ucp TRANSPORTS OPTION...
ucp()
{
	local transports=$1
	want ucx_perftest ucx-utils
	shift
	talk tcp:13337 env UCX_NET_DEVICES=xr1:1 UCX_TLS="$transports" ucx_perftest -P 0 "$@" \
		-- env UCX_NET_DEVICES=xr2:1 UCX_TLS="$transports" \
		ucx_perftest -P 0 10.0.0.1 -n 200 -w 10 "$@"
	grep -q 'Final:' "$scratch/client" || { show_talk; fail "no result"; }
}

# ---- MPI -----------------------------------------------------------------------------

# NetPIPE, which looks at what it gets: mpi TRANSPORTS DEVICE DEVICE. Open MPI itself
# wants both processes in one network namespace; devices work from any.
mpi()
{
	want mpirun openmpi-bin
	want NPopenmpi netpipe-openmpi
	cat > "$scratch/rank" <<-END
		#!/bin/sh
		case \$OMPI_COMM_WORLD_RANK in
		0) export UCX_NET_DEVICES=$2:1 ;;
		*) export UCX_NET_DEVICES=$3:1 ;;
		esac
		exec NPopenmpi -i -u 65536 -n 10
	END
	chmod +x "$scratch/rank"
	(cd "$scratch" && in_side 1 env UCX_TLS="$1" timeout -k 5 "$limit" \
		mpirun --allow-run-as-root --oversubscribe -np 2 --mca pml ucx \
		--mca btl ^sm,tcp ./rank) > "$scratch/mpi" 2>&1 < /dev/null ||
		{ cat "$scratch/mpi"; fail "mpirun failed"; }
	grep -q '49153 bytes .*check passed' "$scratch/mpi" || { cat "$scratch/mpi"; fail "no result"; }
	! grep -q -i 'check failed' "$scratch/mpi" || { cat "$scratch/mpi"; fail "wrong data"; }
}

# Of RoCE alone.
roce()
{
	[ "$LINK_TYPE" = xiwarp ] || run "$@"
}

if [ "$LINK_TYPE" = xiwarp ]; then
	plan 7
else
	plan 24
fi
make_pair 4200

roce "qperf, messages" qperf_rc rc_lat rc_bw rc_bi_bw
roce "qperf, READ and WRITE" qperf_rc rc_rdma_read_lat rc_rdma_read_bw rc_rdma_write_lat \
	rc_rdma_write_bw rc_rdma_write_poll_lat
roce "qperf, atomics" qperf_rc rc_compare_swap_mr rc_fetch_add_mr ver_rc_compare_swap \
	ver_rc_fetch_add
run "libfabric, messages" libfabric verbs msg 1024
run "libfabric, large messages" libfabric verbs msg 1048576
run "libfabric, RxM" libfabric 'verbs;ofi_rxm' rdm 1024
run "libfabric, RxM, large messages" libfabric 'verbs;ofi_rxm' rdm 1048576
roce "libfabric, RxD" libfabric_rxd 1024
roce "libfabric, RxD, large messages" libfabric_rxd 65536
run "fio, WRITE" fio_over_rdma write write
run "fio, READ" fio_over_rdma read read
run "fio, SEND" fio_over_rdma send recv
roce "UCT, RC" uct rc_verbs -t am_lat
roce "UCT, RC, WRITE" uct rc_verbs -t put_lat
roce "UCT, UD" uct ud_verbs -t am_lat
roce "UCP over RC" ucp rc,self -t tag_lat -s 100000
roce "UCP over UD" ucp ud,self -t tag_lat -s 100000
roce "UCP, WRITE" ucp rc,self -t ucp_put_lat
roce "UCP, READ" ucp rc,self -t ucp_get -s 100000
roce "UCP, atomics" ucp rc,self -t ucp_fadd
roce "Open MPI over UCX, RC, one device" mpi rc,self xr1 xr1
roce "Open MPI over UCX, UD, one device" mpi ud,self xr1 xr1
roce "Open MPI over UCX, RC, two devices" mpi rc,self xr1 xr2
roce "Open MPI over UCX, UD, two devices" mpi ud,self xr1 xr2
finish

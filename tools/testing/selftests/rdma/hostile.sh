#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Peers and programs that do not mean well.
#
#	namespace xr1                          namespace xr2
#	  device xr1: victims                    device xr2
#	  eth0  10.0.0.1/24 ------ veth ------   eth0  10.0.0.2/24: UDP to port 4791
#
# Promises: whatever arrives on port 4791, the kernel lives, its log stays silent,
# no byte of memory changes that a peer may not change, what was dropped is
# counted under its reason, and honest traffic goes on. Whatever a program
# writes into the rings that it shares with the kernel, it harms itself at most.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need_helper hostile_packets
need_helper hostile_rings
need_helper victim
need_helper transfer
[ "$LINK_TYPE" = xroce ] || skip_all "the kernel's own driver does not survive it"

seed=${SEED:-$RANDOM}
# For the programs that go on as long as they are let.
hostile_s=${HOSTILE_SECONDS:-10}
plan 17

# attack MODE ARG...: from side 2.
attack()
{
	in_side 2 timeout -k 5 $((200 * patience)) "$(helper hostile_packets)" 10.0.0.2 10.0.0.1 "$@"
}

# in_peace COMMAND...: the log stays silent and honest traffic works meanwhile.
in_peace()
{
	local honest
	mark_log
	rm -f "$scratch/stop" "$scratch/rounds"
	honest_traffic > "$scratch/honest" 2>&1 &
	honest=$!
	"$@"
	touch "$scratch/stop"
	wait "$honest" || { cat "$scratch/honest"; fail "honest traffic suffered"; }
	note "$(wc -l < "$scratch/rounds") rounds of honest traffic meanwhile"
	log_since_mark > "$scratch/kernel"
	[ ! -s "$scratch/kernel" ] || { cat "$scratch/kernel"; fail "the log is not silent"; }
}

honest_traffic()
{
	until [ -e "$scratch/stop" ]; do
		transfer 4 -n 20 -q 2 -S 8192 -s "$seed"
		echo >> "$scratch/rounds"
	done
}

# ---- victims ----------------------------------------------------------------------

swept_qps()
{
	victim 1
	attack sweep $patience "${rc[0]}" "$uc" "$ud"
	verdict
	[[ $said = *'outside clean'* ]] || fail "memory was written"
}

random_packets()
{
	victim 64
	attack random "$seed" $((30000 / patience)) "${rc[@]}" "$uc" "$ud"
	verdict
	[[ $said = 'region clean outside clean'* ]] || fail "memory was written"
}

# counts NAME PACKET...: the last of them, as for "forge", makes the counter go up.
counts()
{
	local name=$1 before
	before=$(counter 1 "$name")
	shift
	printf '%s\n' "$@" | attack forge
	wait_for 5 has_counted "$name" "$before" || { show_counters 1; fail "$name did not count"; }
}

has_counted()
{
	[ "$(counter 1 "$1")" -gt "$2" ]
}

# A QP's last receive is of 128 bytes. A UC QP takes any PSN ahead.
each_reason()
{
	local wrong
	victim 2
	wrong="0 $((va + length)) $rkey 8 8"
	counts drop_stale "0x0e ${rc[0]} $psn 0 0 0 0 1024"
	counts drop_duplicate "0x04 ${rc[0]} $((psn - 1)) 0 0 0 0 8"
	counts drop_out_of_order "0x04 ${rc[0]} $(((psn + 100000) & 0xffffff)) 0 0 0 0 8"
	attack forge <<< "0x0a ${rc[1]} $psn $wrong"	# ends the QP
	counts drop_qp_state "0x04 ${rc[1]} $((psn + 1)) 0 0 0 0 8"
	counts drop_sequence "0x22 $uc $psn 0 0 0 0 8"
	counts drop_remote_access "0x2a $uc $((psn + 1)) $wrong"
	counts drop_too_long "0x24 $uc $((psn + 2)) 0 0 0 0 200"
	counts drop_rnr "0x24 $uc $((psn + 3)) 0 0 0 0 8" "0x24 $uc $((psn + 4)) 0 0 0 0 8"
	counts drop_qkey "0x64 $ud 0 0 0 0 0 100"
	verdict
}

# Proof that the forger's packets get through where they may.
honest_forger()
{
	victim 1
	attack forge <<< "0x0a ${rc[0]} $psn 0 $((va + 100)) $rkey 8 8"
	verdict
	[[ $said = 'region touched outside clean'* ]] || fail "an honest WRITE did not arrive"
}

honest_atomic()
{
	victim 1
	# The rest of the header, 12 bytes of 0xee, is part of what is added.
	attack forge <<< "0x14 ${rc[0]} $psn 0 $va $rkey 1 12"
	verdict
	[[ $said = 'region touched outside clean'* ]] || fail "an honest FETCH_ADD did not arrive"
}

from_another_host()
{
	local before
	in_side 2 ip addr add 10.0.0.3/24 dev eth0
	before=$(counter 1 drop_address)
	victim 1
	in_side 2 timeout $((60 * patience)) "$(helper hostile_packets)" 10.0.0.3 10.0.0.1 forge \
		<<< "0x0a ${rc[0]} $psn 0 $va $rkey 8 8"
	verdict
	[[ $said = 'region clean outside clean alive 1' ]] || fail "a stranger wrote"
	[ "$(counter 1 drop_address)" -gt "$before" ] || fail "drop_address did not count"
}

# next OPCODE PAD VA RKEY DMALEN EXTRA: to a fresh QP, with the PSN that it expects.
next()
{
	printf '%s %s %s %s %s %s %s %s\n' "$1" "${rc[used]}" "$psn" "$2" "$3" "$4" "$5" "$6"
	used=$((used + 1))
}

# Each line would be a write into, beside or around the region if believed.
forgeries()
{
	local opcode bytes used=0 end=$((va + length)) top=0xfffffffffffffff8
	next 0x0a 0 "$top" "$rkey" 8 8		# wraps around
	next 0x0a 0 $((va - 1)) "$rkey" 2 2
	next 0x0a 0 $((end - 1)) "$rkey" 2 2
	next 0x0a 0 "$end" "$rkey" 1 1
	next 0x0a 0 "$va" "$rkey" 0x80000000 0
	next 0x0a 0 "$va" "$rkey" 0xffffffff 8
	next 0x0a 0 "$va" "$rkey" 8 0		# payload is missing
	next 0x0a 0 "$va" "$rkey" 8 16		# payload is too long
	next 0x0a 0 "$va" "$rkey" 0 8
	next 0x0a 3 "$va" "$rkey" 0 0		# pad of what is not there
	next 0x0a 3 "$va" "$rkey" 8 8
	next 0x0a 0 "$va" $((rkey ^ 1)) 8 8
	next 0x0a 0 "$va" $((rkey ^ 0x100)) 8 8
	next 0x0a 0 "$va" 0 8 8
	next 0x0b 0 "$end" "$rkey" 4 8		# with immediate data
	next 0x06 0 "$va" "$rkey" 4096 100	# FIRST is short
	next 0x06 0 "$va" "$rkey" 100 1024	# and longer than the message
	next 0x06 0 $((va + 3500)) "$rkey" 2048 1024
	next 0x07 0 0 0 0 1024			# MIDDLE without FIRST
	next 0x08 0 0 0 0 8			# LAST without FIRST
	next 0x0c 0 "$top" "$rkey" 8 0		# READs
	next 0x0c 0 "$va" "$rkey" 0xffffffff 0
	next 0x0c 0 "$end" "$rkey" 1 0
	next 0x13 0 $((va + 4)) "$rkey" 0 12	# atomics: misaligned, beyond, wrapping
	next 0x13 0 "$end" "$rkey" 0 12
	next 0x14 0 "$top" "$rkey" 0 12
	next 0x14 0 $((va - 8)) "$rkey" 0 12
	next 0x14 0 "$va" "$rkey" 0 4		# truncated
	next 0x04 0 0 0 0 1025			# longer than the path MTU
	next 0x04 0 0 0 0 2000
	next 0x04 0 0 0 0 200			# longer than the receive
	next 0x00 0 0 0 0 10			# FIRST is short
	next 0x01 0 0 0 0 1024
	next 0x02 0 0 0 0 8
	next 0x17 0 0 0 0 16			# SEND with invalidate
	next 0x1c 0 "$va" "$rkey" 8 8		# FLUSH and ATOMIC WRITE, of odd lengths
	for bytes in 0 4 16; do
		next 0x1d 0 "$va" "$rkey" 8 "$bytes"
	done
	next 0x1d 0 $((va + 4)) "$rkey" 8 8	# ATOMIC WRITEs: misaligned, beyond, wrong key
	next 0x1d 0 "$end" "$rkey" 8 8
	next 0x1d 0 "$va" $((rkey ^ 1)) 8 8
	next 0x1d 0 "$va" "$rkey" 16 8
	for opcode in 0x0d 0x0e 0x0f 0x10 0x11 0x12; do	# answers that nobody asked for
		next "$opcode" 0 0 0 0 64
	done
	for opcode in 0x15 0x18 0x19 0x1a 0x1b 0x1e 0x1f; do	# not defined
		next "$opcode" 0 "$va" "$rkey" 8 8
	done
	# UC and UD drop what is wrong and live on.
	for opcode in 0x20 0x21 0x22 0x26 0x27 0x28 0x2a 0x2b 0x2c 0x33; do
		printf '%s %s %s 0 %s %s 8 8\n' "$opcode" "$uc" "$psn" "$end" "$rkey"
		printf '%s %s %s 3 %s %s 0 0\n' "$opcode" "$uc" "$psn" "$va" "$rkey"
		printf '%s %s %s 0 %s %s 2048 100\n' "$opcode" "$ud" "$psn" "$va" "$rkey"
	done
	for bytes in 0 1 7 8 100 2000; do
		printf '0x64 %s 0 0 0 0 0 %s\n' "$ud" "$bytes"
		printf '0x65 %s 0 3 0 0 0 %s\n' "$ud" "$bytes"
	done
}

forged_packets()
{
	victim 64
	forgeries > "$scratch/forgeries"
	note "$(wc -l < "$scratch/forgeries") forged packets"
	attack forge < "$scratch/forgeries"
	verdict
	[[ $said = 'region clean outside clean'* ]] || fail "memory was written"
}

# ---- rings ---------------------------------------------------------------------------

rings()
{
	(in_peace timeout -k 5 $((hostile_s * 4 + 60 * patience)) "$(helper hostile_rings)" xr1 \
		"$(gid_index 1 10.0.0.1)" "$hostile_s" "$1") > "$scratch/rings" 2>&1 ||
		{ cat "$scratch/rings"; fail "seed $1"; }
	note "$(cat "$scratch/rings")"
}

# ---- counters ------------------------------------------------------------------------

counted()
{
	local name
	show_counters 1
	for name in "$@"; do
		[ "$(counter 1 "$name")" -gt 0 ] || fail "$name did not count"
	done
}

still_works()
{
	pingpong rc 4
	transfer 4 -n 50 -s "$seed"
}

make_pair 4200
note "seed $seed"

run "every opcode, every length, QPs that are not there" in_peace attack sweep $patience 0 1 0xffffff 0x7ffff1
run "every opcode, every length, QPs that are there" in_peace swept_qps
run "random packets" in_peace random_packets
run "batches of what are not packets" in_peace attack batches
run "an honest WRITE of the forger gets through" honest_forger
run "an honest FETCH_ADD of the forger gets through" honest_atomic
run "forged packets with the right PSN and key" in_peace forged_packets
run "the right packet from another host" in_peace from_another_host
run "drops are counted: what a QP does not take" each_reason
run "drops are counted: form" counted drop_short drop_opcode drop_version
run "drops are counted: place" counted drop_no_qp drop_service drop_pkey
run "drops are counted: content" counted drop_icrc drop_malformed
for i in 1 2 3; do
	run "a program that scribbles over its rings, seed $i" rings $i
done
run "the same with a random seed" rings "$seed"
run "traffic works as before" still_works
finish

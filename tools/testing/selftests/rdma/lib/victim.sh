# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # a test reads what victim() sets
#
# A program whose QPs and memory forged packets are aimed at (victim.c).

# victim N [GID-TYPE]: on side 1, N RC QPs, a UC and a UD one. Sets rc (an array), uc,
# ud, psn, va, rkey and length.
victim()
{
	local words i
	coproc VICTIM {
		timeout -k 5 $((300 * patience)) "$(helper victim)" xr1 "$(gid_index 1 10.0.0.1 "${2:-$gid_type}")" 10.0.0.2 "$1"
	}
	read -r -t 60 -a words <&"${VICTIM[0]}" || fail "no victim"
	rc=()
	for ((i = 1; i <= $1; i++)); do
		rc+=("${words[i]}")
	done
	uc=${words[i + 1]} ud=${words[i + 3]} psn=${words[i + 5]} va=${words[i + 7]}
	rkey=${words[i + 9]} length=${words[i + 11]}
	[ "${words[i]}${words[i + 10]}" = uclength ] || fail "victim says: ${words[*]}"
}

# verdict: what became of it, in "said". The descriptors go with the process.
verdict()
{
	local from=${VICTIM[0]} to=${VICTIM[1]}
	exec {to}>&-
	read -r -t 60 said <&"$from" || fail "the victim died"
	note "victim: $said"
}

mac_of()
{
	in_side "$1" cat /sys/class/net/eth0/address
}

# write_frame FIELD=VALUE...: a WRITE of eight bytes to the victim's RC QP, of the RoCE
# version that frame_version says; fields as in frame.py.
write_frame()
{
	in_side 2 "$tests/frame.py" eth0 v="${frame_version:-1}" dmac="$(mac_of 1)" src=10.0.0.2 dst=10.0.0.1 op=0x0a \
		qpn="${rc[0]}" psn="$psn" va="$va" rkey="$rkey" data=0102030405060708 "$@"
}

taken()
{
	victim 1
	write_frame "$@"
	sleep 0.2
	verdict
	[[ $said = 'region touched outside clean alive 1' ]] ||
		{ show_counters 1; fail "the frame was not taken"; }
}

# not_taken COUNTER FIELD=VALUE...: and COUNTER, if it isn't '', tells why.
not_taken()
{
	local counter=$1 before=0
	shift
	[ -z "$counter" ] || before=$(counter 1 "$counter")
	victim 1
	write_frame "$@"
	sleep 0.2
	[ -z "$counter" ] || [ "$(counter 1 "$counter")" -gt "$before" ] ||
		{ show_counters 1; fail "$counter did not count"; }
	verdict
	[[ $said = 'region clean outside clean alive 1' ]] || fail "the frame was taken"
}

# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# shellcheck disable=SC2154 # scratch, patience and LINK_TYPE are set by the other parts
#
# Calls that the kernel lets fail (faults.c).

need_faults()
{
	[ -e /proc/self/fail-nth ] || modprobe -q -n kfaults ||
		skip_all "no fault injection in this kernel, and kfaults is not built: make TESTS=m"
	need_helper faults
}

# The kernel's own fault injection lets any allocation fail, of ours and of others'. Where
# there is none, kfaults lets calls from our modules fail, and from those named.
faults_everywhere()
{
	local folder
	[ -e /proc/self/fail-nth ] || {
		at_exit modprobe -r kfaults
		modprobe kfaults
		return
	}
	# In silence, and what may sleep, too.
	mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug
	for folder in /sys/kernel/debug/{failslab,fail_page_alloc,fail_usercopy}; do
		[ -e "$folder" ] || continue
		echo 0 > "$folder/verbose"
		[ ! -e "$folder/ignore-gfp-wait" ] || echo N > "$folder/ignore-gfp-wait"
		[ ! -e "$folder/ignore-gfp-highmem" ] || echo N > "$folder/ignore-gfp-highmem"
		[ ! -e "$folder/min-order" ] || echo 0 > "$folder/min-order"
	done
}

kfaults=/sys/module/kfaults/parameters
# Modules whose calls fail beside ours
beside=ib_core,ib_uverbs

# faults CASE [ARG]: each fault of one call; see faults.c.
faults()
{
	local before
	mark_log
	before=$(things_of_device)
	[ ! -e "$kfaults" ] || echo "xrdma,xroce,xiwarp${beside:+,$beside}" > "$kfaults/subjects"
	LINK_TYPE=$LINK_TYPE in_side 1 timeout -k 5 $((280 * patience)) \
		"$(helper faults)" "$1" xr1 "${@:2}" > "$scratch/faults" 2>&1 ||
		{ status=$?; cat "$scratch/faults"; log_since_mark; return $status; }
	sed 's/^/# /' "$scratch/faults"
	log_since_mark > "$scratch/kernel"
	! grep -E 'WARNING|BUG|Call Trace' "$scratch/kernel" || { cat "$scratch/kernel"; fail "a report"; }
	# Those who look at an object may still be on their way out.
	wait_for 10 is_as_before "$before" ||
		{ diff <(echo "$before") <(things_of_device); fail "not as before"; }
}

# What a device has in use, and what its netdev listens for.
things_of_device()
{
	in_side 1 rdma resource show xr1
	in_side 1 ip maddr show dev eth0
}

is_as_before()
{
	[ "$(things_of_device)" = "$1" ]
}

# After everything else: what is still in use would hold the module.
nothing_holds_the_module()
{
	rdma link del xr1
	wait_for 10 modprobe -r "$module" || fail "$module stays: $(lsmod | grep "$module")"
}

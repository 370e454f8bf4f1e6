# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# What a guest's kernel may not say.

denied_lines='WARNING: |\bBUG\b|\bOops\b|Kernel panic|general protection fault|Unable to handle|Call Trace|RIP: |segfault at .* in .*\.ko
KASAN|UBSAN|KCSAN|KFENCE|ODEBUG|kmemleak: [0-9]+ new suspected|unreferenced object
possible (circular|recursive) locking|possible irq lock inversion|inconsistent (lock state|\{)|suspicious RCU usage
[Ii]nvalid wait context|bad unlock balance|lock held when returning|held lock freed|locks? held by .* at exit|DEBUG_LOCKS_WARN
sleeping function called|scheduling while atomic|soft lockup|hard LOCKUP|blocked for more than|workqueue lockup
rcu: .*stall|rcu_.* stall|refcount_t|list_(add|del) corruption|unregister_netdevice: waiting|ref_tracker: 
Bad page (state|map)|corrupted stack|stack-protector|nobody cared|initramfs: '

# Said by kernels without our modules too, and no sign of anything wrong.
allowed_lines='Spectre V2 : WARNING: |Unprivileged eBPF is enabled'

# Lock cycles that Debian's kernel has in itself: locks and callers are all its own. A
# name of a lock each.
#
# nvmet_config_sem: the end of a port takes the connection manager's handler_mutex
# below it, a connect that comes early the other way round (nvmet_rdma, 7.3).
known_cycles='nvmet_config_sem'

# without_known_cycles: lockdep's reports of these, if none of our modules is in them
without_known_cycles()
{
	awk -v known="$known_cycles" '
	function flush() {
		if (report !~ known || report ~ /\[(xrdma|xroce|xiwarp)\]/)
			printf "%s", report
		report = ""
	}
	/WARNING: possible circular locking/ { flush(); inside = 1 }
	inside { report = report $0 "\n" }
	inside && /<\/TASK>/ { flush(); inside = 0; next }
	!inside
	END { flush() }'
}

# The lines of the files given that a kernel may not say.
reports_in()
{
	cat "$@" 2>/dev/null | tr -d '\r' | without_known_cycles |
		grep -a -E -e "$(printf '%s' "$denied_lines" | tr '\n' '|')" |
		grep -a -v -E -e "$allowed_lines"
}

# So that two boots' reports can be compared: no times, addresses, numbers.
without_numbers()
{
	sed -E 's/^\[[^]]*\] *//; s/0x[0-9a-f]+|[0-9a-f]{8,}|[0-9]+/N/g' | sort -u
}

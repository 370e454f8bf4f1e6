# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# What a thing that doesn't end is doing.

# Where in the kernel threads sleep that no signal wakes.
show_stuck()
{
	local task
	for task in /proc/[0-9]*/task/[0-9]*; do
		grep -q '^State:.D' "$task/status" || continue
		echo "stuck: ${task##*/} $(cat "$task/comm")"
		sed 's/^/	/' "$task/stack"
	done 2> /dev/null
}

# show_programs PID...: where they and their children are, thread by thread: in the
# kernel, in which call, or in a loop of their own, whose ticks grow.
show_programs()
{
	local pid
	for pid; do
		[ -e "/proc/$pid" ] || continue
		echo "program $pid: $(tr '\0' ' ' < "/proc/$pid/cmdline")"
		show_threads "$pid"
		# shellcheck disable=SC2046 # a list of numbers
		show_programs $(cat /proc/"$pid"/task/*/children)
	done 2> /dev/null
}

# show_threads PID: the first words of "syscall" are its number, or "running".
show_threads()
{
	local task before after
	before=$(ticks "$1")
	nap 1
	after=$(ticks "$1")
	echo "	ticks: $before, a second later $after"
	for task in "/proc/$1/task"/[0-9]*; do
		echo "	thread ${task##*/} $(cat "$task/comm"): $(sed -n 's/^State:.//p' "$task/status"), at $(cat "$task/wchan"), call $(cut -d ' ' -f 1-4 "$task/syscall")"
		sed 's/^/		/' "$task/stack"
	done
}

# ticks PID: in user space and in the kernel. Names of programs have no blanks here.
ticks()
{
	cut -d ' ' -f 14,15 "/proc/$1/stat"
}

# show_objects: the connections and queue pairs of both sides.
show_objects()
{
	local side
	for side in 1 2; do
		in_side $side rdma resource show qp -dd | sed "s/^/side $side: /"
		in_side $side rdma resource show cm_id | sed "s/^/side $side: /"
		in_side $side ss -Htni | sed "s/^/side $side: /"
	done 2>&1
}

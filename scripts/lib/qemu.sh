# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# shellcheck disable=SC2154 # scripts/vm sets kernel, suite and the other options
#
# One guest: its folder, its QEMU, what becomes of it.
#
# $CACHE/runs/PID, which the guest shares: control (what its init leaves for us),
# out (the default $OUT), stdout, stderr (of the command), console (the kernel's).

# A guest gets this much longer than its command before it counts as hung.
boot_allowance=180

# A run's folder outlives it, until some more runs have come.
make_run_folder()
{
	mkdir -p "$CACHE/runs"
	# shellcheck disable=SC2012 # the names are numbers
	ls -t "$CACHE/runs" | tail -n +9 | while read -r old; do
		kill -0 "$old" 2>/dev/null || rm -rf "${CACHE:?}/runs/$old"
	done
	run=$CACHE/runs/$$
	rm -rf "$run"
	mkdir -p "$run/control" "$run/out" "$run/initrd/vm"
	ln -sfn "$run" "$CACHE/last"
}

quoted()
{
	local argument
	for argument; do
		printf " '%s'" "${argument//\'/\'\\\'\'}"
	done
}

# The guest's init reads these. See guest/init.
write_settings()
{
	local mode=$1
	cat <<-END
	vm_mode=$mode
	vm_timeout=$timeout
	vm_term=$(quoted "$guest_term" | cut -c 2-)
	vm_rows=${guest_size% *}
	vm_columns=${guest_size#* }
	vm_run=$(quoted "$run" | cut -c 2-)
	vm_project=$(quoted "$PROJECT" | cut -c 2-)
	OUT=$(quoted "$out" | cut -c 2-)
	TOOLS=$(quoted "$CACHE/tools/$suite" | cut -c 2-)
	END
}

write_command()
{
	local cwd=/root
	case $PWD/ in
	"$PROJECT"/*) cwd=$PWD ;;
	esac
	printf 'cd%s || exit 125\n' "$(quoted "$cwd")"
	printf 'exec%s\n' "$(quoted "$@")"
}

# The kernel unpacks what lies one after the other: this run's files, our
# modules, and the boot files.
make_initrd()
{
	local modules=/dev/null
	[ "$with_modules" = no ] || modules=$(modules_folder "$kernel")/modules.cpio
	cp "$PROJECT/scripts/guest/init" "$run/initrd/vm/"
	(cd "$run/initrd" && find vm | cpio -o -H newc --quiet) > "$run/initrd.cpio"
	cat "$run/initrd.cpio" "$modules" "$CACHE/kernels/$kernel/initrd" > "$run/initrd.img"
	rm -r "$run/initrd" "$run/initrd.cpio"
}

# In QEMU's options a comma is doubled.
escaped()
{
	printf '%s' "${1//,/,,}"
}

# disk NAME FILE [on|off]: read-only unless "off"
disk()
{
	printf '%s\n' -drive "if=none,id=$1,format=raw,readonly=${3:-on},file=$(escaped "$2")" \
		-device "virtio-blk-pci,drive=$1,serial=$1"
}

shared_folder()
{
	printf '%s\n' -virtfs "local,mount_tag=$1,security_model=none,multidevs=remap,path=$(escaped "$2")${3:-}"
}

# A network card whose wire is a socket that another guest has, too
wire()
{
	local server=off
	[ "${wire%%=*}" != listen ] || server=on
	printf '%s\n' \
		-netdev "stream,id=wire,server=$server,addr.type=unix,addr.path=$(escaped "${wire#*=}")" \
		-device "virtio-net-pci,netdev=wire,mac=52:54:00:00:00:0$([ $server = on ] && echo 1 || echo 2)"
}

# The cloud flavour has no 9p. It reads images of the folders, and what it wrote it
# leaves on a disk as an archive when it ends.
shares_are_images()
{
	case $kernel in
	*-cloud) ;;
	*) return 1 ;;
	esac
}

make_images()
{
	mkfs.erofs --exclude-regex='^(\.git|.*/build)$' "$run/project.erofs" "$PROJECT" &&
		mkfs.erofs "$run/tools.erofs" "$CACHE/tools/$suite" &&
		truncate -s 256M "$run/results"
} > "$run/images.log" 2>&1

take_results()
{
	tar -C / -x --no-same-owner -f "$run/results"
	rm -f "$run/results" "$run"/*.erofs
}

terminal()
{
	printf '%s\n' -chardev "$2" -device "virtconsole,chardev=$1"
}

shares()
{
	if shares_are_images; then
		disk project "$run/project.erofs"
		disk tools "$run/tools.erofs"
		disk results "$run/results" off
		return
	fi
	shared_folder run "$run"
	shared_folder project "$PROJECT" ,readonly=on
	[ -z "$(ls -A "$CACHE/tools/$suite")" ] ||
		shared_folder tools "$CACHE/tools/$suite" ,readonly=on
	[ "$out" = "$run/out" ] || shared_folder out "$out"
}

# Few devices: the debug kernel under emulation takes a second for each.
# No la57, as boot_cpu_data is without it for a moment while Linux boots, and an
# interrupt just then makes KASAN see wild accesses.
# Emulated, an instruction that moves a string of bytes moves them one by one: it is
# not said to be fast there, so kernels and programs copy by words.
# A /dev/kvm is not enough: one without the processor's help takes no kernel as it is.
can_virtualise()
{
	[ -w /dev/kvm ] && grep -q -w -E 'vmx|svm' /proc/cpuinfo
}

# Time is the number of instructions, each a nanosecond: what else the host does changes
# nothing, and who waits for a timer gets there at once.
count_instructions()
{
	printf '%s\n' -icount shift=0,sleep=off
}

qemu_arguments()
{
	local accel=tcg,thread=multi,tb-size=512 cpu=max,la57=off,erms=off,fsrm=off,fzrm=off,fsrs=off
	if [ "$count" = yes ]; then
		accel=tcg,thread=single,tb-size=512
		count_instructions
	elif can_virtualise; then
		accel=kvm cpu=max,la57=off
	fi
	printf '%s\n' \
		-M pc -accel "$accel" -cpu "$cpu" \
		-smp "$cpus" -m "$memory" \
		-nodefaults -no-user-config -display none -no-reboot \
		-kernel "$CACHE/kernels/$kernel/vmlinuz" -initrd "$run/initrd.img" \
		-append "$(kernel_arguments)" \
		-chardev "file,id=console,path=$(escaped "$run/console")" -serial chardev:console \
		-device virtio-serial-pci -device virtio-rng-pci
	disk root "$CACHE/images/$image/root.erofs"
	disk modules "$CACHE/kernels/$kernel/modules.erofs"
	shares
	[ -z "$wire" ] || wire
	if [ "$1" = shell ]; then
		terminal stdout stdio,id=stdout,signal=off
	else
		terminal stdout "file,id=stdout,path=$(escaped "$run/stdout")"
		terminal stderr "file,id=stderr,path=$(escaped "$run/stderr")"
	fi
}

# loglevel: warnings and worse while it boots, as the emulated serial line is slow.
kernel_arguments()
{
	printf 'console=ttyS0 loglevel=5 log_buf_len=4M panic=-1 mitigations=off nokaslr '
	printf 'random.trust_cpu=on tsc=reliable %s ' "$(tsc_frequency)"
	printf 'rcupdate.rcu_cpu_stall_timeout=60 %s' "$append"
}

# An emulated processor has the host's counter. On a busy host a guest measures it
# wrong by far, and then its clock runs wrong: say what the host knows, if it does.
tsc_frequency()
{
	[ "$count" = no ] || { echo tsc_early_khz=1000000; return; }
	dmesg 2> /dev/null | sed -n -E \
		's/.*tsc: (Detected|Refined TSC clocksource calibration:) ([0-9]+)\.([0-9]{3}) MHz.*/tsc_early_khz=\2\3/p' |
		tail -n 1
}

# Runs the guest and returns when it is gone.
run_guest()
{
	local mode=$1 arguments readers limit=0
	mapfile -t arguments < <(qemu_arguments "$mode")
	if [ "$mode" = shell ]; then
		"${emulator[@]}" "${arguments[@]}"
		return
	fi
	: > "$run/stdout"
	: > "$run/stderr"
	[ "$timeout" = 0 ] || limit=$((timeout + boot_allowance))
	# Its seconds take longer than the host's.
	[ "$count" = no ] || limit=$((limit * 10))
	timeout -s KILL "$limit" "${emulator[@]}" "${arguments[@]}" \
		< /dev/null > "$run/qemu" 2>&1 &
	qemu=$!
	# The guest writes to files and never waits for whoever reads our output: its
	# console would spin in the kernel meanwhile.
	tail -q -s 0.1 --pid="$qemu" -c +1 -f "$run/stdout" & readers=$!
	tail -q -s 0.1 --pid="$qemu" -c +1 -f "$run/stderr" >&2 & readers="$readers $!"
	wait "$qemu" || true
	qemu=
	# shellcheck disable=SC2086 # a list of process ids
	wait $readers || true
}

# The status of the run, by what the guest left.
judge_guest()
{
	local logs=("$run/console" "$run/control/dmesg" "$run/control/kmemleak") status

	status=$(cat "$run/control/status" 2>/dev/null) || status=none
	# After a time-out the console ends in a list of stuck processes.
	[ "$status" != timeout ] || logs=("$run/control/dmesg" "$run/control/kmemleak")
	reports_in "${logs[@]}" > "$run/reports" || true
	if [ -n "$record" ]; then
		without_numbers < "$run/reports" > "$record"
		return
	fi
	if [ -s "$run/reports" ] && ! reports_of_baseline; then
		say "the guest's kernel reported trouble:"
		head -n 20 "$run/reports" >&2
		show_log
		return 125
	fi
	if [ "$status" = none ]; then
		say "the guest died or hung: it left no status"
		show_log
		cat "$run/qemu" >&2 2>/dev/null || true
		return 125
	fi
	if [ "$status" = timeout ]; then
		say "time-out after $timeout s; the guest's kernel log: $run/console"
		return 124
	fi
	return "$status"
}

# From the command's start on, or all of it if the trouble was before.
show_log()
{
	local log=$run/control/dmesg
	[ -s "$log" ] || log=$run/console
	say "the guest's kernel log ($log):"
	if [ -z "$(sed '/vm: the command starts/,$d' "$log" | reports_in -)" ]; then
		sed -n '/vm: the command starts/,$p' "$log" | grep -a . || cat "$log"
	else
		cat "$log"
	fi | head -n 400 >&2
	if [ -s "$run/control/kmemleak" ]; then
		head -n 100 "$run/control/kmemleak" >&2
	fi
}

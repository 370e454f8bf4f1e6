# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# Everything in this folder, for the scripts that want all of it.

here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=scripts/lib/common.sh
. "$here/common.sh"
# shellcheck source=scripts/lib/host.sh
. "$here/host.sh"
# shellcheck source=scripts/lib/debian.sh
. "$here/debian.sh"
# shellcheck source=scripts/lib/builders.sh
. "$here/builders.sh"
# shellcheck source=scripts/lib/kernels.sh
. "$here/kernels.sh"
# shellcheck source=scripts/lib/debug-kernel.sh
. "$here/debug-kernel.sh"
# shellcheck source=scripts/lib/images.sh
. "$here/images.sh"
# shellcheck source=scripts/lib/modules.sh
. "$here/modules.sh"
# shellcheck source=scripts/lib/report.sh
. "$here/report.sh"
# shellcheck source=scripts/lib/baseline.sh
. "$here/baseline.sh"
# shellcheck source=scripts/lib/emulator.sh
. "$here/emulator.sh"
# shellcheck source=scripts/lib/qemu.sh
. "$here/qemu.sh"

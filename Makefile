# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What a person types. Kbuild, beside this file, is what the kernel's build
# system reads.

KDIR ?= /lib/modules/$(shell uname -r)/build

# KDIR as /lib/modules/RELEASE/build tells the release, otherwise it is ours.
release = $(or $(patsubst /lib/modules/%/build,%,$(filter /lib/modules/%/build,$(KDIR))),$(shell uname -r))
no_headers = no kernel headers in $(KDIR): install the package linux-headers-$(release)
need_headers = $(if $(wildcard $(KDIR)/Makefile),,$(error $(no_headers)))

kbuild = $(MAKE) -C $(KDIR) M=$(CURDIR)

all: modules

modules:
	$(need_headers)@scripts/compat-probe $(KDIR) include/generated
	+$(kbuild) modules

# Debian's headers ask for signatures but cannot hold the key.
sign = $(if $(wildcard $(KDIR)/certs/signing_key.pem),,CONFIG_MODULE_SIG_ALL=)
installed_release = $(shell cat $(KDIR)/include/config/kernel.release)

install: modules
	+$(kbuild) INSTALL_MOD_DIR=updates $(sign) modules_install
	depmod $(addprefix -b ,$(INSTALL_MOD_PATH)) $(installed_release)

clean:
	+$(if $(wildcard $(KDIR)/Makefile),$(kbuild) clean)
	rm -rf include/generated

demo:
	scripts/demo

check:
	scripts/check

check-unit:
	$(MAKE) -C tools/testing/unit check

check-debug:
	scripts/check debug!

check-long:
	scripts/check long flavours

bench:
	scripts/bench

fuzz:
	$(MAKE) -C tools/testing/unit fuzz

help:
	@echo 'Building (KDIR=FOLDER: headers of another kernel than the running one):'
	@echo '  modules      - build xrdma.ko, xroce.ko and xiwarp.ko (default)'
	@echo '  install      - install them, so that modprobe finds them'
	@echo '  clean        - remove what was built'
	@echo 'Trying and testing:'
	@echo '  demo         - show RDMA from one network namespace to another, in a virtual machine'
	@echo '  check        - all tests that a change must pass'
	@echo '  check-unit   - of these, those that need no kernel'
	@echo '  check-long   - tests that take longer, and more kernels'
	@echo '  check-debug  - tests in a kernel with its own checkers on'
	@echo '  bench        - measure, against rxe and TCP (Documentation/performance.rst)'
	@echo '  fuzz         - feed random bytes to the protocol core'

.PHONY: all modules install clean demo check check-unit check-debug check-long bench fuzz help

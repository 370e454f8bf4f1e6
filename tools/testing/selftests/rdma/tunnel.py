#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""tunnel.py NAMESPACE NAMESPACE: a tun0 in each, joined, until it is killed."""
import ctypes
import fcntl
import os
import select
import struct
import sys

TUNSETIFF = 0x400454ca
IFF_TUN_NO_PI = 0x1001
CLONE_NEWNET = 0x40000000


def open_tun(namespace):
    libc = ctypes.CDLL(None, use_errno=True)
    with open(f'/run/netns/{namespace}', 'rb') as netns:
        if libc.setns(netns.fileno(), CLONE_NEWNET):
            sys.exit(f'setns: {os.strerror(ctypes.get_errno())}')
    tun = os.open('/dev/net/tun', os.O_RDWR)
    fcntl.ioctl(tun, TUNSETIFF, struct.pack('16sH22x', b'tun0', IFF_TUN_NO_PI))
    return tun


def main():
    one, two = (open_tun(name) for name in sys.argv[1:3])
    other = {one: two, two: one}
    while True:
        for tun in select.select([one, two], [], [])[0]:
            packet = os.read(tun, 65536)
            try:
                os.write(other[tun], packet)
            except OSError:
                pass    # that end is down


main()

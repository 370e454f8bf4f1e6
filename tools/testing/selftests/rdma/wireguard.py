#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""wireguard.py NETDEV NAMESPACE ADDRESS NAMESPACE ADDRESS: make peers of the WireGuard
netdevs of that name in both namespaces, over the IPv4 addresses. For want of wg(8)."""
import ctypes
import os
import socket
import struct
import sys

CLONE_NEWNET = 0x40000000
NETLINK_GENERIC = 16
NLM_F_REQUEST, NLM_F_ACK, NLM_F_DUMP = 0x1, 0x4, 0x300
NLMSG_ERROR, NLMSG_DONE = 2, 3
GENL_ID_CTRL, CTRL_CMD_GETFAMILY = 16, 3
CTRL_ATTR_FAMILY_ID, CTRL_ATTR_FAMILY_NAME = 1, 2
WG_CMD_GET_DEVICE, WG_CMD_SET_DEVICE = 0, 1
WGDEVICE_IFNAME, WGDEVICE_PRIVATE_KEY, WGDEVICE_PUBLIC_KEY = 2, 3, 4
WGDEVICE_LISTEN_PORT, WGDEVICE_PEERS = 6, 8
WGPEER_PUBLIC_KEY, WGPEER_ENDPOINT, WGPEER_ALLOWEDIPS = 1, 4, 9
WGALLOWEDIP_FAMILY, WGALLOWEDIP_IPADDR, WGALLOWEDIP_CIDR_MASK = 1, 2, 3
PORT = 51820
NESTED = 0x8000


def attribute(kind, *values):
    value = b''.join(values)
    return struct.pack('HH', 4 + len(value), kind) + value + bytes(-len(value) % 4)


def attributes(data):
    found = {}
    while len(data) >= 4:
        length, kind = struct.unpack_from('HH', data)
        found[kind & ~NESTED] = data[4:length]
        data = data[(length + 3) & ~3:]
    return found


class Netlink:
    """Generic netlink of a namespace."""

    def __init__(self, namespace):
        libc = ctypes.CDLL(None, use_errno=True)
        with open(f'/run/netns/{namespace}', 'rb') as netns:
            if libc.setns(netns.fileno(), CLONE_NEWNET):
                sys.exit(f'setns: {os.strerror(ctypes.get_errno())}')
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC)
        family = self.ask(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, NLM_F_ACK,
                          attribute(CTRL_ATTR_FAMILY_NAME, b'wireguard\0'))
        self.wireguard, = struct.unpack('H', family[CTRL_ATTR_FAMILY_ID])

    def ask(self, family, command, flags, *payload):
        """The attributes of the first answer."""
        body = struct.pack('BBxx', command, 1) + b''.join(payload)
        self.socket.send(struct.pack('IHHII', 16 + len(body), family, NLM_F_REQUEST | flags,
                                     0, 0) + body)
        answer = {}
        while True:
            data = self.socket.recv(65536)
            while data:
                length, kind = struct.unpack_from('IH', data)
                if kind == NLMSG_ERROR:
                    error = -struct.unpack_from('i', data, 16)[0]
                    if error:
                        sys.exit(f'netlink: {os.strerror(error)}')
                if kind in (NLMSG_ERROR, NLMSG_DONE):
                    return answer
                answer = answer or attributes(data[20:length])
                data = data[(length + 3) & ~3:]

    def set(self, netdev, *values):
        self.ask(self.wireguard, WG_CMD_SET_DEVICE, NLM_F_ACK, netdev, *values)

    def get(self, netdev):
        return self.ask(self.wireguard, WG_CMD_GET_DEVICE, NLM_F_DUMP, netdev)


def anything(family, size):
    return attribute(NESTED, attribute(WGALLOWEDIP_FAMILY, struct.pack('H', family)),
                     attribute(WGALLOWEDIP_IPADDR, bytes(size)),
                     attribute(WGALLOWEDIP_CIDR_MASK, b'\0'))


def peer(key, address):
    endpoint = struct.pack('=H', socket.AF_INET) + struct.pack('!H', PORT) + \
        socket.inet_aton(address) + bytes(8)
    return attribute(NESTED, attribute(WGPEER_PUBLIC_KEY, key),
                     attribute(WGPEER_ENDPOINT, endpoint),
                     attribute(WGPEER_ALLOWEDIPS | NESTED, anything(socket.AF_INET, 4),
                               anything(socket.AF_INET6, 16)))


def main():
    netdev = attribute(WGDEVICE_IFNAME, sys.argv[1].encode() + b'\0')
    sides = [(Netlink(sys.argv[i]), sys.argv[i + 1]) for i in (2, 4)]
    keys = []
    for side, _ in sides:
        side.set(netdev, attribute(WGDEVICE_PRIVATE_KEY, os.urandom(32)),
                 attribute(WGDEVICE_LISTEN_PORT, struct.pack('H', PORT)))
        keys.append(side.get(netdev)[WGDEVICE_PUBLIC_KEY])
    for i, (side, _) in enumerate(sides):
        side.set(netdev, attribute(WGDEVICE_PEERS | NESTED,
                                   peer(keys[1 - i], sides[1 - i][1])))


main()

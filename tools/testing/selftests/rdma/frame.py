#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""frame.py NETDEV [FIELD=VALUE...]: sends one RoCE frame of any shape by a netdev.

Fields, numbers as in C, and what they are if not given:

  v         1: RoCEv1; 4, 6: RoCEv2 over IPv4, IPv6 (1)
  dmac, smac        destination (of broadcast), source (the netdev's own)
  src, dst          addresses; for v=1 an IPv4 address stands for its mapped GID
  tag       VLAN tag, as a number of 16 bits (none)
  tclass, hops, sport, udpsum=1     as they say (0, 64, 0xc000, no checksum)
  version, next     of the GRH (6, 0x1b)
  paylen    of the GRH or the UDP header, when it is not what is there
  op, qpn, psn, pkey, bth1          BTH (0x64, 0xffffff, 0, 0xffff, 0x40)
  qkey, sqpn        DETH, if the opcode has one
  va, rkey, len     RETH, if the opcode has one
  raw       hex: takes the place of everything from the BTH to before the ICRC
  data      hex: payload (none); padded as the transport wants
  icrc      added to the right one (0)
  trailer   bytes that follow the packet; Ethernet pads to 60 bytes by itself

hex=BYTES sends these as they are behind the Ethernet header: "v" says what kind.
"""
import socket
import struct
import sys
import zlib

UD = (0x64, 0x65)
WITH_RETH = (0x06, 0x0a, 0x0b, 0x0c, 0x26, 0x2a, 0x2b)
ETHERTYPE = {1: 0x8915, 4: 0x0800, 6: 0x86dd}


def gid(text):
    if ':' in text:
        return socket.inet_pton(socket.AF_INET6, text)
    return bytes(10) + b'\xff\xff' + socket.inet_aton(text)


def sum16(data):
    data += bytes(len(data) % 2)
    total = sum(struct.unpack(f'>{len(data) // 2}H', data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def masked(version, network, transport):
    """What the ICRC is computed over: what may change on the way counts as ones."""
    n, t = bytearray(network), bytearray(transport)
    if version == 4:
        n[1] = n[8] = n[10] = n[11] = n[26] = n[27] = 0xff
    else:
        n[0] |= 0x0f
        n[1:4] = b'\xff\xff\xff'
        n[7] = 0xff
        if version == 6:
            n[46] = n[47] = 0xff
    if len(t) > 4:
        t[4] = 0xff
    return b'\xff' * 8 + bytes(n + t)


class Frame:
    def __init__(self, netdev, fields):
        self.netdev = netdev
        self.fields = fields
        self.version = self.number('v', 1)

    def number(self, name, default):
        return int(self.fields.get(name, str(default)), 0)

    def bytes(self, name):
        return bytes.fromhex(self.fields.get(name, ''))

    def transport(self):
        if 'raw' in self.fields:
            return self.bytes('raw')
        op, data = self.number('op', 0x64), self.bytes('data')
        pad = -len(data) % 4
        packet = struct.pack('>BBHII', op, self.number('bth1', 0x40) | pad << 4,
                             self.number('pkey', 0xffff), self.number('qpn', 0xffffff),
                             self.number('psn', 0))
        if op in UD:
            packet += struct.pack('>II', self.number('qkey', 0), self.number('sqpn', 0))
        if op in WITH_RETH:
            packet += struct.pack('>QII', self.number('va', 0), self.number('rkey', 0),
                                  self.number('len', len(data)))
        return packet + data + bytes(pad)

    def grh(self, length):
        return struct.pack('>IHBB', self.number('version', 6) << 28 |
                           self.number('tclass', 0) << 20, self.number('paylen', length),
                           self.number('next', 0x1b), self.number('hops', 64)) + \
            gid(self.fields['src']) + gid(self.fields['dst'])

    def udp(self, packet):
        """Network and UDP header for the transport packet, ICRC included."""
        length = self.number('paylen', len(packet) + 8)
        if self.version == 4:
            src, dst = (socket.inet_aton(self.fields[x]) for x in ('src', 'dst'))
            ip = struct.pack('>BBHHHBBH', 0x45, self.number('tclass', 0), 20 + length,
                             0x1234, 0x4000, self.number('hops', 64), 17, 0) + src + dst
            ip = ip[:10] + struct.pack('>H', sum16(ip)) + ip[12:]
        else:
            src, dst = (socket.inet_pton(socket.AF_INET6, self.fields[x]) for x in ('src', 'dst'))
            ip = struct.pack('>IHBB', 6 << 28 | self.number('tclass', 0) << 20, length, 17,
                             self.number('hops', 64)) + src + dst
        udp = struct.pack('>HHHH', self.number('sport', 0xc000), 4791, length, 0)
        return ip, udp, src + dst + struct.pack('>II', length, 17)

    def packet(self):
        if 'hex' in self.fields:
            return self.bytes('hex')
        transport = self.transport()
        if self.version == 1:
            head = self.grh(len(transport) + 4)
        else:
            ip, udp, pseudo = self.udp(transport + bytes(4))
            head = ip + udp
        crc = zlib.crc32(masked(self.version, head, transport)) + self.number('icrc', 0)
        packet = transport + struct.pack('<I', crc & 0xffffffff)
        if self.version != 1 and self.number('udpsum', 0):
            head = ip + udp[:6] + struct.pack('>H', sum16(pseudo + udp + packet) or 0xffff)
        return head + packet

    def send(self):
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sock:
            sock.bind((self.netdev, 0))
            own = sock.getsockname()[4]
            mac = {x: bytes.fromhex(self.fields[x].replace(':', '')) if x in self.fields else y
                   for x, y in (('dmac', b'\xff' * 6), ('smac', own))}
            frame = mac['dmac'] + mac['smac']
            if 'tag' in self.fields:
                frame += struct.pack('>HH', 0x8100, self.number('tag', 0))
            frame += struct.pack('>H', ETHERTYPE[self.version]) + self.packet()
            frame += bytes(self.number('trailer', 0))
            sock.send(frame.ljust(60, b'\0'))


if __name__ == '__main__':
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    Frame(sys.argv[1], dict(arg.split('=', 1) for arg in sys.argv[2:])).send()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""iw_peer.py CASE ADDRESS [PORT]: an iWARP peer over a plain TCP socket.

Written from the RFCs, shares nothing with the driver. As a client it talks to
"rping -s -P"; cases that begin with "serve" listen, for "rping -c". Ends with status 0
if the other side did what the case wants.

A good ping, in various ways:
  ping [OPTION...]      crc: ask for CRC; markers: ask for markers; v1: revision 1;
                        bytes: one byte at a time; rtr=write|read|fpdu: announce
                        and send it; v6 addresses by their text
Startup gone wrong, and the connection ends:
  badkey badrev badlen extra silent early
A server that:
  serve-v1              knows only revision 1, closes on 2
  serve-reject          rejects
  serve-garbage         answers with garbage
  serve-silent          never answers
"""
import os
import socket
import struct
import sys
import time

# How many times slower than usual the machine may be, see lib/wait.sh.
patience = int(os.environ.get('PATIENCE', '1'))

REQUEST = b'MPA ID Req Frame'
REPLY = b'MPA ID Rep Frame'
MARKERS, CRC, REJECT, ENHANCED = 0x80, 0x40, 0x20, 0x10

WRITE, READ_REQUEST, READ_RESPONSE, SEND = range(4)
LAST, TAGGED, DDP_VERSION, RDMAP_VERSION = 0x40, 0x80, 1, 0x40
STAG, BASE = 0x12345600, 0x7f0000001000


def make_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82f63b78 if n & 1 else 0)
        table.append(n)
    return table


TABLE = make_table()


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 0xff]
    return ~crc & 0xffffffff


assert crc32c(b'123456789') == 0xe3069283


class Ended(Exception):
    """The other side closed the connection."""


class Peer:
    def __init__(self, sock, options=()):
        self.sock = sock
        self.options = options
        self.crc = False
        self.rx_markers = False
        self.position = 0       # of the receiving stream, for markers
        self.msn = {0: 1, 1: 1, 2: 1}
        sock.settimeout(8 * patience)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def put(self, data):
        if 'bytes' not in self.options:
            self.sock.sendall(data)
            return
        for byte in data:
            self.sock.sendall(bytes([byte]))
            time.sleep(0.001)

    def get(self, count):
        data = b''
        while len(data) < count:
            more = self.sock.recv(count - len(data))
            if not more:
                raise Ended(data)
            data += more
        return data

    # ---- startup

    def startup(self, rtr=None):
        flags, revision, private = 0, 2, b''
        if 'crc' in self.options:
            flags |= CRC
        if 'markers' in self.options:
            flags |= MARKERS
        if 'v1' in self.options:
            revision = 1
        else:
            flags |= ENHANCED
            words = {None: (0, 0), 'fpdu': (0xc000, 0), 'write': (0x8000, 0x8000),
                     'read': (0x8000, 0x4000)}[rtr]
            private = struct.pack('>HH', words[0] | 4, words[1] | 4)
        self.put(REQUEST + struct.pack('>BBH', flags, revision, len(private)) + private)
        key, flags, revision, length = struct.unpack('>16sBBH', self.get(20))
        private = self.get(length)
        assert key == REPLY, key
        assert not flags & (REJECT | MARKERS), hex(flags)
        self.crc = bool(flags & CRC)
        assert self.crc or 'crc' not in self.options
        self.rx_markers = 'markers' in self.options
        if 'v1' in self.options:
            assert revision == 1 and not flags & ENHANCED
            return
        assert revision == 2 and flags & ENHANCED
        ird, ord_ = struct.unpack('>HH', private[:4])
        assert ird & 0x3fff >= 1, 'no IRD'
        if rtr:
            assert ird & 0x8000, 'not peer to peer'
            taken = {'fpdu': ird & 0x4000, 'write': ord_ & 0x8000, 'read': ord_ & 0x4000}
            assert taken[rtr], 'the RTR was not taken'
            self.send_rtr(rtr)

    def send_rtr(self, rtr):
        if rtr == 'fpdu':
            self.fpdu(b'')
        elif rtr == 'write':
            self.tagged(WRITE, 1, 0, b'')
        else:
            self.read_request(0, 0, 0, 1, 0)
            assert self.segment()[0] == READ_RESPONSE

    # ---- sending

    def fpdu(self, ulpdu):
        data = struct.pack('>H', len(ulpdu)) + ulpdu
        data += bytes(-len(data) % 4)
        crc = crc32c(data) if self.crc else 0
        self.put(data + struct.pack('<I', crc))

    def tagged(self, op, stag, offset, data):
        self.fpdu(struct.pack('>BBIQ', TAGGED | LAST | DDP_VERSION, RDMAP_VERSION | op,
                              stag, offset) + data)

    def untagged(self, op, queue, data, invalidate=0):
        self.fpdu(struct.pack('>BBIIII', LAST | DDP_VERSION, RDMAP_VERSION | op,
                              invalidate, queue, self.msn[queue], 0) + data)
        self.msn[queue] += 1

    def read_request(self, sink_stag, sink, length, stag, offset):
        self.untagged(READ_REQUEST, 1, struct.pack('>IQIIQ', sink_stag, sink, length,
                                                   stag, offset))

    # ---- receiving

    def stream(self, count):
        """The next bytes, without the markers among them."""
        if not self.rx_markers:
            return self.get(count), b''
        data = raw = b''
        while len(data) < count:
            if self.position % 512 == 0:
                marker = self.get(4)
                self.markers.append((self.position, struct.unpack('>HH', marker)))
                raw += marker
                self.position += 4
            n = min(count - len(data), 512 - self.position % 512)
            more = self.get(n)
            data, raw = data + more, raw + more
            self.position += n
        return data, raw

    def segment(self):
        """Opcode, header and payload of the next segment."""
        self.markers = []
        start = self.position
        head, raw = self.stream(2)
        if self.markers and self.markers[0][0] == start:
            start += 4
        length, = struct.unpack('>H', head)
        rest, more = self.stream(length + -(length + 2) % 4)
        raw += more
        trailer, _ = self.stream(4)
        for position, (reserved, pointer) in self.markers:
            assert reserved == 0
            assert pointer == max(position - start, 0), (position, start, pointer)
        if self.crc:
            covered = raw if self.rx_markers else head + rest
            assert struct.unpack('<I', trailer)[0] == crc32c(covered), 'CRC'
        ulpdu = rest[:length]
        assert ulpdu[0] & 3 == DDP_VERSION and ulpdu[1] >> 6 == 1
        return ulpdu[1] & 15, ulpdu

    def message(self, wanted):
        """Payload of the next message, which must be of this opcode."""
        payload = b''
        while True:
            op, ulpdu = self.segment()
            assert op == wanted, (op, ulpdu.hex())
            payload += ulpdu[14 if ulpdu[0] & TAGGED else 18:]
            if ulpdu[0] & LAST:
                return payload

    def end(self):
        """Nothing comes any more."""
        try:
            while self.get(1):
                pass
        except (Ended, ConnectionResetError):
            pass


def connect(address, port, options=()):
    return Peer(socket.create_connection((address, port), 8), options)


def ping(peer):
    """One ping of rping: it reads what we have, then writes it back."""
    text = bytes(i % 94 + 33 for i in range(63)) + b'\0'
    peer.untagged(SEND, 0, struct.pack('>QII', BASE, STAG, len(text)))
    request = peer.message(READ_REQUEST)
    sink_stag, sink, length, stag, offset = struct.unpack('>IQIIQ', request)
    assert (length, stag, offset) == (len(text), STAG, BASE), request.hex()
    half = length // 2
    peer.fpdu(struct.pack('>BBIQ', TAGGED | DDP_VERSION, RDMAP_VERSION | READ_RESPONSE,
                          sink_stag, sink) + text[:half])
    peer.tagged(READ_RESPONSE, sink_stag, sink + half, text[half:])
    peer.message(SEND)
    peer.untagged(SEND, 0, struct.pack('>QII', BASE + 64, STAG, len(text)))
    assert peer.message(WRITE) == text
    peer.message(SEND)


def case_ping(address, port, options):
    rtr = [option[4:] for option in options if option.startswith('rtr=')]
    peer = connect(address, port, options)
    peer.startup(rtr[0] if rtr else None)
    for _ in range(3):
        ping(peer)


def raw_startup(address, port, data):
    peer = connect(address, port)
    peer.put(data)
    return peer


def case_badkey(address, port):
    raw_startup(address, port, b'GET / HTTP/1.0\r\n\r\n' + bytes(16)).end()


def case_badrev(address, port):
    raw_startup(address, port, REQUEST + struct.pack('>BBH', 0, 3, 0)).end()


def case_badlen(address, port):
    raw_startup(address, port, REQUEST + struct.pack('>BBH', 0, 1, 513)).end()


def case_extra(address, port):
    raw_startup(address, port, REQUEST + struct.pack('>BBH', 0, 1, 0) + bytes(8)).end()


def case_silent(address, port):
    """A hundred that send half a frame and wait; a ping beside them."""
    peers = [raw_startup(address, port, REQUEST[:7]) for _ in range(100)]
    case_ping(address, port, [])
    for peer in peers:
        peer.sock.setblocking(False)
        try:
            raise AssertionError('the ping was late: %r' % peer.sock.recv(1))
        except BlockingIOError:
            pass
        peer.sock.settimeout(40)
    for peer in peers:
        peer.end()


def case_early(address, port):
    for n in range(0, 24):
        raw_startup(address, port, (REQUEST + struct.pack('>BBH', 0, 1, 4))[:n]).sock.close()


def listen(address, port):
    family = socket.AF_INET6 if ':' in address else socket.AF_INET
    server = socket.socket(family)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind((address, port))
    server.listen()
    server.settimeout(20)
    return server


def get_request(server):
    peer = Peer(server.accept()[0])
    key, flags, revision, length = struct.unpack('>16sBBH', peer.get(20))
    assert key == REQUEST
    return peer, flags, revision, peer.get(length)


def case_serve_v1(address, port):
    server = listen(address, port)
    peer, _, revision, _ = get_request(server)
    assert revision == 2
    peer.sock.close()
    peer, flags, revision, private = get_request(server)
    assert revision == 1 and not flags & ENHANCED
    peer.put(REPLY + struct.pack('>BBH', 0, 1, 0))
    # rping names its buffer first.
    assert len(peer.message(SEND)) == 16


def case_serve_reject(address, port):
    peer, _, revision, _ = get_request(listen(address, port))
    peer.put(REPLY + struct.pack('>BBHHH', REJECT | ENHANCED, revision, 4, 0, 0))
    peer.end()


def case_serve_garbage(address, port):
    peer = get_request(listen(address, port))[0]
    peer.put(b'HTTP/1.0 400 Bad Request\r\n\r\n')
    peer.end()


def case_serve_silent(address, port):
    peer = get_request(listen(address, port))[0]
    peer.sock.settimeout(30)
    peer.end()


def main():
    case, address = sys.argv[1:3]
    port, options = 7174, sys.argv[3:]
    if options and options[0].isdigit():
        port = int(options.pop(0))
    name, _, argument = case.partition('=')
    arguments = [argument] if argument else []
    if name == 'ping':
        arguments.append(options)
    globals()['case_' + name.replace('-', '_')](address, port, *arguments)


if __name__ == '__main__':
    main()

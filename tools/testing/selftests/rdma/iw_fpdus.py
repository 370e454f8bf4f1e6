#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""iw_fpdus.py NETDEV PORT: the CRCs of an iWARP connection, as they are on the wire.

Watches the first connection to that port of TCP (IPv4) at NETDEV, says "watching", and
at SIGTERM, for each direction: FPDUs seen, and how many have the right CRC.
Shares nothing with the drivers.
"""
import signal
import socket
import struct
import sys

from iw_peer import crc32c

ETH_P_ALL = 3
SO_RCVBUFFORCE = 33
STARTUP_BYTES = 20


class Enough(Exception):
    """SIGTERM."""


def enough(*_):
    raise Enough


def watch(netdev):
    """All frames until SIGTERM; nothing is looked at meanwhile."""
    sniffer = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    sniffer.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 32 << 20)
    sniffer.bind((netdev, 0))
    frames = []
    signal.signal(signal.SIGTERM, enough)
    print('watching', flush=True)
    try:
        while True:
            frames.append(sniffer.recv(1 << 17))
    except Enough:
        sniffer.setblocking(False)
    try:
        while True:
            frames.append(sniffer.recv(1 << 17))
    except BlockingIOError:
        return frames


def segments(frames, port):
    """(to the server?, port of the client, sequence number, SYN?, bytes)"""
    for frame in frames:
        if frame[12:14] != b'\x08\x00' or frame[23] != socket.IPPROTO_TCP:
            continue
        ip = 14
        length, = struct.unpack_from('>H', frame, ip + 2)
        tcp = ip + (frame[ip] & 15) * 4
        source, destination, number = struct.unpack_from('>HHI', frame, tcp)
        if port not in (source, destination):
            continue
        is_up = destination == port
        end = ip + length if length else len(frame)
        data = frame[tcp + (frame[tcp + 12] >> 4) * 4:end]
        yield is_up, source if is_up else destination, number, frame[tcp + 13] & 2, data


def streams(frames, port):
    """The bytes of both directions, by is_up, as far as nothing is missing."""
    first, client, pieces = {}, None, {True: {}, False: {}}
    for is_up, who, number, is_syn, data in segments(frames, port):
        client = client or who
        if who != client:
            continue
        if is_syn:
            first[is_up] = number + 1
        elif data and is_up in first:
            pieces[is_up][(number - first[is_up]) & 0xffffffff] = data
    for is_up, parts in pieces.items():
        stream = bytearray()
        for at in sorted(parts):
            if at > len(stream):
                break
            stream[at:] = parts[at]
        yield is_up, bytes(stream)


def fpdus(stream):
    """(covered bytes, CRC) of each whole FPDU behind the startup frame."""
    private, = struct.unpack_from('>H', stream, STARTUP_BYTES - 2)
    at = STARTUP_BYTES + private
    while at + 2 <= len(stream):
        length, = struct.unpack_from('>H', stream, at)
        end = at + (2 + length + 3) // 4 * 4
        if end + 4 > len(stream):
            return
        yield stream[at:end], struct.unpack_from('<I', stream, end)[0]
        at = end + 4


def main():
    netdev, port = sys.argv[1], int(sys.argv[2])
    for is_up, stream in streams(watch(netdev), port):
        seen = right = 0
        for covered, crc in fpdus(stream):
            seen += 1
            right += crc == crc32c(covered)
        print('to the server:' if is_up else 'to the client:', seen, 'FPDUs,', right, 'right')


if __name__ == '__main__':
    main()

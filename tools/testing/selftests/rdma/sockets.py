#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Sockets that the kernel carries by RDMA, and whether what comes is what was sent.

sockets.py rds ADDRESS              two sockets of RDS there, messages both ways
sockets.py smc-server ADDRESS PORT  echoes one connection of SMC
sockets.py smc-client ADDRESS PORT  sends 4 MiB to it and wants them back
"""
import ctypes
import os
import socket
import struct
import sys

AF_SMC = 43
SECONDS = 30
CHUNK = 65536
CHUNKS = 64

libc = ctypes.CDLL(None, use_errno=True)


def pattern(length, seed):
    return (bytes((seed + i) % 251 for i in range(251)) * (length // 251 + 1))[:length]


# ---- RDS ---------------------------------------------------------------------

def rds(address):
    ends = []
    for port in (4000, 4001):
        end = socket.socket(socket.AF_RDS, socket.SOCK_SEQPACKET, 0)
        end.bind((address, port))
        end.settimeout(SECONDS)
        ends.append(end)
    lengths = [1, 2, 63, 64, 65, 1000, 4095, 4096, 4097, 10000, 32768, 65535, 65536]
    for turn, length in enumerate(lengths * 10):
        source, target = ends[turn % 2], ends[1 - turn % 2]
        sent = pattern(length, turn)
        source.sendto(sent, target.getsockname())
        if target.recv(2 * length) != sent:
            sys.exit(f'message {turn} of {length} bytes is another')


# ---- SMC, whose addresses Python does not know ---------------------------------

def smc():
    fd = libc.socket(AF_SMC, socket.SOCK_STREAM, 0)
    if fd < 0:
        sys.exit(f'socket: {os.strerror(ctypes.get_errno())}')
    return fd


def call(name, *args):
    result = getattr(libc, name)(*args)
    if result < 0:
        sys.exit(f'{name}: {os.strerror(ctypes.get_errno())}')
    return result


def sockaddr(address, port):
    return struct.pack('=HH4s8x', socket.AF_INET, socket.htons(int(port)),
                       socket.inet_aton(address))


def smc_server(address, port):
    listener = smc()
    call('bind', listener, sockaddr(address, port), 16)
    call('listen', listener, 1)
    fd = call('accept', listener, None, None)
    while data := os.read(fd, CHUNK):
        while data:
            data = data[os.write(fd, data):]


def smc_client(address, port):
    fd = smc()
    call('connect', fd, sockaddr(address, port), 16)
    for turn in range(CHUNKS):
        sent, back = pattern(CHUNK, turn), b''
        os.write(fd, sent)
        while len(back) < len(sent):
            data = os.read(fd, CHUNK)
            if not data:
                sys.exit('the connection has ended')
            back += data
        if back != sent:
            sys.exit(f'piece {turn} is another')
    os.close(fd)


if __name__ == '__main__':
    {'rds': rds, 'smc-server': smc_server, 'smc-client': smc_client}[sys.argv[1]](*sys.argv[2:])

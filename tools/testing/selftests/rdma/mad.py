#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""mad.py DEVICE GID-INDEX DGID get|set ATTRIBUTE [SELECT]: asks the performance
management agent at DGID and prints "status S data HEX" of its answer.
"""
import fcntl
import os
import select
import socket
import struct
import sys

REGISTER_AGENT = 0xc01c1b01     # IB_USER_MAD_REGISTER_AGENT
ENABLE_PKEY = 0x1b03            # IB_USER_MAD_ENABLE_PKEY
HEADER = 64                     # struct ib_user_mad_hdr with pkey_index
MAD = 256
DATA = 64                       # where a PerfMgmt MAD's data begin


def umad_of(device):
    folder = '/sys/class/infiniband_mad'
    for name in sorted(os.listdir(folder)):
        if name.startswith('umad'):
            with open(f'{folder}/{name}/ibdev', encoding='ascii') as ibdev:
                if ibdev.read().strip() == device:
                    return f'/dev/infiniband/{name}'
    sys.exit(f'no umad of {device}')


def gid(text):
    if ':' in text:
        return socket.inet_pton(socket.AF_INET6, text)
    return bytes(10) + b'\xff\xff' + socket.inet_aton(text)


def main():
    device, index, dgid, method, attribute = sys.argv[1:6]
    selected = int(sys.argv[6], 0) if len(sys.argv) > 6 else 0
    fd = os.open(umad_of(device), os.O_RDWR)
    fcntl.ioctl(fd, ENABLE_PKEY)
    agent = bytearray(struct.pack('=I4IBBB3sBx', 0, 0, 0, 0, 0, 1, 4, 1, b'', 0))
    fcntl.ioctl(fd, REGISTER_AGENT, agent)
    agent_id = struct.unpack_from('=I', agent)[0]
    header = struct.pack('=5I', agent_id, 0, 1000, 3, 0) + \
        struct.pack('>II', 1, 0x80010000) + \
        struct.pack('=HBBBBBB', 0, 0, 0, 1, int(index), 64, 0) + gid(dgid) + \
        struct.pack('=IH6x', 0, 0)
    assert len(header) == HEADER, len(header)
    mad = struct.pack('>BBBBHHQHHI', 1, 4, 1, 1 if method == 'get' else 2, 0, 0,
                      1, int(attribute, 0), 0, 0)
    mad += bytes(DATA - len(mad)) + struct.pack('>BBH', 0, 1, selected)
    os.write(fd, header + mad.ljust(MAD, b'\0'))
    if not select.select([fd], [], [], 10)[0]:
        sys.exit('no answer')
    reply = os.read(fd, HEADER + MAD)
    if struct.unpack_from('=I', reply, 4)[0]:
        sys.exit('no answer: status %d' % struct.unpack_from('=I', reply, 4)[0])
    reply = reply[HEADER:]
    if reply[3] != 0x81:
        sys.exit('the answer is none: method %#x' % reply[3])
    print('status', struct.unpack_from('>H', reply, 4)[0], 'data', reply[DATA:DATA + 72].hex())


main()

# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""Frames: taken apart and put together, independently of the library under test."""

import random
import struct
import zlib
from typing import NamedTuple

MAGIC = b'\x9d\xc7'  # of a shim
VLAN_TYPES = (0x8100, 0x88A8, 0x9100)
IPV4, IPV6 = 0x0800, 0x86DD
TCP, UDP = 6, 17
ROCE_PORT = 4791
ICRC_LEN = 4
MIN_FRAME = 60
ACK, PSH = 0x10, 0x08

MACS = bytes.fromhex('020000000002020000000001')
ADDRESSES = {4: bytes([10, 20, 0, 1, 10, 20, 0, 2]),
             6: bytes.fromhex('fd00' + '00' * 13 + '01' + 'fd00' + '00' * 13 + '02')}

# Bytes from the BTH to the payload by operation, of the transports RC and UC.
ROCE_HEADERS = {0x00: 12, 0x01: 12, 0x02: 12, 0x03: 16, 0x04: 12, 0x05: 16, 0x06: 28, 0x07: 12,
                0x08: 12, 0x09: 16, 0x0A: 28, 0x0B: 32, 0x0D: 16, 0x0E: 12, 0x0F: 16, 0x10: 16,
                0x16: 16, 0x17: 16}


class Parsed(NamedTuple):
    """Where the parts of a TCP or UDP frame are."""

    version: int
    l3: int
    l4: int
    protocol: int
    is_roce: bool
    region: int
    region_end: int
    ip_end: int

    @property
    def cksum(self):
        return self.l4 + (16 if self.protocol == TCP else 6)


def parse(data):
    """None if the frame is not TCP or UDP over plain IP with payload."""
    if len(data) <= MIN_FRAME:
        return None
    at = 12
    while struct.unpack_from('>H', data, at)[0] in VLAN_TYPES:
        at += 4
    ether_type, l3 = struct.unpack_from('>H', data, at)[0], at + 2
    if ether_type == IPV4:
        length, protocol = struct.unpack_from('>H', data, l3 + 2)[0], data[l3 + 9]
        version, l4, ip_end = 4, l3 + 4 * (data[l3] & 15), l3 + length
        if data[l3] != 0x45 or struct.unpack_from('>H', data, l3 + 6)[0] & 0x3FFF:
            return None
    elif ether_type == IPV6:
        version, l4, protocol = 6, l3 + 40, data[l3 + 6]
        ip_end = l4 + struct.unpack_from('>H', data, l3 + 4)[0]
    else:
        return None
    if protocol not in (TCP, UDP) or not l4 < ip_end <= len(data):
        return None
    is_roce = protocol == UDP and struct.unpack_from('>H', data, l4 + 2)[0] == ROCE_PORT
    region, region_end = l4 + (4 * (data[l4 + 12] >> 4) if protocol == TCP else 8), ip_end
    if is_roce:
        region += roce_header_len(data[region])
        region_end -= ICRC_LEN
    if region >= region_end:
        return None
    return Parsed(version, l3, l4, protocol, is_roce, region, region_end, ip_end)


def roce_header_len(opcode):
    transport, operation = opcode >> 5, opcode & 31
    if transport == 3:  # UD
        return {0x04: 20, 0x05: 24}.get(operation, 12)
    if transport == 5:  # XRC: its own header in all but the responses
        return ROCE_HEADERS.get(operation, 12) + (0 if 0x0D <= operation <= 0x10 else 4)
    return ROCE_HEADERS.get(operation, 12)


def ones_sum(data):
    """The sum of RFC 1071, which is 0xFFFF over anything with a right checksum."""
    data += bytes(len(data) & 1)
    total = sum(struct.unpack(f'>{len(data) // 2}H', data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def ip_cksum_ok(data, p):
    return p.version == 6 or ones_sum(data[p.l3:p.l3 + 20]) == 0xFFFF


def pseudo_header(data, p):
    addresses = data[p.l3 + 12:p.l3 + 20] if p.version == 4 else data[p.l3 + 8:p.l3 + 40]
    return addresses + struct.pack('>IHBB', p.ip_end - p.l4, 0, 0, p.protocol)


def l4_cksum_ok(data, p):
    return ones_sum(pseudo_header(data, p) + data[p.l4:p.ip_end]) == 0xFFFF


def with_ip_cksum(data, p):
    """With a new, right checksum of the IP header."""
    if p.version == 6:
        return bytes(data)
    data = bytearray(data)
    data[p.l3 + 10:p.l3 + 12] = bytes(2)
    struct.pack_into('>H', data, p.l3 + 10, ~ones_sum(bytes(data[p.l3:p.l3 + 20])) & 0xFFFF)
    return bytes(data)


def with_l4_cksum(data, p):
    data = bytearray(data)
    data[p.cksum:p.cksum + 2] = bytes(2)
    total = ones_sum(pseudo_header(data, p) + bytes(data[p.l4:p.ip_end])) ^ 0xFFFF
    struct.pack_into('>H', data, p.cksum, total or 0xFFFF)
    return bytes(data)


def icrc(data, p):
    """The invariant CRC that a RoCEv2 frame should have; fields that change on the way count as
    ones."""
    head = bytearray(data[p.l3:p.ip_end - ICRC_LEN])
    udp = p.l4 - p.l3
    if p.version == 4:
        masked = [1, 8, 10, 11]
    else:
        head[0] |= 0x0F
        masked = [1, 2, 3, 7]
    for at in masked + [udp + 6, udp + 7, udp + 8 + 4]:
        head[at] = 0xFF
    return struct.pack('<I', zlib.crc32(b'\xff' * 8 + bytes(head)))


def icrc_ok(data, p):
    return data[p.ip_end - ICRC_LEN:p.ip_end] == icrc(data, p)


# ---- putting together ----

def ether(payload, ether_type, vlans=()):
    tags = b''.join(struct.pack('>HH', tpid, tci) for tpid, tci in vlans)
    return MACS + tags + struct.pack('>H', ether_type) + payload


def ip(l4, protocol, version=4, ident=0x1234, fragment=0x4000, options=b'', addresses=None):
    addresses = addresses or ADDRESSES[version]
    if version == 6:
        return struct.pack('>IHBB', 6 << 28 | 0x68 << 20 | 0x12345, len(l4) & 0xFFFF, protocol,
                           64) + addresses + l4
    head = struct.pack('>BBHHHBBH', 0x45 + len(options) // 4, 0x68,
                       (20 + len(options) + len(l4)) & 0xFFFF, ident, fragment, 64, protocol, 0)
    head += addresses + options
    cksum = struct.pack('>H', ~ones_sum(head) & 0xFFFF)
    return head[:10] + cksum + head[12:] + l4


def frame(l4, protocol, version=4, vlans=(), trailer=b'', **fields):
    """A frame with right checksums."""
    data = ether(ip(l4, protocol, version, **fields), IPV4 if version == 4 else IPV6, vlans)
    p = parse(data)
    if p is not None and not p.is_roce:
        data = with_l4_cksum(data, p)
    return data + trailer


def tcp(payload, flags=ACK | PSH, options=b'', seq=1000, sport=40000, dport=50100, **fields):
    head = struct.pack('>HHIIBBHHH', sport, dport, seq, 2000, (20 + len(options)) // 4 << 4, flags,
                       500, 0, 0)
    return frame(head + options + payload, TCP, **fields)


def udp_datagram(payload, sport=40000, dport=50200):
    return struct.pack('>HHHH', sport, dport, (8 + len(payload)) & 0xFFFF, 0) + payload


def udp(payload, sport=40000, dport=50200, **fields):
    return frame(udp_datagram(payload, sport, dport), UDP, **fields)


def roce(payload, opcode=0x07, pad=0, psn=100, version=4, cksum=0, qp=0x11, **fields):
    """RoCEv2 with a right ICRC; `payload` has the pad bytes."""
    bth = struct.pack('>BBHII', opcode, pad << 4, 0xFFFF, qp, 0x80000000 | psn)
    headers = bth + bytes(range(1, 1 + roce_header_len(opcode) - 12))
    l4 = bytearray(udp_datagram(headers + payload + bytes(ICRC_LEN), 49152, ROCE_PORT))
    struct.pack_into('>H', l4, 6, cksum)
    trailer = fields.pop('trailer', b'')
    data = frame(bytes(l4), UDP, version, **fields)
    p = parse(data)
    if p is None:
        return data + trailer
    return data[:p.ip_end - ICRC_LEN] + icrc(data, p) + data[p.ip_end:] + trailer


def bf16(count, seed=1, scale=0.02):
    """Weights of a normal distribution, little endian."""
    rng = random.Random(seed)
    values = struct.pack(f'<{count}f', *(rng.gauss(0, scale) for _ in range(count)))
    return b''.join(values[k + 2:k + 4] for k in range(0, len(values), 4))

# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""Hellos between boxes, written from the description in linepress/hello.h."""

import struct
from dataclasses import dataclass, field

DESTINATION = bytes.fromhex('034c50000001')
ETHER_TYPE = 0x88B5
FIXED = struct.Struct('!4sBBHHBBHHQQQIIQQQQ32sIB3x64s')
INIT, READY, DRAIN, BYPASS = range(4)
KEY = bytes(16)  # of boxes without --key-file
MASK = (1 << 64) - 1


def siphash13(key, data):
    """Aumasson and Bernstein, SipHash-1-3."""
    def turn(x, bits):
        return (x << bits | x >> 64 - bits) & MASK

    def rounds(v, n):
        v0, v1, v2, v3 = v
        for _ in range(n):
            v0 = (v0 + v1) & MASK
            v1 = turn(v1, 13) ^ v0
            v0 = turn(v0, 32)
            v2 = (v2 + v3) & MASK
            v3 = turn(v3, 16) ^ v2
            v0 = (v0 + v3) & MASK
            v3 = turn(v3, 21) ^ v0
            v2 = (v2 + v1) & MASK
            v1 = turn(v1, 17) ^ v2
            v2 = turn(v2, 32)
        return [v0, v1, v2, v3]

    k0, k1 = struct.unpack('<QQ', key)
    v = [k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261,
         k1 ^ 0x7465646279746573]
    last = data[len(data) & ~7:]
    words = struct.unpack(f'<{len(data) // 8}Q', data[:len(data) & ~7])
    for word in words + (len(data) << 56 & MASK | int.from_bytes(last, 'little'),):
        v[3] ^= word
        v = rounds(v, 1)
        v[0] ^= word
    v[2] ^= 0xFF
    v = rounds(v, 3)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


@dataclass
class Hello:
    # pylint: disable=too-many-instance-attributes
    version: int = 2
    shim_version: int = 1
    parser_version: int = 1
    state: int = READY
    coding: int = 0
    interval_ms: int = 50
    host_mtu: int = 1500
    box_id: int = 0x77
    nonce: int = 0x1234
    echo_nonce: int = 0
    seq: int = 1
    echo_seq: int = 0
    coded: int = 0
    decoded: int = 0
    failed: int = 0
    books_digest: int = 0
    installed: bytes = bytes(32)
    failure_total: int = 0
    arrived: bytes = bytes(64)
    failures: list = field(default_factory=list)  # flow, book
    digests: bytes = b''

    def write(self, source, key=KEY):
        lists = b''.join(struct.pack('!IB3x', *failure) for failure in self.failures)
        lists += self.digests
        fixed = FIXED.pack(b'LPHO', self.version, self.shim_version, FIXED.size + len(lists) + 8,
                           self.parser_version, self.state, self.coding, self.interval_ms,
                           self.host_mtu, self.box_id, self.nonce, self.echo_nonce, self.seq,
                           self.echo_seq, self.coded, self.decoded, self.failed,
                           self.books_digest, self.installed, self.failure_total,
                           len(self.failures), self.arrived)
        signed = DESTINATION + source + struct.pack('!H', ETHER_TYPE) + fixed + lists
        return signed + struct.pack('!Q', siphash13(key, signed))


def is_hello(frame):
    return frame[:6] == DESTINATION and frame[12:14] == struct.pack('!H', ETHER_TYPE)


def read(frame, key=KEY):
    """The hello in a frame; its MAC must be right."""
    body = frame[14:]
    (magic, version, shim_version, length, parser_version, state, coding, interval_ms, host_mtu,
     box_id, nonce, echo_nonce, seq, echo_seq, coded, decoded, failed, books_digest, installed,
     failure_total, nb_failures, arrived) = FIXED.unpack_from(body)
    signed, mac = frame[:14 + length - 8], frame[14 + length - 8:14 + length]
    assert magic == b'LPHO' and struct.pack('!Q', siphash13(key, signed)) == mac, frame.hex()
    lists = body[FIXED.size:length - 8]
    failures = list(struct.iter_unpack('!IB3x', lists[:8 * nb_failures]))
    return Hello(version, shim_version, parser_version, state, coding, interval_ms, host_mtu,
                 box_id, nonce, echo_nonce, seq, echo_seq, coded, decoded, failed, books_digest,
                 installed, failure_total, arrived, failures, lists[8 * nb_failures:])

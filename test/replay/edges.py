# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""Frames at the edges of what boxes code and of what they must leave alone."""

import random
import struct

import frames as f

TENSOR = f.bf16(2048)
IP_CKSUM = 24  # offset in an untagged frame
IP_LENGTH = 16
TCP_CKSUM = 50
UDP_CKSUM = 40

# A GRO frame and, with two VLAN tags, the longest frame there is.
IP_MAX = 65535
GRO_TENSOR = f.bf16((IP_MAX - 40) // 2 + 1, 2)[:IP_MAX - 40]


def patched(data, at, value, form='>H'):
    data = bytearray(data)
    struct.pack_into(form, data, at, value)
    return bytes(data)


def with_ip_cksum_of_zero():
    """A frame whose right IPv4 checksum is 0x0000; 0xFFFF in its place is right as well."""
    ident = struct.unpack_from('>H', f.tcp(TENSOR, ident=0), IP_CKSUM)[0]
    return f.tcp(TENSOR, ident=ident)


def l2_frames():
    return [
        ('arp', f.ether(bytes.fromhex('0001080006040001020000000001' '0a140001' + '00' * 6 +
                                      '0a140002') + bytes(18), 0x0806)),
        ('lldp', f.ether(b'\x02\x07\x04' + bytes(40), 0x88CC)),
        ('lacp', f.ether(b'\x01\x01' + bytes(108), 0x8809)),
        ('pause', f.ether(b'\x00\x01\xff\xff' + bytes(42), 0x8808)),
        ('802.3', f.ether(b'\x42\x42\x03' + bytes(45), 48)),
        ('macsec', f.ether(TENSOR, 0x88E5)),
        ('own-magic-in-l2', f.ether(f.MAGIC * 100, 0x88B5)),
        ('no-byte', b''),
        ('one-byte', b'\x02'),
        ('ethernet-alone', f.ether(b'', f.IPV4)),
        ('cut-vlan', f.MACS + b'\x81\x00'),
        ('cut-ip', f.tcp(TENSOR)[:30]),
    ]


def vlan_frames():
    tags = [(0x88A8, 0x2001), (0x8100, 0xE002), (0x8100, 3)]
    stacks = [tags[:k] for k in range(4)] + [[(0x9100, 7)], [(0x8100, 0x6000)]]
    return [(f'vlan-{k}', f.tcp(TENSOR, vlans=tags)) for k, tags in enumerate(stacks)]


def ip_frames():
    good = f.tcp(TENSOR)
    hop_by_hop = bytes([f.TCP, 0, 1, 4, 0, 0, 0, 0])
    v6 = f.ip(hop_by_hop + TENSOR, 0, 6)
    return [
        ('tcp-v6', f.tcp(TENSOR, version=6)),
        ('udp-v6', f.udp(TENSOR, version=6)),
        ('extension-v6', f.ether(v6, f.IPV6)),
        ('length-0-v6', patched(f.tcp(TENSOR, version=6), 18, 0)),
        ('first-fragment', f.tcp(TENSOR, fragment=0x2000)),
        ('later-fragment', f.tcp(TENSOR, fragment=0x00B9)),
        ('may-be-fragmented', f.tcp(TENSOR, fragment=0)),
        ('options', f.ether(f.ip(b'\x9c\x40' * 10 + TENSOR, f.TCP, options=b'\x94\x04\0\0'),
                            f.IPV4)),
        ('icmp', f.ether(f.ip(b'\x08\0\0\0' + TENSOR, 1), f.IPV4)),
        ('checksum-0000', with_ip_cksum_of_zero()),
        ('checksum-ffff', patched(with_ip_cksum_of_zero(), IP_CKSUM, 0xFFFF)),
        ('checksum-wrong', patched(good, IP_CKSUM, 0xBAD)),
        ('length-0', patched(good, IP_LENGTH, 0)),
        ('length-too-long', f.with_ip_cksum(patched(good, IP_LENGTH, len(good)),
                                            f.parse(good))),
        ('length-too-short', f.with_ip_cksum(patched(good, IP_LENGTH, 19), f.parse(good))),
        ('bad-version', b''.join([good[:14], b'\x55', good[15:]])),
    ]


def l4_frames():
    good, datagram = f.tcp(TENSOR), f.udp(TENSOR)
    frames = [(f'tcp-flags-{flags:#x}', f.tcp(TENSOR, flags=flags)) for flags in
              (0x10, 0x18, 0x11, 0x02, 0x14, 0x30, 0xD0)]
    return frames + [
        ('padded-to-60', f.tcp(b'', trailer=bytes(6))),
        ('padded-with-data', f.tcp(b'ab', trailer=b'pad!')),
        ('tcp-options', f.tcp(TENSOR, options=bytes.fromhex('0101080a0000000100000002'))),
        ('tcp-longest-options', f.tcp(TENSOR, options=b'\x01' * 40, version=6)),
        ('tcp-checksum-wrong', patched(good, TCP_CKSUM, 0x0BAD)),
        ('tcp-checksum-0000', patched(good, TCP_CKSUM, 0)),
        ('tcp-offset-too-long', patched(f.tcp(bytes(30)), 46, 0xF0, '>B')),
        ('tcp-offset-too-short', patched(good, 46, 0x40, '>B')),
        ('udp-checksum-0000', patched(datagram, UDP_CKSUM, 0)),
        ('udp-checksum-right', datagram),
        ('udp-checksum-wrong', patched(datagram, UDP_CKSUM, 0x0BAD)),
        ('udp-length-short', patched(datagram, 38, 1000)),
        ('udp-length-long', patched(datagram, 38, 5000)),
        ('uet', f.udp(TENSOR, dport=4793)),
        ('gro', f.tcp(GRO_TENSOR)),
        ('gro-tagged', f.tcp(GRO_TENSOR, vlans=[(0x88A8, 1), (0x8100, 2)])),
    ] + [(f'trailer-{n}', f.tcp(TENSOR, trailer=bytes(range(1, n + 1)))) for n in (1, 2, 7, 64)]


def roce_frames():
    frames = [(f'roce-{transport}-{op:#x}', f.roce(TENSOR, transport << 5 | op))
              for transport in (0, 1, 5) for op in f.ROCE_HEADERS]
    frames += [(f'roce-ud-{op:#x}', f.roce(TENSOR, 3 << 5 | op)) for op in (4, 5)]
    frames += [(f'roce-pad-{pad}', f.roce(TENSOR[:-pad] + bytes(pad), 0x08, pad))
               for pad in (1, 2, 3)]
    return frames + [
        ('roce-v6', f.roce(TENSOR, version=6)),
        ('roce-tagged', f.roce(TENSOR, vlans=[(0x8100, 0x6001)])),
        ('roce-udp-checksum', f.roce(TENSOR, cksum=0x1234)),
        ('roce-trailer', f.roce(TENSOR, trailer=b'trailer')),
        ('roce-empty', f.roce(b'')),
        ('roce-only-pad', f.roce(b'\0', 0x08, 3)),
        ('cnp', f.roce(bytes(16), 0x81)),
        ('roce-atomic', f.roce(bytes(28), 0x13)),
        ('roce-vendor', f.roce(TENSOR, 0xE0)),
    ]


def payload_frames():
    rng = random.Random(7)
    payloads = {
        'zero': bytes(1400), 'ones': b'\xff' * 1400, 'random': rng.randbytes(1400),
        'nan': b'\xc0\x7f' * 700, 'infinite': b'\x80\x7f' * 700, 'text': b'all gather ' * 120,
        'nan-among': b'\xc1\xff' + TENSOR[:1000] + b'\x01\x80' + TENSOR[1000:1396],
        'mixed': TENSOR[:700] + rng.randbytes(700), 'swapped': TENSOR[1:1401],
        'outliers': f.bf16(700, 3, 1e30), 'tiny': f.bf16(700, 4, 1e-39),
        'fp32': struct.pack('<350f', *(rng.gauss(0, 0.1) for _ in range(350))),
        'shim-magic': f.MAGIC + TENSOR[:1398],
    }
    frames = [(f'payload-{name}', f.udp(data)) for name, data in payloads.items()]
    for length in list(range(1, 34)) + list(range(252, 262)) + [511, 513, 1447, 1448, 4095]:
        for phase in (0, 1):
            frames.append((f'length-{length}-phase-{phase}',
                           f.tcp(TENSOR[phase:phase + length])))
    return frames


def all_frames():
    """Pairs of a name and a frame."""
    return (l2_frames() + vlan_frames() + ip_frames() + l4_frames() + roce_frames() +
            payload_frames())

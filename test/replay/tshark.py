# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""Wireshark sees the headers of the original in the frames on the line."""

import shutil
import subprocess
import unittest

import edges
from helpers import (CAPTURES, REPLAY, SHARED, TRAINING, ProgramTest, main, read_pcap, run,
                     skip_all, write_pcap)

TSHARK = shutil.which('tshark')

# What the line may not change.
HEADERS = '''
    eth.dst eth.src eth.type vlan.id vlan.priority vlan.etype
    ip.version ip.hdr_len ip.dsfield ip.id ip.flags ip.frag_offset ip.ttl ip.proto ip.src ip.dst
    ipv6.tclass ipv6.flow ipv6.nxt ipv6.hlim ipv6.src ipv6.dst
    tcp.srcport tcp.dstport tcp.seq_raw tcp.ack_raw tcp.hdr_len tcp.flags tcp.window_size_value
    tcp.urgent_pointer tcp.options udp.srcport udp.dstport
    infiniband.bth.opcode infiniband.bth.se infiniband.bth.m infiniband.bth.padcnt
    infiniband.bth.tver infiniband.bth.p_key infiniband.bth.destqp infiniband.bth.a
    infiniband.bth.psn infiniband.reth.va infiniband.reth.r_key infiniband.reth.dmalen
    infiniband.immdt infiniband.ieth infiniband.aeth infiniband.deth.srcqp
    infiniband.invariant.crc
'''.split()
OTHERS = '''
    frame.number frame.len frame.protocols frame.time_epoch _ws.malformed
    ip.len ip.checksum.status tcp.checksum.status udp.checksum udp.checksum.status udp.length
'''.split()
OPTIONS = ('ip.check_checksum:TRUE', 'tcp.check_checksum:TRUE', 'udp.check_checksum:TRUE',
           'tcp.desegment_tcp_streams:FALSE')
BAD, GOOD = '0', '1'
UDP_NONE = '0x0000'

# Dissectors of payload guess, and a coded payload is not what they expect.
HEADER_PROTOCOLS = {'eth', 'vlan', 'ieee8021ad', 'ip', 'ipv6', 'tcp', 'udp', 'infiniband'}
IGNORED = {'ethertype', 'data', 'infiniband.payload'}


def dissect(path):
    """A dictionary for each frame."""
    fields = HEADERS + OTHERS
    command = [TSHARK, '-n', '-r', str(path), '-T', 'fields', '-E', 'separator=/t',
               '-E', 'occurrence=a']
    for option in OPTIONS:
        command += ['-o', option]
    for field in fields:
        command += ['-e', field]
    done = run(*command)
    if done.returncode != 0:
        raise AssertionError(f'tshark: {done.stderr}')
    return [dict(zip(fields, row.split('\t'))) for row in done.stdout.splitlines()]


class Tshark(ProgramTest):
    def check(self, capture):
        """Compares dissections frame by frame; returns how many coded frames had what."""
        sent, line = read_pcap(capture), self.line_of(capture)
        before, after = dissect(capture), dissect(self.path('line.pcap'))
        self.assertEqual(len(sent), len(before))
        self.assertEqual(len(sent), len(after))
        seen = {'tcp': 0, 'udp': 0, 'infiniband': 0}
        for a, b, was, now in zip(sent, line, before, after):
            where = f'{capture.name}, frame {was["frame.number"]}'
            self.assertEqual({name: was[name] for name in HEADERS},
                             {name: now[name] for name in HEADERS}, where)
            if a.data == b.data:
                continue
            self.check_coded(was, now, where)
            for protocol in seen:
                seen[protocol] += protocol in now['frame.protocols'].split(':')
        return seen

    def check_coded(self, was, now, where):
        protocols = [name for name in now['frame.protocols'].split(':') if name not in IGNORED]
        if now['_ws.malformed']:
            self.assertNotIn(protocols[-1], HEADER_PROTOCOLS, where)
        self.assertLess(int(now['frame.len']), int(was['frame.len']), where)
        self.assertEqual(was['frame.time_epoch'], now['frame.time_epoch'], where)
        if now['ip.src']:
            self.assertEqual(GOOD, now['ip.checksum.status'], where)
        if now['tcp.srcport']:
            self.assertEqual(BAD, now['tcp.checksum.status'], where)
        elif not (now['infiniband.bth.opcode'] and was['udp.checksum'] == UDP_NONE):
            self.assertEqual(BAD, now['udp.checksum.status'], where)
        if now['infiniband.bth.opcode'] and was['udp.checksum'] == UDP_NONE:
            self.assertEqual(UDP_NONE, now['udp.checksum'], where)

    def test_training_capture(self):
        seen = self.check(TRAINING)
        self.assertGreater(seen['tcp'], 200)
        self.assertGreater(seen['infiniband'], 60)

    @unittest.skipUnless(len(CAPTURES) > 1, f'no captures in {SHARED}')
    def test_other_captures(self):
        for capture in CAPTURES[1:]:
            self.check(capture)

    def test_edges(self):
        capture = write_pcap(self.path('edges.pcap'), [data for _, data in edges.all_frames()])
        seen = self.check(capture)
        for protocol, least in ('tcp', 20), ('udp', 10), ('infiniband', 30):
            self.assertGreater(seen[protocol], least, protocol)


if __name__ == '__main__':
    if TSHARK is None:
        skip_all('tshark is missing, see the Debian package of that name')
    try:
        run(TSHARK, '--version')
    except (OSError, subprocess.SubprocessError) as error:
        skip_all(f'tshark does not run: {error}')
    main(REPLAY)

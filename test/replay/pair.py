# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""Captures through a pair of boxes: everything comes back, and the report is true."""

import json
import random
import struct
import unittest

import edges
import frames as f
from helpers import (CAPTURES, REPLAY, SHARED, TRAINING, Frame, ProgramTest, main, read_pcap, run,
                     write_pcap)

SAVED_PERCENT_MIN = {
    'training': 24.5,
    'roce-bf16-pmtu4096': 31.8,
    'mpi-tcp-mtu9000': 24.0,
    'gloo-tcp-mtu1500': 20.0,
}

CAPTURE_KEYS = {
    'capture', 'mode', 'packets', 'frames_differing', 'frames_lost', 'frames_reordered', 'loops',
    'eligible_packets', 'coded_packets', 'stored_packets', 'region_bytes', 'region_saved_percent',
    'frame_bytes', 'line_bytes', 'saved_percent', 'books', 'passed', 'dropped', 'compress',
    'restore',
}
BOX_KEYS = {'gbps', 'cycles_per_packet', 'coded_packets', 'stored_packets', 'passed', 'dropped'}


def percent(whole, part):
    return 100 * (1 - part / whole) if whole else 0


class Pair(ProgramTest):
    def check_report(self, report, sent, line=None):
        """The report against what was really sent and what was on the line."""
        self.assertLessEqual(CAPTURE_KEYS, report.keys())
        for fault in ('frames_differing', 'frames_lost', 'frames_reordered'):
            self.assertEqual(0, report[fault], fault)
        self.assertEqual(len(sent), report['packets'])
        self.assertEqual(sum(len(frame.data) for frame in sent), report['frame_bytes'])
        self.assertEqual({}, report['dropped'])
        self.assertEqual(report['packets'], report['coded_packets'] + report['stored_packets'] +
                         sum(report['passed'].values()))
        self.assertAlmostEqual(percent(report['frame_bytes'], report['line_bytes']),
                               report['saved_percent'], 3)
        self.check_books(report)
        self.check_boxes(report)
        if line is not None:
            self.assertEqual(len(sent), len(line))
            self.assertEqual(sum(len(frame.data) for frame in line), report['line_bytes'])

    def check_books(self, report):
        books = report['books'].values()
        self.assertEqual(report['coded_packets'], sum(book['packets'] for book in books))
        self.assertLessEqual(sum(book['region_bytes'] for book in books), report['region_bytes'])
        for book in books:
            self.assertLessEqual({'packets', 'region_bytes', 'saved_percent'}, book.keys())
            self.assertGreater(book['saved_percent'], 0)

    def check_boxes(self, report):
        for name in ('compress', 'restore'):
            box = report[name]
            self.assertLessEqual(BOX_KEYS, box.keys())
            self.assertGreater(box['gbps'], 0)
            self.assertGreater(box['cycles_per_packet'], 0)
            self.assertEqual(report['coded_packets'], box['coded_packets'])
            self.assertEqual(report['stored_packets'], box['stored_packets'])
            self.assertEqual({}, box['dropped'])

    def replay_frames(self, frames, *args):
        """A capture made of frames; returns the report and the line."""
        capture, line = write_pcap(self.path('in.pcap'), frames), self.path('line.pcap')
        report = self.replay('--loops', 1, '--line', line, *args, capture)
        self.check_report(report, read_pcap(capture), read_pcap(line))
        return report, read_pcap(line)

    def capture_comes_back(self, capture):
        line, restored = self.path('line.pcap'), self.path('restored.pcap')
        report = self.replay('--line', line, '--restored', restored, capture)
        sent = read_pcap(capture)
        self.check_report(report, sent, read_pcap(line))
        self.assert_same_frames(sent, read_pcap(restored))
        self.assertEqual(str(capture), report['capture'])
        self.assertGreaterEqual(report['region_saved_percent'], SAVED_PERCENT_MIN[capture.stem])
        self.assertGreater(report['coded_packets'], report['packets'] / 2)

    def test_training_capture_comes_back(self):
        self.capture_comes_back(TRAINING)

    @unittest.skipUnless(len(CAPTURES) > 1, f'no captures in {SHARED}')
    def test_other_captures_come_back(self):
        for capture in CAPTURES[1:]:
            with self.subTest(capture.name):
                self.capture_comes_back(capture)

    def test_chained_mbufs_change_nothing(self):
        whole = self.replay('--loops', 1, '--line', self.path('whole.pcap'), TRAINING)
        for size in (192, 256, 2176):
            with self.subTest(size=size):
                line = self.path('line.pcap')
                report = self.replay('--mbuf-size', size, '--loops', 2, '--line', line, TRAINING)
                self.check_report(report, read_pcap(TRAINING), read_pcap(line))
                self.assertEqual(whole['line_bytes'], report['line_bytes'])
                self.assertEqual(self.path('whole.pcap').read_bytes(), line.read_bytes())

    def test_burst_size_changes_nothing(self):
        totals = set()
        for burst in (1, 7, 512):
            report = self.replay('--burst', burst, '--loops', 2, TRAINING)
            self.check_report(report, read_pcap(TRAINING))
            totals.add(report['line_bytes'])
        self.assertEqual(1, len(totals), totals)

    def test_several_captures_are_reported_one_by_one(self):
        few = write_pcap(self.path('few.pcap'), read_pcap(TRAINING)[:50])
        line = self.path('line.pcap')
        report = self.replay('--loops', 1, '--line', line, few, TRAINING, few)
        self.assertEqual([str(few), str(TRAINING), str(few)],
                         [one['capture'] for one in report['captures']])
        for one in report['captures']:
            self.check_report(one, read_pcap(one['capture']))
        self.assertEqual(sum(one['line_bytes'] for one in report['captures']),
                         sum(len(frame.data) for frame in read_pcap(line)))

    def test_loops_are_all_verified(self):
        report = self.replay('--loops', 9, TRAINING)
        self.assertEqual(9, report['loops'])
        self.check_report(report, read_pcap(TRAINING))

    def test_min_region_is_kept(self):
        for size, coded in ((1448, True), (1449, False)):
            frame = f.tcp(edges.TENSOR[:1448])
            report, _ = self.replay_frames([frame], '--min-region', size)
            self.assertEqual(int(coded), report['coded_packets'])

    def test_edge_frames_come_back(self):
        named = edges.all_frames()
        for extra in ((), ('--mbuf-size', 200), ('--burst', 1, '--min-region', 1)):
            with self.subTest(options=extra):
                report, line = self.replay_frames([data for _, data in named], *extra)
                self.assertEqual(0, report['stored_packets'])
                changed = {name for (name, data), out in zip(named, line) if data != out.data}
                self.assertEqual(report['coded_packets'], len(changed))
                self.check_edges(changed)

    def check_edges(self, changed):
        coded = {'vlan-0', 'vlan-1', 'vlan-2', 'vlan-4', 'tcp-v6', 'udp-v6', 'checksum-0000',
                 'may-be-fragmented', 'tcp-options', 'tcp-checksum-wrong', 'udp-checksum-0000',
                 'udp-checksum-right', 'udp-checksum-wrong', 'gro', 'gro-tagged', 'trailer-1',
                 'trailer-64', 'roce-0-0x7', 'roce-1-0xb', 'roce-5-0x8', 'roce-ud-0x4', 'roce-v6',
                 'roce-pad-3', 'roce-udp-checksum', 'roce-trailer', 'payload-zero', 'payload-ones',
                 'payload-nan', 'payload-nan-among', 'length-1447-phase-1'}
        passed = {'arp', 'lldp', 'lacp', 'pause', '802.3', 'macsec', 'vlan-3', 'extension-v6',
                  'first-fragment', 'later-fragment', 'options', 'icmp', 'checksum-ffff',
                  'checksum-wrong', 'length-0', 'length-0-v6', 'tcp-flags-0x2', 'tcp-flags-0x11',
                  'padded-to-60', 'uet', 'udp-length-short', 'udp-length-long', 'cnp',
                  'roce-atomic', 'roce-empty', 'payload-random', 'length-20-phase-0'}
        names = {name for name, _ in edges.all_frames()}
        self.assertEqual(set(), (coded | passed) - names, 'not among the edges')
        self.assertEqual(set(), coded - changed, 'should have been coded')
        self.assertEqual(set(), passed & changed, 'should have passed')

    def lookalikes(self):
        """Coded frames of all kinds, as a host that has seen a line could send them."""
        _, line = self.replay_frames([data for _, data in edges.all_frames()] +
                                     [frame.data for frame in read_pcap(TRAINING)])
        return [frame for frame in line if self.shim_of(frame.data) is not None]

    @staticmethod
    def shim_of(data):
        p = f.parse(data)
        if p is None or data[p.region:p.region + 2] != f.MAGIC:
            return None
        return p.region

    def test_lookalikes_come_back_as_they_are(self):
        coded = self.lookalikes()
        report, stored = self.replay_frames(coded)
        self.assertGreater(len(coded), 400)
        self.assertEqual(len(coded), report['stored_packets'] + report['coded_packets'] +
                         report['passed'].get('tcp_flags', 0))
        self.assertGreater(report['stored_packets'], 400)
        report, _ = self.replay_frames(stored)  # which a host could repeat as well
        self.assertGreater(report['stored_packets'], 400)

    def test_damaged_lookalikes_come_back_as_they_are(self):
        damaged = []
        for k, frame in enumerate(self.lookalikes()):
            data = bytearray(frame.data)
            data[self.shim_of(frame.data) + 2 + k % 14] ^= 1 << k % 8
            damaged.append(Frame(frame.time_ns, bytes(data)))
        self.replay_frames(damaged)

    def test_other_key_does_not_make_lookalikes_harmless(self):
        key = self.path('key')
        key.write_text('0123456789abcdef' * 2)
        key.chmod(0o600)
        self.replay_frames(self.lookalikes(), '--key-file', key)

    def test_lookalike_without_room_for_its_escape_is_dropped_and_named(self):
        size = edges.IP_MAX - 40
        shim = struct.pack('>2sBBBBHHHI', f.MAGIC, 0x12, 0x90, 0, 0, size - 16, 0, 0, 0)
        data = f.tcp(shim + random.Random(1).randbytes(size - 16))
        report = self.path('report.json')
        done = run(REPLAY, '--json', report, write_pcap(self.path('in.pcap'), [data, data[:64]]))
        self.assertEqual(1, done.returncode)
        self.assertRegex(done.stdout.splitlines()[-1], '^FAILED: .*lost: 1')
        told = json.loads(report.read_text())
        self.assertEqual(({'escape': 1}, 1), (told['dropped'], told['frames_lost']))


if __name__ == '__main__':
    main(REPLAY)

# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""The frames between two boxes: what they look like, and what restores them and what must not."""

import shutil
import struct
import unittest

import edges
import frames as f
from helpers import (CAPTURES, CODEBOOKS, REPLAY, SHARED, TRAINING, Frame, ProgramTest, main,
                     read_pcap, replay_to_pipe, write_pcap)

SHIM_LEN = {'tcp': 16, 'udp': 16, 'roce': 12}


def kind(p):
    return 'roce' if p.is_roce else 'tcp' if p.protocol == f.TCP else 'udp'


def without(data, *fields):
    """Header bytes with fields, pairs of offset and length, zeroed."""
    data = bytearray(data)
    for at, length in fields:
        data[at:at + length] = bytes(length)
    return bytes(data)


class Line(ProgramTest):
    def mixed(self):
        """The training capture and the edges that are coded, and what they are on the line."""
        sent = read_pcap(TRAINING)
        after = sent[-1].time_ns
        sent += [Frame(after + 1000 * k, data)
                 for k, (_, data) in enumerate(edges.all_frames(), 1)]
        line = self.line_of(write_pcap(self.path('mixed.pcap'), sent))
        self.assertEqual(len(sent), len(line))
        return sent, line

    def coded(self):
        """Pairs of a frame and its coded form, in the order of the capture."""
        return [(a, b) for a, b in zip(*self.mixed()) if a.data != b.data]

    def check_restored(self, line, expected, *args):
        """Frames of a line come out as expected, with their times."""
        restored = self.path('restored.pcap')
        capture = write_pcap(self.path('to-restore.pcap'), line)
        report = self.replay('--mode', 'restore', '--loops', 1, '--restored', restored, *args,
                             capture)
        self.assert_same_frames(expected, read_pcap(restored))
        return report

    def check_capture(self, capture):
        sent, line = read_pcap(capture), self.line_of(capture)
        self.check_restored(line, sent)
        self.assertEqual([a.time_ns for a in sent], [b.time_ns for b in line])
        self.check_all_coded(sent, line)

    def check_all_coded(self, sent, line):
        for number, (a, b) in enumerate(zip(sent, line), 1):
            try:
                if a.data != b.data:
                    self.check_coded(a.data, b.data)
            except AssertionError as error:
                raise AssertionError(f'frame {number}: {error}') from None

    def test_training_capture_restores_from_its_line(self):
        self.check_capture(TRAINING)

    @unittest.skipUnless(len(CAPTURES) > 1, f'no captures in {SHARED}')
    def test_other_captures_restore_from_their_lines(self):
        for capture in CAPTURES[1:]:
            self.check_capture(capture)

    def test_edges_restore_from_their_line(self):
        sent, line = self.mixed()
        self.check_restored(line, sent)
        self.check_all_coded(sent, line)

    def check_coded(self, original, coded):
        """A coded frame: nothing but payload, lengths and checksums has changed, and no host
        would take it."""
        a, b = f.parse(original), f.parse(coded)
        self.assertLess(len(coded), len(original))
        self.assertEqual((a.version, a.l3, a.l4, a.protocol, a.is_roce, a.region),
                         (b.version, b.l3, b.l4, b.protocol, b.is_roce, b.region))
        fields = [(a.l3 + 2, 2), (a.l3 + 10, 2)] if a.version == 4 else [(a.l3 + 4, 2)]
        fields += [(a.cksum, 2)] + ([(a.l4 + 4, 2)] if a.protocol == f.UDP else [])
        self.assertEqual(without(original[:a.region], *fields),
                         without(coded[:b.region], *fields), 'headers')
        self.assertEqual(original[a.ip_end:], coded[b.ip_end:], 'trailer')
        if a.protocol == f.UDP:
            self.assertEqual(b.ip_end - b.l4, struct.unpack_from('>H', coded, b.l4 + 4)[0])
        self.assertTrue(f.ip_cksum_ok(coded, b))
        self.check_shim(original[a.region:a.region_end], coded[b.region:b.region_end], kind(a))
        if a.is_roce:
            self.assertEqual(original[a.region_end:a.ip_end], coded[b.region_end:b.ip_end])
            self.assertFalse(f.icrc_ok(coded, b))
        cksum = coded[b.cksum:b.cksum + 2]
        if a.is_roce and original[a.cksum:a.cksum + 2] == bytes(2):
            self.assertEqual(bytes(2), cksum)
        else:
            self.assertNotEqual(bytes(2), cksum)
            self.assertFalse(f.l4_cksum_ok(coded, b))

    def check_shim(self, original, coded, carrier):
        magic, kinds, flags, _, layout, length = struct.unpack_from('>2sBBBBH', coded)
        self.assertEqual((f.MAGIC, 0x11, len(original)), (magic, kinds, length))
        self.assertEqual(carrier != 'roce', bool(flags & 0x10), 'check present')
        self.assertEqual(carrier == 'roce', bool(flags & 0x40), 'ICRC kept')
        self.assertEqual(0, layout & 0x0F)

    # ---- other keys, other books ----

    def check_not_restored(self, pairs, *args):
        """Restoring with other arguments fails and gives no frame that was not there before."""
        capture = write_pcap(self.path('line.pcap'), [b for _, b in pairs])
        done, out = replay_to_pipe('--restored', '--mode', 'restore', '--loops', 1, *args, capture)
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertRegex(done.stdout.splitlines()[-1], '^FAILED: ')
        self.assertEqual(len(pairs), len(out))
        untouched = sum(b.data == o.data for (_, b), o in zip(pairs, out))
        restored = sum(a.data == o.data for (a, _), o in zip(pairs, out))
        self.assertEqual(len(pairs), untouched + restored)
        return restored

    def test_other_key_restores_nothing(self):
        key = self.path('key')
        key.write_text('0' * 31 + '1')
        key.chmod(0o600)
        self.assertEqual(0, self.check_not_restored(self.coded(), '--key-file', key))

    def test_same_key_restores(self):
        key = self.path('key')
        key.write_text('00112233445566778899AABBCCDDEEFF\n')
        key.chmod(0o600)
        sent = read_pcap(TRAINING)
        self.check_restored(self.line_of(TRAINING, '--key-file', key), sent, '--key-file', key)

    def test_missing_books_restore_nothing_of_theirs(self):
        books = self.path('books')
        books.mkdir()
        shutil.copy(CODEBOOKS / 'fp32-grouped.book', books)
        pairs = self.coded()
        restored = self.check_not_restored(pairs, '--codebooks', books)
        self.assertTrue(0 < restored < len(pairs) / 2, restored)

    def test_another_book_of_the_same_number_restores_nothing_of_its(self):
        books = shutil.copytree(CODEBOOKS, self.path('books'))
        text = (books / 'bf16-grouped.book').read_text()
        self.assertIn('ranks 0 -1 ', text)
        (books / 'bf16-grouped.book').write_text(text.replace('ranks 0 -1 ', 'ranks -1 0 '))
        pairs = self.coded()
        restored = self.check_not_restored(pairs, '--codebooks', books)
        self.assertTrue(0 < restored < len(pairs) / 2, restored)

    # ---- what switches and routers do ----

    def changed_on_the_way(self, change):
        """Restored frames have the change that a line has made to coded frames."""
        pairs = self.coded()
        line = [Frame(b.time_ns, change(b.data, f.parse(b.data))) for _, b in pairs]
        expected = [Frame(a.time_ns, change(a.data, f.parse(a.data))) for a, _ in pairs]
        for frame in expected:
            self.assertTrue(f.ip_cksum_ok(frame.data, f.parse(frame.data)))
        report = self.check_restored(line, expected)
        self.assertEqual(len(pairs), report['coded_packets'])
        return expected

    def test_router_decrements_ttl(self):
        def route(data, p):
            data = bytearray(data)
            data[p.l3 + (8 if p.version == 4 else 7)] -= 1
            return f.with_ip_cksum(data, p)
        self.changed_on_the_way(route)

    def test_switch_marks_congestion_and_remarks_dscp(self):
        def mark(data, p):
            data = bytearray(data)
            if p.version == 4:
                data[p.l3 + 1] = 0x2B
            else:
                data[p.l3:p.l3 + 2] = b'\x62\xb1'
            return f.with_ip_cksum(data, p)
        frames = self.changed_on_the_way(mark)
        roce = [frame.data for frame in frames if f.parse(frame.data).is_roce]
        self.assertTrue(roce and all(f.icrc_ok(data, f.parse(data)) for data in roce))

    def test_switch_marks_congestion_in_the_roce_header(self):
        def mark(data, p):
            data = bytearray(data)
            if p.is_roce:
                data[p.l4 + 8 + 4] |= 0x40
            return bytes(data)
        self.changed_on_the_way(mark)

    def test_switch_pushes_a_tag(self):
        def push(data, p):
            return data[:12] + b'\x81\x00\x60\x07' + data[12:] if p.l3 <= 18 else data
        self.changed_on_the_way(push)

    def test_router_replaces_macs(self):
        self.changed_on_the_way(lambda data, _: bytes(range(12)) + data[12:])


if __name__ == '__main__':
    main(REPLAY)

# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""VLAN tags and padding that come and go between the boxes change nothing else."""

import frames as f
from helpers import REPLAY, ProgramTest, main, read_pcap, run, write_pcap

TAG = bytes.fromhex('81002005')
TAGS = ((0x88A8, 1), (0x8100, 2))


def push(data):
    return data[:12] + TAG + data[12:]


def pop(data):
    return data[:12] + data[16:]


class Tags(ProgramTest):

    def restored(self, frames):
        """What the far box makes of frames on the line."""
        line, out = write_pcap(self.path('changed.pcap'), frames), self.path('restored.pcap')
        self.assert_good(run(REPLAY, '--mode', 'restore', '--loops', 1, '--restored', out, line))
        return [frame.data for frame in read_pcap(out)]

    def coded(self, frames):
        line = [x.data for x in self.line_of(write_pcap(self.path('host.pcap'), frames))]
        self.assertTrue(all(len(a) < len(b) for a, b in zip(line, frames)))
        return line

    def test_tags_are_pushed_on_the_line(self):
        for tags in ((), TAGS[:1], TAGS):
            host = [make(f.bf16(700), vlans=tags) for make in (f.tcp, f.udp, f.roce)]
            line = self.coded(host)
            self.assertEqual([push(x) for x in host], self.restored([push(x) for x in line]))
            self.assertEqual([push(push(x)) for x in host],
                             self.restored([push(push(x)) for x in line]))

    def test_tags_are_popped_on_the_line(self):
        host = [make(f.bf16(700), vlans=TAGS) for make in (f.tcp, f.udp, f.roce)]
        self.assertEqual([pop(x) for x in host], self.restored([pop(x) for x in self.coded(host)]))

    def test_frames_with_three_tags_pass_untouched(self):
        host = [push(make(f.bf16(700), vlans=TAGS)) for make in (f.tcp, f.udp)]
        report = self.replay(write_pcap(self.path('host.pcap'), host))
        self.assertEqual({'vlan_depth': 2}, report['passed'])
        self.assertEqual(0, report['eligible_packets'])

    def test_lookalikes_with_three_tags_are_escaped(self):
        coded = self.coded([f.udp(f.bf16(700), vlans=TAGS)])
        host = [push(coded[0]), push(push(coded[0]))]
        report = self.replay(write_pcap(self.path('host.pcap'), host))
        self.assertEqual(2, report['stored_packets'])

    def test_short_frame_stays_short_when_it_is_padded_or_tagged(self):
        for length in (1, 17, 18, 19, 23):
            data = f.udp(bytes(range(length)))
            report = self.replay('--min-region', 1, write_pcap(self.path('s.pcap'), [data]))
            want = 'short_frame' if len(data) <= f.MIN_FRAME else 'no_gain'
            self.assertEqual({want: 1}, report['passed'])
            report = self.replay('--min-region', 1,
                                 write_pcap(self.path('s.pcap'), [push(data) + bytes(8)]))
            self.assertEqual({want: 1}, report['passed'])


if __name__ == '__main__':
    main(REPLAY)

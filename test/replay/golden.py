# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""Frames of every format version must come back for ever; see test/data/README.md."""

from helpers import REPLAY, SOURCE, ProgramTest, main, read_pcap, run

GOLDEN = SOURCE / 'test' / 'data' / 'golden'


class Golden(ProgramTest):

    def test_frames_of_every_version_come_back(self):
        versions = sorted(GOLDEN.glob('v*'))
        self.assertTrue(versions)
        for version in versions:
            with self.subTest(version.name):
                restored = self.path(version.name + '.pcap')
                self.assert_good(run(REPLAY, '--mode', 'restore', '--codebooks',
                                     version / 'codebooks', '--restored', restored,
                                     version / 'line.pcap'))
                line = read_pcap(version / 'line.pcap')
                original = read_pcap(version / 'original.pcap')
                self.assertEqual([f.data for f in original], [f.data for f in read_pcap(restored)])
                self.assertTrue(all(a.data != b.data for a, b in zip(line, original)))


if __name__ == '__main__':
    main(REPLAY)

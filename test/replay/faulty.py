# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""A kernel that errs is found out by `set verify` and replaced, and no host gets a wrong frame."""

import re

from helpers import BUILD, TRAINING, main, read_pcap
from prompt import Prompt, PromptTest

FAULTY = BUILD / 'test/replay/linepress-faulty'


class Faulty(PromptTest):
    def box(self, *files):
        devices = [','.join([f'net_pcap0,rx_pcap={TRAINING}', *files]), 'net_ring0']
        box = Prompt([FAULTY, *self.command_of_devices(devices, '-i')])
        self.addCleanup(box.__exit__)
        if 'kernel: portable' in box.type('show codebook 1'):
            self.skipTest('this processor has only the portable kernel')
        return box

    def test_what_would_not_come_back_is_sent_as_it_is(self):
        box = self.box(f'tx_pcap={self.path("out.pcap")}')
        self.accept(box, 'set verify on')
        self.accept(box, 'start')
        self.wait_for_frames('out.pcap')
        said = box.type('stop')
        self.assertRegex(said, r'\n    miscoded: [1-9]')
        coded, verified, miscoded = (int(re.search(rf'\b{name}: (\d+)', said).group(1))
                                     for name in ('coded', 'verified', 'miscoded'))
        self.assertEqual(coded + miscoded, verified)
        self.assertEqual(0, box.end()[0])
        self.assert_same_bytes(read_pcap(TRAINING), read_pcap(self.path('out.pcap')))

    def test_kernel_that_errs_is_replaced(self):
        """One in ten is looked at; from the first fault on the portable kernel codes."""
        box = self.box('infinite_rx=1')
        for wrong in '1/0', '1/', '1/x', '2/3', 'always', '1/1000001':
            self.refuse(box, f'set verify {wrong}', 'must be on, off, or 1/N')
        self.accept(box, 'set verify 1/10', 'One in 10 coded frames is checked')
        self.accept(box, 'start')
        box.read_until('kernel avx')
        box.read_until(' is not used any more, but portable')
        self.wait_for_answer(box, 'show codebook 1', 'kernel: portable')
        self.wait_for_stats_without(box, 'miscoded|dropped: [1-9]', 'codebook 1 ')
        self.assertEqual(0, box.end()[0])


if __name__ == '__main__':
    main(FAULTY)

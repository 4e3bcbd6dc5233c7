# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""DPDK's own tools on a running linepress, which needs hugepages."""

import os
import shutil
import subprocess
import time
from pathlib import Path

from appliance_help import BoxTest
from helpers import APPLIANCE, TRAINING, main, read_pcap, run
from prompt import Prompt

PAGES = Path('/proc/sys/vm/nr_hugepages')
PAGES_NEEDED = 192
MBYTES = 256
FRAMES = read_pcap(TRAINING)
SNAPLEN = 9216


class Dumpcap(BoxTest):
    def hugepages(self):
        """A directory of hugepages of 2 MB; the machine has as many as before in the end."""
        if os.geteuid() != 0 or shutil.which('dpdk-dumpcap') is None:
            self.skipTest('needs root and dpdk-dumpcap')
        before = PAGES.read_text()
        self.addCleanup(PAGES.write_text, before)
        try:
            PAGES.write_text(str(int(before) + PAGES_NEEDED))
        except OSError as error:
            self.skipTest(f'cannot get hugepages: {error}')
        if int(PAGES.read_text()) < int(before) + PAGES_NEEDED:
            self.skipTest(f'cannot get {PAGES_NEEDED} hugepages')
        directory = self.path('huge')
        directory.mkdir()
        mounted = run('mount', '-t', 'hugetlbfs', '-o', 'pagesize=2M', 'none', directory)
        if mounted.returncode != 0:
            self.skipTest(f'cannot mount hugepages: {mounted.stderr}')
        self.addCleanup(run, 'umount', directory)
        return directory

    def prompt(self, *args):
        """A box with one capture to forward to a device that takes all; its file prefix."""
        eal = ['-m', MBYTES, '--huge-dir', self.hugepages()]
        command = self.command_of_devices(
            [f'net_pcap0,rx_pcap={TRAINING},tx_pcap={self.path("out.pcap")}', 'net_null0,no-rx=1'],
            '-i', '--forward-mode=io', *args)
        at = command.index('--no-huge')
        command[at:at + 3] = map(str, eal)
        command.remove('--no-shconf')
        prefix = next(word for word in command if word.startswith('--file-prefix='))
        box = Prompt([APPLIANCE, *command])
        self.addCleanup(box.__exit__)
        return box, prefix

    def dumpcap(self, prefix, *args):
        # pylint: disable=consider-using-with
        dumpcap = subprocess.Popen(['dpdk-dumpcap', prefix, *map(str, args)],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        self.addCleanup(dumpcap.stdout.close)
        self.addCleanup(dumpcap.wait)
        self.addCleanup(dumpcap.kill)
        return dumpcap

    def test_frames_that_are_forwarded_can_be_captured(self):
        """Begun before the frames flow and ended when they all have, as DPDK 22.11 may crash if
        a capture ends meanwhile."""
        box, prefix = self.prompt('--dumpcap')
        captured = self.path('captured.pcap')
        dumpcap = self.dumpcap(prefix, '-i', '1', '-s', SNAPLEN, '-P', '-w', captured, '-c',
                               len(FRAMES))
        give_up = time.monotonic() + 20
        while not captured.exists() and time.monotonic() < give_up:
            self.assertIsNone(dumpcap.poll())
            time.sleep(0.05)
        time.sleep(1)  # its callbacks are not visible from outside
        box.type('start')
        said, _ = dumpcap.communicate(timeout=20)
        self.assertEqual(0, dumpcap.returncode, said)
        self.assert_same_bytes(FRAMES, read_pcap(captured))
        stopped = box.type('stop')
        self.assertIn(f'io: received {len(FRAMES)} = transmitted {len(FRAMES)} + dropped 0',
                      stopped)
        status, said = box.end()
        self.assertEqual(0, status, said)


if __name__ == '__main__':
    main(APPLIANCE)

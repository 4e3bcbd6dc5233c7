# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""Boxes that forward a capture to its end, and what they say of it."""

import re
import signal
import subprocess
import time

from appliance_help import BoxTest, frames_written
from helpers import APPLIANCE

START_S = 20
SURELY_OVER_S = 100  # so that no box outlives a test that was killed
POLL_S = 0.02
STATISTICS = re.compile(
    r'  -+ Forward statistics for port 0 +-+\n'
    r'  RX-packets: (\d+) +RX-dropped: (\d+) +RX-total: \d+\n'
    r'  TX-packets: \d+ +TX-dropped: (\d+) +TX-total: \d+\n'
    r'  -{76}\n')
ACCUMULATED = re.compile(r'  \++ Accumulated forward statistics for all ports\++\n'
                         r'  RX-packets: (\d+) .*\n  TX-packets: (\d+) ')
BALANCE = re.compile(r'  (\w+): received (\d+) = transmitted (\d+) \+ dropped (\d+) .*: OK')


class ForwardTest(BoxTest):
    lcores = None  # arguments instead of -l

    def command(self, ports, *args):
        command = super().command(ports, *args)
        at = command.index('-l')
        return command[:at] + (self.lcores or command[at:at + 2]) + command[at + 2:]

    def forward(self, ports, watched, expected, *args, end=signal.SIGINT, idle_s=0):
        """Run until a file holds as many frames as expected, and a time without frames after that;
        returns what was printed."""
        command = [APPLIANCE, *self.command(ports, f'--duration={SURELY_OVER_S}', *args)]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as box:
            give_up = time.monotonic() + START_S
            while frames_written(watched) < expected and time.monotonic() < give_up:
                if box.poll() is not None:
                    break
                time.sleep(POLL_S)
            time.sleep(idle_s)
            ended = box.poll()
            box.send_signal(end)
            try:
                said, complaints = box.communicate(timeout=START_S)
            except subprocess.TimeoutExpired:
                box.kill()
                raise
        self.assertIsNone(ended, f'ended by itself: {said}{complaints}')
        self.assertEqual(0, box.returncode, said + complaints)
        self.assertEqual(expected, frames_written(watched), said)
        return said

    def check_statistics(self, said, received):
        """The blocks that testpmd's users know, and our line that adds them up."""
        port = STATISTICS.search(said)
        self.assertIsNotNone(port, said)
        self.assertEqual((received, 0, 0), tuple(map(int, port.groups())))
        self.assertEqual((received, received), tuple(map(int, ACCUMULATED.search(said).groups())))
        balances = BALANCE.findall(said)
        self.assertEqual(received, sum(int(total) for _, total, _, _ in balances), said)
        for _, total, sent, dropped in balances:
            self.assertEqual(int(total), int(sent) + int(dropped))
        self.assertNotIn('WRONG', said)
        self.assertTrue(said.rstrip().endswith('Bye...'), said)

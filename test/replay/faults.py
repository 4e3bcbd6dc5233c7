# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""Faults around the data path: whatever runs out or ends midway, frames are counted and mbufs are
given back, which the box itself checks before it exits with 0."""

import json
import re

from helpers import APPLIANCE, TRAINING, main, run
from prompt import PromptTest

BALANCE = re.compile(r'  (\w+): received (\d+) = transmitted (\d+) \+ dropped (\d+) \(press (\d+), '
                     r'tx_full (\d+)(?:, dist_full (\d+))?\): (\w+)\n')
STOPS = 25


class Faults(PromptTest):
    def endless(self, queues=1):
        return [f'net_pcap0,{",".join(queues * [f"rx_pcap={TRAINING}"])},infinite_rx=1', 'net_ring0']

    def check_balances(self, said):
        balances = BALANCE.findall(said)
        self.assertTrue(balances, said)
        for _, received, sent, dropped, by_press, tx_full, dist_full, verdict in balances:
            self.assertEqual('OK', verdict, said)
            self.assertEqual(int(received), int(sent) + int(dropped))
            self.assertEqual(int(dropped), int(by_press) + int(tx_full) + int(dist_full or 0))

    def report_of(self, devices, *args):
        path = self.path('stats.json')
        done = run(APPLIANCE, *self.command_of_devices(devices, '--duration=1',
                                                       f'--stats-json={path}', *args))
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.check_balances(done.stdout)
        return json.loads(path.read_text())

    def test_full_transmit_ring_drops_and_counts(self):
        """Two queues are compressed to a ring that only one queue empties."""
        compress = self.report_of(self.endless(2), '--rxq=2', '--txq=1', '--peer=static')['directions']['compress']
        self.assertGreater(compress['dropped']['tx_full'], 0)
        self.assertGreater(compress['coded'], 0)

    def test_hellos_do_not_wait_for_a_full_ring(self):
        """Who does not hear us when there is too much to send stops compressing."""
        report = self.report_of(self.endless(2), '--rxq=2', '--txq=1', '--nb-cores=1',
                                '--forward-mode=press', '--peer=hello', '--hello-interval=10')
        self.assertGreater(report['directions']['compress']['dropped']['tx_full'], 0)
        made, sent = report['peers'][0]['sent'], sum(s['tx_hellos'] for s in report['streams'])
        self.assertGreater(made, 20)
        self.assertGreater(sent, 0.8 * made)

    def stop_and_start(self, *args):
        box = self.prompt(self.endless(), '--peer=static', *args)
        for _ in range(STOPS):
            self.accept(box, 'start')
            said = self.accept(box, 'stop')
            self.check_balances(said)
            self.assertNotIn('no_peer', said, 'a static box has nobody to drain for')
        self.end(box)

    def test_stops_in_the_middle_of_bursts(self):
        self.stop_and_start('--burst=512')

    def test_stops_while_frames_are_verified(self):
        self.stop_and_start('--burst=64', '--forward-mode=verify')


if __name__ == '__main__':
    main(APPLIANCE)

# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""Collectives of PyTorch between the hosts: equal results, and a slow line that becomes faster."""

import os
import subprocess

from pathlib import Path

from chain import ADDRESS, ChainTest
from helpers import APPLIANCE, TENSORS, main
from network import skip_without_namespaces

PYTHON = '/usr/bin/python3'  # of Debian, which python3-torch belongs to
RANK = Path(__file__).resolve().with_name('gloo_rank.py')
SLOW = '50mbit'
SPEED_UP = 1.35
ROUNDS = 3


def has_torch():
    return subprocess.run([PYTHON, '-c', 'import torch, numpy'], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60, check=False).returncode == 0


class Collectives(ChainTest):
    def gloo(self, tensor, rounds):
        """Both ranks' results, and seconds of the fastest all-gather."""
        ranks = []
        for rank, side in enumerate('ab'):
            environment = dict(os.environ, MASTER_ADDR=ADDRESS['a'], MASTER_PORT='29500',
                               GLOO_SOCKET_IFNAME=f'{side}0', OMP_NUM_THREADS='1')
            ranks.append(self.start_on(side, PYTHON, RANK, rank, tensor, self.path(f'{side}.out'),
                                       rounds, env=environment))
        said = [process.communicate(timeout=100)[0] for process in ranks]
        for process, text in zip(ranks, said):
            self.assertEqual(0, process.returncode, text)
        return ([self.path(f'{side}.out').read_bytes() for side in 'ab'],
                max(float(text.split()[-1]) for text in said))

    def run_gloo(self, tensor, rounds, **options):
        self.chain(mtu=9000, **options)
        results, seconds = self.gloo(tensor, rounds)
        statistics = self.stop_boxes()
        self.tear_down_chain()
        return results, seconds, statistics

    def test_pytorch_gets_equal_results(self):
        self.skip_without_torch()
        for name in 'bf16-ffn1-wgrad.bin', 'fp32-ffn1-act.bin':
            with self.subTest(tensor=name):
                plain, _, _ = self.run_gloo(TENSORS / name, 1, line='none')
                boxed, _, statistics = self.run_gloo(TENSORS / name, 1)
                self.assertEqual(plain[0], plain[1])
                self.assertEqual(plain, boxed)
                for box in statistics:
                    self.assertGreater(box['directions']['compress']['coded'], 200)

    def test_slow_line_becomes_faster(self):
        """Time is printed and not judged, for other work on the machine changes it; the bytes that
        the line has to carry are judged."""
        self.skip_without_torch()
        seconds, shorter = {}, []
        for mode in 'io', 'press':
            _, seconds[mode], statistics = self.run_gloo(TENSORS / 'bf16-ffn1-wgrad.bin', ROUNDS,
                                                         line='bridge', rate=SLOW, mode=mode)
        for box in statistics:
            counts = box['directions']['compress']
            shorter.append(counts['rx_bytes'] / counts['tx_bytes'])
        speed_up = seconds['io'] / seconds['press']
        print(f'all_gather at {SLOW}: io {seconds["io"]:.3f} s, press {seconds["press"]:.3f} s: '
              f'{speed_up:.2f} times as fast, bytes on the line 1 / {min(shorter):.2f}')
        self.assertGreater(min(shorter), SPEED_UP)

    def skip_without_torch(self):
        if not has_torch():
            self.skipTest('python3-torch is missing')


if __name__ == '__main__':
    skip_without_namespaces('ethtool')
    main(APPLIANCE)

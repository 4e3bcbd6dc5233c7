# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""A pair of boxes in one process for as long as LP_SOAK_SECONDS says: traffic without end, and all
that an operator may do to it meanwhile. Nothing may differ, nothing may grow."""

import os
import random
import re
import time

import edges
import frames as f
from helpers import (APPLIANCE, CAPTURES, CODEBOOKS, REPLAY, TRAINING, main, read_pcap, run,
                     write_pcap)
from prompt import PromptTest

SECONDS = float(os.environ.get('LP_SOAK_SECONDS', '8'))
BALANCE = re.compile(r'  (\w+): received (\d+) = transmitted (\d+) \+ dropped (\d+) \(press (\d+), '
                     r'tx_full (\d+)(?:, dist_full (\d+))?\): (\w+)\n')
DIFFER = re.compile(r'verify: (\d+) frames differ: (\w+)')
BOOKS = [(200, 'papers/bf16-dual'), (201, 'papers/e4m3-quad'), (202, 'area/int8-area-1')]
# In these the longest bursts touch all of the memory that there is.
WARM_ROUNDS = 3
GROWTH_KIB_MAX = 2048
# AddressSanitizer keeps what is released for a while, so much of it that memory seems to grow.
os.environ['ASAN_OPTIONS'] = os.environ.get('ASAN_OPTIONS', '') + ':quarantine_size_mb=1'
ROUND_S = 0.5


class Soak(PromptTest):
    def setUp(self):
        super().setUp()
        self.random = random.Random(int(os.environ.get('LP_SOAK_SEED', '1')))
        self.total = dict.fromkeys(('rounds', 'frames', 'verified', 'replayed', 'rules', 'books',
                                    'port_restarts'), 0)
        self.loaded = set()
        write_pcap(self.path('mixed.pcap'), self.mixed())

    def random_frame(self):
        payload = self.random.choice([
            self.random.randbytes, lambda n: bytes(n), lambda n: edges.TENSOR[:n & ~1],
            lambda n: f.MAGIC + bytes([self.random.choice((0x11, 0x12)), 0xd0]) +
            self.random.randbytes(n)])(self.random.randint(1, 1400))
        kind = self.random.choice([f.tcp, f.udp, f.roce])
        return kind(payload, version=self.random.choice((4, 6)))

    def mixed(self):
        """Real traffic, odd traffic and noise, no longer than the ports take."""
        sent = [frame.data for frame in read_pcap(TRAINING)]
        sent += [data for _, data in edges.all_frames() if len(data) <= 9000]
        sent += [self.random_frame() for _ in range(300)]
        self.random.shuffle(sent)
        return sent

    def resident_kib(self, box):
        with open(f'/proc/{box.box.pid}/status', encoding='ascii') as status:
            return int(re.search(r'VmRSS:\s+(\d+) kB', status.read()).group(1))

    def check_stop(self, said):
        balances = BALANCE.findall(said)
        self.assertTrue(balances, said)
        for _, received, sent, dropped, by_press, *_, verdict in balances:
            self.assertEqual(('OK', '0'), (verdict, by_press), said)
            self.assertEqual(int(received), int(sent) + int(dropped))
            self.total['frames'] += int(received)
        self.assertNotIn('miscoded', said)

    def change_rules(self, box):
        rules = self.random.choice(['proto tcp -> pass\n', 'proto roce -> dry-run\n', '-> books all\n',
                                    'min-region 900 -> books bf16-grouped\nproto udp -> pass\n'])
        self.path('rules').write_text(rules)
        self.accept(box, self.random.choice([f'set rules {self.path("rules")}', 'set rules none']))
        self.total['rules'] += 1

    def rotate_books(self, box):
        number, name = self.random.choice(BOOKS)
        if number in self.loaded:
            self.accept(box, f'retire codebook {number}', f'Codebook {number} retired')
            self.loaded.remove(number)
        else:
            self.accept(box, f'load codebook {CODEBOOKS / name}.book id {number}', 'loaded')
            self.loaded.add(number)
        self.total['books'] += 1

    def press_for_a_while(self, box):
        self.accept(box, 'set fwd press')
        is_warm = self.total['rounds'] > WARM_ROUNDS
        self.accept(box, f'set burst {self.random.choice((1, 7, 32, 512)) if is_warm else 512}')
        self.accept(box, 'set verify on')
        self.accept(box, 'start')
        end = time.monotonic() + ROUND_S
        while time.monotonic() < end:
            for change in self.change_rules, self.rotate_books:
                change(box)
            for line in 'show press stats', 'show latency', 'show port stats all', 'clear latency':
                self.accept(box, line)
            time.sleep(0.02)
        self.check_stop(self.accept(box, 'stop'))

    def verify_for_a_while(self, box):
        self.accept(box, 'set fwd verify')
        self.accept(box, 'start')
        time.sleep(ROUND_S / 2)
        said = self.accept(box, 'stop')
        self.assertEqual(('0', 'OK'), DIFFER.search(said).groups(), said)
        self.total['verified'] += int(BALANCE.search(said).group(2))

    def restart_ports(self, box):
        self.accept(box, 'port stop all')
        self.accept(box, 'port start all')
        self.total['port_restarts'] += 1

    def replay_for_a_while(self):
        """Every frame against its original, in random traffic of another seed each time."""
        capture = write_pcap(self.path('random.pcap'), [self.random_frame() for _ in range(400)])
        self.total['replayed'] += self.replay('--loops', 2, capture)['packets'] * 2
        if self.total['rounds'] % 8 == 1:
            other = CAPTURES[self.total['rounds'] // 8 % len(CAPTURES)]
            self.total['replayed'] += self.replay('--loops', 1, other)['packets']

    def test_everything_at_once_for_long(self):
        box = self.prompt([f'net_pcap0,rx_pcap={self.path("mixed.pcap")},infinite_rx=1',
                           'net_ring0'], '--peer=static', '--total-num-mbufs=6000')
        end, warm, most = time.monotonic() + SECONDS, None, 0
        while time.monotonic() < end or self.total['rounds'] <= WARM_ROUNDS:
            self.total['rounds'] += 1
            self.press_for_a_while(box)
            self.verify_for_a_while(box)
            self.restart_ports(box)
            self.replay_for_a_while()
            resident = self.resident_kib(box)
            if self.total['rounds'] == WARM_ROUNDS:
                warm = resident
            most = max(most, resident)
        self.end(box)
        print(f'\nsoak: {SECONDS:.0f} s, ' + ', '.join(f'{name} {count}' for name, count in
                                                       self.total.items()) +
              f', 0 differing, resident {warm} KiB at first and {most} KiB at most')
        self.assertLessEqual(most, warm + GROWTH_KIB_MAX, 'memory grows')


if __name__ == '__main__':
    main(APPLIANCE, REPLAY)

# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""What linepress counts: on the console, in JSON, and that all of it adds up."""

import json
import re
import socket
import subprocess
import time

from helpers import APPLIANCE, TRAINING, main, read_pcap, run, write_pcap
from prompt import PromptTest

FRAMES = read_pcap(TRAINING)
BYTES = sum(len(frame.data) for frame in FRAMES)
NOT_STARTED = 'Packet forwarding not started\n'
PRESS = re.compile(r'  RX-packets: (\d+) +RX-bytes: (\d+)\n  TX-packets: (\d+) +TX-bytes: (\d+)\n')
LATENCY = re.compile(r'  latency from receive to transmit: p50 (\d+) ns, p90 (\d+) ns, p99 (\d+) ns,'
                     r' p99.9 (\d+) ns, max (\d+) ns of (\d+) frames\n')
CYCLES = re.compile(r'\n  CPU cycles/packet=(\d+\.\d\d) \(total cycles=(\d+) / total (\w+) '
                    r'packets=(\d+)\) at (\d+) MHz Clock\n')


class Statistics(PromptTest):
    def wait_for_both_ways(self, box):
        """Until the whole capture has gone to the line and back."""
        give_up = time.monotonic() + 20
        while f' of {2 * len(FRAMES)} frames\n' not in box.type('show latency'):
            self.assertLess(time.monotonic(), give_up)
            time.sleep(0.02)

    def started(self, *args):
        """A box that has compressed, and restored, the whole capture and still forwards."""
        box = self.prompt(self.capture_and_ring(), *args)
        box.type('start')
        self.wait_for_both_ways(box)
        return box

    def report_of(self, *args):
        """The JSON of a run to the end of the capture."""
        path = self.path('stats.json')
        box = self.prompt(self.capture_and_ring(), f'--stats-json={path}', *args)
        box.type('start')
        self.wait_for_both_ways(box)
        self.assertFalse(path.exists(), 'written before forwarding stops')
        box.type('stop')
        report = json.loads(path.read_text())
        self.end(box)
        return report

    # ---- JSON ----

    def check_direction(self, direction):
        self.assertEqual(direction['rx_packets'],
                         direction['tx_packets'] + sum(direction['dropped'].values()))
        self.assertEqual(direction['tx_packets'] + direction['dropped']['tx_full'],
                         direction['coded'] + direction['stored']
                         + sum(direction['passed'].values()))

    def check_books(self, report):
        for way in 'compress', 'restore':
            coded = report['directions'][way]['coded']
            self.assertEqual(coded, sum(book[way]['packets'] for book in report['codebooks']))
            for key in 'packets', 'region_bytes', 'line_bytes':
                by_type = {name: counters[way][key] for name, counters in report['types'].items()}
                of_books = dict.fromkeys(by_type, 0)
                for book in report['codebooks']:
                    of_books[book['type']] += book[way][key]
                self.assertEqual(by_type, of_books)

    def test_json_adds_up_to_the_frames_of_the_capture(self):
        report = self.report_of()
        compress, restore = report['directions']['compress'], report['directions']['restore']
        self.assertEqual({'compress', 'restore'}, set(report['directions']))
        self.assertEqual((len(FRAMES), BYTES), (compress['rx_packets'], compress['rx_bytes']))
        self.assertEqual((len(FRAMES), BYTES), (restore['tx_packets'], restore['tx_bytes']))
        self.assertEqual(compress['tx_bytes'], restore['rx_bytes'])
        self.assertLess(compress['tx_bytes'], compress['rx_bytes'])
        for direction in compress, restore:
            self.check_direction(direction)
        self.assertEqual(compress['coded'], restore['coded'])
        self.assertEqual(compress['eligible'],
                         compress['uncoded'] + sum(compress['ratio_packets']))
        self.check_books(report)
        self.assertGreater(report['types']['bf16']['compress']['packets'], 0)
        self.assertIs(True, report['balance_ok'])
        self.assertEqual('press', report['mode'])
        self.assertGreater(report['seconds'], 0)

    def test_json_of_ports_streams_and_lcores_agree(self):
        report = self.report_of()
        host, line = report['ports']
        self.assertEqual(('net_pcap', len(FRAMES), BYTES),
                         (host['driver'], host['rx_packets'], host['rx_bytes']))
        self.assertEqual((len(FRAMES), len(FRAMES)), (line['tx_packets'], line['rx_packets']))
        self.assertEqual([('compress', 0, 1), ('restore', 1, 0)],
                         [(stream['action'], stream['rx_port'], stream['tx_port'])
                          for stream in report['streams']])
        for stream in report['streams']:
            direction = report['directions'][stream['action']]
            for key in 'rx_packets', 'tx_packets', 'tx_bytes', 'tx_retries':
                self.assertEqual(direction[key], stream[key])
        (lcore,) = report['lcores']
        self.assertEqual(2 * len(FRAMES), lcore['packets'])
        self.assertEqual(lcore['busy_cycles'],
                         sum(stream['busy_cycles'] for stream in report['streams']))
        spent_s = (lcore['busy_cycles'] + lcore['idle_cycles']) / report['tsc_hz']
        self.assertAlmostEqual(report['seconds'], spent_s, delta=0.2 * report['seconds'] + 0.1)

    def test_json_of_latency_counts_each_frame_once(self):
        latency = self.report_of()['latency_ns']
        self.assertEqual(2 * len(FRAMES), latency['samples'])
        times = [latency[key] for key in ('p50', 'p90', 'p99', 'p999', 'max')]
        self.assertEqual(sorted(times), times)
        self.assertGreater(times[0], 0)

    def test_json_of_mode_io(self):
        report = self.report_of('--forward-mode=io')
        self.assertEqual(['io'], list(report['directions']))
        io = report['directions']['io']
        self.assertEqual((2 * len(FRAMES), 2 * BYTES) * 2,
                         tuple(io[key] for key in
                               ('rx_packets', 'rx_bytes', 'tx_packets', 'tx_bytes')))
        self.assertEqual(({}, {'tx_full': 0, 'dist_full': 0}), (io['passed'], io['dropped']))
        self.assertEqual([], report['codebooks'])

    def test_json_of_mode_verify(self):
        verify = self.report_of('--forward-mode=verify')['directions']['verify']
        self.assertEqual((2 * len(FRAMES), 2 * BYTES, 2 * len(FRAMES), 2 * BYTES),
                         tuple(verify[key] for key in
                               ('rx_packets', 'rx_bytes', 'tx_packets', 'tx_bytes')))
        self.assertEqual((0, {'tx_full': 0, 'dist_full': 0}),
                         (verify['differing'], verify['dropped']))
        self.assertGreater(verify['coded'], 0)

    def test_json_tells_frames_that_the_ring_did_not_take(self):
        """Two queues are sent to a ring that only one queue empties."""
        path = self.path('stats.json')
        done = run(APPLIANCE, *self.command_of_devices(
            ['net_null0,size=100', 'net_ring0'], '--forward-mode=io', '--rxq=2', '--txq=1',
            '--total-num-mbufs=4000', '--duration=1', f'--stats-json={path}'))
        self.assertEqual(0, done.returncode, done.stderr)
        report = json.loads(path.read_text())
        io = report['directions']['io']
        full = io['dropped']['tx_full']
        self.assertGreater(full, 20 * 4000)
        self.assertEqual(full, sum(stream['tx_dropped'] for stream in report['streams']))
        self.assertEqual(full, sum(port['tx_dropped'] for port in report['ports']))
        self.assertEqual(io['rx_packets'], io['tx_packets'] + full)
        self.assertEqual((100 * io['rx_packets'], 100 * io['tx_packets']),
                         (io['rx_bytes'], io['tx_bytes']))

    def test_json_is_written_at_each_stop_whatever_was_cleared(self):
        path = self.path('stats.json')
        box = self.started(f'--stats-json={path}')
        box.type('clear fwd stats all')
        box.type('stop')
        self.assertEqual(2 * len(FRAMES),
                         sum(s['rx_packets'] for s in json.loads(path.read_text())['streams']))
        box.type('start')
        box.type('stop')
        self.assertEqual(0, sum(s['rx_packets'] for s in json.loads(path.read_text())['streams']))
        self.end(box)

    def test_json_that_cannot_be_written_fails_the_start_or_the_run(self):
        ports = [(TRAINING, self.path('a')), (write_pcap(self.path('none'), []), self.path('b'))]
        done = run(APPLIANCE, *self.command(ports, '--stats-json=/nonexistent/stats.json'))
        self.assertEqual(1, done.returncode)
        self.assertIn('/nonexistent/stats.json: cannot be written: No such file', done.stderr)
        self.assertNotIn('Configuring Port', done.stdout)
        done = run(APPLIANCE, *self.command(ports, '--stats-json=/dev/full', '--duration=1'))
        self.assertEqual(1, done.returncode)
        self.assertIn('linepress: /dev/full: ', done.stderr)
        self.assertNotIn('Bye', done.stdout)

    # ---- console ----

    def test_nothing_is_shown_before_the_first_start(self):
        box = self.prompt(self.capture_and_ring())
        for what in 'fwd stats all', 'press stats', 'latency', 'cpu':
            self.assertEqual(NOT_STARTED, box.type(f'show {what}'))
        for what in 'fwd stats all', 'press stats', 'latency':
            self.assertEqual('', box.type(f'clear {what}'))
        self.end(box)

    def test_clearing_counts_from_zero_and_keeps_the_balance(self):
        box = self.started()
        self.assertEqual([(len(FRAMES), len(FRAMES))] * 2,
                         [(int(rx), int(tx)) for rx, _, tx, _ in
                          PRESS.findall(box.type('show press stats'))])
        box.type('clear press stats')
        self.assertEqual('No frames were compressed or restored\n', box.type('show press stats'))
        self.assertIn(f'RX-packets: {len(FRAMES)} ', box.type('show fwd stats all'))
        self.assertEqual(2 * len(FRAMES), int(LATENCY.search(box.type('show latency')).group(6)))
        box.type('clear latency')
        self.assertIn('no frames', box.type('show latency'))
        box.type('clear fwd stats all')
        self.assertNotIn(f'RX-packets: {len(FRAMES)} ', box.type('show fwd stats all'))
        stopped = box.type('stop')
        self.assertIn('Accumulated forward statistics for all ports+++++++++++++++\n'
                      '  RX-packets: 0  ', stopped)
        self.assertIn(f'  compress: received {len(FRAMES)} = transmitted {len(FRAMES)} + '
                      'dropped 0 (press 0, tx_full 0): OK\n', stopped)
        self.end(box)

    def test_types_and_books_are_shown(self):
        box = self.started()
        said = box.type('show press stats')
        compress = said.partition('restore')[0]
        packets = {kind: [int(n) for n in re.findall(rf'  {kind} .*: packets: (\d+) ', compress)]
                   for kind in ('type', 'codebook')}
        self.assertGreater(len(packets['type']), 1)
        self.assertEqual(sum(packets['type']), sum(packets['codebook']))
        self.assertEqual([sum(packets['type'])],
                         [int(n) for n in re.findall(r'  coded: (\d+) ', compress)])
        self.end(box)

    def test_codebooks_are_described_and_wrong_ones_refused(self):
        box = self.started()
        listed = re.findall(r'^ +(\d+) (\S+) .* ([\d.]+) % +(\d+) +[\d.]+ %$',
                            box.type('show codebook all'), re.M)
        self.assertGreater(len(listed), 5)
        number, name, expected, packets = max(listed, key=lambda row: int(row[3]))
        self.assertGreater(int(packets), 0)
        for word in number, name:
            said = box.type(f'show codebook {word}')
            self.assertTrue(said.startswith(f'codebook {number}: {name}\n'), said)
            self.assertIn(f'expected to save {expected} % of a tensor', said)
            self.assertEqual(2 * [int(packets) // 2],
                             [int(n) for n in re.findall(r': packets: (\d+) ', said)])
            self.assertRegex(said, r'digest: [0-9a-f]{64}\n')
        for word in '0', '99', '256', 'none':
            self.assertIn(f'linepress: show codebook {word}: there is no such codebook',
                          box.type(f'show codebook {word}'))
        self.end(box)

    def test_cpu_is_told_since_last_show_and_since_start(self):
        box = self.started()
        shown = re.compile(r'  lcore \d+: busy: ([\d.]+) % since last show, ([\d.]+) % since start'
                           r'  CPU cycles/packet: ([\d.]+) since last show, ([\d.]+) since start\n')
        first, second = (tuple(map(float, shown.fullmatch(box.type('show cpu')).groups()))
                         for _ in range(2))
        self.assertEqual(first[0], first[1])
        self.assertEqual(first[2], first[3])
        self.assertGreater(first[3], 0)
        self.assertEqual((0, 0), second[::2])  # nothing was received meanwhile
        self.assertEqual(first[3], second[3])
        self.end(box)

    def test_cycles_and_bursts_are_told_as_testpmd_does(self):
        box = self.prompt(self.capture_and_ring(), '--record-core-cycles', '--record-burst-stats',
                          '--burst=64')
        box.type('start')
        self.wait_for_both_ways(box)
        said = box.type('stop')
        cycles = CYCLES.search(said)
        self.assertEqual(('press', str(2 * len(FRAMES))), cycles.group(3, 4))
        self.assertAlmostEqual(int(cycles[2]) / int(cycles[4]), float(cycles[1]), places=2)
        bursts = re.findall(r'\n  RX-bursts : (\d+) \[(\d+)% of 0 pkts \+ (.*)\]\n', said)
        self.assertEqual(2, len(bursts), said)
        for _, empty, others in bursts:
            shares = [int(share) for share in re.findall(r'(\d+)% of', others)]
            self.assertEqual(100, int(empty) + sum(shares))
        self.assertIn('% of 64 pkts', bursts[0][2])
        self.end(box)

    def test_recording_is_switched_at_the_prompt(self):
        box = self.started()
        self.assertNotIn('CPU cycles', box.type('show fwd stats all'))
        box.type('set record-core-cycles on')
        self.assertRegex(box.type('show fwd stats all'), CYCLES)
        self.assertIn('only become active when forwarding is started/restarted',
                      box.type('set record-burst-stats on'))
        self.assertNotIn('RX-bursts', box.type('stop'))
        box.type('start')
        self.assertIn('RX-bursts', box.type('show fwd stats all'))
        self.assertIn('RX-bursts', box.type('stop'))
        box.type('set record-burst-stats off')
        box.type('start')
        self.assertNotIn('RX-bursts', box.type('stop'))
        self.end(box)

    def test_time_asleep_is_idle(self):
        """Frames come while the lcore sleeps, and have not stayed for that."""
        ours, theirs = self.interfaces()
        path = self.path('stats.json')
        box = self.prompt([f'net_af_packet0,iface={ours}', 'net_ring0'], '--forward-mode=io',
                          '--max-pkt-len=1518', '--idle-sleep-us=100000', f'--stats-json={path}')
        box.type('start')
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as wire:
            wire.bind((theirs, 0))
            for _ in range(9):
                time.sleep(0.15)
                wire.send(bytes(12) + b'\x88\xb5' + bytes(50))
        box.type('stop')
        report = json.loads(path.read_text())
        (lcore,) = report['lcores']
        self.assertGreaterEqual(lcore['packets'], 9)
        self.assertGreater(lcore['sleeps'], 9)
        self.assertGreater(lcore['idle_cycles'], 10 * lcore['busy_cycles'])
        self.assertLess(report['latency_ns']['p50'], 10_000_000)
        self.end(box)

    def test_program_ends_with_the_latency(self):
        done = run(APPLIANCE, *self.command_of_devices(self.capture_and_ring(), '--duration=1'),
                   stdout=subprocess.PIPE)
        self.assert_good(done)
        self.assertEqual(2 * len(FRAMES), int(LATENCY.search(done.stdout).group(6)))


if __name__ == '__main__':
    main(APPLIANCE)

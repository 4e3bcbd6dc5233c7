# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""Frames that one lcore deals out to others by flow."""

import contextlib
import os
import pathlib
import random
import re
import signal
import time

import frames
from appliance_help import LCORES
from box import BALANCE, ForwardTest
from helpers import APPLIANCE, TRAINING, main, read_pcap, run, write_pcap
from prompt import Prompt

WORKERS = 2
CPUS = LCORES.split(',')
# One lcore for control, one that polls, and workers, on two processors.
SHARED = ['--lcores', ','.join(f'{lcore}@{CPUS[lcore % len(CPUS)]}'
                               for lcore in range(2 + WORKERS))]
BY_FLOW = ['--distribution=flow', f'--nb-cores={1 + WORKERS}']
HANDLED = re.compile(r'  lcore \d+: .*  frames: (\d+)\n')
FULL = re.compile(r'tx_full (\d+)(?:, dist_full (\d+))?\): OK')
SLEEPY_S = 1  # after so long without frames all lcores sleep
MODES = ['press', 'compress', 'restore', 'io', 'verify']


def thread_of(box, lcore):
    """The thread of an lcore."""
    for task in pathlib.Path(f'/proc/{box.box.pid}/task').iterdir():
        if (task / 'comm').read_text().strip() == f'rte-worker-{lcore}':
            return int(task.name)
    raise AssertionError(f'lcore {lcore} has no thread')


def roce_flow(qp, count):
    """Frames of a queue pair; all have the same ports and addresses."""
    return [frames.roce(frames.bf16(256, seed=qp * 1000 + psn), qp=qp, psn=psn)
            for psn in range(count)]


def tcp_flow(port, count):
    return [frames.tcp(frames.bf16(300, seed=port + k), sport=port, seq=1000 + 600 * k)
            for k in range(count)]


def interleave(flows, seed=1):
    """All frames, those of a flow in their order."""
    turns = [flow for flow, members in enumerate(flows) for _ in members]
    random.Random(seed).shuffle(turns)
    rest = [iter(members) for members in flows]
    return [next(rest[flow]) for flow in turns]


def flow_of(data):
    """What names the flow of an IPv4 frame; works on the line, too."""
    p = frames.parse(data)
    if p is None:
        return data[:14]
    qp = data[p.l4 + 13:p.l4 + 16] if p.is_roce else b''
    return data[p.l3 + 12:p.l3 + 20] + data[p.l4:p.l4 + 4] + qp


def by_flow(all_frames):
    flows = {}
    for data in all_frames:
        flows.setdefault(flow_of(data), []).append(data)
    return flows


def is_subsequence(part, whole):
    rest = iter(whole)
    return all(data in rest for data in part)


class Distribution(ForwardTest):
    lcores = SHARED

    def capture(self, name):
        return [frame.data for frame in read_pcap(self.path(name))]

    def assert_same_flows(self, sent, arrived):
        """No frame is lost, changed, or before one that it came after."""
        self.assertEqual(len(sent), len(arrived))
        expected, actual = by_flow(sent), by_flow(arrived)
        self.assertEqual(expected.keys(), actual.keys())
        for flow, members in expected.items():
            self.assertEqual(members, actual[flow], flow)

    def assert_balanced(self, done, actions):
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        balances = BALANCE.findall(done.stdout)
        self.assertEqual(actions, len(balances), done.stdout)
        for _, received, sent, dropped in balances:
            self.assertEqual(int(received), int(sent) + int(dropped))
        self.assertNotIn('WRONG', done.stdout)
        self.assertNotIn('leak', done.stderr)

    # ---- order ----

    def test_flows_come_back_bit_for_bit_and_in_order(self):
        """Queue pairs that share a source port, connections, and frames that are not IP."""
        flows = [roce_flow(qp, 24) for qp in range(0x100, 0x10a)]
        flows += [tcp_flow(port, 20) for port in range(40000, 40008)]
        flows += [[frames.ether(bytes([k] * 46), 0x88CC) for k in range(9)]]
        sent = interleave(flows)
        write_pcap(self.path('in.pcap'), sent)
        for mode, source, result in [('press', 'in', 'line'), ('restore', 'line', 'back')]:
            said = self.forward(
                [(self.path(f'{source}.pcap'), self.path('unused.pcap')),
                 (self.nothing, self.path(f'{result}.pcap'))],
                self.path(f'{result}.pcap'), len(sent), f'--forward-mode={mode}', *BY_FLOW)
            self.check_statistics(said, len(sent))
            self.assertIn(' - distribution=flow\n', said)
            polled, *worked = map(int, HANDLED.findall(said))
            self.assertEqual((WORKERS, len(sent)), (len(worked), sum(worked)), said)
            self.assertEqual(len(sent), polled, said)
            self.assertRegex(said, rf'latency .*, max [1-9]\d* ns of {len(sent)} frames\n')
            self.assertGreater(min(worked), len(sent) // 10, 'share of the lcores')
        line = self.capture('line.pcap')
        self.assertEqual(by_flow(sent).keys(), by_flow(line).keys())
        self.assertLess(sum(map(len, line)), 0.8 * sum(map(len, sent)))
        self.assert_same_flows(sent, self.capture('back.pcap'))

    def test_order_within_flows_survives_overload(self):
        """The only worker cannot verify as many frames as are read. What it cannot do is dropped
        and counted; the rest arrives in order."""
        self.lcores = ['--lcores', f'0@{CPUS[0]},1@{CPUS[-1]},2@{CPUS[0]}']
        tensor = frames.bf16(4400)
        sent = interleave([[frames.roce(tensor, qp=qp, psn=psn) for psn in range(1000)]
                           for qp in range(0x100, 0x103)])
        write_pcap(self.path('in.pcap'), sent)
        out = self.path('out.pcap')
        with Prompt([APPLIANCE, *self.command(
                [(self.path('in.pcap'), self.path('unused.pcap')), (self.nothing, out)], '-i',
                '--forward-mode=verify', '--kernel=portable', '--distribution=flow',
                '--nb-cores=2')]) as box:
            # Nothing else on a busy machine may hold up the reader more than the worker.
            worker = thread_of(box, 2)
            os.setpriority(os.PRIO_PROCESS, worker, 19)
            box.type('start')
            give_up = time.monotonic() + 20
            while f'RX-packets: {len(sent)} ' not in box.type('show port stats 0'):
                self.assertLess(time.monotonic(), give_up)
                time.sleep(0.1)
            with contextlib.suppress(PermissionError):
                os.setpriority(os.PRIO_PROCESS, worker, 0)
            said = box.type('stop')
            self.assertEqual(0, box.end()[0])
        self.assertRegex(said, BALANCE)
        dropped = int(FULL.search(said).group(2))
        self.assertGreater(dropped, 0, said)
        arrived = self.capture('out.pcap')
        self.assertEqual(len(sent), len(arrived) + dropped)
        expected = by_flow(sent)
        for flow, members in by_flow(arrived).items():
            self.assertTrue(is_subsequence(members, expected[flow]), flow)

    # ---- long frames ----

    def test_frames_in_many_mbufs_come_back(self):
        """Mbufs hold 384 bytes: regions, bodies and ICRCs end in any of them, at any byte."""
        tensor = frames.bf16(4480)
        lengths = [*range(20, 1200, 3), 4096, *range(8700, 8960, 16)]
        flows = [[frames.roce(tensor[:n], qp=0x100 + n % 7, psn=n) for n in lengths if n % 7 == k]
                 for k in range(7)]
        flows += [[frames.tcp(tensor[:n], sport=40000 + n % 2, seq=n) for n in lengths
                   if n % 2 == k] for k in range(2)]
        sent = interleave(flows)
        write_pcap(self.path('in.pcap'), sent)
        for by in [], BY_FLOW:
            with self.subTest(by=by):
                out = self.path('out.pcap')
                command = self.command_of_devices(
                    [f'net_pcap0,rx_pcap={self.path("in.pcap")},tx_pcap={out}', 'net_ring0'],
                    '--mbuf-size=512', '--min-region=1', '--duration=2', *by)
                done = run(APPLIANCE, *command)
                self.assert_balanced(done, 2)
                self.assertEqual([('0', '0')] * 2, [(full, late or '0') for full, late in
                                                    FULL.findall(done.stdout)], done.stdout)
                self.assert_same_flows(sent, self.capture('out.pcap'))
                self.assertRegex(done.stdout, r'\n  coded: [1-9]\d\d+ ')

    # ---- the end ----

    def test_signal_ends_lcores_that_sleep(self):
        """They sleep a tenth of a second at a time; frames that wait between them are sent."""
        write_pcap(self.path('in.pcap'), tcp_flow(40000, 50))
        for by in [], BY_FLOW:
            with self.subTest(by=by):
                out = self.path(f'out-{len(by)}.pcap')
                said = self.forward([(self.path('in.pcap'), self.path('x')), (self.nothing, out)],
                                    out, 50, '--idle-sleep-us=100000', '--forward-mode=compress',
                                    *by, end=signal.SIGTERM, idle_s=SLEEPY_S)
                self.check_statistics(said, 50)
                self.assertRegex(said, r'sleeps: [1-9]')

    # ---- more frames than can be forwarded ----

    def overload(self, mode, *args):
        """Two queues of port 0 always have another frame, and are sent to one queue of port 1,
        which gives only one back in the time of two."""
        return run(APPLIANCE, *self.command_of_devices(
            [f'net_pcap0,rx_pcap={TRAINING},rx_pcap={TRAINING},infinite_rx=1', 'net_ring0'],
            f'--forward-mode={mode}', '--duration=1', '--rxq=2', '--txq=1', *args))

    def test_overload_is_counted_in_all_modes(self):
        runs = [(mode, BY_FLOW) for mode in MODES] + [('io', []), ('press', [])]
        for mode, distribution in [*runs, ('press', [*BY_FLOW, '--idle-sleep-us=100'])]:
            with self.subTest(mode=mode, distribution=distribution):
                done = self.overload(mode, *distribution)
                self.assert_balanced(done, 2 if mode == 'press' else 1)
                full = FULL.findall(done.stdout)
                self.assertGreater(sum(int(n or 0) for pair in full for n in pair), 0, done.stdout)

    # ---- options ----

    def test_what_cannot_be_is_refused(self):
        ports = [(TRAINING, self.path('a')), (self.nothing, self.path('b'))]
        for args, *words in [
                (['--distribution=random'], '--distribution=random', 'queue or flow'),
                (['--distribution=flow'], 'nb-cores 1', 'at least 2'),
                (['--distribution=flow', '--nb-cores=4'], 'nb-cores 4', '1 to 3')]:
            with self.subTest(args=args):
                done = run(APPLIANCE, *self.command(ports, *args))
                self.assertEqual(1, done.returncode, done.stdout)
                for word in words:
                    self.assertIn(word, done.stderr)

    def test_distribution_changes_at_the_next_start(self):
        """Memory was for frames in queues, not also for those between lcores: that is said."""
        commands = self.path('commands')
        commands.write_text('start\nset distribution flow\nstop\nstart\nstop\n'
                            'set distribution queue\nset distribution ring\n')
        ports = [(TRAINING, self.path('a')), (self.nothing, self.path('b'))]
        done = run(APPLIANCE, *self.command(ports, '--nb-cores=2', '--forward-mode=io',
                                            f'--cmdline-file={commands}',
                                            '--total-num-mbufs=3000'))
        self.assertEqual(1, done.returncode, done.stdout)
        self.assertIn('commands:7: set distribution ring: must be queue or flow', done.stderr)
        starts = re.findall(r'io packet forwarding - .* topology=paired(.*)\n', done.stdout)
        self.assertEqual(['', ' - distribution=flow'], starts)
        self.assertRegex(done.stderr, r'lanes, caches and bursts can hold \d+ mbufs .* there are 3000')


if __name__ == '__main__':
    main(APPLIANCE)

# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""linepress-perf line: what does not depend on speed is right, and nothing is left behind."""

import json
import os
import shutil
import signal
import struct
import subprocess
import time
from pathlib import Path

import frames as f
from helpers import PERF, TENSORS, TRAINING, Frame, ProgramTest, main, read_pcap, run, write_pcap

MODES = ['io', 'compress', 'restore', 'press', 'verify']
TESTPMD = shutil.which('dpdk-testpmd')
FRAMING = 24
RATE_ERROR = 0.02  # figures in JSON have six digits, rates in the statistics of programs fewer
START_S = 30
END_S = 20
POLL_S = 0.02
SURELY_OVER_S = 100


def children(pid):
    """Processes that a process has started, and that still run."""
    try:
        text = Path(f'/proc/{pid}/task/{pid}/children').read_text()
    except OSError:
        return []
    return [int(word) for word in text.split()]


def name(pid):
    try:
        return Path(f'/proc/{pid}/exe').readlink().name
    except OSError:
        return ''


class LineRate(ProgramTest):
    def setUp(self):
        super().setUp()
        self.work = self.path('work')
        self.work.mkdir()
        self.env = dict(os.environ, TMPDIR=str(self.work))

    def tearDown(self):
        self.assertEqual([], list(self.work.iterdir()), 'files are left')

    def line(self, *args, **options):
        options.setdefault('env', self.env)
        return run(PERF, 'line', *args, timeout=110, **options)

    def measure(self, *args, **options):
        path = self.path('report.json')
        self.text = self.assert_good(self.line('--seconds', 1, '--rounds', 1, '--json', path,
                                               *args, **options)).stdout
        return json.loads(path.read_text())

    def check_row(self, row, ratio):
        """`ratio`: bytes of originals by those on the line."""
        for key in 'seconds', 'mpps', 'cycles_per_packet', 'received':
            self.assertGreater(row[key], 0, key)
        self.assertEqual(row['received'], row['sent'] + sum(row['lost'].values()))
        self.assertLessEqual(row.get('cpu_share', 1), 1)
        for side in 'host', 'line':
            flow = row[side]
            rate = 8e-9 * flow['bytes'] / row['seconds']
            framed = rate + 8e-9 * FRAMING * flow['packets'] / row['seconds']
            self.assertAlmostEqual(1, flow['gbits_per_s'] / rate, delta=RATE_ERROR)
            self.assertAlmostEqual(1, flow['gbits_per_s_framed'] / framed, delta=RATE_ERROR)
        self.assertAlmostEqual(ratio, row['host']['bytes'] / row['line']['bytes'],
                               delta=RATE_ERROR * ratio)
        needs = [row['lcores_for_gbe'][link] for link in ('100', '200', '400')]
        self.assertEqual(sorted(needs), needs)
        self.assertGreater(needs[0], 0)

    def test_all_modes_of_the_shipped_capture(self):
        report = self.measure()
        self.assertEqual((str(TRAINING), 558, 1211108),
                         (report['capture'], report['packets'], report['bytes']))
        rows = report['rows']
        self.assertEqual([('testpmd', 'io')] * bool(TESTPMD) + [('linepress', m) for m in MODES],
                         [(row['program'], row['mode']) for row in rows if row['lcores'] == 1])
        saved = report['bytes'] / report['line_bytes']
        for row in rows:
            with self.subTest(program=row['program'], mode=row['mode'], lcores=row['lcores']):
                self.check_row(row, 1 if row['mode'] in ('io', 'verify') else saved)
                self.assertEqual({}, row['lost'])
                self.assertEqual(row['mode'] != 'io', 'ratio_to_io' in row)
                self.assertEqual(row['mode'] in ('compress', 'restore'), 'ratio_to_codec' in row)
                self.assertEqual(row['program'] == 'linepress' and row['mode'] == 'io' and
                                 bool(TESTPMD), 'ratio_to_testpmd' in row)
        compress, restore = (next(row for row in rows if row['mode'] == m)
                             for m in ('compress', 'restore'))
        self.assertEqual({'tcp_flags', 'roce_opcode', 'no_payload', 'short_region'},
                         set(compress['passed']))
        self.assertIn('not_coded', restore['passed'])
        for title in '1 lcore ', 'lcores for ', 'speed by ':
            self.assertIn('\n' + title, self.text)

    def test_frames_of_tensors_on_several_lcores(self):
        """64 queue pairs of as many frames each: every lcore has half of what it has alone."""
        report = self.measure('--type', 'bf16', '--packet-bytes', 1024, '--lcores', '2,1',
                              '--modes', 'compress', '--burst', 64, '--kernel', 'portable',
                              TENSORS / 'bf16-emb-weight.bin')
        self.assertEqual((1024, 64, 64, 'portable'), tuple(report[key] for key in (
            'packets', 'flows', 'burst', 'kernel')))
        self.assertEqual(1024 * (14 + 20 + 8 + 12 + 1024 + 4), report['bytes'])
        self.assertEqual([2] * (1 + bool(TESTPMD)) + [1] * (1 + bool(TESTPMD)),
                         [row['lcores'] for row in report['rows']])
        for row in report['rows']:
            self.assertEqual({}, row['passed'])
            ratio = row['host']['bytes'] / row['line']['bytes']
            self.check_row(row, ratio)
            self.assertGreater(ratio, 1.35 if row['mode'] == 'compress' else 0.99)

    def test_testpmd_is_left_out_where_there_is_none(self):
        report = self.measure('--modes', 'io', '--lcores', 1, env=dict(self.env, PATH=''))
        self.assertEqual([('linepress', 'io')],
                         [(row['program'], row['mode']) for row in report['rows']])
        self.assertIn('PATH', report['testpmd'])
        self.assertIn(f"testpmd is left out: {report['testpmd']}", self.text)
        self.assertNotIn('ratio_to_testpmd', report['rows'][0])

    def test_long_frames_on_one_cpu(self):
        """Frames that do not fit into default mbufs; the main lcore shares the CPU."""
        cpu = min(os.sched_getaffinity(0))
        capture = write_pcap(self.path('long.pcap'), [f.tcp(bytes(60000)), f.tcp(bytes(20000))])
        report = self.measure('--modes', 'restore,io', capture, env=dict(self.env, PATH=''),
                              preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
        self.assertEqual(['io', 'restore'], [row['mode'] for row in report['rows']])
        for row in report['rows']:
            self.assertEqual({}, row['lost'])
        self.assertGreater(report['bytes'], 2 * report['line_bytes'])

    # ---- what is left behind ----

    def start(self, *args):
        box = subprocess.Popen([str(PERF), 'line', '--seconds', str(SURELY_OVER_S), *args],
                               env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
        self.addCleanup(box.communicate)
        self.addCleanup(box.kill)
        return box

    def wait_for(self, what):
        give_up = time.monotonic() + START_S
        while not (found := what()):
            self.assertLess(time.monotonic(), give_up)
            time.sleep(POLL_S)
        return found

    def child_of(self, box, program):
        return self.wait_for(lambda: [p for p in children(box.pid) if name(p) == program])[0]

    def check_interrupted(self, box, child, signum):
        box.send_signal(signum)
        said, complaints = box.communicate(timeout=END_S)
        self.assertEqual((1, '', 'linepress-perf: interrupted\n'),
                         (box.returncode, said, complaints))
        self.assertFalse(Path(f'/proc/{child}').exists())

    def frames_made(self):
        """The capture that is replayed; empty until it is complete."""
        try:
            return [frame.data for path in self.work.glob('*/original.pcap')
                    for frame in read_pcap(path)]
        except (OSError, ValueError, struct.error):
            return []

    def test_signal_ends_linepress_and_removes_files(self):
        self.env['PATH'] = ''
        box = self.start('--modes', 'io', '--type', 'fp32')
        child = self.child_of(box, 'linepress')
        made = self.frames_made()
        self.assertEqual(1024, len(made))
        for data in made[:65]:
            p = f.parse(data)
            self.assertTrue(p.is_roce and f.ip_cksum_ok(data, p) and f.icrc_ok(data, p))
        self.assertEqual(64, len({data[34:36] for data in made}))
        self.check_interrupted(box, child, signal.SIGTERM)

    def test_signal_ends_testpmd(self):
        if not TESTPMD:
            self.skipTest('dpdk-testpmd is not installed')
        box = self.start('--modes', 'io')
        self.check_interrupted(box, self.child_of(box, 'dpdk-testpmd'), signal.SIGINT)

    def test_children_do_not_outlive_a_parent_that_is_killed(self):
        self.env['PATH'] = ''
        box = self.start('--modes', 'io')
        child = self.child_of(box, 'linepress')
        box.kill()
        self.wait_for(lambda: not name(child))
        shutil.rmtree(next(self.work.iterdir()))

    # ---- what is wrong ----

    def test_program_that_fails_is_told(self):
        """One that is found, but does not forward."""
        broken = self.path('bin')
        broken.mkdir()
        program = broken / 'dpdk-testpmd'
        program.write_text('#!/bin/sh\necho warning >&2\necho no hugepages today >&2\nexit 3\n')
        program.chmod(0o755)
        self.assert_refused(self.line('--modes', 'io', env=dict(self.env, PATH=str(broken))),
                            'dpdk-testpmd', 'status 3', 'no hugepages today')

    def test_too_few_flows(self):
        capture = write_pcap(self.path('one.pcap'), [f.tcp(bytes(900)), f.tcp(bytes(100))])
        self.assert_refused(self.line('--lcores', 2, '--modes', 'io', capture), capture,
                            '1 flow', '2 lcores', '--lcores')

    def test_bad_options_are_one_clear_line(self):
        cut = write_pcap(self.path('cut.pcap'), [Frame(1, f.tcp(bytes(900))[:96], 954)])
        trailer = bytes(64493 - len(f.tcp(bytes(60000))))
        longest = write_pcap(self.path('longest.pcap'), [f.tcp(bytes(60000)) + trailer])
        nowhere, short = self.path('no/where'), self.path('short.bin')
        short.write_bytes(bytes(2048))
        cases = [
            (['--seconds', 0], '0', '1 to 3600'), (['--rounds', 'x'], 'x', '1 to 1000'),
            (['--burst', 513], '513', '1 to 512'), (['--lcores', 17], '17', '1 to 16'),
            (['--lcores', '1,2,1'], '1', 'twice'), (['--lcores', ''], '--lcores'),
            (['--modes', 'io,rx'], 'rx', 'io, compress, restore, press and verify'),
            (['--modes', 'io,press,io'], 'io', 'twice'), (['--modes', ''], '--modes'),
            (['--type', 'bf17'], 'bf17', 'bf16'), (['--packet-bytes', 512], '--type'),
            (['--type', 'bf16', '--packet-bytes', 4100], '4100', '64 to 4096'),
            (['--type', 'bf16', '--packet-bytes', 66], '66', '4'),
            (['--type', 'bytes'], 'bytes', 'FILE'),
            (['--type', 'bf16', '--packet-bytes', 2048, short], '2048', '1024'),
            (['--type', 'bf16', nowhere], nowhere), (['--kernel', 'mmx'], 'mmx', 'portable'),
            (['--json'], '--json'), (['--json', nowhere], nowhere), (['--bogus'], '--bogus'),
            (['--codebooks', self.dir], self.dir), ([nowhere], nowhere), ([cut], cut, 'frame 1'),
            ([longest], longest, 64493, 64492), ([TRAINING, TRAINING], TRAINING, 'one'),
            (['--seconds', 1, '--seconds', 1], '--seconds', 'twice'), (['-x'], '-x'),
        ]
        for args, *words in cases:
            with self.subTest(args=args):
                self.assert_refused(self.line(*args), *words)
        self.assert_refused(self.line(env=dict(self.env, TMPDIR=f'{self.work},x')), 'TMPDIR')
        self.assert_refused(self.line(env=dict(self.env, TMPDIR=str(nowhere))), nowhere)


if __name__ == '__main__':
    main(PERF)

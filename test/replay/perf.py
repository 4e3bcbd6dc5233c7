# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""linepress-perf: every codec is measured, and what does not depend on speed is right."""

import json
import platform
import random

import frames as f
from helpers import (CODEBOOK, CODEBOOKS, PERF, REPLAY, TENSORS, TRAINING, Frame, ProgramTest, main,
                     run, write_pcap)

ALL_PEERS = {'memcpy', 'huf0-fixed-4x', 'huf0-fixed-4x-aligned', 'huf0-three-stage', 'isal-static',
             'lz4', 'zstd-1', 'zstd--1', 'libdeflate-1'}
ALIGNED = 'huf0-fixed-4x-aligned'  # for types of more than one byte only
# Coded by raw bytes; what can be saved is the exponent, which is half of bf16 and a quarter of fp32.
LARGEST = {'bf16': 0.70, 'fp16': 0.93, 'fp32': 0.86, 'e4m3': 0.88, 'e5m2': 0.78, 'int8': 0.80}
SPEEDS = ['encode_gbytes_per_s', 'decode_gbytes_per_s', 'encode_cycles_per_byte',
          'decode_cycles_per_byte', 'latency_us']
TENSOR = TENSORS / 'bf16-emb-weight.bin'


class Codec(ProgramTest):
    def measure(self, *args):
        path = self.path('report.json')
        self.text = self.assert_good(run(PERF, 'codec', '--seconds', 1, '--json', path, *args,
                                         timeout=110)).stdout
        return json.loads(path.read_text())

    @staticmethod
    def busy(report):
        return platform.machine() == 'x86_64' and report['quiet_samples'] * 10 < report['samples']

    def kernels(self):
        text = run(PERF, 'codec', '--help').stdout
        return next(line for line in text.splitlines()
                    if line.startswith('Kernels')).split(': ')[1].split(', ')

    def test_all_codecs_on_all_types(self):
        report = self.measure('--packet-bytes', '1024,4096')
        self.assertEqual(self.busy(report), 'warning: fewer than 10 % of the samples' in self.text)
        self.assertEqual(ALL_PEERS, set(report['peers']) | set(report['absent_peers']))
        self.assertIn('memcpy', report['peers'])
        self.assertEqual(set(LARGEST), {row['type'] for row in report['rows']})
        for kind, largest in LARGEST.items():
            for size in 1024, 4096:
                rows = [row for row in report['rows']
                        if (row['type'], row['packet_bytes']) == (kind, size)]
                with self.subTest(type=kind, size=size):
                    self.check_rows(rows, kind, set(report['peers']), largest)

    def check_rows(self, rows, kind, peers, largest):
        names = {row['codec'] for row in rows}
        expected = peers - ({ALIGNED} if kind in ('e4m3', 'e5m2', 'int8') else set())
        self.assertEqual(expected, {name for name in names if not name.startswith('linepress')})
        ours = {name for name in names if name.startswith('linepress')}
        self.assertIn('linepress-huffman' if kind == 'int8' else 'linepress-grouped', ours)
        self.assertTrue(any(name.endswith('+choose') for name in ours))
        for row in rows:
            self.assertEqual('hot', row['working_set'])
            # what copying a packet takes may be less than reading the clock
            may_be_zero = {'latency_us'} if row['codec'] == 'memcpy' else set()
            for key in SPEEDS:
                (self.assertGreaterEqual if key in may_be_zero else self.assertGreater)(
                    row[key], 0, f"{row['codec']}: {key}")
            self.assertLess(0.2, row['size'])
            self.assertLess(row['size'], 1.01)
            if row['codec'] in ('linepress-grouped', 'linepress-grouped+choose'):
                self.assertLess(row['size'], largest)
            if row['codec'] == 'memcpy':
                self.assertEqual(1, row['size'])
        best = min(row['size'] for row in rows if row['codec'].startswith('linepress'))
        self.assertLess(best, largest)
        # Kernels differ in speed only.
        for name in ours:
            self.assertEqual(1, len({(row['size'], row['book']) for row in rows
                                     if row['codec'] == name}), name)

    def test_one_kernel(self):
        for kernel in self.kernels()[-1:]:
            report = self.measure('--types', 'bf16', '--packet-bytes', 256, '--kernel', kernel)
            used = {row['kernel'] for row in report['rows'] if row['codec'].startswith('linepress')}
            self.assertEqual({kernel}, used)

    def test_area_books(self):
        report = self.measure('--types', 'e4m3,int8', '--packet-bytes', 1024, '--codebooks',
                              CODEBOOKS / 'area')
        for kind in 'e4m3', 'int8':
            rows = [row for row in report['rows']
                    if row['type'] == kind and row['codec'].startswith('linepress')]
            self.assertEqual({'linepress-area', 'linepress-area+choose'},
                             {row['codec'] for row in rows})
            self.assertEqual({'mixed', 'any'}, {row['book'] for row in rows})
            self.assertTrue(all(row['size'] < LARGEST[kind] + 0.05 for row in rows), rows)

    def test_own_files(self):
        report = self.measure('--type', 'bf16', '--packet-bytes', 2048, '--input', TENSOR,
                              TENSORS / 'bf16-ffn1-act.bin', '--kernel', 'portable')
        self.assertEqual({('bf16', 2048)}, {(row['type'], row['packet_bytes'])
                                            for row in report['rows']})

    def test_sizes_that_do_not_fit_are_left_out(self):
        short, report = self.path('short.bin'), self.path('report.json')
        short.write_bytes(TENSOR.read_bytes()[:2048])
        done = run(PERF, 'codec', '--seconds', 1, '--kernel', 'portable', '--json', report,
                   '--type', 'bf16', '--packet-bytes', '2048,1024,4096,256', short)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(1, done.stderr.count('\n'), done.stderr)
        for words in '2048, 4096', '1024', 'first half', 'second half':
            self.assertIn(words, done.stderr)
        self.assertEqual({1024, 256}, {row['packet_bytes']
                                       for row in json.loads(report.read_text())['rows']})

    def test_corpus(self):
        (self.dir / 'manifest.tsv').write_text(
            'path\tdtype\tkind\tlayer\tstep\tshard\telements\tsplit\tsha256\n'
            'a.bin\tbf16\tw\t0\t0\t0\t1\tprofile\t-\n'
            'b.bin\tbf16\tw\t0\t0\t0\t1\teval\t-\n'
            'c.bin\te2m1\tw\t0\t0\t0\t1\teval\t-\n')
        for name in 'ab':
            self.path(name + '.bin').write_bytes(TENSOR.read_bytes())
        report = self.measure('--corpus', self.dir, '--packet-bytes', 512)
        self.assertEqual({'bf16'}, {row['type'] for row in report['rows']})

    def test_incompressible_packets_travel_as_they_are(self):
        noise = self.path('noise.bin')
        noise.write_bytes(bytes((k * k * 2654435761 >> 16) & 255 for k in range(1 << 14)))
        report = self.measure('--type', 'bytes', '--packet-bytes', 1024, noise)
        self.assertTrue(all(row['size'] <= 1.003 for row in report['rows']))

    def test_peers_without_a_table_are_left_out(self):
        contents = {'zeros': bytes(1 << 14), 'random': random.Random(1).randbytes(1 << 16)}
        for name, content in contents.items():
            path = self.path(name)
            path.write_bytes(content)
            for kind in 'bf16', 'bytes':
                with self.subTest(content=name, type=kind):
                    report = self.measure('--type', kind, '--packet-bytes', '256,1024',
                                          '--kernel', 'portable', path)
                    self.check_left_out(report, set() if kind == 'bf16' else {ALIGNED})
                    if (name, kind) == ('zeros', 'bf16') and ALIGNED in report['peers']:
                        self.assertIn(ALIGNED, {row['codec'] for row in report['left_out']})
                    if name == 'random' and 'huf0-fixed-4x' in report['peers']:
                        self.assertIn('huf0-fixed-4x', {row['codec'] for row in report['left_out']})

    def check_left_out(self, report, unfit):
        for size in 256, 1024:
            rows = {row['codec'] for row in report['rows'] if row['packet_bytes'] == size}
            left_out = {row['codec'] for row in report['left_out'] if row['packet_bytes'] == size}
            self.assertEqual(set(), rows & left_out)
            self.assertEqual(set(report['peers']) - unfit, left_out |
                             {name for name in rows if not name.startswith('linepress')})
        for row in report['left_out']:
            self.assertIn(f"left out: {row['reason']}", self.text)
            self.assertTrue(row['reason'].startswith('no table: '), row['reason'])

    def test_bad_options_are_one_clear_line(self):
        odd, short = self.path('odd.bin'), self.path('short.bin')
        odd.write_bytes(bytes(33))
        short.write_bytes(bytes(256))
        cases = [
            (['--packet-bytes', 60], '60', '64 to 65532'), (['--packet-bytes', 70], '70', '4'),
            (['--packet-bytes', 65536], '65536'), (['--packet-bytes', 61 * '0' + '64xyz'], 'number'),
            (['--packet-bytes', ''], '--packet-bytes'),
            (['--packet-bytes', '256,x'], 'x'), (['--types', 'bf17'], 'bf17', 'bf16'),
            (['--packet-bytes', '256,512,256'], '256', 'twice'),
            (['--types', 'bf16,fp16,bf16'], 'bf16', 'twice'),
            (['--types', 'bf16', '--types', 'bf16'], 'bf16', 'twice'),
            (['--type', 'bf16', TENSOR, '--type', 'fp16', TENSOR], '--type', 'twice', '--corpus'),
            (['--kernel', 'portable', '--kernel', 'portable'], '--kernel', 'twice'),
            (['--types', 'bytes'], 'bytes'), (['--type', 'bf16'], '--type'),
            (['--seconds', 0], '0', '1 to 86400'), (['--seconds', '-1'], '-1'),
            (['--kernel', 'mmx'], 'mmx', 'portable'), (['--bogus'], '--bogus'),
            (['--streamed=1'], '--streamed'), (['--json'], '--json'), (['-x'], '-x'),
            (['--codebooks', self.dir], self.dir), ([TENSOR], '--type'),
            (['--corpus', self.dir], 'manifest.tsv'),
            (['--corpus', self.dir, '--type', 'bf16', TENSOR], '--corpus'),
            (['--type', 'bf16', odd], odd, '33'), (['--type', 'bf16', short], '128', '256', 'half'),
            (['--type', 'bf16', self.path('nowhere')], 'nowhere'),
            (['--json', self.path('no/where.json')], 'where.json'),
        ]
        for args, *words in cases:
            with self.subTest(args=args):
                self.assert_refused(run(PERF, 'codec', '--seconds', 1, *args), *words)
        self.assertEqual(['odd.bin', 'short.bin'], sorted(p.name for p in self.dir.iterdir()))


class Datapath(ProgramTest):
    def measure(self, *args):
        path = self.path('report.json')
        done = self.assert_good(run(PERF, 'datapath', '--seconds', 1, '--json', path, *args))
        self.assertIn('cycles/packet', done.stdout)
        return json.loads(path.read_text())

    def test_shipped_capture(self):
        report = self.measure()
        self.assertEqual(str(TRAINING), report['capture'])
        self.assertEqual((558, 344, 1172148), (report['packets'], report['coded_packets'],
                                               report['region_bytes']))
        self.assertGreater(report['passes'], 0)
        self.assertEqual(report['samples'], report['passes'] * 10 * -(-558 // 32))
        stages = {'compress': {'parse', 'choose', 'encode', 'seal', 'rest'},
                  'restore': {'parse', 'decode', 'verify', 'rest'}}
        for loop, names in stages.items():
            self.assertEqual(names, set(report[loop]['stage_cycles_per_packet']))
            for key in 'region_gbytes_per_s', 'codec_gbytes_per_s', 'ratio_to_codec':
                self.assertGreater(report[loop][key], 0, key)
        for loop in 'io', 'compress', 'restore':
            for key in 'mpps', 'gbits_per_s', 'cycles_per_packet':
                self.assertGreater(report[loop][key], 0, key)

    def test_kernel_burst_and_eal_options(self):
        report = self.measure('--kernel', 'portable', '--burst', 1, TRAINING)
        self.assertEqual(('portable', 344), (report['kernel'], report['coded_packets']))
        self.measure('--burst', 512, TRAINING)
        self.assert_good(run(PERF, 'datapath', '--no-huge', '-m', 512, '--no-pci', '--no-shconf',
                             '--no-telemetry', '--log-level=*:error',
                             f'--file-prefix=perf-{self.dir.name}', '--', '--seconds', 1))

    def test_eal_that_does_not_start(self):
        done = run(PERF, 'datapath', '--no-huge', '-m', 512, '--no-shconf', '-l', 'none', '--')
        self.assertEqual(1, done.returncode)
        self.assertIn('--no-huge -m 512', done.stderr)

    def test_frames_that_are_not_coded(self):
        noise = bytes((k * k * 2654435761 >> 16) & 255 for k in range(1400))
        capture = write_pcap(self.path('plain.pcap'), [bytes(60), f.tcp(noise), f.tcp(b'x' * 9)])
        report = self.measure(capture)
        self.assertEqual((3, 0, 0), (report['packets'], report['coded_packets'],
                                     report['region_bytes']))
        self.assertNotIn('ratio_to_codec', report['compress'])

    def test_frames_that_look_coded_are_escaped(self):
        line = self.line_of(TRAINING)
        report = self.measure(write_pcap(self.path('again.pcap'), line))
        self.assertEqual(len(line), report['packets'])

    def test_long_frames(self):
        report = self.measure(write_pcap(self.path('long.pcap'), [f.tcp(bytes(60000))]))
        self.assertEqual(1, report['coded_packets'])
        trailer = bytes(65450 - len(f.tcp(bytes(60000))))
        capture = write_pcap(self.path('longer.pcap'), [f.tcp(bytes(60000)) + trailer])
        self.assert_refused(run(PERF, 'datapath', capture), capture, 65450)

    def test_bad_options_are_one_clear_line(self):
        cut = write_pcap(self.path('cut.pcap'), [Frame(1, f.tcp(bytes(900))[:96], 954)])
        nowhere = self.path('no/where')
        cases = [
            (['--burst', 0], '0', '1 to 512'), (['--burst', 513], '513'),
            (['--seconds', 'x'], 'x', '1 to 86400'), (['--kernel', 'mmx'], 'mmx', 'portable'),
            (['--bogus'], '--bogus'), (['--json'], '--json'), (['--json', nowhere], nowhere),
            (['--codebooks', self.dir], self.dir), ([nowhere], nowhere), ([cut], cut, 'frame 1'),
            ([TRAINING, TRAINING], TRAINING, 'one'),
            (['--kernel', 'portable', '--kernel', 'portable'], '--kernel', 'twice'),
        ]
        for args, *words in cases:
            with self.subTest(args=args):
                self.assert_refused(run(PERF, 'datapath', *args), *words)


class Program(ProgramTest):
    def test_help(self):
        for args in ['--help'], ['codec', '--help'], ['datapath', '--help'], ['line', '--help']:
            done = self.assert_good(run(PERF, *args))
            self.assertTrue(done.stdout.startswith('Usage: '))

    @staticmethod
    def help(*args):
        return ' '.join(run(*args, '--help').stdout.split())

    def test_help_tells_which_cycles(self):
        for args in [PERF, 'codec'], [PERF, 'datapath'], [PERF, 'line'], [REPLAY]:
            self.assertIn('TSC cycles', self.help(*args))

    def test_help_explains_what_is_printed(self):
        for command, words in ('codec', '"any"'), ('datapath', 'ratio with choice'), ('line', '+24 B'):
            self.assertIn(words, self.help(PERF, command))

    def test_help_of_codebook_commands(self):
        for command in 'build', 'show', 'evaluate':
            for args in ['--help'], ['--type', 'bf16', '--help']:
                done = self.assert_good(run(CODEBOOK, command, *args))
                self.assertTrue(done.stdout.startswith('usage: '))

    def test_commands(self):
        self.assert_refused(run(PERF), 'codec')
        self.assert_refused(run(PERF, 'kodec'), 'kodec', 'codec', 'datapath', 'line')


if __name__ == '__main__':
    main(PERF)

# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""linepress-codebook evaluate --schemes: codes of the papers and ours side by side, and figures."""

import csv
import json
import math
import os
import shutil
import struct
import unittest
import xml.dom.minidom
from collections import Counter

from helpers import CODEBOOK, CODEBOOKS, TENSORS, TRAINING, ProgramTest, main, run

SHARD_BYTES, PACKET, SHIM, MIN_SAVING = 65536, 4096, 12, 32
TENSOR = TENSORS / 'bf16-ffn1-act.bin'
TYPES = ('bf16', 'fp16', 'fp32', 'e4m3', 'e5m2', 'int8')
ALL_METHODS = {'byte_shannon', 'byte_huffman', 'shannon', 'per_shard_huffman', 'fixed', 'dual',
               'quad', 'grouped', 'huffman', 'area', 'books'}
FIELDS = {'field_shannon', 'field_huffman'}  # of types whose top byte has more than the exponent


def tensors(element_type):
    return sorted(TENSORS.glob(f'{element_type}-*.bin'))


def code_lengths(book):
    """Bits of each byte with a Huffman or area book over bytes, read without the program."""
    bits, symbols, areas, escape = {}, [], [], 0
    for words in map(str.split, book.read_text().splitlines()):
        if words[0] == 'codes':
            for word in words[2:]:
                if word == 'escape':
                    escape = int(words[1]) + 8
                else:
                    bits[int(word, 16)] = int(words[1])
        elif words[0] == 'areas':
            areas = [int(word) for word in words[1:]]
        elif words[0] == 'ranks':
            for word in words[1:]:
                first, _, last = word.partition('-')
                symbols += range(int(first, 16), int(last or first, 16) + 1)
    for size in areas:
        for symbol in symbols[:1 << size]:
            bits[symbol] = int(math.log2(len(areas))) + size
        symbols = symbols[1 << size:]
    return [bits.get(byte, escape) for byte in range(256)]


class Schemes(ProgramTest):
    def evaluate(self, element_type, inputs, *args):
        report = self.path('evaluation.json')
        done = self.assert_good(run(CODEBOOK, 'evaluate', '--schemes', '--type', element_type,
                                    '--json', report, *args, *inputs))
        return json.loads(report.read_text()), done.stdout

    def profile(self, element_type, inputs):
        path = self.path(f'{element_type}.profile')
        self.assert_good(run(CODEBOOK, 'profile', '--type', element_type, '-o', path, *inputs))
        return path

    def test_limits_over_bytes_are_those_of_the_counts(self):
        for element_type in 'bf16', 'e4m3':
            told, _ = self.evaluate(element_type, tensors(element_type))
            total = ideal = 0
            for path in tensors(element_type):
                data = path.read_bytes()
                for k in range(0, len(data), SHARD_BYTES):
                    shard = data[k:k + SHARD_BYTES]
                    ideal += sum(n * math.log2(len(shard) / n)
                                 for n in Counter(shard).values()) / 8
                    total += len(shard)
            schemes = told['total']['schemes']
            self.assertAlmostEqual(100 * (1 - ideal / total),
                                   schemes['byte_shannon']['saved_percent'], 5)
            for key in 'byte_huffman', 'fixed', 'dual', 'quad':
                self.assertLess(schemes[key]['codes_saved_percent'],
                                schemes['byte_shannon']['saved_percent'])

    def test_limits_of_the_exponent_field(self):
        for element_type, size, shift, mask in (('fp16', 2, 2, 31), ('e4m3', 1, 3, 15),
                                                ('e5m2', 1, 2, 31)):
            path = tensors(element_type)[0]
            data, ideal = path.read_bytes(), 0
            for k in range(0, len(data), SHARD_BYTES):
                top = data[k:k + SHARD_BYTES][size - 1::size]
                counts = Counter(byte >> shift & mask for byte in top)
                ideal += sum(n * math.log2(len(top) / n) for n in counts.values()) / 8
                ideal += len(top) * (size - math.log2(mask + 1) / 8)
            row = self.evaluate(element_type, [path])[0]['total']['schemes']
            self.assertAlmostEqual(100 * (1 - ideal / len(data)),
                                   row['field_shannon']['saved_percent'], 5)
            self.assertLess(row['field_huffman']['saved_percent'],
                            row['field_shannon']['saved_percent'])

    def test_codes_of_the_papers_take_the_bits_of_their_books(self):
        """Counted byte by byte; a body fills whole bytes, an area body two streams of them."""
        for element_type in TYPES:
            path = tensors(element_type)[0]
            data = path.read_bytes()
            told, _ = self.evaluate(element_type, [path])
            for scheme in 'fixed', 'dual', 'quad':
                with self.subTest(f'{element_type} {scheme}'):
                    bits = code_lengths(CODEBOOKS / 'papers' / f'{element_type}-{scheme}.book')
                    codes = line = packets = 0
                    for k in range(0, len(data), PACKET):
                        packet = data[k:k + PACKET]
                        body = sum(map(bits.__getitem__, packet)) / 8
                        codes += body
                        line += min(len(packet), body + SHIM)
                        packets += 1
                    row = told['total']['schemes'][scheme]
                    for key, expected in (('codes_saved_percent', codes), ('saved_percent', line)):
                        real = len(data) * (1 - row[key] / 100)
                        if key == 'saved_percent':
                            self.assertLess(abs(expected - real), (4 + MIN_SAVING) * packets)
                        else:
                            self.assertLess(expected - 1e-6, real)
                            self.assertLess(real - expected, 4 * packets)

    def test_all_methods_are_told_of_all_types(self):
        for element_type in TYPES:
            inputs = tensors(element_type)
            wide = element_type in ('bf16', 'fp16', 'fp32')
            told, text = self.evaluate(element_type, inputs)
            fitted, _ = self.evaluate(element_type, inputs, '--profile',
                                      self.profile(element_type, inputs))
            missing = {'area', 'huffman'} if wide else set()
            if element_type == 'bf16':
                missing = {'area'}
            if element_type == 'int8':
                missing = {'grouped'}
            fields = FIELDS if element_type in ('fp16', 'e4m3', 'e5m2') else set()
            schemes = told['total']['schemes']
            self.assertEqual((ALL_METHODS | fields) - missing, schemes.keys())
            self.assertEqual((ALL_METHODS | fields) - ({'grouped'} if element_type == 'int8'
                                                       else set()),
                             fitted['total']['schemes'].keys())
            self.assertEqual(wide, 'quantisation' in told['total'])
            self.assertIn(f'{schemes["quad"]["saved_percent"]:10.2f} '
                          f'{schemes["quad"]["codes_saved_percent"]:9.2f}', text)
            self.assertGreaterEqual(fitted['total']['schemes']['fixed']['codes_saved_percent'],
                                    schemes['fixed']['codes_saved_percent'] - 1e-3)

    def test_quantisation_is_that_of_its_definition(self):
        data = TENSOR.read_bytes()
        told, _ = self.evaluate('bf16', [TENSOR])
        signal = noise = 0
        for k in range(0, len(data), PACKET):
            words = struct.unpack(f'<{len(data[k:k + PACKET]) // 2}H', data[k:k + PACKET])
            values = [struct.unpack('<f', struct.pack('<I', word << 16))[0] for word in words]
            step = max(map(abs, values)) / 127
            signal += sum(v * v for v in values)
            noise += sum((v - step * round(v / step)) ** 2 for v in values)
        row = told['total']['quantisation']
        self.assertAlmostEqual(10 * math.log10(signal / noise), row['signal_to_noise_db'], 2)
        packets = -(-len(data) // PACKET)
        self.assertAlmostEqual(100 * (0.5 - 4 * packets / len(data)), row['saved_percent'], 3)

    def test_csv_has_a_row_for_each_shard_that_adds_up(self):
        rows, inputs = self.path('rows.csv'), tensors('bf16')
        told, _ = self.evaluate('bf16', inputs, '--csv', rows)
        with open(rows, encoding='utf-8', newline='') as f:
            table = list(csv.DictReader(f))
        self.assertEqual(sum(-(-path.stat().st_size // SHARD_BYTES) for path in inputs),
                         len(table))
        self.assertEqual([str(path) for path in inputs],
                         list(dict.fromkeys(row['input'] for row in table)))
        size = sum(int(row['bytes']) for row in table)
        for key, scheme in told['total']['schemes'].items():
            mean = sum(int(row['bytes']) * float(row[f'{key}_saved_percent'])
                       for row in table) / size
            self.assertAlmostEqual(scheme['saved_percent'], mean, 3)

    @unittest.skipUnless(shutil.which('gnuplot'), 'gnuplot (gnuplot-nox) is not installed')
    def test_figures_are_drawn(self):
        figures = self.path("it's new")
        self.evaluate('bf16', tensors('bf16'), '--figures', figures)
        self.assertEqual(['compressibility.svg', 'pmf.svg'], sorted(os.listdir(figures)))
        for figure, curves in ('pmf.svg', 4), ('compressibility.svg', 7):
            with xml.dom.minidom.parse(str(figures / figure)) as svg:
                titles = {node.firstChild.data for node in svg.getElementsByTagName('title')}
                self.assertGreaterEqual(len(svg.getElementsByTagName('path')), curves)
                self.assertIn('Gnuplot', titles)

    def test_figures_without_gnuplot_and_with_a_broken_one(self):
        figures, tools = self.path('figures'), self.path('tools')
        tools.mkdir()
        args = ['evaluate', '--schemes', '--type', 'bf16', '--figures', figures, TENSOR]
        env = {**os.environ, 'PATH': str(tools)}
        done = run(CODEBOOK, *args, env=env)
        self.assert_refused(done, '--figures', 'gnuplot-nox')
        self.assertEqual('', done.stdout)
        (tools / 'gnuplot').write_text('#!/bin/sh\nexit 3\n')
        (tools / 'gnuplot').chmod(0o755)
        done = run(CODEBOOK, *args, env=env)
        self.assertEqual(1, done.returncode)
        self.assertIn('gnuplot', done.stderr)
        self.assertEqual([], os.listdir(figures))

    def test_what_is_refused(self):
        other = self.profile('e4m3', tensors('e4m3'))
        for args, word in ((['--csv', self.path('x')], 'need --schemes'),
                           (['--profile', other], 'need --schemes'),
                           (['--figures', self.dir], 'need --schemes'),
                           (['--schemes', '--profile', other], 'bytes of bf16'),
                           (['--schemes', '--profile', self.path('no')], 'no'),
                           (['--schemes', '--csv', self.path('no') / 'x'], 'no/x'),
                           (['--schemes', '--figures', self.path('no') / 'x'], 'no/x'),
                           (['--schemes', '--figures', TENSOR], TENSOR),
                           (['--schemes', TRAINING], 'linepress-replay')):
            with self.subTest(args=args):
                done = run(CODEBOOK, 'evaluate', '--type', 'bf16', *args, TENSOR)
                self.assert_refused(done, word)
                self.assertEqual('', done.stdout)


if __name__ == '__main__':
    main(CODEBOOK)

# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""linepress-codebook: books are built, shown, evaluated, and used by linepress-replay."""

import csv
import json
import math
import os
import re
import shutil
import unittest
from collections import Counter

import frames as f
from helpers import (CODEBOOK, CODEBOOKS, REPLAY, SHARED, TENSORS, TRAINING, ProgramTest, main,
                     read_pcap, run, write_pcap)

ELEMENT_BYTES = {'bf16': 2, 'fp16': 2, 'fp32': 4, 'e4m3': 1, 'e5m2': 1, 'int8': 1, 'bytes': 1}
WITH_EXPONENT = ('bf16', 'fp16', 'fp32', 'e4m3', 'e5m2')
SHARD_BYTES = 65536
GAP_POINTS_MAX = 0.5
ROW_KEYS = {'shannon_saved_percent', 'per_shard_huffman_saved_percent', 'books_saved_percent',
            'gap_points', 'bytes'}
CORPUS = SHARED / 'corpus'


def tensors(element_type):
    return sorted(TENSORS.glob(f'{element_type}-*.bin'))


def shannon_bytes(element_type, data):
    """Bytes that the ideal code needs: the topmost eight bits behind the sign by their entropy in
    each shard (all eight bits of int8), the rest as they are."""
    size, total = ELEMENT_BYTES[element_type], 0
    for start in range(0, len(data), SHARD_BYTES):
        shard = data[start:start + SHARD_BYTES]
        top = shard[size - 1::size]
        if element_type != 'int8':
            low = shard[size - 2::size] if size > 1 else top
            top = bytes((a << 1 & 0xFF) | b >> 7 for a, b in zip(top, low))
        entropy = -sum(n / len(top) * math.log2(n / len(top)) for n in Counter(top).values())
        total += len(shard) - len(top) + len(top) * entropy / 8
    return total


def codes_of(book):
    """The lines of a book that make the code."""
    return [line for line in book.read_text().splitlines()
            if line.split()[0] in ('type', 'kind', 'symbol', 'groups', 'areas', 'ranks', 'codes')]


class Build(ProgramTest):
    def build(self, element_type, kind, inputs, *args, stem='new'):
        """The books built, in a directory of their own."""
        books = self.path(f'{stem}-books')
        books.mkdir()
        self.assert_good(run(CODEBOOK, 'build', '--type', element_type, '--kind', kind, '--name',
                             stem, *args, '-o', books / f'{stem}.book', *inputs))
        return sorted(books.iterdir())

    def show(self, *books):
        """A dictionary for each book."""
        done = self.assert_good(run(CODEBOOK, 'show', *books))
        return [dict(re.split(r'\s+', line, maxsplit=1) for line in block.splitlines())
                for block in done.stdout.strip().split('\n\n')]

    def evaluate(self, element_type, inputs, *args):
        report = self.path('evaluation.json')
        self.assert_good(run(CODEBOOK, 'evaluate', '--type', element_type, '--json', report, *args,
                             *inputs))
        return json.loads(report.read_text())

    def check_evaluation(self, element_type, inputs, told):
        self.assertEqual({str(path) for path in inputs}, told['inputs'].keys())
        bytes_in = coded = 0
        for path in inputs:
            row, data = told['inputs'][str(path)], path.read_bytes()
            self.assertLessEqual(ROW_KEYS, row.keys())
            self.assertEqual(len(data), row['bytes'])
            ideal = shannon_bytes(element_type, data)
            self.assertAlmostEqual(100 * (1 - ideal / len(data)), row['shannon_saved_percent'], 6)
            self.assertGreater(row['shannon_saved_percent'],
                               row['per_shard_huffman_saved_percent'])
            self.assertAlmostEqual(row['gap_points'], row['per_shard_huffman_saved_percent'] -
                                   row['books_saved_percent'], 6)
            bytes_in += len(data)
            coded += ideal
        self.assertEqual(bytes_in, told['total']['bytes'])
        self.assertAlmostEqual(100 * (1 - coded / bytes_in),
                               told['total']['shannon_saved_percent'], 6)

    def check_use(self, element_type, books):
        """A pair of boxes with these books alone codes frames of the type."""
        data = tensors(element_type)[0].read_bytes()
        frames = [f.tcp(data[k:k + 4096]) for k in range(0, len(data), 4096)]
        report = self.replay('--codebooks', books[0].parent,
                             write_pcap(self.path('tensor.pcap'), frames))
        self.assertEqual(len(frames), report['coded_packets'] + report['passed'].get('no_gain', 0))
        self.assertGreater(report['coded_packets'], len(frames) / 2)
        self.assertLessEqual(report['books'].keys(), {one['name'] for one in self.show(*books)})

    def test_grouped_books_of_all_types(self):
        for element_type in WITH_EXPONENT:
            with self.subTest(element_type):
                inputs = tensors(element_type)
                books = self.build(element_type, 'grouped', inputs, '--id', 77, stem=element_type)
                shown, = self.show(*books)
                self.assertEqual((element_type, '77', element_type, 'grouped', 'exponent'),
                                 tuple(shown[key] for key in ('name', 'id', 'type', 'kind',
                                                              'symbol')))
                elements = sum(path.stat().st_size for path in inputs) // ELEMENT_BYTES[
                    element_type]
                self.assertIn(f'{elements} symbols', shown['profile'])
                told = self.evaluate(element_type, inputs, '--codebooks', books[0].parent)
                self.check_evaluation(element_type, inputs, told)
                self.check_use(element_type, books)

    def test_huffman_sets_of_all_types(self):
        for element_type in (*WITH_EXPONENT, 'int8'):
            with self.subTest(element_type):
                inputs = tensors(element_type)
                books = self.build(element_type, 'huffman', inputs, '--books', 2, '--id', 90,
                                   stem=element_type)
                self.assertEqual([f'{element_type}-1.book', f'{element_type}-2.book'],
                                 [book.name for book in books])
                self.assertEqual([(f'{element_type}-1', '90'), (f'{element_type}-2', '91')],
                                 [(one['name'], one['id']) for one in self.show(*books)])
                told = self.evaluate(element_type, inputs, '--codebooks', books[0].parent)
                self.check_evaluation(element_type, inputs, told)
                self.check_use(element_type, books)

    def test_area_sets_of_all_types(self):
        for element_type in (*WITH_EXPONENT, 'int8'):
            with self.subTest(element_type):
                inputs = tensors(element_type)
                books = self.build(element_type, 'area', inputs, '--books', 2, '--id', 90,
                                   stem=element_type)
                shown = self.show(*books)
                self.assertEqual([(f'{element_type}-1', 'area', '90'),
                                  (f'{element_type}-2', 'area', '91')],
                                 [(one['name'], one['kind'], one['id']) for one in shown])
                self.assertEqual({'rotated' if element_type in ('e4m3', 'e5m2') else 'byte'},
                                 {one['symbol'] for one in shown})
                told = self.evaluate(element_type, inputs, '--codebooks', books[0].parent)
                self.check_evaluation(element_type, inputs, told)
                self.assertLessEqual(told['packets'].keys(),
                                     {'raw', *(one['name'] for one in shown)})
                if element_type in ('e4m3', 'e5m2', 'int8'):
                    self.check_use(element_type, books)

    def test_prefix_bits_and_ranking_of_area_books(self):
        for bits, ranking in (1, 'value'), (3, 'frequency'), (4, 'value'):
            book, = self.build('e4m3', 'area', tensors('e4m3'), '--prefix-bits', bits,
                               '--ranking', ranking, stem=f'area-{bits}')
            words = {line.split()[0]: line.split()[1:] for line in codes_of(book)}
            self.assertEqual(1 << bits, len(words['areas']))
            self.assertEqual(ranking == 'value', len(words['ranks']) <= 2)

    def test_dual_and_quad_length_codes(self):
        """A byte takes 4 or 9 bits; and 3 bits and a suffix, of at most four lengths."""
        for kind, element_type, areas in ('dual', 'bf16', 2), ('quad', 'e4m3', 8):
            with self.subTest(kind):
                inputs = tensors(element_type)
                book, = self.build(element_type, kind, inputs, stem=kind)
                shown, = self.show(book)
                self.assertEqual(('area', 'byte'), (shown['kind'], shown['symbol']))
                words = {line.split()[0]: line.split()[1:] for line in codes_of(book)}
                self.assertEqual(areas, len(words['areas']))
                self.assertLessEqual(len(set(words['areas'])), 4)
                counts = Counter(b''.join(path.read_bytes() for path in inputs))
                bits, first = 0, 0
                ranked = [count for _, count in counts.most_common()]
                for size in map(int, words['areas']):
                    bits += sum(ranked[first:first + (1 << size)]) * (
                        size + areas.bit_length() - 1)
                    first += 1 << size
                self.assertGreaterEqual(first, 256)
                self.assertIn(f'coded in {bits / sum(ranked):.3f} bits', shown['profile'])
                if kind == 'dual':
                    self.assertEqual(['3', '8'], words['areas'])
                told = self.evaluate(element_type, inputs, '--codebooks', book.parent)
                self.check_evaluation(element_type, inputs, told)
                self.assertGreater(told['total']['books_saved_percent'], 3)

    def test_book_of_its_own_data_is_near_the_ideal(self):
        inputs = tensors('bf16')
        books = self.build('bf16', 'grouped', inputs)
        told = self.evaluate('bf16', inputs, '--codebooks', books[0].parent)['total']
        self.assertLess(told['books_saved_percent'], told['shannon_saved_percent'])
        self.assertLess(told['shannon_saved_percent'] - told['books_saved_percent'], 1.5)

    def test_limits_of_grouped_books(self):
        for levels, codes in (0, 2), (2, 8), (7, 16):
            book, = self.build('bf16', 'grouped', tensors('bf16'), '--levels', levels, '--codes',
                               codes, stem=f'limits-{levels}')
            words = {line.split()[0]: line.split()[1:] for line in codes_of(book)}
            self.assertLessEqual(len(words['groups']), levels + 1)
            self.assertLessEqual(len(words['ranks']), codes)

    def test_building_twice_gives_the_same_codes(self):
        for kind, extra in ('grouped', ()), ('huffman', ('--books', 2)), ('area', ('--books', 2)):
            first = self.build('e4m3', kind, tensors('e4m3'), *extra, stem=f'{kind}-a')
            second = self.build('e4m3', kind, tensors('e4m3'), *extra, stem=f'{kind}-b')
            self.assertEqual([codes_of(book) for book in first],
                             [codes_of(book) for book in second])
            self.assertEqual([one['digest'] for one in self.show(*first)],
                             [one['digest'] for one in self.show(*second)])

    def test_build_from_a_capture(self):
        roce = write_pcap(self.path('roce.pcap'), read_pcap(TRAINING)[:68])  # of bf16 all
        books = self.build('bf16', 'grouped', [roce])
        report = self.replay('--codebooks', books[0].parent, roce)
        self.assertEqual({'new'}, report['books'].keys())
        self.assertGreater(report['region_saved_percent'], 30)
        self.build('bytes', 'huffman', [TRAINING], stem='bytes')

    def test_shipped_books_are_distinct_and_shown(self):
        shown = self.show(*sorted(CODEBOOKS.glob('*.book')))
        self.assertGreater(len(shown), 5)
        for key in ('name', 'id', 'digest'):
            self.assertEqual(len(shown), len({one[key] for one in shown}), key)

    def test_books_beside_those_used_by_default_are_shown(self):
        for name, kinds in ('area', {'area'}), ('papers', {'area', 'huffman'}):
            shown = self.show(*sorted((CODEBOOKS / name).glob('*.book')))
            self.assertEqual(kinds, {one['kind'] for one in shown})
            self.assertEqual(len(shown), len({one['digest'] for one in shown}))

    def test_shipped_books_on_all_tensors(self):
        for element_type in (*WITH_EXPONENT, 'int8'):
            with self.subTest(element_type):
                inputs = tensors(element_type)
                told = self.evaluate(element_type, inputs)
                self.check_evaluation(element_type, inputs, told)
                self.assertGreater(told['total']['books_saved_percent'], 5)

    def test_fast_books_have_few_levels_and_save_nearly_as_much(self):
        books = sorted((CODEBOOKS / 'fast').glob('*.book'))
        self.assertEqual([book.name for book in books],
                         [f'{name}-grouped.book' for name in ('bf16', 'e4m3', 'e5m2', 'fp16', 'fp32')])
        for book in books:
            element_type = book.name.split('-')[0]
            groups, = (words.split()[1:] for words in codes_of(book) if words.startswith('groups'))
            self.assertEqual(groups, ['1', '1', '1', '3'])
            shipped = self.path(f'shipped-{element_type}')
            shipped.mkdir()
            shutil.copy(CODEBOOKS / book.name, shipped)
            saved = self.evaluate(element_type, tensors(element_type), '--codebooks', shipped)
            told = self.evaluate(element_type, tensors(element_type), '--codebooks', book.parent)
            self.check_evaluation(element_type, tensors(element_type), told)
            self.assertLess(saved['total']['books_saved_percent'] -
                            told['total']['books_saved_percent'], 1.5)
            self.check_use(element_type, books)

    @unittest.skipUnless(CORPUS.exists(), f'no corpus in {SHARED}')
    def test_gap_to_huffman_on_unseen_bf16_tensors(self):
        with open(CORPUS / 'manifest.tsv', encoding='utf-8') as manifest:
            inputs = [CORPUS / row['path'] for row in csv.DictReader(manifest, delimiter='\t')
                      if (row['dtype'], row['split']) == ('bf16', 'eval')]
        self.assertGreater(len(inputs), 20)
        told = self.evaluate('bf16', inputs)
        self.check_evaluation('bf16', inputs, told)
        self.assertLessEqual(told['total']['gap_points'], GAP_POINTS_MAX)

    def test_output_is_not_replaced_by_a_file_of_another_kind(self):
        """As root, -o /dev/null must not turn the device into a file; a pipe stands in for it."""
        link, target, pipe = self.path('link'), self.path('target'), self.path('pipe')
        target.write_text('of before')
        link.symlink_to(target)
        os.mkfifo(pipe)
        keep_open = os.open(pipe, os.O_RDWR)
        self.addCleanup(os.close, keep_open)
        for output, is_same_kind in (link, link.is_symlink), (pipe, pipe.is_fifo):
            with self.subTest(output.name):
                run(CODEBOOK, 'build', '--type', 'bf16', '--kind', 'grouped', '--name', 'a', '-o',
                    output, *tensors('bf16'))
                self.assertTrue(is_same_kind())


if __name__ == '__main__':
    main(CODEBOOK, REPLAY)

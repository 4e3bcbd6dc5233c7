# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""linepress-codebook confusion: the right books are chosen for packets of tensors of any type."""

import csv
import json
import random
import shutil
import unittest

from helpers import CODEBOOK, CODEBOOKS, SHARED, TENSORS, ProgramTest, main, run

CORPUS = SHARED / 'corpus'
TYPES = ('bf16', 'fp16', 'fp32', 'e4m3', 'e5m2', 'int8')
COST_MAX = 1  # percent of the packets that took a book of another type
BF16, FP32 = TENSORS / 'bf16-ffn1-act.bin', TENSORS / 'fp32-ffn1-act.bin'


class Confusion(ProgramTest):
    def confusion(self, *args):
        report = self.path('confusion.json')
        done = self.assert_good(run(CODEBOOK, 'confusion', '--json', report, *args))
        return json.loads(report.read_text()), done.stdout

    def check_row(self, name, row, packets):
        self.assertEqual(packets, row['packets'])
        self.assertEqual(packets, sum(row['chosen'].values()))
        right = sum(n for book, n in row['chosen'].items()
                    if book == 'raw' or book.startswith(row['type'] + '-'))
        self.assertEqual(row['wrong'], packets - right)
        self.assertLessEqual(row['saved_percent'], row['best_saved_percent'] + 1e-9)
        self.assertLess(row['wrong_cost_percent'], COST_MAX, name)

    def test_types_of_the_test_data(self):
        inputs = [f'{t}={path}' for t in TYPES for path in sorted(TENSORS.glob(f'{t}-*.bin'))]
        told, text = self.confusion('--packets', 50, *inputs)
        self.assertEqual(set(TYPES), told.keys())
        for name, row in told.items():
            with self.subTest(name):
                self.check_row(name, row, 50 * sum(i.startswith(name + '=') for i in inputs))
                self.assertGreater(row['saved_percent'], 5)
                self.assertIn(f'\n{name}: ', text)

    @unittest.skipUnless(CORPUS.exists(), f'no corpus in {SHARED}')
    def test_types_of_unseen_tensors(self):
        with open(CORPUS / 'manifest.tsv', encoding='utf-8') as manifest:
            inputs = [f'{row["dtype"]}={CORPUS / row["path"]}'
                      for row in csv.DictReader(manifest, delimiter='\t')
                      if row['dtype'] in TYPES and row['split'] == 'eval']
        told, _ = self.confusion(*inputs)
        for name, row in told.items():
            with self.subTest(name):
                self.check_row(name, row, 16 * sum(i.startswith(name + '=') for i in inputs))

    def test_wrong_names_are_told(self):
        """Tensors under the name of another type: all choices are wrong, and better."""
        told, text = self.confusion(f'bf16/lie={FP32}', f'fp32={BF16}')
        for name, book in ('bf16/lie', 'fp32-grouped'), ('fp32', 'bf16-grouped'):
            row = told[name]
            self.assertEqual({book: row['packets']}, row['chosen'])
            self.assertEqual(row['packets'], row['wrong'])
            self.assertLess(row['worst_cost_percent'], 0)
            self.assertLessEqual(row['wrong_cost_percent'], row['worst_cost_percent'])
            self.assertRegex(text, rf'\n{name} .* 100\.00 ')

    def test_cost_without_a_book_of_the_right_type(self):
        """One book alone, that of another type: its cost is against sending packets as they are."""
        books = self.path('books')
        books.mkdir()
        shutil.copy(CODEBOOKS / 'fp16-grouped.book', books)
        told, _ = self.confusion('--codebooks', books, f'fp16={TENSORS / "fp16-ffn1-act.bin"}',
                                 f'bf16={BF16}')
        self.assertEqual({'fp16-grouped'}, told['fp16']['chosen'].keys())
        self.assertEqual(0, told['fp16']['wrong'])
        row = told['bf16']
        self.assertEqual({'fp16-grouped'}, row['chosen'].keys())
        self.assertEqual(row['packets'], row['wrong'])
        self.assertAlmostEqual(-row['saved_percent'], row['wrong_cost_percent'], 6)

    def test_seed_and_length_of_packets(self):
        rows = [self.confusion('--seed', seed, '--packet-bytes', size, f'e4m3={tensor}')[0]['e4m3']
                for tensor in TENSORS.glob('e4m3-*.bin')
                for seed, size in ((1, 4096), (1, 4096), (2, 4096), (1, 1024))]
        self.assertEqual(rows[0], rows[1])
        self.assertNotEqual(rows[0], rows[2])
        self.assertGreater(rows[0]['saved_percent'], rows[3]['saved_percent'])

    def test_noise_travels_as_it_is(self):
        noise = self.path('noise.bin')
        noise.write_bytes(random.Random(1).randbytes(20000))
        told, _ = self.confusion('--packets', 30, f'bytes/noise={noise}')
        self.assertEqual({'raw': 30}, told['bytes/noise']['chosen'])

    def test_what_is_refused(self):
        short = self.path('short.bin')
        short.write_bytes(bytes(4094))
        for args, word in (([], 'TYPE=FILE'), ([BF16], 'TYPE=FILE'), ([f'bf17={BF16}'], 'bf17'),
                           ([f'={BF16}'], 'TYPE=FILE'), ([f'bf16/{"x" * 30}={BF16}'], 'TYPE'),
                           ([f'bf16={short}'], '4094 bytes'), (['bf16=/nowhere'], '/nowhere'),
                           (['--packets', 0, f'bf16={BF16}'], '1 to'),
                           (['--packet-bytes', 255, f'bf16={BF16}'], '256 to 16384'),
                           (['--seed', -1, f'bf16={BF16}'], '-1'),
                           (['--codebooks', self.dir, f'bf16={BF16}'], self.dir),
                           (['--json', self.path('no') / 'x', f'bf16={BF16}'], 'no/x')):
            with self.subTest(args=args):
                done = run(CODEBOOK, 'confusion', *args)
                self.assert_refused(done, word)


if __name__ == '__main__':
    main(CODEBOOK)

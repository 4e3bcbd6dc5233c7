# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""app/paper.py reproduces the comparisons of the papers on a directory of tensors."""

import csv
import os
import re
import shutil
import sys

from helpers import CODEBOOK, PERF, SOURCE, TENSORS, ProgramTest, main, run

PAPER = SOURCE / 'app/paper.py'
FILES = {'bf16': 'bf16-ffn1-act', 'e4m3': 'e4m3-attn-act'}


class Paper(ProgramTest):
    def corpus(self, columns=('path', 'dtype', 'kind', 'split')):
        """Half of two tensors to fit to, the other to measure."""
        corpus = self.path('corpus')
        corpus.mkdir()
        with open(corpus / 'manifest.tsv', 'w', encoding='utf-8') as manifest:
            writer = csv.DictWriter(manifest, columns, delimiter='\t', extrasaction='ignore')
            writer.writeheader()
            for dtype, name in FILES.items():
                data = (TENSORS / f'{name}.bin').read_bytes()
                half = len(data) // 2
                for split, part in ('profile', data[:half]), ('eval', data[half:]):
                    path = f'{name}-{split}.bin'
                    (corpus / path).write_bytes(part)
                    writer.writerow({'path': path, 'dtype': dtype, 'kind': name[5:],
                                     'split': split})
        return corpus

    def paper(self, *args, **options):
        return run(sys.executable, PAPER, *args, **options)

    def test_tables_and_figures(self):
        output = self.path('output')
        done = self.paper('--seconds', 0, self.corpus(), output)
        self.assertEqual(0, done.returncode, done.stderr)
        text = (output / 'tables.md').read_text(encoding='utf-8')
        self.assertNotIn('Three stages', text)
        for dtype in FILES:
            for suffix in 'profile', 'csv', 'json':
                self.assertGreater((output / f'{dtype}.{suffix}').stat().st_size, 100)
            figures = sorted(path.name for path in output.glob(f'figures-{dtype}/*'))
            self.assertEqual(['compressibility.svg', 'pmf.svg'] if shutil.which('gnuplot') else [],
                             figures)
        lines = [[cell.strip() for cell in line.split('|')[1:-1]] for line in text.splitlines()]
        rows = {cells[0]: cells[1:] for cells in reversed(lines) if cells}
        self.assertEqual(list(FILES), rows['saved, percent'][:2])
        numbers = {name: [float(re.match(r'[\d.]+', cell)[0]) for cell in cells if cell]
                   for name, cells in rows.items() if re.match(r'Shannon|Huffman|fixed|\*\*', name)}
        ours = numbers['**linepress, shipped books as chosen**']
        for k in 0, 1:
            limits = [numbers[name][k] for name in ('Shannon, bytes',
                                                    'Huffman of each shard, bytes')]
            self.assertEqual(limits, sorted(limits, reverse=True))
        self.assertGreater(ours[0], numbers['Shannon, bytes'][0] + 5)
        self.assertIn('18.6', rows['Dual Length Code, bytes (2602.17849v1)'][0])

    def test_without_gnuplot_all_but_figures_is_made(self):
        tools = self.path('tools')
        tools.mkdir()
        output = self.path('output')
        done = self.paper('--seconds', 0, self.corpus(), output,
                          env={**os.environ, 'PATH': str(tools)})
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn('gnuplot-nox', done.stderr)
        self.assertTrue((output / 'tables.md').exists())
        self.assertEqual([], list(output.glob('figures-*')))

    def test_what_is_refused(self):
        good = self.corpus()
        for args, word in (([], 'usage'), ([good], 'usage'), (['--nonsense', good], 'usage'),
                           (['--seconds', 'x', good, self.path('o')], '--seconds x'),
                           ([self.path('no'), self.path('o')], 'manifest.tsv'),
                           ([TENSORS, self.path('o')], 'manifest.tsv')):
            with self.subTest(args=args):
                done = self.paper(*args)
                self.assertEqual(1, done.returncode)
                self.assertIn(word, done.stderr.splitlines()[-1])
        shutil.rmtree(good)
        for columns, word in ((('path', 'dtype'), 'columns'),
                              (('path', 'dtype', 'kind', 'split', 'x'), None)):
            corpus = self.corpus(columns)
            if word is None:
                manifest = corpus / 'manifest.tsv'
                manifest.write_text(manifest.read_text().replace('\teval', '\ttest'))
            done = self.paper(corpus, self.path('o'))
            self.assertEqual(1, done.returncode)
            self.assertIn(word or 'split eval', done.stderr.splitlines()[-1])
            shutil.rmtree(corpus)


if __name__ == '__main__':
    main(CODEBOOK, PERF)

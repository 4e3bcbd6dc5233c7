#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""Reproduce the comparisons of arXiv 2601.10673 and 2602.17849 on a directory of tensors.

usage: app/paper.py [--seconds N] CORPUS OUTPUT

CORPUS/manifest.tsv lists tensors: path, dtype, kind (of tensor), ..., split. Codes are fitted to
those of split `profile` and measured on those of split `eval`. OUTPUT receives:
  tables.md      all tables
  TYPE.profile   what the codes are fitted to
  TYPE.csv, TYPE.json    what each code saves, by shard of 64 KiB and by tensor
  figures-TYPE/  distribution of bytes, and what is saved of each shard, as SVG; with gnuplot
  perf.json, confusion.json

--seconds: time to measure speed, 0 to leave it out (default 20). Build first: ninja -C build.
"""

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get('LP_BUILD', SOURCE / 'build'))
CODEBOOK = BUILD / 'app/linepress-codebook/linepress-codebook'
PERF = BUILD / 'app/linepress-perf/linepress-perf'
TYPES = ('bf16', 'fp16', 'fp32', 'e4m3', 'e5m2', 'int8')
# Of each code on the type it is for, as the papers tell.
PAPERS = {('bf16', 'byte_huffman'): '21.3', ('bf16', 'dual'): '18.6',
          ('e4m3', 'byte_huffman'): '15.9', ('e4m3', 'quad'): '13.9'}
METHODS = {
    'byte_shannon': 'Shannon, bytes',
    'byte_huffman': 'Huffman of each shard, bytes',
    'fixed': 'fixed Huffman, bytes (2601.10673)',
    'dual': 'Dual Length Code, bytes (2602.17849v1)',
    'quad': 'Quad Length Code, bytes (2602.17849v2)',
    'shannon': 'Shannon, top byte',
    'per_shard_huffman': 'Huffman of each shard, top byte',
    'grouped': 'linepress, grouped',
    'huffman': 'linepress, huffman',
    'area': 'linepress, area',
    'books': '**linepress, shipped books as chosen**',
}
GAPS = {'bf16': 0.7, 'fp16': 0.7, 'fp32': 0.7, 'e4m3': 1.5, 'e5m2': 1.5, 'int8': 3}
SPEEDS = ('linepress-grouped', 'linepress-grouped+choose', 'huf0-fixed-4x', 'huf0-three-stage')


def run(*args):
    done = subprocess.run([str(arg) for arg in args], stdout=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(f'paper.py: {Path(args[0]).name} {args[1]} failed')
    return done.stdout


def table(head, rows):
    lines = [head, ['---'] * len(head), *rows]
    return ''.join('| ' + ' | '.join(map(str, line)) + ' |\n' for line in lines) + '\n'


class Corpus:
    def __init__(self, path):
        self.path = Path(path)
        try:
            with open(self.path / 'manifest.tsv', encoding='utf-8') as manifest:
                self.rows = list(csv.DictReader(manifest, delimiter='\t'))
        except OSError as error:
            sys.exit(f'paper.py: {error}')
        if not self.rows or not {'path', 'dtype', 'kind', 'split'} <= self.rows[0].keys():
            sys.exit(f'paper.py: {self.path}/manifest.tsv: needs columns path, dtype, kind, split')

    def files(self, dtype, split, kind=None):
        return [self.path / row['path'] for row in self.rows
                if row['dtype'] == dtype and row['split'] == split and kind in (None, row['kind'])]

    def kinds(self, dtype):
        return sorted(kind for kind in {row['kind'] for row in self.rows if row['dtype'] == dtype}
                      if self.files(dtype, 'profile', kind) and self.files(dtype, 'eval', kind))


class Paper:
    def __init__(self, corpus, output, seconds):
        self.corpus, self.output, self.seconds = Corpus(corpus), Path(output), seconds
        self.output.mkdir(exist_ok=True)
        self.types = [t for t in TYPES
                      if self.corpus.files(t, 'profile') and self.corpus.files(t, 'eval')]
        if not self.types:
            sys.exit(f'paper.py: {corpus}: no type has tensors of split profile and of split eval')
        self.figures = shutil.which('gnuplot') is not None
        if not self.figures:
            print('paper.py: no figures: gnuplot (Debian package gnuplot-nox) is not installed',
                  file=sys.stderr)

    def profile(self, dtype, kind=None):
        path = self.output / f'{dtype}{"-" + kind if kind else ""}.profile'
        run(CODEBOOK, 'profile', '--type', dtype, '-o', path,
            *self.corpus.files(dtype, 'profile', kind))
        return path

    def evaluate(self, dtype, kind=None, *args):
        report = self.output / f'{dtype}{"-" + kind if kind else ""}.json'
        run(CODEBOOK, 'evaluate', '--schemes', '--type', dtype, '--profile',
            self.profile(dtype, kind), '--json', report, *args,
            *self.corpus.files(dtype, 'eval', kind))
        return json.loads(report.read_text(encoding='utf-8'))['total']

    def evaluate_type(self, dtype):
        figures = ['--figures', self.output / f'figures-{dtype}'] if self.figures else []
        return self.evaluate(dtype, None, '--csv', self.output / f'{dtype}.csv', *figures)

    def codes_table(self, totals):
        rows = []
        for key, text in METHODS.items():
            cells = []
            for dtype in self.types:
                saved = totals[dtype]['schemes'].get(key)
                cell = f'{saved["saved_percent"]:.1f}' if saved else ''
                paper = PAPERS.get((dtype, key))
                cells.append(f'{cell} (paper: {paper})' if paper else cell)
            rows.append([text, *cells])
        lossy = [totals[dtype].get('quantisation') for dtype in self.types]
        rows.append(['8-bit quantisation (lossy): saved, signal to noise',
                     *(f'{q["saved_percent"]:.1f}, {q["signal_to_noise_db"]:.0f} dB' if q else ''
                       for q in lossy)])
        return table(['saved, percent', *self.types], rows)

    def kinds_table(self, dtype):
        rows = []
        for kind in self.corpus.kinds(dtype):
            total = self.evaluate(dtype, kind)['schemes']
            codes = {key: total[key]['codes_saved_percent'] for key in total}
            rows.append([kind, *(f'{codes[key]:.1f}' for key in
                                 ('byte_shannon', 'byte_huffman', 'fixed', 'dual', 'quad')),
                         f'{codes["byte_huffman"] - codes["fixed"]:.1f}',
                         f'{codes["byte_shannon"] - codes["fixed"]:.1f}',
                         f'{codes["books"]:.1f}'])
        return table([dtype, 'Shannon', 'Huffman of each shard', 'fixed', 'dual', 'quad',
                      'fixed below Huffman', 'below Shannon', 'linepress'], rows)

    def gaps_table(self, totals):
        rows = []
        for dtype in self.types:
            total = totals[dtype]
            field = total['schemes'].get('field_huffman', total['schemes']['per_shard_huffman'])
            books = total['books_saved_percent']
            rows.append([dtype, f'{total["per_shard_huffman_saved_percent"]:.2f}',
                         f'{field["saved_percent"]:.2f}', f'{books:.2f}',
                         f'{total["gap_points"]:.2f}', f'{field["saved_percent"] - books:.2f}',
                         GAPS[dtype]])
        return table(['saved, percent', 'Huffman, top byte', 'Huffman, exponent field',
                      'linepress', 'gap to the one', 'to the other', 'allowed'], rows)

    def speed_table(self):
        report = self.output / 'perf.json'
        run(PERF, 'codec', '--corpus', self.corpus.path, '--types', self.types[0],
            '--packet-bytes', '1024,4096', '--seconds', self.seconds, '--json', report)
        told = json.loads(report.read_text(encoding='utf-8'))
        first = told['rows'][0]['kernel']
        rows = [[row['codec'], row['packet_bytes'], f'{row["latency_us"]:.2f}',
                 f'{row["encode_gbytes_per_s"]:.2f}', f'{row["decode_gbytes_per_s"]:.2f}',
                 f'{100 * (1 - row["size"]):.1f}']
                for name in SPEEDS for row in told['rows']
                if row['codec'] == name and row.get('kernel', first) in (first, None, '')]
        return f'{self.types[0]}, {told["cpu"]}, kernel {first}\n\n' + table(
            ['codec', 'bytes of a packet', 'latency, µs', 'encode, GB/s', 'decode, GB/s',
             'saved, percent'], rows)

    def confusion_table(self):
        report = self.output / 'confusion.json'
        inputs = [f'{name}={path}' for dtype, name in
                  [(t, t) for t in self.types] + [('e2m1', 'bytes/e2m1'), ('e8m0', 'bytes/e8m0')]
                  for path in self.corpus.files(dtype, 'eval')]
        run(CODEBOOK, 'confusion', '--packets', 64, '--json', report, *inputs)
        told = json.loads(report.read_text(encoding='utf-8'))
        books = sorted({book for row in told.values() for book in row['chosen']})
        rows = [[book, *(row['chosen'].get(book, '') for row in told.values())] for book in books]
        for key, text in (('wrong', 'of another type'),
                          ('wrong_cost_percent', 'cost of these, percent of their bytes'),
                          ('worst_cost_percent', 'the worst of these'),
                          ('saved_percent', 'saved of all, percent'),
                          ('best_saved_percent', 'with the best of all books')):
            rows.append([text, *(f'{row[key]:.2f}' if key != 'wrong' else row[key]
                                 for row in told.values())])
        return table(['book', *told], rows)

    def write(self):
        totals = {}
        for dtype in self.types:
            totals[dtype] = self.evaluate_type(dtype)
            print(f'{dtype}: done')
        parts = ['## All tensors of a type, one code for all\n\n', self.codes_table(totals)]
        for dtype in [t for t in ('bf16', 'e4m3') if t in self.types]:
            parts += [f'## {dtype}: codes for one kind of tensor, without headers\n\n',
                      self.kinds_table(dtype)]
        parts += ['## Gap to Huffman codes of each shard\n\n', self.gaps_table(totals)]
        if self.seconds > 0:
            parts += ['## Three stages and one\n\n', self.speed_table()]
        parts += ['## Books chosen, by type of tensor\n\n', self.confusion_table()]
        path = self.output / 'tables.md'
        path.write_text(''.join(parts).rstrip('\n') + '\n', encoding='utf-8')
        print(path)


def main(args):
    seconds = 20
    if args[:1] in (['-h'], ['--help']):
        print(__doc__.strip())
        return
    if args[:1] == ['--seconds'] and len(args) > 1:
        if not args[1].isdigit():
            sys.exit(f'paper.py: --seconds {args[1]}: must be a number, 0 or more')
        seconds, args = int(args[1]), args[2:]
    if len(args) != 2 or args[0].startswith('-'):
        sys.exit('usage: app/paper.py [--seconds N] CORPUS OUTPUT')
    for program in CODEBOOK, PERF:
        if not program.exists():
            sys.exit(f'paper.py: {program} is not there: build first')
    Paper(*args, seconds).write()


if __name__ == '__main__':
    main(sys.argv[1:])

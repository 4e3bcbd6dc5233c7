# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""linepress-replay on captures, options and files that are not as they should be."""

import os
import shutil
import subprocess
import unittest

import frames as f
from helpers import (CODEBOOKS, MAGIC_NS, MAGIC_US, REPLAY, TRAINING, Frame, ProgramTest, main,
                     pcap_bytes, read_pcap, run, write_pcap)

TENSOR = f.bf16(700)
LINK_RAW = 101
LINK_SLL = 113


class Captures(ProgramTest):
    def refused(self, name, content, *words):
        path = self.path(name)
        path.write_bytes(content)
        self.assert_refused(run(REPLAY, path), path, *words)

    def test_missing_file_and_directory(self):
        path = self.path('nowhere.pcap')
        self.assert_refused(run(REPLAY, path), path, 'No such file')
        self.assert_refused(run(REPLAY, self.dir), self.dir)

    def test_empty_file(self):
        self.refused('empty.pcap', b'')

    def test_text_file(self):
        self.refused('text.pcap', b'These are not the frames you are looking for.\n' * 9)

    def test_header_alone(self):
        self.refused('header.pcap', pcap_bytes([]), 'no frames')

    def test_cut_header(self):
        self.refused('cut.pcap', pcap_bytes([])[:20])

    def test_cut_in_mid_record(self):
        whole = pcap_bytes([f.tcp(TENSOR)] * 3)
        for lost in (1, len(TENSOR), len(f.tcp(TENSOR)) + 5):
            with self.subTest(lost=lost):
                self.refused('cut.pcap', whole[:-lost], 'frame 3')

    def test_frames_cut_by_snaplen(self):
        frames = [Frame(k, f.tcp(TENSOR)) for k in range(1, 6)]
        for k in (2, 4):
            frames[k] = Frame(k, frames[k].data[:96], len(frames[k].data))
        self.refused('snaplen.pcap', pcap_bytes(frames), 'frame 3', 96, len(frames[0].data))
        report = self.replay('--skip-truncated', self.path('snaplen.pcap'))
        self.assertEqual((3, 2), (report['packets'], report['skipped_truncated']))

    def test_all_frames_cut_by_snaplen(self):
        write_pcap(self.path('all.pcap'), [Frame(1, f.tcp(TENSOR)[:96], 1454)])
        self.assert_refused(run(REPLAY, '--skip-truncated', self.path('all.pcap')), 'truncated')

    def test_record_longer_than_its_frame(self):
        self.refused('odd.pcap', pcap_bytes([Frame(1, f.tcp(TENSOR), 96)]), 'frame 1')

    def test_record_of_absurd_length(self):
        content = bytearray(pcap_bytes([f.tcp(TENSOR)] * 2))
        content[32:36] = b'\xff\xff\xff\x7f'
        self.refused('absurd.pcap', bytes(content), 'frame 1')

    def test_other_link_types_are_refused_by_name(self):
        for link, name in (LINK_RAW, 'RAW'), (LINK_SLL, 'LINUX_SLL'):
            with self.subTest(name):
                self.refused('link.pcap', pcap_bytes([f.tcp(TENSOR)[14:]], link=link), name)

    def test_all_variants_of_pcap_are_read(self):
        frames = [Frame(1_700_000_000_123_456_000 + k * 1_000_001_000, f.tcp(TENSOR))
                  for k in range(3)]
        for order in '<>':
            for magic in (MAGIC_US, MAGIC_NS):
                with self.subTest(order=order, magic=hex(magic)):
                    restored = self.path('restored.pcap')
                    capture = write_pcap(self.path('in.pcap'), frames, order=order, magic=magic)
                    report = self.replay('--restored', restored, capture)
                    self.assertEqual(3, report['coded_packets'])
                    self.assert_same_frames(frames, read_pcap(restored))

    def test_nanoseconds_are_kept(self):
        frames = [Frame(1_700_000_000_123_456_789 + k, f.tcp(TENSOR)) for k in range(3)]
        capture, restored = write_pcap(self.path('in.pcap'), frames), self.path('restored.pcap')
        self.replay('--restored', restored, capture)
        self.assert_same_frames(frames, read_pcap(restored))

    @unittest.skipUnless(shutil.which('editcap'), 'editcap is missing (Debian: wireshark-common)')
    def test_pcapng_is_read(self):
        pcapng = self.path('in.pcapng')
        self.assert_good(run('editcap', '-F', 'pcapng', TRAINING, pcapng))
        report = self.replay('--loops', 1, '--restored', self.path('restored.pcap'), pcapng)
        self.assertEqual(len(read_pcap(TRAINING)), report['packets'])
        self.assert_same_frames(read_pcap(TRAINING), read_pcap(self.path('restored.pcap')))


class Options(ProgramTest):
    def test_each_bad_option_is_one_clear_line(self):
        out = self.path('out.pcap')
        cases = [
            ([], 'no capture'),
            (['--nonsense', TRAINING], '--nonsense'),
            (['-x', TRAINING], '-x'),
            (['--burst', 0, TRAINING], '--burst', '1 to 512'),
            (['--burst', 513, TRAINING], '--burst', '513'),
            (['--burst', '-1', TRAINING], '--burst', '-1'),
            (['--burst', '7x', TRAINING], '--burst', '7x'),
            (['--burst', '', TRAINING], '--burst'),
            (['--burst', '99999999999999999999', TRAINING], '--burst', 'range'),
            (['--loops', 0, TRAINING], '--loops'),
            (['--loops', '0x10', TRAINING], '--loops', '0x10'),
            (['--mbuf-size', 191, TRAINING], '--mbuf-size', '192 to 65535'),
            (['--mbuf-size', 65536, TRAINING], '--mbuf-size'),
            (['--min-region', 0, TRAINING], '--min-region'),
            (['--min-region', 65536, TRAINING], '--min-region'),
            (['--mode', 'pear', TRAINING], '--mode', 'pear', 'restore'),
            (['--mode', 'compress', TRAINING], '--mode compress', '--line'),
            (['--mode', 'compress', '--line', out, '--restored', self.path('r'), TRAINING],
             '--restored'),
            (['--mode', 'restore', '--line', out, TRAINING], '--line'),
            (['--line', out, '--json', out, TRAINING], '--json', '--line'),
            (['--skip-truncated=yes', TRAINING], '--skip-truncated'),
            ([TRAINING, '--loops'], '--loops', 'value'),
            (['--key-file', self.path('nowhere'), TRAINING], '--key-file', 'No such file'),
        ]
        for args, *words in cases:
            with self.subTest(args=args):
                self.assert_refused(run(REPLAY, *args), *words)
                self.assertEqual([], os.listdir(self.dir))

    def test_bad_keys(self):
        key = self.path('key')
        for text, mode, word in [('0' * 31, 0o600, '32'), ('0' * 33, 0o600, '32'),
                                 ('', 0o600, '32'), ('g' * 32, 0o600, '32'),
                                 (' ' + '0' * 32, 0o600, '32'), ('0' * 32, 0o640, '0640'),
                                 ('0' * 32, 0o604, '0604')]:
            with self.subTest(text=text, mode=oct(mode)):
                key.write_text(text)
                key.chmod(mode)
                self.assert_refused(run(REPLAY, '--key-file', key, TRAINING), key, word)

    def test_missing_and_empty_codebook_directories(self):
        nowhere, empty = self.path('nowhere'), self.path('empty')
        empty.mkdir()
        self.assert_refused(run(REPLAY, '--codebooks', nowhere, TRAINING), nowhere, 'No such file')
        self.assert_refused(run(REPLAY, '--codebooks', empty, TRAINING), empty, '.book')

    def test_broken_codebook_is_named_with_its_line(self):
        books = shutil.copytree(CODEBOOKS, self.path('books'))
        book = books / 'fp16-grouped.book'
        lines = book.read_text().splitlines()
        number = next(n for n, line in enumerate(lines, 1) if line.startswith('groups'))
        lines[number - 1] = 'groups 1 two 3'
        book.write_text('\n'.join(lines))
        done = run(REPLAY, '--codebooks', books, TRAINING)
        self.assert_refused(done, f'{book}:{number}: ', 'two')

    def test_two_books_of_one_number(self):
        books = shutil.copytree(CODEBOOKS, self.path('books'))
        shutil.copy(books / 'fp16-grouped.book', books / 'twin.book')
        self.assert_refused(run(REPLAY, '--codebooks', books, TRAINING), books / 'twin.book', 'id')

    def test_help_and_version(self):
        for option, text in ('--help', 'Usage: linepress'), ('--version', 'linepress-replay'):
            self.assertTrue(self.assert_good(run(REPLAY, option)).stdout.startswith(text))


class Outputs(ProgramTest):
    def test_full_disk(self):
        for option in ('--json', '--line', '--restored'):
            with self.subTest(option):
                done = run(REPLAY, '--loops', 1, option, '/dev/full', TRAINING)
                self.assert_refused(done, 'No space left')

    def test_full_disk_behind_standard_output(self):
        with open('/dev/full', 'w', encoding='ascii') as full:
            self.assert_refused(run(REPLAY, '--loops', 1, TRAINING, stdout=full), 'No space left')

    def test_missing_directory(self):
        for option in ('--json', '--line', '--restored'):
            with self.subTest(option):
                target = self.path('nowhere') / 'file'
                self.assert_refused(run(REPLAY, '--loops', 1, option, target, TRAINING), target)

    def failing_runs(self):
        cut = self.path('cut.pcap')
        cut.write_bytes(TRAINING.read_bytes()[:-1])
        line = self.path('line')
        self.assert_good(run(REPLAY, '--mode', 'compress', '--loops', 1, '--line', line, TRAINING))
        key = self.path('key')
        key.write_text('1' * 32)
        key.chmod(0o600)
        json, out, restored = self.path('json'), self.path('out'), self.path('restored')
        yield ['--json', json, '--line', out, '--restored', restored, TRAINING, cut]
        yield ['--json', json, '--line', out, '--restored', restored, TRAINING, self.path('none')]
        yield ['--line', out, '--restored', '/dev/full', TRAINING]
        yield ['--line', out, '--json', '/dev/full', '--restored', restored, TRAINING]
        yield ['--line', out, '--restored', self.path('none') / 'file', TRAINING]
        yield ['--mode', 'restore', '--key-file', key, '--restored', restored, line]

    def test_failed_run_leaves_no_file_and_keeps_those_of_before(self):
        for args in self.failing_runs():
            with self.subTest(args=args):
                old = self.path('restored')
                old.write_text('of before')
                before = sorted(os.listdir(self.dir))
                self.assertEqual(1, run(REPLAY, '--loops', 1, *args).returncode)
                self.assertEqual(before, sorted(os.listdir(self.dir)))
                self.assertEqual('of before', old.read_text())

    def test_failure_of_one_small_output_takes_back_the_others(self):
        """All of a small file is written when it is closed, after other files are."""
        small = write_pcap(self.path('small.pcap'), [f.tcp(TENSOR)])
        out, report = self.path('out'), self.path('report')
        for args in [['--line', out, '--restored', '/dev/full'],
                     ['--line', '/dev/full', '--restored', out],
                     ['--json', report, '--line', '/dev/full'],
                     ['--json', '/dev/full', '--line', out]]:
            with self.subTest(args=args):
                self.assert_refused(run(REPLAY, *args, small), 'No space left')
                left = {path for path in (out, report) if path.exists()}
                for path in left:
                    path.unlink()
                self.assertEqual(set(), left)

    def test_capture_is_not_overwritten(self):
        capture = shutil.copy(TRAINING, self.path('in.pcap'))
        for option in ('--json', '--line', '--restored'):
            self.assert_refused(run(REPLAY, option, capture, capture), option, capture)
        self.assertEqual(TRAINING.read_bytes(), self.path('in.pcap').read_bytes())

    def test_interrupted_run_leaves_no_file(self):
        out = self.path('out.pcap')
        with subprocess.Popen([REPLAY, '--loops', '1000000', '--line', out, TRAINING],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True) as program:
            while program.poll() is None and not any(self.dir.iterdir()):
                pass
            program.terminate()
            _, said = program.communicate(timeout=60)
        self.assertEqual(1, program.returncode)
        self.assertIn('interrupted', said)
        self.assertEqual([], os.listdir(self.dir))


if __name__ == '__main__':
    main(REPLAY)

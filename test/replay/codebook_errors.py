# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""linepress-codebook on books, options and files that are not as they should be."""

import os
import random

from helpers import CODEBOOK, CODEBOOKS, TENSORS, TRAINING, ProgramTest, main, run, write_pcap

TENSOR = TENSORS / 'bf16-ffn1-act.bin'
GROUPED = CODEBOOKS / 'fp16-grouped.book'
HUFFMAN = CODEBOOKS / 'int8-huffman-3.book'
AREA = CODEBOOKS / 'area' / 'e4m3-area-1.book'
SEED = 42
MUTANTS = 400

# Key of the line to replace, what stands there then, and a word of the message.
BAD_LINES = [
    (GROUPED, 'linepress-codebook', 'linepress-codebook 2', '2'),
    (GROUPED, 'linepress-codebook', 'PNG', 'codebook'),
    (GROUPED, 'linepress-codebook', '', 'codebook'),
    (GROUPED, 'name', 'name a/b', 'a/b'),
    (GROUPED, 'name', 'name a b', 'name'),
    (GROUPED, 'name', 'name ' + 'x' * 100, 'characters'),
    (GROUPED, 'name', 'name', 'name'),
    (GROUPED, 'id', 'id 0', '1 to 255'),
    (GROUPED, 'id', 'id 256', '1 to 255'),
    (GROUPED, 'id', 'id -1', '-1'),
    (GROUPED, 'type', 'type bf17', 'bf17'),
    (GROUPED, 'kind', 'kind quad', 'quad'),
    (GROUPED, 'symbol', 'symbol nibble', 'nibble'),
    (GROUPED, 'groups', 'groups 1 2 99', '99'),
    (GROUPED, 'groups', 'groups 0 0 0 0 0 0 0 0 0 0', 'groups'),
    (GROUPED, 'groups', 'groups', 'groups'),
    (GROUPED, 'ranks', 'ranks 0 1 0', 'twice'),
    (GROUPED, 'ranks', 'ranks zero zero', 'twice'),
    (GROUPED, 'ranks', 'ranks 0 9999', '9999'),
    (GROUPED, 'ranks', 'ranks 0 one', 'one'),
    (GROUPED, 'ranks', 'codes 1 00 01', 'huffman'),
    (GROUPED, 'profile-symbols', 'profile-symbols many', 'many'),
    (GROUPED, 'profile-entropy', 'profile-entropy nan', 'nan'),
    (GROUPED, 'source', 'sauce tomato', 'sauce'),
    (GROUPED, 'source', 'type bf16', 'twice'),
    (GROUPED, 'source', 'source \x07', '0x07'),
    (GROUPED, 'source', 'source ' + 'x' * 5000, '5007'),
    (HUFFMAN, 'codes', 'codes 99 00 01 02 fe ff', '99'),
    (HUFFMAN, 'codes', 'codes 3 00 01 02 fe zz', 'zz'),
    (HUFFMAN, 'codes', 'codes 3 00 01 02 00 ff', 'twice'),
    (HUFFMAN, 'codes', 'codes 3 00 01 02 fe 100', '100'),
    (HUFFMAN, 'codes', 'codes 3', 'codes'),
    (HUFFMAN, 'codes', 'ranks 0', 'grouped'),
    (AREA, 'areas', 'areas 4 4 4', '3 areas'),
    (AREA, 'areas', 'areas 9 9', '9'),
    (AREA, 'areas', 'groups 1 2', 'grouped'),
    (AREA, 'ranks', 'ranks 00-ff 17', 'twice'),
    (AREA, 'ranks', 'ranks 00-1ff', '1ff'),
]

# What is wrong with a book as a whole.
BAD_BOOKS = [
    (GROUPED, 'groups', None, 'groups'),
    (GROUPED, 'type', None, None),
    (GROUPED, 'groups', 'groups 0 0', None),
    (GROUPED, 'symbol', 'symbol byte', 'symbol'),
    (HUFFMAN, 'codes', None, None),
    (AREA, 'areas', None, 'areas'),
    (AREA, 'areas', 'areas 1 2', '6 symbols'),
    (AREA, 'ranks', 'ranks 00-7f', '128 symbols'),
    (AREA, 'symbol', 'symbol exponent', 'symbol'),
    (HUFFMAN, 'codes', 'codes 2 00 01 02 fe ff', None),
    (HUFFMAN, 'codes', 'codes 4 00 01 02 fe ff', None),
    (HUFFMAN, 'symbol', None, 'symbol'),
    (HUFFMAN, 'name', None, 'name'),
]


def replaced(book, key, text):
    """The lines of a book with the first of this key replaced or left out, and its number."""
    lines = book.read_text().splitlines()
    at = next(k for k, line in enumerate(lines) if line.split()[0] == key)
    lines[at:at + 1] = [] if text is None else [text]
    return lines, at + 1


class Books(ProgramTest):
    def write(self, lines):
        path = self.path('bad.book')
        path.write_text('\n'.join(lines) + '\n')
        return path

    def test_bad_lines_are_named(self):
        for book, key, text, word in BAD_LINES:
            with self.subTest(text[:60]):
                lines, number = replaced(book, key, text)
                if text == '':  # the line behind it is where it begins to be wrong
                    number += 1
                path = self.write(lines)
                done = run(CODEBOOK, 'show', path)
                self.assert_refused(done, f'{path}:{number}: ', word)
                self.assertEqual('', done.stdout)

    def test_books_that_are_wrong_as_a_whole(self):
        for book, key, text, word in BAD_BOOKS:
            with self.subTest(f'{key}: {text}'):
                path = self.write(replaced(book, key, text)[0])
                self.assert_refused(run(CODEBOOK, 'show', path), path, *[word] if word else [])

    def test_other_files_are_no_books(self):
        empty = self.path('empty.book')
        empty.touch()
        nowhere = self.path('nowhere.book')
        for path in (empty, TRAINING, nowhere, self.dir):
            with self.subTest(path.name):
                self.assert_refused(run(CODEBOOK, 'show', path), path)

    def test_good_books_are_shown_beside_bad_ones(self):
        path = self.write(['nonsense'])
        done = run(CODEBOOK, 'show', GROUPED, path, HUFFMAN)
        self.assert_refused(done, path)
        self.assertIn('fp16-grouped', done.stdout)
        self.assertIn('int8-huffman-3', done.stdout)

    def test_mutants_are_refused_or_shown(self):
        rng, paths = random.Random(SEED), []
        for k in range(MUTANTS):
            text = bytearray(rng.choice((GROUPED, HUFFMAN)).read_bytes()[:700])
            for _ in range(rng.randrange(1, 4)):
                at = rng.randrange(len(text))
                choice = rng.randrange(3)
                if choice == 0:
                    text[at] = rng.choice(b'0123456789abcdef+- \n#z\x00\xff')
                elif choice == 1:
                    del text[at:at + rng.randrange(1, 40)]
                else:
                    text[at:at] = text[at // 2:at // 2 + rng.randrange(1, 40)]
            paths.append(self.path(f'{k}.book'))
            paths[-1].write_bytes(text)
        done = run(CODEBOOK, 'show', *paths)
        self.assertEqual(1, done.returncode, done.stderr[-500:])
        refused = done.stderr.splitlines()
        self.assertEqual(MUTANTS, len(refused) + done.stdout.count('\ndigest '))
        self.assertGreater(len(refused), MUTANTS / 2)
        for line in refused:
            self.assertRegex(line, r'^linepress-codebook: \S+/\d+\.book(:\d+)?: .*\w')


class Options(ProgramTest):
    def build(self, *args, **changed):
        options = {'type': 'bf16', 'kind': 'grouped', 'name': 'a', **changed}
        given = [word for key, value in options.items() if value is not None
                 for word in ('--' + key, value)]
        return run(CODEBOOK, 'build', *given, '-o', self.path('a.book'), *args)

    def test_each_bad_option_is_one_clear_line(self):
        odd, empty = self.path('odd.bin'), self.path('empty.bin')
        odd.write_bytes(bytes(33))
        empty.touch()
        no_frames = write_pcap(self.path('no.pcap'), [])
        no_payload = write_pcap(self.path('arp.pcap'), [bytes(60)])
        before = sorted(os.listdir(self.dir))
        cases = [
            ([], {}, '--type'), ([TENSOR], {'name': None}, '--name'),
            ([TENSOR], {'type': None}, '--type'), ([TENSOR], {'kind': None}, '--kind'),
            ([TENSOR], {'type': 'bf17'}, 'bf17'), ([TENSOR], {'kind': 'arena'}, 'arena'),
            ([TENSOR], {'type': 'int8'}, 'int8'), ([TENSOR], {'name': 'a/b'}, 'a/b'),
            ([TENSOR], {'id': 0}, '--id'), ([TENSOR], {'id': 256}, '--id'),
            ([TENSOR], {'levels': 8}, '--levels'), ([TENSOR], {'codes': 1}, '--codes'),
            ([TENSOR], {'codes': 17}, '--codes'), ([TENSOR], {'books': 2}, '--books'),
            ([TENSOR], {'groups': '1,1,5'}, '0 to 4'), ([TENSOR], {'groups': '1,'}, '0 to 4'),
            ([TENSOR], {'groups': ''}, '0 to 4'), ([TENSOR], {'groups': '1 1'}, '0 to 4'),
            ([TENSOR], {'groups': '0,0,0,0,0,0,0,0,0'}, '1 to 8'),
            ([TENSOR], {'groups': '4,0'}, '17 codes'), ([TENSOR], {'groups': '0'}, '1 codes'),
            ([TENSOR], {'groups': '1,1', 'levels': 2}, '--groups'),
            ([TENSOR], {'groups': '1,1', 'codes': 4}, '--groups'),
            ([TENSOR], {'kind': 'huffman', 'groups': '1,1'}, '--groups'),
            ([TENSOR], {'kind': 'huffman', 'levels': 2}, '--levels'),
            ([TENSOR], {'kind': 'huffman', 'books': 17}, '--books'),
            ([TENSOR], {'kind': 'huffman', 'books': 0}, '--books'),
            ([TENSOR], {'kind': 'huffman', 'books': 2, 'id': 255}, '255'),
            ([TENSOR], {'kind': 'huffman', 'symbol': 'exponent'}, 'exponent'),
            ([TENSOR], {'kind': 'huffman', 'books': 9}, 'too few'),
            ([TENSOR], {'kind': 'area', 'books': 9}, 'too few'),
            ([TENSOR], {'kind': 'area', 'prefix-bits': 0}, '1 to 4'),
            ([TENSOR], {'kind': 'area', 'prefix-bits': 5}, '1 to 4'),
            ([TENSOR], {'kind': 'area', 'ranking': 'size'}, 'size'),
            ([TENSOR], {'kind': 'area', 'symbol': 'exponent'}, 'exponent'),
            ([TENSOR], {'kind': 'area', 'levels': 2}, '--levels'),
            ([TENSOR], {'kind': 'dual', 'prefix-bits': 1}, '--prefix-bits'),
            ([TENSOR], {'kind': 'quad', 'ranking': 'value'}, '--ranking'),
            ([TENSOR], {'kind': 'huffman', 'ranking': 'value'}, '--ranking'),
            (['--nonsense', TENSOR], {}, '--nonsense'),
            ([self.path('nowhere')], {}, 'nowhere'), ([odd], {}, odd), ([empty], {}, empty),
            ([no_frames], {}, no_frames), ([no_payload], {}, no_payload),
        ]
        for args, changed, word in cases:
            with self.subTest(args=args, changed=changed):
                self.assert_refused(self.build(*args, **changed), word)
                self.assertEqual(before, sorted(os.listdir(self.dir)))

    def test_bad_evaluations(self):
        for args, word in (([], '--type'), (['--type', 'bf16'], 'INPUT'),
                           (['--type', 'bf17', TENSOR], 'bf17'),
                           (['--type', 'bf16', self.path('nowhere')], 'nowhere'),
                           (['--type', 'bf16', '--codebooks', self.dir, TENSOR], self.dir),
                           (['--type', 'bf16', '--json', self.path('no') / 'x', TENSOR], 'no/x'),
                           (['--type', 'bf16', '--json', '/dev/full', TENSOR], 'No space left'),
                           (['--type', 'bf16', '--nonsense', TENSOR], '--nonsense')):
            with self.subTest(args=args):
                self.assert_refused(run(CODEBOOK, 'evaluate', *args), word)

    def test_unknown_command_and_none(self):
        for args in [], ['destroy']:
            done = run(CODEBOOK, *args)
            self.assertEqual(1, done.returncode)
            self.assertIn('usage: linepress-codebook', done.stderr)

    def test_full_disk_behind_standard_output(self):
        for args in (['show', GROUPED], ['evaluate', '--type', 'bf16', TENSOR]):
            with self.subTest(args[0]), open('/dev/full', 'w', encoding='ascii') as full:
                self.assertEqual(1, run(CODEBOOK, *args, stdout=full).returncode)


if __name__ == '__main__':
    main(CODEBOOK)

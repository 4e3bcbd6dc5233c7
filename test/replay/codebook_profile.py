# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""linepress-codebook: profiles are counted, merged, compared, built from, and refused if wrong."""

import json
import math
import random
from collections import Counter

import frames as f
from helpers import CODEBOOK, TENSORS, TRAINING, ProgramTest, main, run, write_pcap

SEED = 42
MUTANTS = 100
PACKET = 4096
GOOD = ['linepress-profile 1', 'source mine', 'tensors e4m3 byte shards 2 symbols 40',
        'shard 1 00:10 7f:20', 'shard 3 80:10', 'tensors bf16 exponent shards 1 symbols 5',
        'shard 2 7e:5']

# Number of the line to replace, from 1, what stands there then, and a word of the message.
BAD_LINES = [
    (1, 'linepress-profile 2', '2'),
    (1, 'linepress-codebook 1', 'linepress-profile 1'),
    (1, 'linepress-profile', 'missing'),
    (2, 'linepress-profile 1', 'twice'),
    (2, 'sauce', 'sauce'),
    (2, 'source \x07', '0x07'),
    (2, 'source ' + 'x' * 5000, '5007'),
    (2, 'shard 1 00:1', 'tensors'),
    (3, 'tensors e4m4 byte shards 2 symbols 40', 'e4m4'),
    (3, 'tensors', 'must be bf16'),
    (3, 'tensors e4m3 exponent shards 2 symbols 40', 'must be byte'),
    (3, 'tensors bf16 rotated shards 2 symbols 40', 'byte or exponent'),
    (3, 'tensors e4m3 byte symbols 40', 'shards N'),
    (3, 'tensors e4m3 byte shards 0 symbols 40', '0'),
    (3, 'tensors e4m3 byte shards 2 symbols -1', '-1'),
    (3, 'tensors e4m3 byte shards 2 symbols 40 more', 'more'),
    (3, 'tensors e4m3 byte shards 3 symbols 40', '1 shards and 0 symbols are missing'),
    (3, 'tensors e4m3 byte shards 2 symbols 41', '0 shards and 1 symbols are missing'),
    (4, 'shard 1 00:10 7f:31', '1 symbols more'),
    (4, 'shard 0 00:10', '1 to 1000000'),
    (4, 'shard 1000001 00:10', '1000001'),
    (4, 'shard', 'weight is missing'),
    (4, 'shard 1', 'no symbol'),
    (4, 'shard 1 00', 'SYMBOL:COUNT'),
    (4, 'shard 1 00:0', "count '0'"),
    (4, 'shard 1 00:65535 01:1', "count '1'"),
    (4, 'shard 1 00:', "count ''"),
    (4, 'shard 1 0x1:2', '0x1'),
    (4, 'shard 1 100:2', 'from 0 to ff'),
    (4, 'shard 1 7f:20 00:10', 'from 80 to ff'),
    (4, 'shard 1 ff:20 ff:10', 'none may follow'),
    (6, 'shard 1 00:1', 'one shard more'),
    (6, 'tensors e4m3 byte shards 1 symbols 5', 'twice'),
    (7, 'shard 2 7e:5 # of mine, and none more\nshard 1 7e:1', 'one shard more'),
]


class Profiles(ProgramTest):
    def profile(self, name, *args):
        """Path of a profile, and what was printed of it."""
        path = self.path(name + '.profile')
        done = self.assert_good(run(CODEBOOK, 'profile', '-o', path, *args))
        return path, done.stdout

    def merge(self, name, *args):
        path = self.path(name + '.profile')
        self.assert_good(run(CODEBOOK, 'merge', '-o', path, *args))
        return path

    def compare(self, *args):
        report = self.path('comparison.json')
        self.assert_good(run(CODEBOOK, 'compare', '--json', report, *args))
        return json.loads(report.read_text())

    def build(self, name, *args):
        """The lines of all books of a set but for their sources."""
        self.assert_good(run(CODEBOOK, 'build', '--name', 'a', '-o', self.path(name + '.book'),
                             *args))
        return [line for book in sorted(self.dir.glob(name + '*.book'))
                for line in book.read_text().splitlines() if not line.startswith('source')]

    def shards(self, path):
        """Weights and counts by type and symbol, read without the program."""
        found, part = {}, None
        for line in path.read_text().splitlines():
            words = line.split()
            if words[0] == 'tensors':
                part = found.setdefault((words[1], words[2]), [])
            elif words[0] == 'shard':
                counts = (pair.split(':') for pair in words[2:])
                part.append((int(words[1]), {int(s, 16): int(n) for s, n in counts}))
        return found

    def test_counts_are_those_of_the_tensor(self):
        for name, element_type, symbol, values in (
                ('bf16-ffn1-act', 'bf16', 'exponent',
                 lambda d: [a << 1 & 0xFF | b >> 7 for a, b in zip(d[1::2], d[::2])]),
                ('fp16-ffn1-act', 'fp16', 'exponent', lambda d: [a >> 2 & 31 for a in d[1::2]]),
                ('fp32-ffn1-act', 'fp32', 'byte', list),
                ('int8-attn-act', 'int8', 'byte', list)):
            with self.subTest(name):
                tensor = TENSORS / f'{name}.bin'
                data = tensor.read_bytes()
                for size in PACKET, 1024:
                    path, _ = self.profile(name, '--type', element_type, '--packet-bytes', size,
                                           tensor)
                    expected = [(1, dict(Counter(values(data[k:k + size]))))
                                for k in range(0, len(data), size)]
                    self.assertEqual(expected, self.shards(path)[element_type, symbol])

    def test_books_from_a_profile_are_those_from_its_tensors(self):
        for element_type, kind, *extra in (('bf16', 'grouped'), ('e4m3', 'huffman', '--books', 2),
                                           ('e4m3', 'grouped'), ('e5m2', 'area'),
                                           ('int8', 'quad'), ('bf16', 'dual')):
            tensors = sorted(TENSORS.glob(f'{element_type}-*.bin'))
            options = ['--type', element_type, '--kind', kind, *extra]
            path, _ = self.profile(element_type, '--type', element_type, *tensors)
            with self.subTest(f'{element_type} {kind}'):
                stem = f'{element_type}-{kind}-'
                self.assertEqual(self.build(stem + 'tensors', *options, *tensors),
                                 self.build(stem + 'profile', *options, path))
                self.assertEqual(self.build(stem + 'twice', *options, *tensors, *tensors),
                                 self.build(stem + 'both', *options, *tensors, path))

    def test_types_of_captures_are_found(self):
        path, told = self.profile('training', TRAINING)
        self.assertIn('payloads: bf16 151 fp16 38 fp32 144 e4m3 11 left out by rules 0, of no known '
                      'type 0\n', told)
        self.assertEqual({'bf16', 'fp16', 'fp32', 'e4m3'}, {key[0] for key in self.shards(path)})
        noise = random.Random(SEED).randbytes(2000)
        capture = write_pcap(self.path('noise.pcap'), [f.tcp(noise), f.tcp(bytes(2000))])
        _, told = self.profile('noise', capture)
        self.assertRegex(told, r'payloads: \w+ 1 left out by rules 0, of no known type 1\n')

    def test_rules_pick_flows_and_types(self):
        data = (TENSORS / 'bf16-ffn1-act.bin').read_bytes()
        frames = [f.tcp(data[k:k + 1000], dport=5000 + k // 1000) for k in range(0, 4000, 1000)]
        capture = write_pcap(self.path('flows.pcap'), frames)
        rules = self.path('rules')
        for text, payloads in (
                ('dport 5001 -> pass', 'bf16 3 left out by rules 1'),
                ('dport 5001-5002 -> books all\n-> pass', 'bf16 2 left out by rules 2'),
                ('dport 5000 -> books fp32-grouped', 'bf16 3 fp32 1 left out by rules 0'),
                ('-> books e4m3-huffman-1,e4m3-grouped', 'e4m3 4 left out by rules 0'),
                ('min-region 1001 -> pass', 'bf16 4 left out by rules 0')):
            with self.subTest(text):
                rules.write_text(text + '\n')
                _, told = self.profile('picked', '--rules', rules, capture)
                self.assertIn(f'payloads: {payloads}, of no known type 0\n', told)
        _, told = self.profile('given', '--type', 'int8', '--rules', rules, capture)
        self.assertIn('payloads: int8 4 ', told)
        self.assert_refused(run(CODEBOOK, 'profile', '-o', self.path('a'), '--min-region', 1001,
                                capture), 'no payload')
        rules.write_text('-> pass\ndport x -> pass\n')
        self.assert_refused(run(CODEBOOK, 'profile', '-o', self.path('a'), '--rules', rules,
                                capture), f'{rules}:2:7')
        self.assertFalse(self.path('a').exists())

    def test_merged_profiles_hold_all_shards_by_weight(self):
        a, _ = self.profile('a', '--type', 'bf16', TENSORS / 'bf16-ffn1-act.bin')
        b, _ = self.profile('b', '--type', 'bf16', TENSORS / 'bf16-ffn1-wgrad.bin')
        parts = [self.shards(path)['bf16', 'exponent'] for path in (a, b)]
        for args, weights in (((), (1, 1)), (('--weights', '6,4'), (3, 2)),
                              (('--weights', '2,1'), (2, 1))):
            merged = self.shards(self.merge('sum', *args, a, b))['bf16', 'exponent']
            self.assertEqual([(weight, counts) for weight, part in zip(weights, parts)
                              for _, counts in part], merged)
        again = self.shards(self.merge('again', '--weights', '1,5', b, self.path('sum.profile')))
        self.assertEqual({1, 5, 10}, {weight for weight, _ in again['bf16', 'exponent']})

    def test_average_gives_all_profiles_the_same_say(self):
        tensor = (TENSORS / 'int8-attn-act.bin').read_bytes()
        short, long = self.path('short'), self.path('long')
        short.write_bytes(tensor[:PACKET])
        long.write_bytes(tensor[PACKET:4 * PACKET])
        a, _ = self.profile('a', '--type', 'int8', short)
        b, _ = self.profile('b', '--type', 'int8', long)
        merged = self.shards(self.merge('sum', '--average', a, b))['int8', 'byte']
        self.assertEqual([3, 1, 1, 1], [weight for weight, _ in merged])

    def test_comparison_tells_entropies_divergence_and_savings(self):
        first, _ = self.profile('first', '--type', 'bf16', TENSORS / 'bf16-ffn1-act.bin')
        second, _ = self.profile('second', '--type', 'bf16', TENSORS / 'bf16-emb-weight.bin')
        told = self.compare(first, second)['bf16']
        counts = [Counter(), Counter()]
        for count, path in zip(counts, (first, second)):
            for _, shard in self.shards(path)['bf16', 'exponent']:
                count.update(shard)
            p = [n / count.total() for n in count.values()]
            self.assertAlmostEqual(-sum(x * math.log2(x) for x in p),
                                   told['exponent']['profiles'][str(path)]['entropy'], 4)
        for key, p, q in (('first_from_second', *counts),
                          ('second_from_first', *reversed(counts))):
            divergence = sum(n / p.total() * math.log2(
                n / p.total() / ((q[s] + 0.5) / (q.total() + 128.5))) for s, n in p.items())
            row = told['exponent']['divergence'][key]
            self.assertAlmostEqual(divergence, row['plain'], 2)
            self.assertLess(row['aligned'], 0.5)
        saved = told['exponent']['books']['bf16-grouped'][str(first)]
        self.assertAlmostEqual(100 * (8 - saved['bits']) / 16, saved['saved_percent'], 3)
        evaluation = self.path('evaluation.json')
        self.assert_good(run(CODEBOOK, 'evaluate', '--type', 'bf16', '--json', evaluation,
                             TENSORS / 'bf16-ffn1-act.bin'))
        real = json.loads(evaluation.read_text())['total']['books_saved_percent']
        self.assertLess(real, saved['saved_percent'])  # headers
        self.assertLess(saved['saved_percent'] - real, 0.8)

    def test_comparison_of_sets_takes_the_best_for_each_shard(self):
        path, _ = self.profile('e4m3', '--type', 'e4m3', TENSORS / 'e4m3-attn-act.bin')
        books = self.compare(path)['e4m3']['rotated']['books']
        bits = {name: row[str(path)]['bits'] for name, row in books.items()}
        self.assertLessEqual(bits.pop('the best for each shard'), min(bits.values()))
        self.assertEqual(4, len(bits))


class Errors(ProgramTest):
    def write(self, lines):
        path = self.path('bad.profile')
        path.write_text('\n'.join(lines) + '\n')
        return path

    def test_good_file_is_taken(self):
        self.assert_good(run(CODEBOOK, 'compare', self.write(GOOD)))

    def test_bad_lines_are_named(self):
        for k, (number, text, word) in enumerate(BAD_LINES):
            with self.subTest(text[:60]):
                path = self.write(GOOD[:number - 1] + [text] + GOOD[number:])
                told = number + text.count('\n')
                for command in ['compare'], ['merge', '-o', self.path('new')]:
                    done = run(CODEBOOK, *command, path)
                    self.assert_refused(done, f'{path}:{told}: ', word)
                    self.assertEqual('', done.stdout)
                self.assertFalse(self.path('new').exists(), k)

    def test_files_that_end_early(self):
        for count, word in ((0, 'linepress-profile 1'), (2, 'tensors'), (3, 'missing'),
                            (4, 'missing'), (6, 'missing')):
            with self.subTest(count):
                path = self.write(GOOD[:count])
                self.assert_refused(run(CODEBOOK, 'compare', path), path, word)

    def test_other_files_are_no_profiles(self):
        for path in (TRAINING, self.path('nowhere.profile'), self.dir):
            with self.subTest(path.name):
                self.assert_refused(run(CODEBOOK, 'compare', path), path)
                self.assert_refused(run(CODEBOOK, 'merge', '-o', self.path('new'), path), path)

    def test_mutants_are_refused_or_read(self):
        rng, good = random.Random(SEED), '\n'.join(GOOD).encode() + b'\n'
        refused = 0
        for _ in range(MUTANTS):
            text = bytearray(good)
            for _ in range(rng.randrange(1, 4)):
                at = rng.randrange(len(text))
                choice = rng.randrange(3)
                if choice == 0:
                    text[at] = rng.choice(b'0123456789abcdef:- \n#z\x00\xff')
                elif choice == 1:
                    del text[at:at + rng.randrange(1, 9)]
                else:
                    text[at:at] = text[at // 2:at // 2 + rng.randrange(1, 9)]
            path = self.path('mutant.profile')
            path.write_bytes(text)
            done = run(CODEBOOK, 'merge', '-o', self.path('new.profile'), path)
            if done.returncode != 0:
                refused += 1
                self.assert_refused(done, path)
        self.assertGreater(refused, MUTANTS / 2)
        self.assertLess(refused, MUTANTS)

    def test_each_bad_option_is_one_clear_line(self):
        tensor, profile = TENSORS / 'bf16-ffn1-act.bin', self.write(GOOD)
        new = ['-o', self.path('new.profile')]
        for args, word in (
                (['profile', tensor], '-o'), (['profile', *new], 'INPUT'),
                (['profile', *new, tensor], '--type'),
                (['profile', *new, TRAINING, tensor], '--type'),
                (['profile', *new, '--type', 'bf17', tensor], 'bf17'),
                (['profile', *new, '--type', 'bf16', profile], 'merge'),
                (['profile', *new, '--type', 'bf16', '--rules', 'x', tensor], 'captures only'),
                (['profile', *new, '--type', 'bf16', '--packet-bytes', 255, tensor], '256 to'),
                (['profile', *new, '--type', 'bf16', '--packet-bytes', 258, tensor], 'multiple'),
                (['profile', *new, '--packet-bytes', 1024, TRAINING], 'tensor files only'),
                (['profile', *new, '--min-region', 0, TRAINING], '1 to 65535'),
                (['profile', *new, '--codebooks', self.dir, TRAINING], self.dir),
                (['profile', *new, '--rules', self.path('no'), TRAINING], 'no'),
                (['profile', *new, '--type', 'bf16', self.path('no')], 'no'),
                (['profile', '-o', self.path('no') / 'x', '--type', 'bf16', tensor], 'no/x'),
                (['merge', profile], '-o'), (['merge', *new], 'PROFILE'),
                (['merge', *new, '--weights', '1,2', profile], '2 weights for 1'),
                (['merge', *new, '--weights', '1,', profile], '1 to 1000'),
                (['merge', *new, '--weights', '0', profile], '1 to 1000'),
                (['merge', *new, '--weights', '1001', profile], '1 to 1000'),
                (['merge', *new, '--weights', '1', '--average', profile], 'exclude'),
                (['compare'], '1 or 2'), (['compare', profile, profile, profile], '1 or 2'),
                (['compare', '--json', self.path('no') / 'x', profile], 'no/x'),
                (['compare', '--codebooks', self.dir, profile], self.dir),
                (['build', '--type', 'fp16', '--kind', 'grouped', '--name', 'a', *new, profile],
                 'exponents of fp16'),
                (['build', '--type', 'bf16', '--kind', 'huffman', '--name', 'a', *new, profile],
                 'bytes of bf16')):
            with self.subTest(args=args):
                self.assert_refused(run(CODEBOOK, *args), word)
                self.assertFalse(self.path('new.profile').exists())

    def test_weights_beyond_the_limit(self):
        path = self.write(GOOD[:3] + ['shard 1 00:10 7f:20', 'shard 999999 80:10'])
        done = run(CODEBOOK, 'merge', '-o', self.path('new'), '--weights', 1000, path)
        self.assert_refused(done, path, '1000000')


if __name__ == '__main__':
    main(CODEBOOK)

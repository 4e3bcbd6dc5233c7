# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""Profiles of what is forwarded, alarms of drift, and codebooks suggested because of it."""

import json
import random
import re
import time

import frames as f
from helpers import APPLIANCE, CODEBOOK, TENSORS, TRAINING, main, read_pcap, run, write_pcap
from prompt import PROMPT, PromptTest

SEED = 42
SLOTS = 63  # regions that wait for the thread that profiles
SLICES = 7  # of the capture, so that no slice has more
REGION = 4000
FRAMES = 60
WINDOW = 128
PATIENCE_S = 30
RATE = re.compile(r'(?:Profile|Drift): (.*?)  sampled: (\d+)  missed: (\d+)  stale: (\d+)'
                  r'  noise: (\d+)\n')
SERIES = re.compile(r'^ +(\d+|-) (\S+) +(\w+) +(\d+) +(\d+) .* (-?[\d.]+) %  (alarm)?$', re.M)


def later_steps(rng):
    """Tensors of steps that the codebooks were not built from."""
    tensors = [path.read_bytes() for path in sorted(TENSORS.glob('bf16-*.bin'))]
    for k in range(FRAMES):
        tensor = tensors[k % len(tensors)]
        at = rng.randrange(0, len(tensor) - REGION, 2)
        yield tensor[at:at + REGION]


def narrow(rng):
    """bf16 of a single exponent, which no codebook was built for."""
    for _ in range(FRAMES):
        yield b''.join(bytes([0x80 | rng.randrange(128), 0x3F | rng.randrange(2) << 7])
                       for _ in range(REGION // 2))


class Profiling(PromptTest):
    def setUp(self):
        super().setUp()
        self.said = []

    def ask(self, box, line):
        """What is answered, and what is logged before and meanwhile."""
        box.press_keys(line + '\n')
        said = box.read_until('\n' + PROMPT)
        self.assertNotIn('Bad arguments', said)
        self.said.append(said)
        return said

    def rate(self, box):
        """Rate in words, and what was counted."""
        words, *counts = RATE.search(self.ask(box, 'show profile')).groups()
        return words, [int(n) for n in counts]

    def drift(self, box):
        """By codebook: windows, loss, whether there is an alarm."""
        return {name if name != 'none' else f'none {kind}': (int(windows), float(loss), bool(alarm))
                for _, name, kind, _, windows, loss, alarm in
                SERIES.findall(self.ask(box, 'show drift'))}

    def wait_for(self, what, condition):
        give_up = time.monotonic() + PATIENCE_S
        while not condition():
            self.assertLess(time.monotonic(), give_up, what)
            time.sleep(0.05)

    def wait_for_samples(self, box, count):
        self.wait_for('samples', lambda: self.rate(box)[1][0] >= count)

    def shards(self, path):
        """Shards by type and symbol, in order."""
        found, part = {}, None
        for line in path.read_text().splitlines():
            if line.startswith('tensors'):
                part = found.setdefault(tuple(line.split()[1:3]), [])
            elif line.startswith('shard'):
                part.append(line)
        return found

    def endless(self, name, regions):
        path = write_pcap(self.path(name), [f.roce(region, psn=k)
                                            for k, region in enumerate(regions)])
        return f'rx_pcap={path},infinite_rx=1'

    # ---- profiles ----

    def live_profile(self, capture, eligible):
        box = self.prompt([f'net_pcap0,rx_pcap={capture}', 'net_null0,no-rx=1'])
        self.accept(box, 'set profile on rate 1/1', 'One in 1 regions is profiled')
        self.accept(box, 'start')
        self.wait_for_samples(box, eligible)
        self.assertEqual(['one in 1 regions', [eligible, 0, 0, 0]], list(self.rate(box)))
        path = self.path('live.profile')
        self.accept(box, f'save profile {path}', f'Profile saved to {path}\n')
        self.end(box)
        return path

    def test_profile_is_what_linepress_codebook_counts_in_the_capture(self):
        frames, types = read_pcap(TRAINING), set()
        for k in range(0, SLICES, 3):
            capture = write_pcap(self.path('slice.pcap'), frames[k::SLICES])
            offline = self.path('offline.profile')
            done = self.assert_good(run(CODEBOOK, 'profile', '-o', offline, capture))
            count = sum(map(int, re.findall(r' (?:bf16|fp16|fp32|e4m3) (\d+)', done.stdout)))
            self.assertLessEqual(count, SLOTS)
            counted = self.shards(offline)
            types |= {kind for kind, _ in counted}
            self.assertEqual(counted, self.shards(self.live_profile(capture, count)))
        self.assertEqual({'bf16', 'fp16', 'fp32', 'e4m3'}, types)
        books = []
        for name in 'live', 'offline':
            book = self.path(name + '.book')
            self.assert_good(run(CODEBOOK, 'build', '--type', 'bf16', '--kind', 'grouped', '--name',
                                 'a', '-o', book, self.path(name + '.profile')))
            books.append([line for line in book.read_text().splitlines() if 'source' not in line])
        self.assertEqual(*books)

    def test_profiling_is_switched_while_frames_are_forwarded(self):
        endless = [f'net_pcap0,{self.endless("a.pcap", later_steps(random.Random(SEED)))}',
                   'net_ring0']
        for args in ((), ('--distribution=flow', '--nb-cores=2'), ('--forward-mode=verify',)):
            with self.subTest(args):
                box = self.prompt([], command=self.on_three_lcores(endless, '-i', *args))
                self.accept(box, 'show profile', 'Profile: nothing was sampled')
                self.accept(box, 'show drift', 'Drift: nothing was sampled')
                self.accept(box, 'start')
                self.accept(box, 'set profile on rate 1/10')
                self.wait_for_samples(box, 2 * WINDOW)
                self.accept(box, 'set profile on rate 1/1')
                (words, counts) = self.rate(box)
                self.assertEqual('one in 1 regions', words)
                self.assertGreaterEqual(counts[0], 2 * WINDOW)
                self.accept(box, 'set profile off')
                before = self.rate(box)
                self.assertEqual('off', before[0])
                time.sleep(0.2)
                self.assertEqual(before, self.rate(box))
                self.accept(box, 'show profile', '  bf16: regions: ')
                self.accept(box, 'set profile on rate 1/1000000')
                self.assertLess(self.rate(box)[1][0], 2 * WINDOW)
                self.assertIn(': OK\n', self.accept(box, 'stop'))
                self.end(box)

    def test_wrong_commands_are_refused(self):
        box = self.prompt([f'net_pcap0,rx_pcap={TRAINING}', 'net_null0,no-rx=1'])
        file = self.path('a.book')
        for line, *words in (
                ('save profile /tmp/x', 'set profile on'),
                (f'suggest codebook {file}', 'set profile on'),
                ('set profile on rate 100', '100', '1/N with N of 1 to 1000000'),
                ('set profile on rate 1/0', '1/0', '1 to 1000000'),
                ('set profile on rate 1/1000001', '1000001'), ('set profile on rate 1/x', '1/x'),
                ('set drift threshold 0', '1 to 50'), ('set drift threshold 51', '51', '1 to 50'),
                ('set drift threshold x', 'x')):
            self.refuse(box, line, *words)
        self.accept(box, 'set profile on rate 1/1')
        for line, *words in (
                (f'save profile {self.path("x.profile")}', 'no region'),
                (f'suggest codebook {file}', 'all codebooks fit; name a type'),
                (f'suggest codebook {file} int8', 'nothing of type int8'),
                (f'suggest codebook {file} int7', 'int7', 'bf16'),
                (f'suggest codebook {self.path("a,b.book")} bf16', 'a,b.book', '1 to 47')):
            self.refuse(box, line, *words)
        self.accept(box, 'start')
        self.wait_for_samples(box, SLOTS)
        for line in f'save profile {self.dir}', 'save profile /nonexistent/a.profile':
            self.assertIn('not written', self.ask(box, line))
        self.assertIn('not written', self.ask(box, 'suggest codebook /nonexistent/a.book bf16'))
        self.assertFalse(file.exists())
        self.end(box)

    # ---- drift ----

    def drifting_box(self):
        """Ports 0 and 1 forward what fits, ports 2 and 3 what does not."""
        rng = random.Random(SEED)
        report = self.path('stats.json')
        box = self.prompt([f'net_pcap0,{self.endless("fits.pcap", later_steps(rng))}',
                           'net_null0,no-rx=1',
                           f'net_pcap1,{self.endless("narrow.pcap", narrow(rng))}',
                           'net_null1,no-rx=1'], f'--stats-json={report}')
        self.accept(box, 'set profile on rate 1/2')
        return box, report

    def forward(self, box, ports):
        self.ask(box, f'set portlist {ports}')
        self.ask(box, 'start')

    def stop(self, box, report):
        self.ask(box, 'stop')
        return {book['name']: book for book in json.loads(report.read_text())['drift']}

    def wait_for_windows(self, box, count):
        """From now on."""
        windows = self.drift(box).get('bf16-grouped', (0,))[0] + count
        self.wait_for('windows', lambda: self.drift(box).get('bf16-grouped', (0,))[0] >= windows)

    def has_alarm(self, box):
        return self.drift(box)['bf16-grouped'][2]

    def suggest(self, box, book):
        """Percents that it would save, and that are saved."""
        said = self.ask(box, f'suggest codebook {book}')
        self.assertIn(f'Codebook for bf16 written to {book}', said)
        self.assertIn('that do not fit', said)
        return map(float, re.search(r'it would save ([\d.]+) % of them.*at present ([\d.]+) %',
                                    said).groups())

    def test_drift_raises_an_alarm_until_data_fits_again(self):
        box, report = self.drifting_box()
        self.ask(box, 'set log lp.app 6')
        self.forward(box, '0,1')
        self.wait_for_windows(box, 6)
        fits = self.stop(box, report)['bf16-grouped']
        self.assertEqual((0, 0), (fits['alarm'], fits['alarms']))
        self.assertLess(fits['loss_ppm'], 50000)
        self.assertGreater(fits['loss_ppm'], 0)

        self.ask(box, 'set drift threshold 30')
        self.forward(box, '2,3')
        self.wait_for_windows(box, 4)
        self.assertFalse(self.has_alarm(box), 'threshold is not respected')
        self.ask(box, 'set drift threshold 5')
        self.wait_for('alarm', lambda: self.has_alarm(box))
        book = self.path('suggested.book')
        saves, saved = self.suggest(box, book)
        self.assertGreater(saves, saved + 4)
        drifts = self.stop(box, report)['bf16-grouped']
        self.assertEqual((1, 1), (drifts['alarm'], drifts['alarms']))
        self.assertGreater(drifts['loss_ppm'], 50000)
        self.assertGreater(drifts['divergence_millibits'], 1000)

        self.forward(box, '0,1')
        self.wait_for('end of the alarm', lambda: not self.has_alarm(box))
        ended = self.stop(box, report)['bf16-grouped']
        self.assertEqual((0, 1), (ended['alarm'], ended['alarms']))
        self.assertEqual(['does not fit', 'fits again'],
                         re.findall(r'linepress: drift: codebook 1 bf16-grouped '
                                    r'(does not fit|fits again)', ''.join(self.said)))

        self.assertNotIn('suggested', self.ask(box, 'show codebook all'))
        self.assertIn('Codebook 200 loaded', self.ask(box, f'load codebook {book} id 200'))
        self.forward(box, '2,3')
        self.wait_for('windows', lambda: self.drift(box).get('suggested', (0,))[0] > 0)
        self.assertLess(self.drift(box)['suggested'][1], drifts['loss_ppm'] / 10000)
        self.ask(box, 'stop')
        self.end(box)


if __name__ == '__main__':
    main(APPLIANCE, CODEBOOK)

# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""Rules, codebooks and checks that change while frames are forwarded."""

import re
import shutil

import frames
from helpers import APPLIANCE, CODEBOOKS, TRAINING, main, read_pcap, run, write_pcap
from prompt import PromptTest

RELOADS = 100
BALANCE = re.compile(r'  (\w+): received (\d+) = transmitted (\d+) \+ dropped (\d+) \(press (\d+), '
                     r'tx_full (\d+)(?:, dist_full (\d+))?\): OK\n')
RULE = re.compile(r'^(\d+|-):  (.*)\n    packets: (\d+)  coded: (\d+)  region-bytes: (\d+)  '
                  r'line-bytes: (\d+)  saved: .*\n(?:    would be coded: (\d+) )?', re.M)
CODED, OTHER = 'bf16-grouped.book', 'fp32-grouped.book'


class Rules(PromptTest):
    endless = [f'net_pcap0,rx_pcap={TRAINING},infinite_rx=1', 'net_ring0']

    def endless_box(self, *args):
        """Frames of training traffic without end, to the line and back to the host."""
        return self.prompt(self.endless, *args)

    def rules(self, name, text):
        self.path(name).write_text(text)
        return self.path(name)

    def shown(self, box):
        """Texts and counters of the rules: packets, coded, region and line bytes, would be."""
        return {number: (text, [int(n or 0) for n in counts])
                for number, text, *counts in RULE.findall(self.accept(box, 'show rules'))}

    def wait_until_matched(self, box, number):
        for _ in range(200):
            rules = self.shown(box)
            if rules[number][1][0] > 0:
                return rules
        raise AssertionError(f'rule {number} matches nothing: {rules}')

    def stop(self, box):
        """Not before there is something that could be lost."""
        self.wait_for_answer(box, 'show press stats', 'RX-packets')
        return self.accept(box, 'stop')

    def assert_nothing_lost(self, said, may_be_late=False):
        """What lcores have no time for may be dropped, and counted, if they are too late."""
        balances = BALANCE.findall(said)
        self.assertEqual(['compress', 'restore'], [name for name, *_ in balances], said)
        for _, received, sent, dropped, by_press, tx_full, dist_full in balances:
            self.assertGreater(int(received), 0)
            self.assertEqual(int(received), int(sent) + int(dropped), said)
            self.assertEqual('0', by_press, said)
            late = int(tx_full) + int(dist_full or 0)
            self.assertEqual(late if may_be_late else 0, int(dropped), said)

    # ---- rules ----

    def test_rules_take_effect_and_count(self):
        box = self.endless_box()
        self.accept(box, 'show rules', 'No rules: all eligible frames are coded\n')
        self.accept(box, 'start')
        some = self.rules('some rules', '# comment\nproto roce -> dry-run\n\nproto tcp   -> pass\n')
        self.accept(box, f'set rules {some} # comment', f'Rules loaded from {some}: 2\n')
        self.wait_until_matched(box, '1')
        self.wait_until_matched(box, '2')
        said = self.stop(box)
        self.assert_nothing_lost(said)
        self.assertRegex(said, r'\n    rule: [1-9]\d*\n    dry_run: [1-9]')
        rules = self.shown(box)
        self.assertEqual(['proto roce -> dry-run', 'proto tcp -> pass',
                          'no rule matches -> books all'], [text for text, _ in rules.values()])
        dry, passed, _ = (counts for _, counts in rules.values())
        self.assertEqual(0, dry[1] + passed[1], 'coded')
        self.assertEqual((dry[2], passed[2]), (dry[3], passed[3]), 'bytes')
        self.assertGreater(dry[4], 0, 'would be coded')
        self.accept(box, 'start')
        self.accept(box, 'set rules none', 'No rules')
        self.accept(box, 'show rules', 'No rules: all eligible frames are coded\n')
        self.assert_nothing_lost(self.stop(box))
        self.end(box)

    def test_bad_rules_leave_the_old_ones_in_force(self):
        box = self.endless_box()
        good = self.rules('good', 'proto tcp -> pass\n')
        bad = self.rules('bad', 'proto tcp -> pass\nproto udpp -> pass\n')
        self.accept(box, 'start')
        self.accept(box, f'set rules {good}')
        before = self.wait_until_matched(box, '1')['1'][1][0]
        self.refuse(box, f'set rules {bad}', f'{bad}:2:7: ', 'udpp')
        self.refuse(box, 'set rules /nonexistent', '/nonexistent', 'No such file')
        rules = self.shown(box)
        self.assertEqual('proto tcp -> pass', rules['1'][0])
        self.assertGreaterEqual(rules['1'][1][0], before)
        self.assert_nothing_lost(self.stop(box))
        self.end(box)

    def reload(self, box, may_be_late=False):
        tcp = self.rules('tcp', 'proto tcp -> pass\n')
        roce = self.rules('roce', 'proto roce -> pass\nproto tcp -> books all\n')
        self.accept(box, 'start')
        for k in range(RELOADS):
            self.accept(box, f'set rules {(tcp, roce)[k % 2]}', 'Rules loaded from')
        self.wait_until_matched(box, '2')
        said = self.stop(box)
        self.assert_nothing_lost(said, may_be_late)
        self.assertRegex(said, r'\n    rule: [1-9]\d*\n')
        self.assertRegex(said, r'\n  coded: [1-9]\d* ')
        self.end(box)

    def test_rules_are_reloaded_while_frames_are_forwarded(self):
        self.reload(self.endless_box())

    def test_rules_are_reloaded_while_frames_are_distributed_by_flow(self):
        box = self.prompt([], command=self.on_three_lcores(
            self.endless, '-i', '--distribution=flow', '--nb-cores=2'))
        self.reload(box, may_be_late=True)

    def test_rules_are_reloaded_while_lcores_sleep(self):
        self.reload(self.endless_box('--idle-sleep-us=1000'))

    def test_no_frame_is_lost_changed_or_overtaken_by_a_reload(self):
        """Rules change all the time while a capture goes to the line and back."""
        tensor = frames.bf16(2000)
        sent = [frames.roce(tensor, psn=k) if k % 2 else frames.tcp(tensor[:1400], seq=k)
                for k in range(6000)]
        write_pcap(self.path('in.pcap'), sent)
        some = [self.rules('a', 'proto roce -> pass\n'), self.rules('b', 'proto tcp -> pass\n')]
        self.path('commands').write_text('set verify on\nstart\n' + ''.join(
            f'set rules {some[k % 2]}\n' for k in range(RELOADS)))
        out = self.path('out.pcap')
        done = run(APPLIANCE, *self.command_of_devices(
            [f'net_pcap0,rx_pcap={self.path("in.pcap")},tx_pcap={out}', 'net_ring0'],
            f'--cmdline-file={self.path("commands")}', '--kernel=portable', '--duration=3'))
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertEqual(sent, [frame.data for frame in read_pcap(out)])
        self.assert_nothing_lost(done.stdout)

    def test_rules_of_the_command_line(self):
        bad = self.rules('bad', '-> fly\n')
        good = self.rules('good', '-> pass\n')
        ports = [(TRAINING, self.path('a')), (self.nothing, self.path('b'))]
        for args, *words in [([f'--rules={bad}'], f'{bad}:1:4: ', 'fly'),
                             (['--rules=/nonexistent'], '/nonexistent', 'No such file'),
                             ([f'--rules={good}', '--forward-mode=restore'], '--rules', 'restore')]:
            done = run(APPLIANCE, *self.command(ports, *args))
            self.assertEqual(1, done.returncode, done.stdout)
            for word in words:
                self.assertIn(word, done.stderr)
        done = run(APPLIANCE, *self.command(ports, f'--rules={good}', '--duration=1'))
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertRegex(done.stdout, r'coded: 0 .*\n(?:.*\n)+    rule: [1-9]\d*\n')

    def test_rules_of_the_command_line_are_replaced_before_they_are_used(self):
        """In mode io they are not read, and so nobody has seen that they are wrong."""
        bad, good = self.rules('bad', 'nonsense\n'), self.rules('good', 'proto tcp -> pass\n')
        for command, shown in [('none', 'No rules'), (good, 'proto tcp -> pass')]:
            box = self.prompt(self.endless, '--forward-mode=io', f'--rules={bad}')
            self.refuse(box, f'set rules {bad}', f'{bad}:1:1: ')
            self.accept(box, f'set rules {command}')
            self.accept(box, 'show rules', shown)
            self.accept(box, 'set fwd press')
            self.accept(box, 'start')
            self.end(box)

    # ---- codebooks ----

    def books(self, *names):
        directory = self.path('books')
        directory.mkdir()
        for name in names:
            shutil.copy(CODEBOOKS / name, directory)
        return directory

    def test_codebook_is_installed_while_frames_are_forwarded(self):
        books = self.books(OTHER)
        rules = self.rules('rules', '\n\nproto tcp -> books fp32-grouped\n')
        box = self.endless_box(f'--codebooks={books}')
        path, number = CODEBOOKS / CODED, 1
        self.accept(box, 'start')
        self.accept(box, f'set rules {rules}')
        self.accept(box, f'load codebook {path} id {number}', f'Codebook {number} loaded, digest ')
        self.wait_for_answer(box, f'show codebook {number}', 'bf16-grouped')
        self.assertEqual('proto tcp -> books fp32-grouped', self.shown(box)['1'][0])
        self.accept(box, f'load codebook  {path}  id  {number} ', 'is loaded already')
        self.wait_for_answer(box, 'show press stats', 'codebook 1 bf16-grouped: packets: ')
        self.assert_nothing_lost(self.stop(box))
        self.end(box)

    def test_codebook_that_cannot_be_installed_is_refused(self):
        box = self.endless_box(f'--codebooks={self.books(OTHER)}')
        book = CODEBOOKS / CODED
        anonymous = self.path('anonymous.book')
        anonymous.write_text(re.sub(r'\nid \d+\n', '\n', book.read_text()))
        broken = self.rules('broken.book', 'linepress-codebook 1\nname\n')
        self.accept(box, 'start')
        for line, *words in [
                (f'{book} id 2', 'id 2', 'id 1'), (f'{anonymous} id 3', 'id 3', 'fp32-grouped'),
                (f'{broken} id 9', f'{broken}:2: '), ('/nonexistent id 9', 'No such file'),
                (f'{book} id 0', '1 to 255'), (f'{book} id 256', '1 to 255'),
                (f'{book} id', 'FILE id N'), (f'{book}', 'FILE id N'), ('id 9', 'FILE id N')]:
            self.refuse(box, f'load codebook {line}', *words)
        self.assertNotIn('bf16', self.accept(box, 'show codebook all'))
        self.accept(box, f'load codebook {anonymous} id 200', 'Codebook 200 loaded')
        self.assert_nothing_lost(self.stop(box))
        self.end(box)

    def test_codebook_is_retired_while_frames_are_forwarded(self):
        """Nothing is coded with it any more; its number is not free at once, but for itself."""
        box = self.endless_box(f'--codebooks={self.books(CODED, OTHER)}')
        book = CODEBOOKS / CODED
        other = self.path('other.book')
        text = (CODEBOOKS / OTHER).read_text()
        other.write_text(text.replace('\nname ', '\nname another-').replace('\nid 3\n', '\n'))
        self.accept(box, 'start')
        for number, *words in [('0', '1 to 255'), ('x', '1 to 255'), ('256', '1 to 255'),
                               ('7', 'no such codebook')]:
            self.refuse(box, f'retire codebook {number}', *words)
        self.accept(box, f'set rules {self.rules("named", "-> books bf16-grouped")}')
        self.refuse(box, 'retire codebook 1', 'the rules name it')
        self.accept(box, 'set rules none')
        self.accept(box, 'retire codebook 1', 'Codebook 1 retired')
        self.refuse(box, 'retire codebook 1', 'no such codebook')
        self.refuse(box, f'set rules {self.path("named")}', 'named:1:', 'bf16-grouped',
                    'retired codebooks do not count')
        self.refuse(box, 'retire codebook 3', 'the only one')
        self.assertRegex(self.accept(box, 'show codebook all'), r' 1 bf16-grouped .* retired\n')
        self.wait_for_stats_without(box, 'codebook 1 ', 'codebook 3 fp32-grouped: packets: ')
        self.refuse(box, f'load codebook {other} id 1', 'free again in')
        self.accept(box, f'load codebook {book} id 1', 'Codebook 1 loaded')
        self.wait_for_answer(box, 'show press stats', 'codebook 1 bf16-grouped: packets: ')
        self.assert_nothing_lost(self.stop(box))
        self.end(box)

    # ---- checks ----

    def test_checks_are_switched_while_frames_are_forwarded(self):
        box = self.endless_box()
        self.accept(box, 'set verify on', 'Coded frames are checked before they are sent\n')
        self.accept(box, 'start')
        self.accept(box, 'set verify off', 'Coded frames are not checked before they are sent\n')
        self.accept(box, 'set verify on')
        said = self.stop(box)
        self.assert_nothing_lost(said)
        self.assertNotIn('miscoded', said)
        self.assertRegex(said, r'\n  coded: [1-9]\d* ')
        self.end(box)


if __name__ == '__main__':
    main(APPLIANCE)

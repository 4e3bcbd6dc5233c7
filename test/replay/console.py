# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""The prompt, with what testpmd's users type there: what is answered, and what comes of it."""

import os
import re
import shutil
import subprocess

from appliance_help import frames_written
from helpers import APPLIANCE, TRAINING, main, read_pcap, run
from prompt import FRAMES, RINGS, PromptTest

REMINDER = 'Configuration changes only become active when forwarding is started/restarted\n'


class Console(PromptTest):
    # ---- forwarding ----

    def test_start_stop_and_what_was_forwarded(self):
        box = self.prompt(self.capture_and_ring())
        self.assertIn('Packet forwarding not started', self.accept(box, 'stop'))
        self.accept(box, 'start', '  RX P=0/Q=0 (socket 0) -> TX P=1/Q=0 (socket 0) compress\n')
        self.refuse(box, 'start', 'already started')
        self.refuse(box, 'start tx_first', 'no frames of its own')
        self.wait_for_frames('out.pcap')
        running = self.accept(box, 'show fwd stats all')
        stopped = self.accept(box, 'stop', 'Telling cores to stop...\n')
        for said in running, stopped:
            self.assertIn(f'  ---------------------- Forward statistics for port 0  -------------'
                          f'---------\n  RX-packets: {FRAMES}            RX-dropped: 0             '
                          f'RX-total: {FRAMES}\n', said)
            self.assertIn('Press statistics: compress', said)
        self.assertIn(f'restore: received {FRAMES} = transmitted {FRAMES} + dropped 0', stopped)
        self.assertIn(f'RX-packets: {FRAMES} ', self.accept(box, 'show fwd stats all'))
        self.end(box)
        self.assert_same_bytes(read_pcap(TRAINING), read_pcap(self.path('out.pcap')))

    def test_what_the_next_start_does(self):
        """The burst, the mode: accepted while frames are forwarded, seen at the next start."""
        box = self.prompt(self.capture_and_ring())
        self.accept(box, 'set burst 7', 'Number of packets per burst set to 7\n')
        self.accept(box, 'show config rxtx', '  press packet forwarding packets/burst=7\n')
        self.accept(box, 'set fwd io', 'Set io packet forwarding mode\n')
        self.accept(box, 'start', '  io packet forwarding packets/burst=7\n')
        self.wait_for_frames('out.pcap')
        self.accept(box, 'set burst 4', REMINDER)
        self.accept(box, 'set fwd verify', REMINDER)
        said = self.accept(box, 'stop', f'io: received {2 * FRAMES} = ')
        self.assertNotIn('verify', said)
        self.accept(box, 'port stop all', 'net_pcap opens its files anew')
        self.accept(box, 'port start all')
        self.assertLessEqual(frames_written(self.path('out.pcap')), 0)
        self.accept(box, 'start', '  verify packet forwarding packets/burst=4\n')
        self.wait_for_frames('out.pcap')
        self.accept(box, 'stop', 'verify: 0 frames differ: OK')
        self.end(box)

    def test_lcores(self):
        box = self.prompt([], command=self.on_three_lcores(RINGS, '-i'))
        self.accept(box, 'show config cores', 'List of forwarding lcores:  1\n')
        self.accept(box, 'set nbcore 2', 'Number of forwarding cores set to 2\n')
        self.accept(box, 'show config cores', 'List of forwarding lcores:  1 2\n')
        self.accept(box, 'set corelist 2', 'previous number of forwarding cores 2 - changed to '
                    'number of configured cores 1\n')
        said = self.accept(box, 'show config fwd', 'Logical Core 2 (socket 0) forwards packets on '
                           '2 streams:\n')
        self.assertNotIn('Core 1', said)
        self.refuse(box, 'set nbcore 2', 'set nbcore 2: must be 1 to 1')
        self.accept(box, 'set coremask 0x6')
        self.accept(box, 'start', 'Logical Core 2 (socket 0) forwards packets on 1 streams:\n')
        for line in 'set nbcore 1', 'set corelist 1', 'set coremask 2':
            self.refuse(box, line, 'please stop forwarding first')
        self.accept(box, 'stop', 'lcore 2: rounds: ')
        for line, *words in [('set nbcore 0', '0', '1 to 2'), ('set nbcore 3', '3', '1 to 2'),
                             ('set nbcore x', 'x', '1 to 2'), ('set corelist 7', '7'),
                             ('set corelist 1,1', 'twice'), ('set corelist 0', '0', 'main lcore'),
                             ('set corelist 1;2', '1;2', 'list of lcores'),
                             ('set coremask 0', '0', 'mask'), ('set coremask 0x1', 'lcore 0'),
                             ('set coremask zz', 'zz', 'mask')]:
            self.refuse(box, line, *words)
        self.accept(box, 'show config cores', 'List of forwarding lcores:  1 2\n')
        self.end(box)

    def test_forwarding_ports(self):
        box = self.prompt(['net_ring0', 'net_ring1', 'net_ring2', 'net_ring3'])
        self.accept(box, 'set portlist 3,0', 'previous number of forwarding ports 4 - changed to '
                    'number of configured ports 2\n')
        said = self.accept(box, 'show config fwd', 'RX P=3/Q=0 (socket 0) -> TX P=0/Q=0')
        self.assertNotIn('P=1', said)
        self.accept(box, 'set portmask 0xf')
        self.accept(box, 'start', 'ports=4 - ')
        self.accept(box, 'set portmask 3', REMINDER)
        self.accept(box, 'stop')
        for line, *words in [('set portlist 0,9', 'port 9', '0,1,2,3'),
                             ('set portlist 1,1', 'twice'), ('set portlist a', 'list of ports'),
                             ('set portmask 0x10', 'port 4', '0,1,2,3'),
                             ('set portmask 0', 'mask')]:
            self.refuse(box, line, *words)
        self.accept(box, 'show config rxtx', 'nb forwarding ports=2\n')
        self.end(box)

    def test_what_is_not_offered_says_why(self):
        box = self.prompt(RINGS, '--forward-mode=io')
        self.accept(box, 'set flush_rx off')
        self.refuse(box, 'set flush_rx on', 'never flushed')
        self.refuse(box, 'set eth-peer 0 02:00:00:00:00:01', 'never rewrites MAC')
        for line, *words in [('set burst 0', '1 to 512'), ('set burst 513', '513', '1 to 512'),
                             ('set burst -1', '-1', '1 to 512'), ('set burst 4x', '4x'),
                             ('set fwd rxonly', 'rxonly', 'press, compress, restore, io'),
                             ('load /nonexistent', '/nonexistent: No such file')]:
            self.refuse(box, line, *words)
        self.accept(box, 'show config rxtx', '  io packet forwarding packets/burst=32\n')
        self.assertIn('Command not found', box.type('frobnicate'))
        self.assertIn('Bad arguments', box.type('set frobnicate'))
        self.end(box)

    def test_what_is_no_command_is_told_by_its_first_wrong_word(self):
        box = self.prompt(RINGS, '--forward-mode=io')
        for line, *words in [
                ('frobnicate now', 'Command not found: frobnicate now: `frobnicate` must be start, ',
                 ' show, ', '; see `help`'),
                ('set frobnicate 3', 'Bad arguments: set frobnicate 3: `frobnicate` must be fwd, ',
                 ' burst, ', '; see `help all`'),
                ('set burst', 'Bad arguments: set burst: a word is missing at its end; usage: ',
                 '1 to 512'),
                ('set burst 3 4', 'Bad arguments: set burst 3 4: `4` is too much; usage: '),
                ('set promisc 0 maybe', '`maybe` must be on or off; usage: set promisc P|all'),
                ('show port', 'show port: a word is missing', '; see `help all`'),
                ('show config  # which?', 'which must be rxtx, cores, fwd or press; usage: '),
                ('port config all foo 1', '`foo` must be rxq, txq, rxd, txd or max-pkt-len'),
                ('help nothing', '`nothing` must be all, ', ', or be left out; see `help all`'),
                ('stop now', 'Bad arguments: stop now: `now` is too much; usage: stop: '),
                ('set burst ' + 'x' * 128, f'`{"x" * 40}...` is longer than 127 bytes')]:
            self.refuse(box, line, *words)
        self.accept(box, '')
        self.accept(box, '# a comment')
        self.end(box)

    def test_keys_edit_and_bring_back_lines(self):
        """The library's editor of lines, whose answers are ours."""
        up, left = '\x1b[A', '\x1b[D'
        box = self.prompt(RINGS, '--forward-mode=io')
        self.accept(box, 'set burst 11', 'burst set to 11\n')
        self.accept(box, 'set burst 11', 'burst set to 11\n')
        self.accept(box, 'set burst 12', 'burst set to 12\n')
        self.accept(box, up, 'burst set to 12\n')
        self.accept(box, up + up, 'burst set to 11\n')
        self.accept(box, 'set burst 9' + left + '1', 'burst set to 19\n')
        self.accept(box, 'set burst 12\x7f5', 'burst set to 15\n')
        self.end(box)

    def test_what_frames_are_pressed_by_is_shown(self):
        box = self.prompt(self.capture_and_ring(), '--peer=static')
        self.accept(box, 'show peer', 'Packet forwarding not started\n')
        said = self.accept(box, 'show config press', '  verify: off\n  profile: off\n')
        self.assertRegex(said, r'^  codebooks: \d+ - kernel=\w+\n  rules: none, ')
        for what, shown in ('on', 'on'), ('1/16', '1/16'), ('1/1', 'on'), ('off', 'off'):
            self.accept(box, f'set verify {what}')
            self.accept(box, 'show config press', f'  verify: {shown}\n')
        self.accept(box, 'set profile on rate 1/7')
        self.accept(box, 'show config press', '  profile: 1/7\n  link-propagation: on\n')
        self.path('rules').write_text('proto udp -> pass\n')
        self.accept(box, f'set rules {self.path("rules")}')
        self.accept(box, 'show config press', '  rules: 1\n')
        self.end(box)
        box = self.prompt(RINGS, '--forward-mode=io')
        self.accept(box, 'show config press', '  codebooks: none, mode io needs none\n')
        self.accept(box, 'start')
        self.accept(box, 'show peer', 'No frames are coded in this mode\n')
        self.accept(box, 'stop')
        self.end(box)

    # ---- the prompt itself ----

    def test_help_and_completion(self):
        box = self.prompt(RINGS, '--forward-mode=io')
        everything = self.accept(box, 'help')
        self.assertEqual(everything, self.accept(box, 'help all'))
        for section in re.findall(r'\(help (\w+)\):', everything):
            said = self.accept(box, f'help {section}')
            self.assertIn(said, everything)
            self.assertLess(len(said), len(everything))
        self.assertIn('Bad arguments', box.type('help nothing'))
        box.press_keys('set bur\t')
        box.read_until('set burst ')
        self.accept(box, '9', 'burst set to 9\n')
        box.press_keys('show port \t')
        for word in 'info', 'summary', 'stats', 'xstats':
            box.read_until(f' {word}')
        self.accept(box, 'summary all', 'Number of available ports: 2\n')
        self.end(box)

    def test_ends_with_its_input(self):
        """At a terminal and without; forwarding is stopped, nothing is lost."""
        for said_before in '', 'start\n':
            with self.subTest(input=said_before):
                done = subprocess.run([APPLIANCE, *self.command_of_devices(RINGS, '-i',
                                                                           '--forward-mode=io')],
                                      input=said_before, capture_output=True, text=True,
                                      timeout=60, check=False)
                self.assertEqual(0, done.returncode, done.stderr)
                self.assertEqual(bool(said_before), '\nDone.\n' in done.stdout)
                self.assertTrue(done.stdout.endswith('Bye...\n'), done.stdout)
        box = self.prompt(RINGS, '--forward-mode=io', '-a')
        self.assertIn('io packet forwarding', box.start)
        status, said = box.end('\x04')
        self.assertEqual(0, status, said)
        self.assertIn('io: received 0 = transmitted 0 + dropped 0', said)

    def test_a_signal_ends_it(self):
        for signum in 2, 15:
            box = self.prompt(RINGS, '--forward-mode=io')
            self.accept(box, 'start')
            box.box.send_signal(signum)
            said = box.read_until(None)
            self.assertEqual(0, box.box.wait(20), said)
            self.assertIn('io: received 0 = ', said)

    def test_log_levels(self):
        box = self.prompt(RINGS, '--forward-mode=io')
        odd = 'odd forward ports number'
        self.assertIn(odd, box.type('set portlist 0'))
        self.accept(box, 'set log lp.app 3')
        self.assertNotIn(odd, box.type('set portlist 0'))
        self.accept(box, 'set log lp[.]a.* 5')
        self.assertIn(odd, box.type('set portlist 0'))
        self.accept(box, 'set log global 2')
        self.assertNotIn(odd, box.type('set portlist 0'))
        self.accept(box, 'set log global 8')
        for line, *words in [('set log lp.app 9', '9', '1 (emergency) to 8 (debug)'),
                             ('set log lp.app 0', '0'), ('set log lp.app debug', 'debug'),
                             ('set log nothing 3', 'nothing'), ('set log [ 3', 'expression')]:
            self.refuse(box, line, *words)
        self.assertIn(odd, box.type('set portlist 0'))
        self.end(box)

    def test_frames_are_printed(self):
        """From the next start to its end; no more than a terminal bears, the rest is counted."""
        box = self.prompt(self.capture_and_ring())
        for line in 'set verbose 4', 'set verbose x':
            self.refuse(box, line, line, '0 (nothing), 1 (frames received)')
        self.accept(box, 'set verbose 3', 'Change verbose level from 0 to 3\n')
        box.press_keys('start\n')
        self.wait_for_frames('out.pcap')
        box.press_keys('stop\n')
        said = box.read_until('\nDone.\n')
        self.assertEqual(2 * FRAMES, len(re.findall('^  src=.* - Receive queue=0x0$', said, re.M)))
        self.assertEqual(2 * FRAMES, len(re.findall('^  src=.* - Send queue=0x0$', said, re.M)))
        first = read_pcap(TRAINING)[0].data
        self.assertRegex(said, r'port 0/queue 0: received \d+ packets\n'
                         f'  src={first[6:12].hex(":").upper()} - dst={first[:6].hex(":").upper()} '
                         f'- pool=lp_mbufs_0 - type=0x0800 - length={len(first)} - nb_segs=1 - '
                         'sw ptype: L2_ETHER L3_IPV4 L4_UDP  - l2_len=14 - l3_len=20 - l4_len=8')
        self.accept(box, 'set verbose 0')
        self.accept(box, 'start')
        self.assertNotIn('queue=0x0', self.accept(box, 'stop'))
        self.end(box)
        done = self.run_file('set verbose 1\n', '--duration=1', devices=['net_null0', 'net_ring0'])
        self.assertEqual(0, done.returncode, done.stderr)
        shown = done.stdout.count('  src=')
        hidden = sum(map(int, re.findall(r'queue 0: (\d+) packets not shown', done.stdout)))
        self.assertGreater(hidden, 0)
        self.assertIn(f'io: received {shown + hidden} = ', done.stdout)

    # ---- as testpmd ----

    def test_shows_what_testpmd_shows(self):
        """The same lines of the same ports, but for what is set up otherwise on purpose."""
        if shutil.which('dpdk-testpmd') is None:
            self.skipTest('needs dpdk-testpmd')
        shows = ['show port summary all', 'show port xstats all', 'show port stats all',
                 'show port info all', 'show config rxtx', 'show config cores']
        answers = []
        for program, *args in (['dpdk-testpmd', '--total-num-mbufs=2048'],
                               [APPLIANCE, '--no-mlockall', '--forward-mode=io',
                                '--rxd=512', '--txd=512']):
            command = self.command_of_devices(self.capture_and_ring())
            command = command[:command.index('--') + 1] + ['-i', *args]
            done = subprocess.run([program, *command], input='\n'.join([*shows, 'quit', '']),
                                  capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(0, done.returncode, done.stderr)
            said = done.stdout[done.stdout.index('Number of available ports'):]
            said = re.sub(r'(?:testpmd|linepress)> [^\n]*\n?', '', said)
            said = re.sub(r'MTU: \d+|[RT]X desc=\d+', '', said)
            said = said.partition('Stopping port 0')[0].partition('Primary: ')[0]
            answers.append([line for line in said.splitlines() if line])
        self.assertGreater(len(answers[0]), 100)
        self.assertEqual(*answers)

    # ---- command files ----

    def run_file(self, text, *args, devices=RINGS, **options):
        self.path('commands').write_text(text)
        return run(APPLIANCE, *self.command_of_devices(
            devices, '--forward-mode=io', f'--cmdline-file={self.path("commands")}', *args),
            **options)

    def test_command_files(self):
        """Comments, files that load files, what comes after; names begin where the program runs."""
        self.path('inner').write_text('set burst 5\n')
        done = self.run_file('# a comment\n\nload inner # another\nshow config rxtx\n',
                             '--duration=1', cwd=self.dir)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn('inner:1: set burst 5\n', done.stdout)
        self.assertIn(f'{self.path("commands")}:4: show config rxtx\n  io packet forwarding '
                      'packets/burst=5\n', done.stdout)
        self.assertIn('io: received 0 = ', done.stdout)  # forwarding has begun by itself
        done = self.run_file('set burst 5\nquit\nset burst 0\n')
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertNotIn('Forward statistics', done.stdout)

    def test_command_files_stop_at_the_first_failure(self):
        inner = self.path('inner')
        for text, *words in [
                ('set burst 3\nset burst 0\nset burst 4\n', ':2: set burst 0: must be 1 to 512'),
                ('frob\n', ':1: command not found: frob'),
                ('show port stats 8\n', ':1: show port stats 8', 'open ports, 0,1'),
                ('port stop all\nport config all rxq 99\n', ':2: rxq 99 invalid'),
                ('set verbose\n', ':1: bad arguments: set verbose'),
                ('load /nonexistent\n', ':1: /nonexistent: No such file'),
                (f'load {self.path("commands")}\n', 'more than 8 deep'),
                (f'start\nload {inner}\nset burst 4\n', f'{inner}:1: set burst 9999'),
                ('set burst 1' + ' ' * 5000 + '\n', ':1: line longer than'),
                ('set burst 1\0\n', ':1: a byte of value 0'),
                ('set burst 4\0 never read', ':1: a byte of value 0'),
                ('set burst 4\rset burst 5\n', ':1: a carriage return before the end')]:
            with self.subTest(text=text[:40]):
                inner.write_text('set burst 9999\n')
                done = self.run_file(text)
                self.assertEqual(1, done.returncode, done.stdout + done.stderr)
                for word in words:
                    self.assertIn(word, done.stderr)
                self.assertNotIn('burst set to 4', done.stdout)
        done = run(APPLIANCE, *self.command_of_devices(RINGS, '--cmdline-file=/nowhere'))
        self.assertEqual(1, done.returncode)
        self.assertIn('/nowhere: No such file', done.stderr)

    def test_the_prompt_comes_after_the_files(self):
        self.path('commands').write_text('set burst 6\nstart\n')
        box = self.prompt(RINGS, '--forward-mode=io',
                          f'--cmdline-file={self.path("commands")}')
        self.assertIn('packets/burst=6\n', box.start)
        self.accept(box, 'stop', 'io: received 0 = ')
        self.refuse(box, f'load {os.path.join(self.dir, "nothing.pcap")}')
        self.end(box)


if __name__ == '__main__':
    main(APPLIANCE)

# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""What the programs may do and show: no capability is needed for devices that need none, the key is
never shown, and what is written can be written by the owner only."""

import os
import re
import shutil
import stat
import subprocess
import unittest

from helpers import APPLIANCE, CODEBOOK, REPLAY, TENSORS, TRAINING, main, run
from prompt import PromptTest

KEY = '5ec2e7c0ffee5ec2e7c0ffee5ec2e7c0'
NO_CAPABILITIES = ['setpriv', '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs']
LINES_MAX = 300


class Privileges(PromptTest):
    def key_file(self):
        path = self.path('key')
        path.write_text(KEY)
        path.chmod(0o600)
        return path

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which('setpriv'), 'needs root and setpriv')
    def test_no_capability_is_needed(self):
        out = self.path('out.pcap')
        command = self.command_of_devices(
            [f'net_pcap0,rx_pcap={TRAINING},tx_pcap={out}', 'net_ring0'], '--peer=static',
            f'--key-file={self.key_file()}', '--duration=1')
        command.remove('--no-telemetry')
        done = run(*NO_CAPABILITIES, APPLIANCE, *command)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertIn('dropped 0 (press 0, tx_full 0): OK', done.stdout)
        self.assertGreater(out.stat().st_size, 1 << 20)

    def test_files_can_be_written_by_the_owner_only(self):
        """Whatever is in them: captures have payloads, so a umask of 077 must be heeded too."""
        for umask, mode in (0o022, 0o644), (0o077, 0o600):
            files = [self.path(f'{name}-{umask}') for name in ('json', 'line', 'stats', 'book')]
            told = {'umask': umask}
            self.assert_good(run(REPLAY, '--loops', 1, '--json', files[0], '--line', files[1],
                                 TRAINING, **told))
            done = run(APPLIANCE, *self.command([(TRAINING, self.path('a')),
                                                 (self.nothing, self.path('b'))],
                                                f'--stats-json={files[2]}', '--duration=1'), **told)
            self.assertEqual(0, done.returncode, done.stderr)
            self.assert_good(run(CODEBOOK, 'build', '--type', 'bf16', '--kind', 'grouped', '--name',
                                 'x', '-o', files[3], TENSORS / 'bf16-ffn1-act.bin', **told))
            for path in files:
                self.assertEqual(oct(mode), oct(stat.S_IMODE(path.stat().st_mode)), path)

    def test_key_is_never_shown(self):
        box = self.prompt(['net_ring0', 'net_ring1'], f'--key-file={self.key_file()}',
                          '--stats-json=' + str(self.path('stats.json')))
        said = box.start
        for line in ('start', 'show config fwd', 'show config rxtx', 'show press stats', 'show peer',
                     'show fwd stats all', 'help all', 'stop'):
            said += box.type(line)
        with open(f'/proc/{box.box.pid}/cmdline', encoding='utf-8') as command:
            said += command.read()
        said += self.end(box) + self.path('stats.json').read_text()
        self.assertNotIn(KEY, said.lower())
        numbers = [KEY[:16], KEY[16:]]
        numbers += [bytes.fromhex(number)[::-1].hex() for number in numbers]
        for number in numbers:
            self.assertNotRegex(said.lower(), rf'{number}|\b{int(number, 16)}\b')

    def test_wrong_key_is_refused_without_being_shown(self):
        path = self.path('key')
        path.write_text(KEY + 'x')
        for mode, words in (0o600, '32 hexadecimal digits'), (0o640, 'mode 0640'):
            path.chmod(mode)
            done = run(APPLIANCE, *self.command_of_devices(['net_ring0', 'net_ring1'],
                                                           f'--key-file={path}'))
            self.assertEqual(1, done.returncode)
            self.assertIn(words, done.stderr)
            self.assertNotIn(KEY, done.stdout + done.stderr)

    def test_endless_lines_are_refused(self):
        """A file that never ends its line does not fill the memory."""
        path = self.path('commands')
        path.write_bytes(b'x' * (1 << 22))
        done = run(APPLIANCE, *self.command_of_devices(['net_ring0', 'net_ring1'],
                                                       f'--cmdline-file={path}'))
        self.assertEqual(1, done.returncode)
        self.assertIn('line longer than 4094 bytes', done.stderr)
        self.assertLess(len(done.stderr), 1000)

    def test_noise_at_the_prompt_is_survived(self):
        """Long lines, control characters and halves of commands; the box still forwards after."""
        words = re.findall(rb'[a-z-]+', b'start stop show port stats all set fwd burst rules codebook '
                           b'config retire load help clear verify peer nbcore 0 1 -1 99999999999')
        noise = bytearray()
        state = 1
        for _ in range(LINES_MAX):
            for _ in range(state % 7):
                state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
                noise += words[(state >> 33) % len(words)] + b' '
                if state >> 60 == 0:
                    noise += bytes([state >> 40 & 0x7f | 0x20]) * (state >> 50 & 0xfff)
            state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
            noise += b'\n'
        noise = noise.replace(b'load', b'lod').replace(b'quit', b'qit')
        command = self.command_of_devices(['net_ring0', 'net_ring1'], '-i')
        with subprocess.Popen([APPLIANCE, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT) as box:
            said, _ = box.communicate(bytes(noise) + b'\nstop\nstart\nstop\nquit\n', timeout=60)
        self.assertEqual(0, box.returncode, said[-2000:])
        self.assertTrue(said.rstrip().endswith(b'Bye...'), said[-2000:])


if __name__ == '__main__':
    main(APPLIANCE, REPLAY, CODEBOOK)

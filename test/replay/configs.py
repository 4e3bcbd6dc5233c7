# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""The command files that are shipped, each by the command line in its head, ended by signals."""

import re
import shlex
import signal
import socket
import subprocess
import time
from pathlib import Path

from appliance_help import LCORES, BoxTest, frames_written
from helpers import APPLIANCE, SOURCE, TRAINING, main, read_pcap

CONFIGS = SOURCE / 'configs'
COMMAND = re.compile(r'^#   (linepress .+)$', re.M)
START_S = 20
FRAMES = read_pcap(TRAINING)
ETH_P_ALL = 3


class Configs(BoxTest):
    def command_of(self, name, replaced):
        """The documented command line, as words, with names of files and devices replaced."""
        documented = COMMAND.findall((CONFIGS / name).read_text())
        self.assertEqual(1, len(documented), name)
        self.assertIn(f'`{documented[0]}`', (CONFIGS / 'README.md').read_text())
        words = shlex.split(documented[0])
        self.assertIn(f'--cmdline-file=configs/{name}', words)
        text = '\n'.join([str(APPLIANCE), *words[1:]])
        prefix = re.search('--file-prefix=(.*)', text)
        if prefix is not None:
            replaced = {prefix.group(): f'--file-prefix={self.prefix()}', **replaced}
        first, last = LCORES.split(',')[0], LCORES.split(',')[-1]
        for lcores, here in ('0-2', f'0@{first},1@{last},2@{last}'), \
                ('0,1', f'0@{first},1@{last}'), ('0', f'0@{first}'):
            text = text.replace(f'\n-l\n{lcores}\n', f'\n--lcores\n{here}\n')
        for old, new in replaced.items():
            self.assertIn(old, text)
            text = text.replace(old, str(new))
        return text.split('\n')

    def run_until(self, name, replaced, is_done, end):
        """Start a file's command line, wait, end it; returns what was printed."""
        with open(self.path('said'), 'w', encoding='utf-8') as output, \
                subprocess.Popen(self.command_of(name, replaced), cwd=SOURCE, text=True,
                                 stdin=subprocess.DEVNULL, stdout=output,
                                 stderr=subprocess.PIPE) as box:
            try:
                give_up = time.monotonic() + START_S
                while not is_done() and box.poll() is None and time.monotonic() < give_up:
                    time.sleep(0.05)
                ended = box.poll()
                box.send_signal(end)
                _, complaints = box.communicate(timeout=START_S)
            finally:
                box.kill()
        said = self.path('said').read_text()
        self.assertIsNone(ended, f'{name} ended by itself: {said}{complaints}')
        self.assertTrue(is_done(), f'{name}: {said}{complaints}')
        self.assertEqual(0, box.returncode, said + complaints)
        self.assertIn(' Accumulated forward statistics for all ports', said)
        self.assertTrue(said.endswith('Bye...\n'), said)
        return said

    def check_capture(self, name, out, mode_line):
        """Both signals; returns the frames written."""
        for end in signal.SIGINT, signal.SIGTERM:
            with self.subTest(config=name, end=end):
                written = self.path(f'{name}.{end}.pcap')
                said = self.run_until(name, {'=in.pcap': f'={TRAINING}', f'={out}': f'={written}'},
                                      lambda: frames_written(written) >= len(FRAMES), end)
                self.assertIn(mode_line, said)
        return read_pcap(written)

    def test_pair(self):
        frames = self.check_capture('pair.cmd', 'out.pcap',
                                    f'restore: received {len(FRAMES)} = transmitted {len(FRAMES)} ')
        self.assert_same_bytes(FRAMES, frames)

    def test_one_lcore(self):
        frames = self.check_capture('one-lcore.cmd', 'out.pcap', 'List of forwarding lcores:  0\n')
        self.assert_same_bytes(FRAMES, frames)

    def test_replay(self):
        frames = self.check_capture('replay.cmd', 'line.pcap',
                                    f'compress: received {len(FRAMES)} = ')
        self.assert_same_bytes(self.line_of(TRAINING), frames)

    def test_io(self):
        frames = self.check_capture('io.cmd', 'out.pcap', f'io: received {len(FRAMES)} = ')
        self.assert_same_bytes(FRAMES, frames)

    def bump(self, names, frame, end):
        """Send a frame to the host's end of the bump until the line's has it; returns it there."""
        host, eth0, eth1, line = names
        arrived = []
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL)) as sender, \
                socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                              socket.htons(ETH_P_ALL)) as receiver:
            sender.bind((host, ETH_P_ALL))
            receiver.bind((line, ETH_P_ALL))
            receiver.settimeout(0.2)

            def try_it():
                sender.send(frame)
                try:
                    data = receiver.recv(65536)
                    if data[:14] == frame[:14]:
                        arrived.append(data)
                except socket.timeout:
                    pass
                return len(arrived) > 0

            said = self.run_until('bump.cmd', {'iface=eth0': f'iface={eth0}',
                                               'iface=eth1': f'iface={eth1}'}, try_it, end)
        self.assertRegex(said, r'compress: received [1-9]')
        self.assertRegex(said, r'\n    no_peer: [1-9]')
        return arrived[0]

    def test_bump(self):
        """There is no far box, so nothing is coded; pairs are tested in test/netns."""
        names = [*self.interfaces(), *self.interfaces()]
        frame = max((f.data for f in FRAMES if len(f.data) < 1500), key=len)
        for end in signal.SIGINT, signal.SIGTERM:
            self.assertEqual(frame.hex(), self.bump(names, frame, end).hex())

    def test_nic(self):
        """No adapter is here: devices of software, which offer queues and RSS, take its place."""
        key = self.path('key')
        key.write_text('0123456789abcdef0123456789abcdef')
        key.chmod(0o600)
        replaced = {'-a\n0000:3b:00.0\n': f'--no-huge\n-m\n512\n--no-pci\n--file-prefix='
                    f'{self.prefix()}\n--vdev=net_null0\n',
                    '-a\n0000:3b:00.1\n': '--vdev=net_null1\n',
                    '/etc/linepress/key': key}
        for end in signal.SIGINT, signal.SIGTERM:
            said = self.run_until(
                'nic.cmd', replaced,
                lambda: 'nb forwarding cores=2' in self.path('said').read_text(), end)
            self.assertIn('cores=2 - streams=4', said)
            self.assertIn('RSS functions:', said)
            self.assertRegex(said, r'compress: received [1-9]')

    def test_all_are_tested_and_installed(self):
        names = sorted(path.name for path in CONFIGS.glob('*.cmd'))
        tested = re.findall(r"'([a-z-]+\.cmd)'", Path(__file__).read_text(encoding='utf-8'))
        self.assertEqual(names, sorted(set(tested)))
        installed = (CONFIGS / 'meson.build').read_text()
        for name in names:
            self.assertIn(f"'{name}'", installed)


if __name__ == '__main__':
    main(APPLIANCE)

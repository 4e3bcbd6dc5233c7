# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""What the tests of the appliance share: command lines, devices, a prompt to type at."""

import os
import pty
import select
import shutil
import struct
import subprocess
import time

from helpers import Frame, ProgramTest, read_pcap, run, write_pcap

LCORES = ','.join(map(str, sorted(os.sched_getaffinity(0))[:2]))
PROMPT = 'linepress> '
ANSWER_S = 30


def frames_written(path):
    """Frames in a capture that is being written; -1 if it is not there or ends within one."""
    try:
        return len(read_pcap(path))
    except (OSError, ValueError, struct.error):
        return -1


class BoxTest(ProgramTest):
    """A test of the appliance, with captures in place of devices."""

    count = 0

    def setUp(self):
        super().setUp()
        self.nothing = write_pcap(self.path('nothing.pcap'), [])

    def prefix(self):
        """Of the EAL's files, which it does not remove."""
        BoxTest.count += 1
        name = f'linepress-test-{os.getpid()}-{BoxTest.count}'
        for base in '/var/run/dpdk', os.environ.get('XDG_RUNTIME_DIR', '') + '/dpdk':
            self.addCleanup(shutil.rmtree, f'{base}/{name}', ignore_errors=True)
        return name

    def command(self, ports, *args):
        """Arguments for devices that read and write captures, pairs of paths."""
        eal = ['--no-huge', '-m', '512', '--no-pci', '--no-shconf', '--no-telemetry',
               f'--file-prefix={self.prefix()}', '-l', LCORES, '--log-level=*:warning']
        eal += [f'--vdev=net_pcap{k},rx_pcap={rx},tx_pcap={tx}' for k, (rx, tx) in
                enumerate(ports)]
        return [*map(str, [*eal, '--', '--no-mlockall', *args])]

    def command_of_devices(self, devices, *args):
        """Arguments for devices in the words of --vdev."""
        command = self.command([], *args)
        at = command.index('--')
        return command[:at] + [f'--vdev={device}' for device in devices] + command[at:]

    def interfaces(self):
        """Names of two interfaces that are up and connected to each other."""
        BoxTest.count += 1
        names = [f'lpt{os.getpid() % 10**7}.{BoxTest.count}{end}' for end in 'ab']
        made = None
        if os.geteuid() == 0 and shutil.which('ip'):
            made = run('ip', 'link', 'add', names[0], 'type', 'veth', 'peer', 'name', names[1])
        if made is None or made.returncode != 0:
            self.skipTest('cannot create interfaces: needs root, iproute2 and veth')
        self.addCleanup(run, 'ip', 'link', 'del', names[0])
        for name in names:
            self.assert_good(run('ip', 'link', 'set', name, 'up'))
        return names

    def assert_same_bytes(self, expected, actual):
        """The driver writes times of its own."""
        self.assert_same_frames([Frame(0, frame.data) for frame in expected],
                                [Frame(0, frame.data) for frame in actual])


class Prompt:
    """A user at the prompt of a box, on a terminal."""

    def __init__(self, command):
        self.terminal, inside = pty.openpty()
        # pylint: disable=consider-using-with
        self.box = subprocess.Popen(command, stdin=inside, stdout=inside, stderr=inside,
                                    start_new_session=True)
        os.close(inside)
        self.said = ''
        self.start = self.read_until(PROMPT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.box.poll() is None:
            self.box.kill()
        self.box.wait()
        os.close(self.terminal)

    def read_some(self, patience_s):
        """Returns False at the end."""
        if not select.select([self.terminal], [], [], patience_s)[0]:
            raise AssertionError(f'no answer within {ANSWER_S} s: {self.said}')
        try:
            said = os.read(self.terminal, 65536)
        except OSError:  # so Linux tells that nobody has the other side open
            return False
        self.said += said.decode(errors="replace").replace('\r', '')
        return bool(said)

    def read_until(self, end):
        """What is said up to and including `end`, or to the end of the program if it is None."""
        give_up = time.monotonic() + ANSWER_S
        while end is None or end not in self.said:
            if not self.read_some(max(0, give_up - time.monotonic())):
                break
        if end is None:
            said, self.said = self.said, ''
            return said
        if end not in self.said:
            raise AssertionError(f'ended without {end!r}: {self.said}')
        said, _, self.said = self.said.partition(end)
        return said + end

    def press_keys(self, keys):
        os.write(self.terminal, keys.encode())

    def type(self, line):
        """Type a command; returns what is answered."""
        self.press_keys(line + '\n')
        answer = self.read_until('\n' + PROMPT)
        return answer[:-len(PROMPT)].partition('\n')[2]

    def end(self, line='quit'):
        """Returns the exit status and what was said at the end."""
        self.press_keys(line + '\n')
        said = self.read_until(None)
        return self.box.wait(ANSWER_S), said

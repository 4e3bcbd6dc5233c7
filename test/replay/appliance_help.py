# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""What the tests of the appliance share: command lines and devices."""

import os
import shutil
import struct

from helpers import Frame, ProgramTest, read_pcap, run, write_pcap

LCORES = ','.join(map(str, sorted(os.sched_getaffinity(0))[:2]))


def frames_written(path):
    """Frames in a capture that is being written; -1 if it is not there or ends within one."""
    try:
        return len(read_pcap(path))
    except (OSError, ValueError, struct.error):
        return -1


def peer_of_captures(args):
    """No far box says hello in a capture."""
    modes = [arg for arg in args if str(arg).startswith('--forward-mode=')]
    may_change = any(str(arg) in ('-i', '--interactive') or str(arg).startswith('--cmdline-file=')
                     for arg in args)
    if any(str(arg).startswith('--peer=') for arg in args):
        return []
    return ['--peer=static'] if not modes or modes == ['--forward-mode=press'] or may_change else []


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
        return [*map(str, [*eal, '--', '--no-mlockall', *peer_of_captures(args), *args])]

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

# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""Coded frames that miss the restoring box: the kernel of a host does not deliver them.

Two namespaces, joined by a pair of virtual Ethernet devices, stand for a sender and a host;
nothing is sent to anybody else.
"""

import os
import signal
import socket
import struct
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'replay'))
# pylint: disable=wrong-import-position
import frames as f
from helpers import REPLAY, TENSORS, ProgramTest, main, write_pcap
from network import PATIENCE_S, inside, ip, packet_socket, skip_without_namespaces, wait_for

DEVICE = 'lp0'  # in both namespaces
ADDRESS = {'a': '10.20.0.1', 'b': '10.20.0.2'}
MAC = {'a': '02:00:00:00:00:01', 'b': '02:00:00:00:00:02'}
UDP_PORT = 50200
TCP_PORT = 50100
TENSOR = (TENSORS / 'bf16-ffn1-wgrad.bin').read_bytes()[:1200]


class Stray(ProgramTest):
    def setUp(self):
        super().setUp()
        self.namespace = {side: f'lp-stray-{os.getpid()}-{side}' for side in 'ab'}
        self.addCleanup(self.remove_namespaces)
        signal.signal(signal.SIGTERM, self.give_up)
        for name in self.namespace.values():
            self.must('netns', 'add', name)
            self.must('-n', name, 'link', 'set', 'lo', 'up')
        self.must('link', 'add', DEVICE, 'netns', self.namespace['a'], 'type', 'veth', 'peer',
                  'name', DEVICE, 'netns', self.namespace['b'])
        for side, name in self.namespace.items():
            other = 'ba'['ab'.index(side)]
            self.must('netns', 'exec', name, 'sh', '-c',
                      f'echo 1 >/proc/sys/net/ipv6/conf/{DEVICE}/disable_ipv6')
            self.must('-n', name, 'link', 'set', DEVICE, 'address', MAC[side], 'up')
            self.must('-n', name, 'addr', 'add', ADDRESS[side] + '/24', 'dev', DEVICE)
            self.must('-n', name, 'neigh', 'add', ADDRESS[other], 'lladdr', MAC[other], 'dev',
                      DEVICE, 'nud', 'permanent')
        self.wire = self.packet_socket('a')

    def remove_namespaces(self):
        for name in self.namespace.values():
            ip('netns', 'del', name)

    def give_up(self, *_):
        """After the time-out of the test runner."""
        self.remove_namespaces()
        os._exit(1)

    def must(self, *args):
        done = ip(*args)
        self.assertEqual(0, done.returncode, f'ip {" ".join(args)}: {done.stderr}')

    def packet_socket(self, side):
        sock = packet_socket(self.namespace[side], DEVICE, f.IPV4)
        self.addCleanup(sock.close)
        return sock

    def ip_socket(self, side, kind):
        with inside(self.namespace[side]):
            sock = socket.socket(socket.AF_INET, kind)
        self.addCleanup(sock.close)
        sock.settimeout(PATIENCE_S)
        return sock

    def checksum_errors(self, protocol):
        """A counter of the host's kernel."""
        done = subprocess.run(['ip', 'netns', 'exec', self.namespace['b'], 'cat', '/proc/net/snmp'],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=60, check=True)
        names, values = [line.split() for line in done.stdout.splitlines()
                         if line.startswith(protocol + ':')]
        return int(values[names.index('InCsumErrors')])

    def coded_form(self, frame):
        coded, = self.line_of(write_pcap(self.path('one.pcap'), [frame]))
        self.assertLess(len(coded.data), len(frame) - 100)
        return coded.data

    def assert_nothing_delivered(self, host):
        host.settimeout(0)
        with self.assertRaises(BlockingIOError):
            self.fail(f'delivered: {host.recv(65536)[:32].hex()}')
        host.settimeout(PATIENCE_S)

    def inject_and_see_refused(self, frame, protocol, host):
        """The kernel checks a datagram when somebody asks for it, a segment at once."""
        before = self.checksum_errors(protocol)

        def refused():
            self.assert_nothing_delivered(host)
            return self.checksum_errors(protocol) > before

        self.wire.send(frame)
        wait_for(refused, f'{protocol} InCsumErrors')
        self.assertEqual(before + 1, self.checksum_errors(protocol))

    def check_udp(self, frame):
        host = self.ip_socket('b', socket.SOCK_DGRAM)
        host.bind((ADDRESS['b'], UDP_PORT))
        self.inject_and_see_refused(self.coded_form(frame), 'Udp', host)
        self.wire.send(frame)
        self.assertEqual(TENSOR, host.recv(65536))
        self.assert_nothing_delivered(host)

    def test_coded_datagram_is_not_delivered(self):
        self.check_udp(f.udp(TENSOR, dport=UDP_PORT))

    def test_coded_datagram_of_one_without_checksum_is_not_delivered(self):
        frame = bytearray(f.udp(TENSOR, dport=UDP_PORT))
        frame[40:42] = bytes(2)
        self.check_udp(bytes(frame))

    def connect(self):
        """A connection from a to b, and the last data segment from a to b as b's device saw it."""
        listener = self.ip_socket('b', socket.SOCK_STREAM)
        listener.bind((ADDRESS['b'], TCP_PORT))
        listener.listen()
        sniffer = self.packet_socket('b')
        sender = self.ip_socket('a', socket.SOCK_STREAM)
        sender.connect((ADDRESS['b'], TCP_PORT))
        host, _ = listener.accept()
        self.addCleanup(host.close)
        host.settimeout(PATIENCE_S)
        sender.sendall(b'hello')
        self.assertEqual(b'hello', host.recv(5))
        while True:
            seen = sniffer.recv(65536)
            p = f.parse(seen)
            if p is not None and seen[p.region:p.region_end] == b'hello':
                return host, seen, p

    def test_coded_segment_is_not_delivered(self):
        host, seen, p = self.connect()
        sequence, = struct.unpack_from('>I', seen, p.l4 + 4)
        length = p.region - p.l3 + len(TENSOR)
        frame = bytearray(seen[:p.region] + TENSOR)
        struct.pack_into('>H', frame, p.l3 + 2, length)
        struct.pack_into('>I', frame, p.l4 + 4, sequence + len('hello') & 0xFFFFFFFF)
        following = f.with_ip_cksum(frame, p)
        following = f.with_l4_cksum(following, f.parse(following))

        self.inject_and_see_refused(self.coded_form(following), 'Tcp', host)
        self.wire.send(following)
        got = b''
        while len(got) < len(TENSOR):
            got += host.recv(65536)
        self.assertEqual(TENSOR, got)


if __name__ == '__main__':
    skip_without_namespaces()
    main(REPLAY)

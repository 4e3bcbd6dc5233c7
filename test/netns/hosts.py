# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""Real TCP and UDP stacks talk through the boxes."""

import json
import random
import re
import socket
import threading

from chain import ADDRESS, ADDRESS6, ChainTest
from helpers import APPLIANCE, TENSORS, main
from network import PATIENCE_S, inside, skip_without_namespaces, wait_for

FILE_BYTES = 8 << 20
TCP_PORT = 50100
UDP_MBIT = 50


class Hosts(ChainTest):
    def payload(self, kind):
        """A file of tensors, or one that nothing can shorten."""
        path = self.path(f'{kind}.bin')
        if not path.exists():
            if kind == 'tensor':
                unit = b''.join((TENSORS / name).read_bytes() for name in
                                ('bf16-ffn1-wgrad.bin', 'bf16-ffn1-act.bin', 'fp32-ffn1-act.bin'))
                data = unit * (FILE_BYTES // len(unit))
            else:
                data = random.Random(5).randbytes(FILE_BYTES)
            path.write_bytes(data)
        return path

    def iperf3(self, sender, address, *args):
        """One transfer; returns the report of the sending side."""
        receiver = 'ba'['ab'.index(sender)]
        server = self.start_on(receiver, 'iperf3', '-s', '-1')
        wait_for(lambda: ':5201 ' in self.on(receiver, 'ss', '-ltn').stdout, 'the server')
        done = self.on(sender, 'iperf3', '-c', address[receiver], '-J', *args)
        report = json.loads(done.stdout)
        self.assertEqual(0, done.returncode, report.get('error'))
        server.wait(30)
        return report

    def tcp_socket(self, side, address):
        with inside(self.namespace[side]):
            sock = socket.socket(socket.AF_INET6 if ':' in address[side] else socket.AF_INET)
        self.addCleanup(sock.close)
        sock.settimeout(PATIENCE_S)
        return sock

    def transfer(self, sender, address, data):
        """What arrives of bytes sent through a connection (iperf3 -F does not keep to the file)."""
        receiver = 'ba'['ab'.index(sender)]
        listener, client = self.tcp_socket(receiver, address), self.tcp_socket(sender, address)
        listener.bind((address[receiver], TCP_PORT))
        listener.listen()
        client.connect((address[receiver], TCP_PORT))
        server, _ = listener.accept()
        server.settimeout(PATIENCE_S)
        listener.close()

        def send():
            client.sendall(data)
            client.close()

        thread = threading.Thread(target=send)
        thread.start()
        parts = []
        while not parts or parts[-1]:
            parts.append(server.recv(1 << 20))
        thread.join()
        server.close()
        return b''.join(parts)

    def check_tcp(self, kind):
        sent = self.payload(kind)
        for sender in 'ab':
            for address in ADDRESS, ADDRESS6:
                with self.subTest(kind=kind, sender=sender, address=address[sender]):
                    report = self.iperf3(sender, address, '-F', sent)
                    self.rates.append((kind, report['end']['sum_received']['bits_per_second']))
                    data = sent.read_bytes()[:FILE_BYTES // 2]
                    self.assertTrue(data == self.transfer(sender, address, data), 'other bytes')

    def check_udp(self, kind, mtu):
        for sender in 'ab':
            for address in ADDRESS, ADDRESS6:
                with self.subTest(kind=kind, sender=sender, address=address[sender], mtu=mtu):
                    report = self.iperf3(sender, address, '-u', '-b', f'{UDP_MBIT}M', '-l',
                                         mtu - 48, '-n', 2 << 20, '-F', self.payload(kind))
                    # How many are lost depends on what else the machine does.
                    self.assertLess(report['end']['sum']['lost_percent'], 100)

    def checksum_errors(self, side):
        done = self.on(side, 'cat', '/proc/net/snmp', '/proc/net/snmp6')
        rows = [line.split() for line in done.stdout.splitlines()]
        total = 0
        for names, values in zip(rows, rows[1:]):
            if names[0] == values[0] and names[0] in ('Tcp:', 'Udp:') and names[1].isalpha():
                total += int(values[names.index('InCsumErrors')])
        return total + sum(int(value) for name, value in re.findall(r'(\S*CsumErrors)\s+(\d+)',
                                                                    done.stdout))

    def check(self, mtu):
        self.rates = []
        self.chain(mtu=mtu)
        for kind in 'tensor', 'random':
            self.check_tcp(kind)
            self.check_udp(kind, mtu)
        self.assertEqual([0, 0], [self.checksum_errors(side) for side in 'ab'])
        for kind in 'tensor', 'random':
            rates = [rate / 1e6 for name, rate in self.rates if name == kind]
            print(f'MTU {mtu}, {kind}: TCP {min(rates):.0f} to {max(rates):.0f} Mbit/s')
        for statistics in self.stop_boxes():
            for direction in 'compress', 'restore':
                counts = statistics['directions'][direction]
                self.assertGreater(counts['coded'], 500)
                self.assertGreater(counts['passed']['no_gain' if direction == 'compress'
                                                    else 'not_coded'], 500)
                lost = {k: n for k, n in counts['dropped'].items() if n and k != 'tx_full'}
                self.assertEqual({}, lost)

    def test_mtu_1500(self):
        self.check(1500)

    def test_mtu_9000(self):
        self.check(9000)

    def test_path_mtu_is_unchanged(self):
        """Full-size packets that may not be fragmented pass, one byte more does not leave."""
        self.chain(mtu=1500)
        ping = ['ping', '-c', '1', '-W', '5', '-M', 'do']
        for length, status in (1472, 0), (1473, 1):
            done = self.on('a', *ping, '-s', length, ADDRESS['b'])
            self.assertEqual(status, done.returncode, done.stdout + done.stderr)


if __name__ == '__main__':
    skip_without_namespaces('ethtool', 'iperf3', 'ping')
    main(APPLIANCE)

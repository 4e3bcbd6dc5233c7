# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""Ports at the prompt: shown, cleared, started, stopped, closed and configured."""

import json
import re
import time

from appliance_help import frames_written
from helpers import APPLIANCE, TRAINING, main, read_pcap, run
from prompt import FRAMES, RINGS, PromptTest

SHOWN = ['info', 'summary', 'stats', 'xstats']


class ConsolePorts(PromptTest):
    # ---- what they have counted ----

    def test_counts_are_cleared_for_the_reader_only(self):
        """Forwarding statistics and the balance go on as if nothing had been cleared."""
        box = self.prompt(self.capture_and_ring())
        self.accept(box, 'start')
        self.wait_for_frames('out.pcap')
        count = re.compile(r'  RX-packets: (\d+) +RX-missed: 0 +RX-bytes:  (\d+)\n')
        size = sum(len(frame.data) for frame in read_pcap(TRAINING))
        before = count.search(self.accept(box, 'show port stats 0'))
        self.assertEqual((FRAMES, size), tuple(map(int, before.groups())))
        self.assertIn(f'\nrx_good_packets: {FRAMES}\n', self.accept(box, 'show port xstats 0'))
        self.accept(box, 'clear port stats 0', '  NIC statistics for port 0 cleared\n')
        after = count.search(self.accept(box, 'show port stats 0'))
        self.assertEqual(('0', '0'), after.groups())
        self.assertIn(f'\nrx_good_packets: {FRAMES}\n', self.accept(box, 'show port xstats 0'))
        self.assertEqual(2, self.accept(box, 'show port stats all').count('NIC statistics'))
        self.assertIn(f'RX-packets: {FRAMES} ', self.accept(box, 'show port stats 1'))
        self.accept(box, 'clear port xstats all')
        said = self.accept(box, 'show port xstats all')
        self.assertEqual({'0'}, set(re.findall(r'^\w+: (\d+)$', said, re.M)))
        self.assertIn('  RX-packets: 0 ', self.accept(box, 'show port stats 1'))
        self.assertIn(f'RX-packets: {2 * FRAMES} ', self.accept(box, 'show fwd stats all'))
        self.accept(box, 'stop', f'restore: received {FRAMES} = transmitted {FRAMES} ')
        self.end(box)

    def test_rates_since_the_last_show(self):
        box = self.prompt([f'net_pcap0,rx_pcap={TRAINING},infinite_rx=1', 'net_null0'],
                          '--forward-mode=io')
        self.accept(box, 'start')
        rates = re.compile(r'  Rx-pps: +(\d+) +Rx-bps: +(\d+)\n  Tx-pps: +(\d+) +Tx-bps: +(\d+)\n')
        self.assertEqual({'0'}, set(rates.search(self.accept(box, 'show port stats 0')).groups()))
        time.sleep(0.5)
        rx_pps, rx_bps, tx_pps, tx_bps = map(
            int, rates.search(self.accept(box, 'show port stats 0')).groups())
        self.assertGreater(rx_pps, 1000)
        self.assertGreater(tx_pps, 1000)
        sizes = [len(frame.data) for frame in read_pcap(TRAINING)]
        self.assertTrue(min(sizes) < rx_bps / rx_pps / 8 < max(sizes))
        self.assertAlmostEqual(64 * 8, tx_bps / tx_pps, delta=1)  # those of net_null
        self.accept(box, 'stop')
        self.accept(box, 'show port stats 0')
        self.assertEqual({'0'}, set(rates.search(self.accept(box, 'show port stats 0')).groups()))
        self.end(box)

    def test_chosen_extended_statistics(self):
        names = '--display-xstats=rx_good_packets,tx_q0_packets'
        box = self.prompt(self.capture_and_ring(), names)
        self.accept(box, 'start')
        self.wait_for_frames('out.pcap')
        said = self.accept(box, 'show port stats 1')
        self.assertIn(f'\n{" " * 31}Value            Rate (since last show)\n'
                      f'  rx_good_packets {FRAMES:>21} {0:>15}\n'
                      f'  tx_q0_packets {FRAMES:>23} {0:>15}\n', said)
        self.accept(box, 'stop', '###### NIC extended statistics for port 1 \n'
                    f'rx_good_packets: {FRAMES}\ntx_q0_packets: {FRAMES}\n')
        self.end(box)
        done = run(APPLIANCE, *self.command_of_devices(
            self.capture_and_ring(), names, '--duration=2', '--stats-period=1'))
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertRegex(done.stdout, rf'\d s  port 0: rx_good_packets: {FRAMES} tx_q0_packets: '
                         rf'{FRAMES}\n')
        for wrong, *words in [('rx_good_packets,nothing', ' nothing;'), ('', '1 to 32 names'),
                              ('rx_errors,,b', 'names'), ('rx_errors,', 'names'),
                              ('x' * 64, 'at most 63')]:
            done = run(APPLIANCE, *self.command_of_devices(
                RINGS, '--forward-mode=io', f'--display-xstats={wrong}', '--duration=1'))
            self.assertEqual(1, done.returncode, wrong)
            for word in words:
                self.assertIn(word, done.stderr)

    # ---- which ports ----

    def test_ports_that_do_not_exist_are_answered_with_those_that_do(self):
        box = self.prompt(RINGS, '--forward-mode=io')
        lines = [f'show port {what}' for what in SHOWN]
        lines += ['clear port stats', 'clear port xstats', 'port start', 'port stop', 'port close',
                  'set link-up port', 'set link-down port']
        for line in lines:
            for wrong in '2', '-1', 'x', '99999999999', '1,0':
                self.refuse(box, f'{line} {wrong}', wrong, 'open ports, 0,1')
        for line in 'set promisc 2 on', 'set allmulti 2 on', 'port config mtu 2 1500', \
                'show port 2 rss-hash':
            self.refuse(box, line, ' 2: must be all or one of the open ports, 0,1')
        for line in 'set promisc 0 maybe', 'show port 0', 'port pause 0', 'port config all foo 1':
            self.assertIn('Bad arguments', box.type(line))
        self.end(box)

    def test_closed_ports(self):
        box = self.prompt([*RINGS, 'net_ring2', 'net_ring3'], '--forward-mode=io')
        self.refuse(box, 'port close 0', 'port 0 is started: please stop it first')
        self.accept(box, 'port stop 0')
        self.accept(box, 'port close 0', 'Port 0 is closed\n')
        for line in 'port close 0', 'port start 0', 'show port info 0', 'clear port stats 0', \
                'set promisc 0 on':
            self.refuse(box, line, 'open ports, 1,2,3')
        self.refuse(box, 'set portlist 0,1', 'port 0 is closed, the open ports are 1,2,3')
        said = self.accept(box, 'show port summary all', 'Number of available ports: 3\n')
        self.assertNotIn('net_ring0', said)
        self.accept(box, 'set portlist 1,2')
        self.accept(box, 'start', 'RX P=1/Q=0 (socket 0) -> TX P=2/Q=0')
        self.accept(box, 'port stop 3')  # forwards nothing
        self.accept(box, 'stop')
        self.accept(box, 'port stop all')
        self.accept(box, 'port close all')
        self.refuse(box, 'port start all', 'all ports are closed')
        self.refuse(box, 'start', 'port 1 is closed')
        self.end(box)

    # ---- start and stop ----

    def test_forwarding_needs_started_ports_and_started_ports_may_not_change(self):
        box = self.prompt(RINGS, '--forward-mode=io')
        self.accept(box, 'start')
        for line in 'port stop all', 'port stop 1', 'port config mtu 1 1500':
            self.refuse(box, line, 'please stop forwarding first')
        self.accept(box, 'port start 1')
        self.accept(box, 'stop')
        changes = ['rxq 2', 'txq 2', 'rxd 128', 'txd 128', 'max-pkt-len 2000']
        for change in changes:
            self.refuse(box, f'port config all {change}', 'please stop all ports first')
        self.accept(box, 'port stop 0')
        for change in changes:
            self.refuse(box, f'port config all {change}', 'please stop all ports first')
        self.refuse(box, 'start', 'port 0 is stopped: `port start 0` first')
        self.accept(box, 'port stop 0')
        self.accept(box, 'port start all')
        self.accept(box, 'start')
        self.end(box)

    def test_files_of_captures_begin_anew_when_told_only(self):
        """A stop and a start of forwarding leave them alone, those of ports do not."""
        box = self.prompt(self.capture_and_ring(), '--forward-mode=io')
        self.accept(box, 'start')
        self.wait_for_frames('out.pcap')
        self.accept(box, 'stop')
        self.accept(box, 'set burst 8')
        self.accept(box, 'start')
        self.accept(box, 'stop', 'io: received 0 = ')
        self.assertEqual(FRAMES, frames_written(self.path('out.pcap')))
        self.accept(box, 'port stop 0', 'Port 0: at its next start net_pcap opens its files anew')
        self.assertEqual(FRAMES, frames_written(self.path('out.pcap')))
        self.accept(box, 'port start 0')
        self.accept(box, 'start')
        self.wait_for_frames('out.pcap')
        self.accept(box, 'stop', f'io: received {2 * FRAMES} = ')
        self.end(box)

    # ---- configuration ----

    def test_queues_and_descriptors(self):
        box = self.prompt(RINGS, '--forward-mode=io', '--total-num-mbufs=9000')
        self.accept(box, 'port stop all')
        self.accept(box, 'port config all rxq 2')
        self.accept(box, 'port config all txq 2')
        self.accept(box, 'port config all rxd 128')
        self.accept(box, 'port config all txd 256')
        self.assertIn('Configuring Port 0', box.type('port start all'))
        said = self.accept(box, 'show config rxtx', 'RX queue number: 2 Tx queue number: 2\n')
        self.assertIn('      RX desc=128 - ', said)
        self.assertIn('      TX desc=256 - ', said)
        self.accept(box, 'start', 'RX P=1/Q=1 (socket 0) -> TX P=0/Q=1 (socket 0) io\n')
        self.accept(box, 'show port info 0', 'Current number of RX queues: 2\n')
        self.accept(box, 'stop')
        self.accept(box, 'port stop all')
        for line, *words in [('rxq 0', '1 to 1024'), ('rxq 17', '17', '16', 'net_ring'),
                             ('txq 17', '17', '16', 'net_ring'), ('rxq 2000', '1 to 1024'),
                             ('rxd 0', '1 to 65535'), ('txd 70000', '70000', '1 to 65535'),
                             ('rxd x', 'x', '1 to 65535'),
                             ('rxd 60000', 'mbufs', '--total-num-mbufs=2')]:
            self.refuse(box, f'port config all {line}', *words)
        self.accept(box, 'show config rxtx', '      RX desc=128 - ')
        self.accept(box, 'port start all')
        self.accept(box, 'start', 'streams=4')
        self.end(box)

    def test_longest_frames(self):
        """Frames longer than --max-pkt-len are not coded, since the far box may not restore them; a
        longer limit lets them be."""
        box = self.prompt(self.capture_and_ring(), '--max-pkt-len=9042')
        self.accept(box, 'port stop all')
        for wrong in '127', '9217', 'x':
            self.refuse(box, f'port config all max-pkt-len {wrong}', wrong, '128 to 9216',
                        'what an mbuf holds')
        self.accept(box, 'port config all max-pkt-len 1000')
        self.accept(box, 'port start all')
        self.accept(box, 'show port info 0', 'MTU: 982\n')
        self.accept(box, 'start')
        self.wait_for_answer(box, 'show port stats 1', f'RX-packets: {FRAMES} ')
        said = self.accept(box, 'stop')
        self.assertRegex(said, r'\n    long_frame: [1-9]\d*\n')
        self.assertNotIn('    length: ', said)
        self.accept(box, 'port stop all')
        self.accept(box, 'port config all max-pkt-len 9216')
        self.accept(box, 'port start all')
        self.accept(box, 'show port info 0', 'MTU: 9198\n')
        self.accept(box, 'start')
        self.wait_for_frames('out.pcap')
        self.assertNotIn('    long_frame: ', self.accept(box, 'stop'))
        self.end(box)
        self.assert_same_bytes(read_pcap(TRAINING), read_pcap(self.path('out.pcap')))

    def test_mtu(self):
        box = self.prompt(['net_null0', 'net_ring0'], '--forward-mode=io', '--max-pkt-len=4000')
        self.accept(box, 'show port info 0', 'MTU: 3982\n')
        self.accept(box, 'port config mtu 0 1500')
        self.accept(box, 'show port info 0', 'MTU: 1500\n')
        for wrong in '67', '3983', '9000', '70000', 'x':
            self.refuse(box, f'port config mtu 0 {wrong}', f'mtu 0 {wrong}: must be 68 to 3982',
                        'max-pkt-len 4000')
        self.refuse(box, 'port config mtu 1 1500', 'port 1: net_ring does not change its MTU: '
                    'Operation not supported')
        self.accept(box, 'port stop all')
        self.accept(box, 'port config all rxd 64')
        self.accept(box, 'port start all')
        self.accept(box, 'show port info 0', 'MTU: 1500\n')
        self.accept(box, 'show port info 1', 'MTU: 3982\n')
        self.accept(box, 'port stop all')
        self.accept(box, 'port config all max-pkt-len 3000')
        self.accept(box, 'port start all')
        self.accept(box, 'show port info 0', 'MTU: 2982\n')
        self.end(box)

    def test_mtu_of_a_kernel_interface(self):
        """The rings of net_af_packet hold what they hold, whatever is asked for."""
        names = self.interfaces()
        box = self.prompt([f'net_af_packet{k},iface={name}' for k, name in enumerate(names)],
                          '--max-pkt-len=1986')
        self.accept(box, 'port stop all')
        self.refuse(box, 'port config all max-pkt-len 2000', 'framesz=2048 holds frames of up to')
        self.accept(box, 'port config all max-pkt-len 1518')
        self.accept(box, 'port start all')
        self.refuse(box, 'port config mtu 0 9000', 'must be ', 'net_af_packet')
        self.accept(box, 'port config mtu 0 1400')
        with open(f'/sys/class/net/{names[0]}/mtu', encoding='ascii') as mtu:
            self.assertEqual('1400\n', mtu.read())
        self.end(box)

    def test_promiscuous_multicast_and_link(self):
        box = self.prompt([f'net_pcap0,rx_pcap={TRAINING},tx_pcap={self.path("x.pcap")}',
                           'net_ring0'], '--no-link-propagation')
        for command, shown in ('promisc', 'Promiscuous'), ('allmulti', 'Allmulticast'):
            self.accept(box, 'show port info 1', f'{shown} mode: enabled\n')
            self.accept(box, f'set {command} 1 off')
            self.accept(box, 'port stop 1')
            self.accept(box, 'port start 1')
            self.accept(box, 'show port info 1', f'{shown} mode: disabled\n')
            self.refuse(box, f'set {command} all off', 'port 0: net_pcap does not disable',
                        'Operation not supported')
            self.accept(box, f'set {command} all on')
            self.accept(box, 'show port info 1', f'{shown} mode: enabled\n')
        self.accept(box, 'set link-down port 1')
        self.assertRegex(self.accept(box, 'show port summary 1'), r'net_ring0 +net_ring +down ')
        self.accept(box, 'start')
        self.accept(box, 'stop')
        self.accept(box, 'set link-up port 1')
        self.assertRegex(self.accept(box, 'show port summary 1'), r'net_ring0 +net_ring +up ')
        self.refuse(box, 'set link-down port 0', 'port 0: net_pcap does not set its link down')
        self.end(box)

    def test_link_of_the_host_follows_that_of_the_line(self):
        """Down at once, up after a while; not if it is not wanted, and up at the end."""
        def wait_for_links(host, line):
            def links():
                said = self.accept(box, 'show port summary all')
                return dict(re.findall(r'^(\d) .*? (up|down) ', said, re.M))
            give_up = time.monotonic() + 20
            while links() != {'0': host, '1': line}:
                self.assertLess(time.monotonic(), give_up, links())
                time.sleep(0.05)

        path = self.path('stats.json')
        box = self.prompt(RINGS, '--forward-mode=press', f'--stats-json={path}')
        self.accept(box, 'start')
        wait_for_links('up', 'up')
        self.accept(box, 'set link-down port 1')
        wait_for_links('down', 'down')
        self.accept(box, 'set link-up port 1')
        wait_for_links('up', 'up')
        self.accept(box, 'set link-down port 1')
        wait_for_links('down', 'down')
        self.accept(box, 'set link-propagation off', 'Links of hosts do not follow those of lines')
        wait_for_links('up', 'down')
        self.accept(box, 'set link-propagation on', 'Links of hosts follow those of lines')
        wait_for_links('down', 'down')
        self.accept(box, 'stop')
        wait_for_links('up', 'down')
        self.assertEqual([0, 3], [port['link_losses'] for port in
                                  json.loads(path.read_text())['ports']])
        self.end(box)

    def test_closed_ports_are_no_longer_listed(self):
        """Modes for the ports left over can be chosen; ports left out are not taken instead."""
        box = self.prompt(['net_ring0', 'net_ring1', 'net_ring2'], '--portlist=0,1')
        self.accept(box, 'port stop all')
        self.accept(box, 'port close 1', 'Number of forwarding ports is now 1\n')
        self.assertIn('port 0 forwards to port 0', box.type('start'))
        self.assertIn('Set io packet forwarding mode', box.type('set fwd io'))
        said = box.type('show config fwd')
        self.assertIn('RX P=0/Q=0 (socket 0) -> TX P=0/Q=0', said)
        self.assertNotIn('P=2', said)
        self.accept(box, 'port close 0')
        self.refuse(box, 'start', 'port 0 is closed, the open ports are 2\n')
        self.end(box)

    # ---- options ----

    def test_spreading_frames_over_queues(self):
        for option, functions in [
                (None, 'ipv4  ipv4-frag  ipv4-tcp  ipv4-udp'), ('--rss-ip', 'ipv4  ipv4-frag  '
                 'ipv4-other'), ('--rss-udp', 'ipv4-udp  ipv6-udp'), ('--disable-rss', 'disabled')]:
            args = ['--rxq=2', '--txq=2', '--forward-mode=io'] + ([option] if option else [])
            box = self.prompt(['net_null0', 'net_null1'], *args)
            said = self.accept(box, 'show port 0 rss-hash')
            self.assertIn(functions, said, option)
            self.end(box)
        box = self.prompt(RINGS, '--forward-mode=io')
        self.refuse(box, 'show port 1 rss-hash', 'net_ring does not tell its RSS functions')
        self.end(box)

    def test_options_of_testpmd(self):
        """What makes no sense here is refused, what does works; none is ignored."""
        for args, *words in [(['--tx-first'], '--tx-first: refused', 'no frames of its own'),
                             (['--enable-rx-cksum'], '--enable-rx-cksum: refused'),
                             (['--eth-peer=0,02:00:00:00:00:01'], 'never rewrites MAC'),
                             (['--rss-ip', '--rss-udp', '--rxq=2'], 'only one of them'),
                             (['--rss-udp'], 'no effect with --rxq=1'),
                             (['--tx-first=1'], '--tx-first=1: takes no value'),
                             (['--burst=3', '-zi'], '-z: unknown option'),
                             (['--burst=3', '-iz'], '-z: unknown option')]:
            done = run(APPLIANCE, *self.command_of_devices(RINGS, '--duration=1', *args))
            self.assertEqual(1, done.returncode, args)
            for word in words:
                self.assertIn(word, done.stderr)
        done = run(APPLIANCE, *self.command_of_devices(
            RINGS, '--duration=1', '--forward-mode=io', '--enable-scatter', '--no-lsc-interrupt',
            '--disable-link-check', '--mbcache=64'))
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn('    Rx offloads=0x2000 Tx offloads=0x0\n', done.stdout)
        self.assertNotIn('Checking link statuses', done.stdout)


if __name__ == '__main__':
    main(APPLIANCE)

# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""Whatever host a sends arrives at host b as it was, in order, and nothing else does."""

from chain import MAC, ChainTest
import edges
import frames as f
from helpers import APPLIANCE, CAPTURES, main, read_pcap
from network import receive_frame, skip_without_namespaces, wait_for

MTU = 9000
LONGEST = MTU + 14
TAIL = f.ether(b'end of test' + bytes(40), 0x88B6)
LINK_LOCAL = {'stp': 0x00, 'lacp': 0x02, 'eapol': 0x03, 'lldp': 0x0E}
ETHERTYPES = {'ptp': 0x88F7, 'macsec': 0x88E5, 'pppoe': 0x8864, 'mpls': 0x8847, 'fcoe': 0x8906}


def control_frames():
    """Protocols of the link, which a bridge would swallow."""
    source = bytes.fromhex(MAC['a'].replace(':', ''))
    names = {'stp': 0x0027, 'lacp': 0x8809, 'eapol': 0x888E, 'lldp': 0x88CC}
    for name, last in LINK_LOCAL.items():
        yield bytes.fromhex('0180c20000') + bytes([last]) + source + \
            names[name].to_bytes(2, 'big') + bytes(range(60))
    for ether_type in ETHERTYPES.values():
        yield f.ether(bytes(range(100)), ether_type)


def vxlan():
    inner = f.tcp(edges.TENSOR[:1300])
    return f.udp(b'\x08\0\0\0\0\0\x2a\0' + inner, dport=4789)


class Transparent(ChainTest):
    def carry(self, frames, pace=None):
        """Send frames from host a; returns what host b gets, up to the mark at the end."""
        receiver, sender = self.packet_socket('b'), self.packet_socket('a')
        got = []

        def arrived():
            while not got or got[-1] != TAIL:
                got.append(receive_frame(receiver))
            return True

        for number, frame in enumerate(frames):
            sender.send(frame)
            if pace is not None and number % pace == pace - 1:
                wait_for(lambda: self.seen_by_b() >= number, 'frames sent so far')
        sender.send(TAIL)
        wait_for(arrived, 'the last frame')
        return got[:-1]

    def seen_by_b(self):
        text = self.on('b', 'cat', '/sys/class/net/b0/statistics/rx_packets').stdout
        return int(text)

    def check(self, frames, **options):
        got = self.carry(frames, **options)
        lost = [frame[:60].hex() for frame in frames if frame not in got]
        self.assertEqual([], lost)
        for number, (want, have) in enumerate(zip(frames, got), 1):
            self.assertEqual(want.hex(), have.hex(), f'frame {number}')

    def test_every_kind_of_frame(self):
        self.chain(mtu=MTU, driver='pcap', with_ipv6=False)
        # The kernel of host b takes no frame that ends within its tag.
        frames = [data for name, data in edges.all_frames()
                  if 14 <= len(data) <= LONGEST and name != 'cut-vlan']
        frames += list(control_frames()) + [vxlan()]
        self.check(frames, pace=16)
        self.assert_coded('compress', 40)

    def test_captures_through_rings(self):
        """The driver for speed; RoCE keeps its ICRC, and each flow its order."""
        self.chain(mtu=MTU, with_ipv6=False)
        for capture in CAPTURES[:1]:
            frames = [frame.data for frame in read_pcap(capture)]
            self.check(frames, pace=256)
        self.assert_coded('compress', 300)

    def assert_coded(self, direction, at_least):
        near, far = self.stop_boxes()
        self.assertGreaterEqual(near['directions'][direction]['coded'], at_least)
        self.assertEqual(near['directions'][direction]['coded'],
                         far['directions']['restore']['coded'])
        self.assertEqual({}, {k: n for k, n in far['directions']['restore']['dropped'].items()
                              if n})


if __name__ == '__main__':
    skip_without_namespaces('ethtool')
    main(APPLIANCE)

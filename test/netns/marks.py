# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""What the line changes in headers arrives changed, and all else as it was sent."""

import struct
import subprocess

from chain import ChainTest
import frames as f
from helpers import APPLIANCE, TENSORS, main
from network import receive_frame, skip_without_namespaces

TTL, TOS = 61, 0x4B  # DSCP AF21 and CE
PACKETS = 40
TENSOR = (TENSORS / 'bf16-ffn1-act.bin').read_bytes()
RULES = '''
table netdev marks {
    chain ingress {
        type filter hook ingress device "m1" priority 0;
        ip ttl set %d
        ip dscp set af21
        ip ecn set ce
    }
}
''' % TTL


def as_marked(frame):
    """A frame as routers and switches of the line change it."""
    parsed = f.parse(frame)
    frame = bytearray(frame)
    frame[parsed.l3 + 1], frame[parsed.l3 + 8] = TOS, TTL
    return f.with_ip_cksum(frame, parsed)


class Marks(ChainTest):
    def test_ttl_dscp_and_congestion_marks_survive(self):
        self.chain(mtu=9000, line='bridge', with_ipv6=False)
        self.mark()
        frames = []
        for k in range(PACKETS):
            payload = TENSOR[k * 256:k * 256 + 4096 - k]
            frames.append((f.tcp, f.udp, f.roce)[k % 3](payload))
        sender, receiver = self.packet_socket('a'), self.packet_socket('b')
        for number, frame in enumerate(frames):
            sender.send(frame)
            got = receive_frame(receiver)
            self.assertEqual(as_marked(frame).hex(), got.hex(), f'frame {number}')
        near, far = self.stop_boxes()
        self.assertEqual(PACKETS, near['directions']['compress']['coded'])
        self.assertEqual(PACKETS, far['directions']['restore']['coded'])

    def mark(self):
        done = subprocess.run(['ip', 'netns', 'exec', self.namespace['mid'], 'nft', '-f', '-'],
                              input=RULES, capture_output=True, text=True, timeout=60, check=False)
        if done.returncode != 0:
            self.skipTest(f'nft cannot mark packets here: {done.stderr.strip()}')


if __name__ == '__main__':
    skip_without_namespaces('ethtool', 'nft')
    main(APPLIANCE)

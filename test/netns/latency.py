# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""What one box adds to the way of a frame, as it measures itself, in press and in io.

Times are printed and not judged: boxes, hosts and all else on the machine share its processors.
"""

import re
import time

from chain import ChainTest
from helpers import APPLIANCE, main
from network import skip_without_namespaces
from traffic import Datagrams

RUN_S = 1.5
LOW = 500  # datagrams a second
FLOOD = 10 ** 6
BURST = 16


class Latency(ChainTest):
    def run_at(self, per_second, burst=1):
        """Datagrams that arrive in a second, and what the box that compresses says."""
        self.boxes[0].say('clear latency')
        self.boxes[0].ask('show config fwd', re.compile('packet forwarding'))  # then it is clear
        stream = Datagrams(self, per_second, burst=burst)
        time.sleep(RUN_S)
        stream.stop()
        self.assertEqual([], stream.wrong)
        said = self.boxes[0].ask('show latency', re.compile(
            r'latency from receive to transmit: (p50 .*) of (\d+) frames')).groups()
        self.assertGreaterEqual(int(said[1]), len(stream.numbers))
        return len(stream.numbers) / RUN_S, said[0]

    def test_latency_at_low_and_at_high_load(self):
        print()
        for mode in 'io', 'press':
            self.chain(mode=mode, with_ipv6=False)
            most, _ = self.run_at(FLOOD, BURST)
            for load, per_second, burst in ('low', LOW, 1), ('70 %', 0.7 * most, BURST):
                rate, said = self.run_at(per_second, burst)
                print(f'  {mode:5} {load:4} {rate:7.0f} frames/s: {said}')
            near, _ = self.stop_boxes()
            self.assertEqual(mode == 'press',
                             near['directions'].get('compress', {}).get('coded', 0) > 0)
            self.tear_down_chain()


if __name__ == '__main__':
    skip_without_namespaces('ethtool')
    main(APPLIANCE)

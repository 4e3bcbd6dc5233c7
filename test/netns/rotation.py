# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""Codebooks rotate once a second while hosts talk, and nobody notices.

LP_ROTATIONS=60 makes a minute of it.
"""

import os
import re

from chain import ChainTest
from helpers import APPLIANCE, CODEBOOKS, main
from network import skip_without_namespaces, wait_for
from traffic import Datagrams

ROTATIONS = int(os.environ.get('LP_ROTATIONS', '12'))
FIRST = 100
PER_SECOND = 1000
# So that codes differ, every other book is one of another shape.
SOURCES = [CODEBOOKS / 'bf16-grouped.book', CODEBOOKS / 'fast' / 'bf16-grouped.book']


class Rotation(ChainTest):
    def book(self, number):
        path = self.path(f'{number}.book')
        text = SOURCES[number % 2].read_text()
        text = re.sub(r'\nid \d+\n', '\n', text)
        path.write_text(re.sub(r'\nname .*\n', f'\nname bf16-{number}\n', text))
        return path

    def test_books_rotate_under_load(self):
        """New books are loaded first at one end, then at the other; old ones go likewise."""
        books = self.path('books')
        books.mkdir()
        (books / 'first.book').write_bytes(SOURCES[0].read_bytes())
        self.chain(options=([f'--codebooks={books}'],) * 2)
        stream = Datagrams(self, PER_SECOND)
        old = 1
        for k in range(ROTATIONS):
            new = FIRST + k
            started = len(stream.numbers)
            for box in self.boxes[::-1 if k % 2 else 1]:
                box.ask(f'load codebook {self.book(new)} id {new}', re.compile(f'{new} loaded'))
            self.boxes[0].ask('show peer', re.compile(rf'usable books: [\d,-]*\b{new}\b'))
            for box in self.boxes[::1 if k % 2 else -1]:
                box.ask(f'retire codebook {old}', re.compile(f'{old} retired'))
            self.boxes[0].ask('show peer', re.compile(rf'usable books: {new},'))
            old = new
            wait_for(lambda: len(stream.numbers) > started + PER_SECOND // 2, 'datagrams')
        self.assertEqual((0, []), (stream.stop(), stream.wrong))
        self.boxes[0].ask('show codebook 1', re.compile('there is no such codebook'))
        near, far = self.stop_boxes()
        compressed, restored = near['directions']['compress'], far['directions']['restore']
        self.assertEqual(compressed['coded'], restored['coded'])
        self.assertEqual({}, {reason: n for reason, n in restored['dropped'].items() if n})
        self.assertEqual((0, 0), (restored['passed']['unknown_book'], restored['passed']['bad_tag']))
        self.assertEqual(0, compressed['passed']['no_peer'])
        self.assertGreater(compressed['coded'], 0.9 * stream.sent)
        print(f'{ROTATIONS} rotations, {stream.sent} datagrams, none lost,',
              f'{compressed["coded"]} coded', end=' ')


if __name__ == '__main__':
    skip_without_namespaces('ethtool')
    main(APPLIANCE)

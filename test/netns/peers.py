# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""Boxes that agree, stop, die, come back or do not fit together; hosts get right bytes or none."""

import contextlib
import random
import re
import select
import shutil
import socket
import subprocess
import threading
import time

import hello
from chain import ChainTest
from helpers import APPLIANCE, CODEBOOKS, main
from network import must, receive_frame, skip_without_namespaces, wait_for
from traffic import TENSOR, Datagrams, Transfer

DIFFERENT = 'bf16-grouped.book', 'fp32-grouped.book'
EATER = '''
table bridge eater {
    chain forward {
        type filter hook forward priority 0;
        meta iifname "m1" ip protocol udp drop
    }
}
'''


class BadLine:
    """A line that doubles, delays, reorders and loses frames, hellos among them."""

    def __init__(self, test, seed=1):
        self.test = test
        self.random = random.Random(seed)
        self.lost = 0.01
        self.counts = dict.fromkeys(('passed', 'doubled', 'late', 'lost'), 0)

    def __call__(self, *ends):
        self.should_run = True
        self.thread = threading.Thread(target=self.run, args=ends)
        self.test.addCleanup(self.stop)
        self.thread.start()

    def run(self, *ends):
        late = []  # when to send it, where, what
        while self.should_run:
            ready, _, _ = select.select(ends, [], [], 0.001)
            for end in ready:
                other = ends[1 - ends.index(end)]
                late += [(time.monotonic() + delay_s, other, frame)
                         for frame in [receive_frame(end)] for delay_s in self.fate()]
            now_s = time.monotonic()
            for due in sorted((entry for entry in late if entry[0] <= now_s), key=lambda x: x[0]):
                with contextlib.suppress(OSError):  # a box is gone
                    due[1].send(due[2])
                late.remove(due)

    def fate(self):
        """After how long each copy of a frame is sent."""
        dice = self.random.random()
        for below, name, delays in ((self.lost, 'lost', ()),
                                    (self.lost + 0.02, 'doubled', (0, 0.002)),
                                    (self.lost + 0.05, 'late', (self.random.random() / 100,))):
            if dice < below:
                self.counts[name] += 1
                return delays
        self.counts['passed'] += 1
        return (0,)

    def stop(self):
        self.should_run = False
        self.thread.join()


class Peers(ChainTest):
    def books(self, name, *files):
        """A directory of codebooks, each from a file under another name."""
        directory = self.path(name)
        directory.mkdir()
        for source, target in files:
            shutil.copy(CODEBOOKS / source, directory / target)
        return directory

    def assert_nothing_wrong(self, *reports):
        for report in reports:
            dropped = report['directions']['restore']['dropped']
            self.assertEqual({}, {reason: n for reason, n in dropped.items() if n})
            passed = report['directions']['restore']['passed']
            self.assertEqual((0, 0), (passed['unknown_book'], passed['bad_tag']))

    # ---- boxes that do not fit together ----

    def check_that_nothing_is_coded(self, state):
        for box in self.boxes:
            box.wait_for_peer(state)
        stream = Datagrams(self)
        wait_for(lambda: len(stream.numbers) > 200, 'datagrams')
        self.assertEqual(0, stream.stop())
        self.assertEqual([], stream.wrong)
        near, far = self.stop_boxes()
        self.assertEqual(0, near['directions']['compress']['coded'])
        self.assertGreater(near['directions']['compress']['passed']['no_peer'], 200)
        self.assert_nothing_wrong(near, far)

    def test_boxes_with_other_keys_do_not_code(self):
        keys = []
        for k in range(2):
            keys.append(self.path(f'key{k}'))
            keys[k].write_text(f'{k:032x}\n')
            keys[k].chmod(0o600)
        self.chain(options=tuple([f'--key-file={key}'] for key in keys), agree=False)
        for box in self.boxes:
            box.ask('show peer', re.compile(r'hellos refused: mac [1-9]'))
            wait_for(lambda box=box: 'give both boxes the same --key-file' in box.log(), 'the cause')
            self.assertNotIn('static', box.log())
        self.check_that_nothing_is_coded('silent')

    def test_boxes_with_other_books_under_one_number_do_not_code(self):
        text = (CODEBOOKS / DIFFERENT[1]).read_text()
        other = self.books('other')
        (other / 'x.book').write_text(text.replace('\nid 3\n', '\nid 1\n'))
        books = self.books('books', (DIFFERENT[0], 'x.book'))
        self.chain(options=([f'--codebooks={books}'], [f'--codebooks={other}']), agree=False)
        self.check_that_nothing_is_coded('no_book')

    def test_only_common_books_are_used(self):
        books = self.books('books', (DIFFERENT[1], 'x.book'))
        self.chain(options=([], [f'--codebooks={books}']))
        self.assertRegex(self.boxes[0].wait_for_peer('coding').string, r'usable books: 3,')
        stream = Datagrams(self)
        wait_for(lambda: len(stream.numbers) > 200, 'datagrams')
        self.assertEqual((0, []), (stream.stop(), stream.wrong))
        near, far = self.stop_boxes()
        used = [book['id'] for book in near['codebooks'] if book['compress']['packets']]
        self.assertIn(used, ([], [3]))
        self.assert_nothing_wrong(near, far)

    def test_frames_that_the_far_box_cannot_restore_are_not_coded(self):
        self.chain(options=([], ['--max-pkt-len=1300']))
        stream = Datagrams(self)
        wait_for(lambda: len(stream.numbers) > 200, 'datagrams')
        self.assertEqual((0, []), (stream.stop(), stream.wrong))
        near, far = self.stop_boxes()
        self.assertGreater(near['directions']['compress']['passed']['long_frame'], 200)
        self.assert_nothing_wrong(near, far)

    def test_no_hello_reaches_a_host_or_leaves_one(self):
        """Not even if one box is static; those that a host has recorded end at its box."""
        self.chain(line='bridge', options=(['--peer=static'], []), agree=False)
        host, line = self.packet_socket('a'), self.packet_socket('mid', 'm2')
        recorded = None
        give_up = time.monotonic() + 5
        while recorded is None and time.monotonic() < give_up:
            frame = receive_frame(line)
            recorded = frame if hello.is_hello(frame) else None
        self.assertIsNotNone(recorded)
        self.boxes[0].ask('show peer', re.compile(r'hellos: ignored [1-9]'))
        before = self.boxes[1].ask('show peer', re.compile(r'hellos:(.*)')).group(1)
        for _ in range(20):
            host.send(recorded)
        self.boxes[0].ask('show press stats', re.compile('.'))
        reports = self.stop_boxes()
        self.assertEqual(20, reports[0]['directions']['compress']['rx_hellos'])
        host.settimeout(0.1)
        with self.assertRaises(socket.timeout):
            while not hello.is_hello(receive_frame(host)):
                pass
        self.assertNotIn('looped', before)
        self.assertEqual(0, reports[1]['peers'][0]['received']['looped'])

    # ---- the end of a box ----

    def test_far_box_is_killed_and_started_again(self):
        """Nothing passes meanwhile; the connection goes on, with the same bytes."""
        self.chain()
        near, far = self.boxes
        data = TENSOR * 2000
        transfer = Transfer(self, data)
        wait_for(lambda: len(transfer.got) > len(data) // 20, 'bytes')
        far.kill()
        self.assertLess(len(transfer.got), len(data))
        killed_s = time.monotonic()
        near.wait_for_peer('dead')
        far.start()
        for box in self.boxes:
            box.wait_for_peer('coding')
        agreed_s, got = time.monotonic(), len(transfer.got)
        wait_for(lambda: len(transfer.got) > got or len(transfer.got) == len(data), 'bytes', 60)
        recovered_s = time.monotonic()
        self.assertTrue(data == transfer.wait(), 'other bytes')
        print(f'killed; coding again after {agreed_s - killed_s:.2f} s, '
              f'bytes after {recovered_s - killed_s:.2f} s', end=' ')
        self.assert_nothing_wrong(*self.stop_boxes())

    def test_orderly_stop_loses_no_coded_frame(self):
        self.chain()
        near, far = self.boxes
        stream = Datagrams(self, per_second=2000)
        wait_for(lambda: len(stream.numbers) > 300, 'datagrams')
        report = far.stop()
        near.wait_for_peer('dead')
        stream.stop()
        self.assertEqual([], stream.wrong)
        coded = near.stop()['directions']['compress']['coded']
        self.assertEqual(coded, report['directions']['restore']['coded'])
        self.assertGreater(coded, 300)
        self.assert_nothing_wrong(report)

    # ---- the line ----

    def test_line_that_eats_frames_but_no_hellos(self):
        """Coding stops, and is tried again."""
        self.chain(line='bridge')
        near = self.boxes[0]
        stream = Datagrams(self)
        wait_for(lambda: len(stream.numbers) > 100, 'datagrams')
        mid = self.namespace['mid']
        done = subprocess.run(['ip', 'netns', 'exec', mid, 'nft', '-f', '-'], input=EATER,
                              capture_output=True, text=True, timeout=60, check=False)
        if done.returncode != 0:
            self.skipTest(f'nft cannot filter on bridges here: {done.stderr.strip()}')
        hold = near.ask('show peer', re.compile(r'state: black_hole .* again in (\d+) ms'))
        self.assertGreater(int(hold.group(1)), 1000)
        got = len(stream.numbers)
        self.assertEqual(0, subprocess.run(['ip', 'netns', 'exec', mid, 'nft', 'delete', 'table',
                                            'bridge', 'eater'], timeout=60, check=False).returncode)
        wait_for(lambda: len(stream.numbers) > got + 100, 'datagrams as they are')
        stream.stop()
        self.assertEqual([], stream.wrong)
        reports = self.stop_boxes()
        self.assertGreater(reports[0]['directions']['compress']['passed']['peer_group'], 100)
        self.assert_nothing_wrong(*reports)

    def test_line_is_cut_and_mended(self):
        self.chain(line='bridge')
        mid, data = self.namespace['mid'], TENSOR * 2000
        transfer = Transfer(self, data)
        wait_for(lambda: len(transfer.got) > len(data) // 20, 'bytes')
        must('ip', '-n', mid, 'link', 'set', 'm1', 'down')
        self.assertLess(len(transfer.got), len(data))
        for box in self.boxes:
            box.wait_for_peer('dead')
        must('ip', '-n', mid, 'link', 'set', 'm1', 'up')
        mended_s = time.monotonic()
        for box in self.boxes:
            box.wait_for_peer('coding')
        self.assertTrue(data == transfer.wait(), 'other bytes')
        print(f'all bytes {time.monotonic() - mended_s:.2f} s after it was mended', end=' ')
        self.assert_nothing_wrong(*self.stop_boxes())

    def test_line_that_doubles_reorders_and_loses(self):
        line = BadLine(self)
        self.chain(line=line)
        data = TENSOR * 60
        transfer, stream = Transfer(self, data), Datagrams(self, per_second=300)
        self.assertTrue(data == transfer.wait(), 'other bytes')
        wait_for(lambda: len(stream.numbers) > 300, 'datagrams')
        stream.stop()
        self.assertEqual([], stream.wrong)
        self.assertGreater(len(stream.numbers), 0.9 * stream.sent)
        self.assertGreater(min(line.counts.values()), 0, line.counts)
        print(line.counts, end=' ')
        reports = self.stop_boxes()
        self.assertGreater(reports[0]['directions']['compress']['coded'], 300)
        self.assert_nothing_wrong(*reports)

    def test_line_that_loses_most_frames(self):
        """It has too much to carry, and would have more if it were not coded any more."""
        line = BadLine(self)
        self.chain(line=line)
        line.lost = 0.75
        time.sleep(2)
        stream = Datagrams(self, per_second=300)
        time.sleep(10)
        stream.stop()
        self.assertEqual([], stream.wrong)
        line.lost = 0
        reports = self.stop_boxes()
        compress = reports[0]['directions']['compress']
        print(f'{compress["coded"]} coded, {compress["passed"]["no_peer"]} not', end=' ')
        self.assertGreater(compress['coded'], 3 * compress['passed']['no_peer'])
        self.assert_nothing_wrong(*reports)


if __name__ == '__main__':
    skip_without_namespaces('ethtool')
    main(APPLIANCE)

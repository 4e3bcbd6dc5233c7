# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""A box meets a far box that is played here, hello by hello, as old, new and hostile ones are."""

import contextlib
import os
import re
import signal
import socket
import threading
import time
from dataclasses import replace

import hello
from chain import ChainTest
import frames as f
from helpers import APPLIANCE, TENSORS, main
from network import receive_frame, skip_without_namespaces, wait_for

SOURCE = bytes.fromhex('020000000077')
TENSOR = (TENSORS / 'bf16-ffn1-act.bin').read_bytes()[:1200]
PAUSED_FRAMES = 500
OTHER_KEY = bytes(15) + b'\1'
SHIM_MAGIC = bytes.fromhex('9dc7')


class FarBox:
    """Answers every hello of the box with one of its own, unless it is told to be silent."""

    def __init__(self, sock):
        self.sock = sock
        self.says = {}  # fields that are not as the other box would have them
        self.key = hello.KEY
        self.heard = None
        self.seq = 0
        self.is_silent = False
        self.frames = []  # what came from the box and is no hello
        self.should_run = True
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        self.sock.settimeout(0.1)
        while self.should_run:
            try:
                frame = receive_frame(self.sock)
            except socket.timeout:
                continue
            if hello.is_hello(frame):
                self.heard = hello.read(frame)
                if not self.is_silent:
                    self.answer()
            else:
                self.frames.append(frame)

    def answer(self):
        """It holds the same books and restores all that it is sent, if it is not told otherwise."""
        self.seq += 1
        mine = replace(self.heard, box_id=0x77, nonce=0x1234, seq=self.seq, coding=0, coded=0,
                       echo_nonce=self.heard.nonce, echo_seq=self.heard.seq,
                       decoded=self.heard.coded, failures=[], failure_total=0)
        self.sock.send(replace(mine, **self.says).write(SOURCE, self.key))

    def stop(self):
        self.should_run = False
        self.thread.join()


class MeetsFarBox(ChainTest):
    def meet(self):
        self.chain(far_box=False, with_ipv6=False)
        self.box = self.boxes[0]
        self.far = FarBox(self.packet_socket('box2', 'l2'))
        self.addCleanup(self.far.stop)
        self.host = self.packet_socket('a')
        self.sent = 0

    def sends_coded(self, flow=40000):
        """Is the next frame of the host coded?"""
        self.sent += 1
        frame = f.udp(TENSOR, sport=flow, ident=self.sent)
        count = len(self.far.frames)
        self.host.send(frame)
        wait_for(lambda: len(self.far.frames) > count, 'the frame')
        got = self.far.frames[-1]
        self.assertTrue(got == frame or (len(got) < len(frame) and SHIM_MAGIC in got))
        return got != frame

    def check(self, state, coded, says=None):
        self.far.says = says or {}
        self.box.wait_for_peer(state)
        self.assertEqual(coded, self.sends_coded(), f'{state} {says}')

    def test_codes_only_towards_a_box_that_can_restore(self):
        self.meet()
        self.check('coding', True)
        own = self.far.heard
        self.assertEqual((2, 1, 1, hello.READY), (own.version, own.shim_version,
                                                  own.parser_version, own.state))
        for state, says in [
                ('shim_version', {'shim_version': 2}), ('parser_version', {'parser_version': 0}),
                ('init', {'state': hello.INIT}), ('drain', {'state': hello.DRAIN}),
                ('bypass', {'state': hello.BYPASS}), ('refused', {'version': 1}),
                ('no_book', {'installed': bytes(32), 'digests': b''}),
                ('no_book', {'digests': bytes(len(own.digests))}),
                ('no_book', {'books_digest': own.books_digest ^ 1}),
                ('one_way', {'echo_nonce': 0, 'echo_seq': 0}),
                ('one_way', {'echo_seq': 1 << 30})]:
            self.check(state, False, says)
            self.check('coding', True)
        self.stop_boxes()

    def test_codes_no_more_when_the_far_box_is_silent(self):
        self.meet()
        self.check('coding', True)
        now = self.box.wait_for_peer('coding').group()
        self.assertRegex(now, rf'own: box {self.far.heard.box_id:016x}, start '
                         rf'{self.far.heard.nonce:016x}, ready\n')
        self.assertRegex(now, r'peer: box 0{14}77, .* hears us: yes\n')
        self.far.is_silent = True
        dead = self.box.wait_for_peer('dead').group()
        self.assertRegex(dead, r'peer, as said last: box 0{14}77, .* heard us: yes\n')
        self.assertFalse(self.sends_coded())
        self.far.is_silent = False
        self.check('coding', True)
        self.check('coding', True, {'nonce': 0x9999})  # it has started anew
        self.box.ask('show peer', re.compile('states entered: .*restarted 1'))
        self.stop_boxes()

    def test_far_box_that_comes_back_different_is_told_of_once(self):
        self.meet()
        self.check('coding', True)
        for key, says, why in [
                (OTHER_KEY, {}, 'has another key, so nothing is coded: give both boxes the same'),
                (hello.KEY, {'version': 3}, 'does not understand, so nothing is coded')]:
            self.far.key, self.far.says = key, says
            self.box.wait_for_peer('dead')
            wait_for(lambda why=why: why in self.box.log(), why)
            time.sleep(1)  # some more such hellos
            self.far.key = hello.KEY
            self.check('coding', True)
            self.assertEqual(1, self.box.log().count(why))
        self.far.is_silent = True
        self.box.wait_for_peer('dead')
        time.sleep(4)  # it is not taken for the same again
        self.assertEqual(2, self.box.log().count(', so nothing is coded'), self.box.log())
        self.stop_boxes()

    def test_box_that_did_not_run_for_a_while_codes_nothing(self):
        """It was stopped, or its virtual machine was: the far box may be gone since."""
        self.meet()
        for _ in range(5):
            self.check('coding', True)
            count = len(self.far.frames)
            self.box.send_signal(signal.SIGSTOP)
            self.far.is_silent = True
            time.sleep(1.5)  # its interval is 0.4 s
            for k in range(PAUSED_FRAMES):
                self.host.send(f.udp(TENSOR, ident=k))
            self.box.send_signal(signal.SIGCONT)
            wait_for(lambda: len(self.far.frames) >= count + PAUSED_FRAMES, 'the frames')
            coded = [frame for frame in self.far.frames[count:] if SHIM_MAGIC in frame]
            self.assertEqual(0, len(coded))
            self.far.is_silent = False

    def test_log_that_nobody_reads_delays_nothing(self):
        """A terminal may be held, or whoever reads the log may have stopped."""
        self.meet()
        self.far.is_silent = True
        self.box.kill()
        path = self.path('messages')
        os.mkfifo(path)
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        self.box.stderr = os.open(path, os.O_WRONLY)
        self.addCleanup(os.close, self.box.stderr)
        self.box.start()
        self.box.say('set log lp.app 6')
        self.box.wait_for_peer('silent')
        filler = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(filler, bytes(512))
        os.close(filler)
        self.far.is_silent = False
        wait_for(self.sends_coded, 'coded frames')
        time.sleep(0.5)  # it has told of that by now, or waits
        self.far.heard = None
        wait_for(lambda: self.far.heard, 'another hello')
        self.far.is_silent = True
        time.sleep(2)  # its interval is 0.4 s
        self.assertFalse(self.sends_coded())

    def test_flow_that_the_far_box_cannot_restore_travels_raw(self):
        self.meet()
        self.check('coding', True)
        damaged = bytearray(self.far.frames[-1])
        damaged[-20] ^= 1
        self.far.sock.send(damaged)  # the box tells how it names the flow
        wait_for(lambda: self.far.heard.failures, 'a failure')
        self.assertEqual((1, 1), (self.far.heard.failure_total, self.far.heard.failed))
        self.far.says = {'failures': self.far.heard.failures, 'failure_total': 1}
        self.box.ask('show peer', re.compile('flows sent raw: 1'))
        self.assertFalse(self.sends_coded())
        self.assertTrue(self.sends_coded(flow=40001))
        report = self.stop_boxes()[0]
        self.assertEqual(1, report['directions']['compress']['passed']['peer_flow'])
        self.assertEqual(1, report['directions']['restore']['dropped']['check'])

    def test_frames_that_only_look_like_hellos_reach_the_host(self):
        self.meet()
        self.check('coding', True)
        good = replace(self.far.heard, box_id=0x77).write(SOURCE)
        strange = [good[:-1] + bytes([good[-1] ^ 1]), good[:60], good[:12] + b'\x88\xb5' + bytes(46),
                   good[:12] + b'\x08\x00' + good[14:],
                   replace(self.far.heard, box_id=0x77).write(SOURCE, OTHER_KEY)]
        for frame in strange:
            self.far.sock.send(frame)
            self.assertEqual(frame.hex(), receive_frame(self.host).hex())
        received = self.stop_boxes()[0]['directions']['restore']
        self.assertEqual(received['rx_packets'], received['tx_packets'] + received['rx_hellos'])
        self.assertGreater(received['rx_hellos'], 0)


if __name__ == '__main__':
    skip_without_namespaces('ethtool')
    main(APPLIANCE)

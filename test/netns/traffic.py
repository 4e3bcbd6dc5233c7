# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""Traffic of tensors between hosts, of which every byte that arrives is checked."""

import socket
import struct
import threading
import time

from chain import ADDRESS
from helpers import TENSORS
from network import PATIENCE_S, RECEIVE_BYTES, SO_RCVBUFFORCE, inside

UDP_PORT = 50300
TCP_PORT = 50301
TENSOR = (TENSORS / 'bf16-ffn1-act.bin').read_bytes()
DATAGRAM_BYTES = 1400
NUMBER = struct.Struct('!4xI')  # the tensor begins on an even byte


def datagram(number):
    start = number * 64 % (len(TENSOR) - DATAGRAM_BYTES)
    return NUMBER.pack(number) + TENSOR[start:start + DATAGRAM_BYTES - NUMBER.size]


class Datagrams:
    """A host sends numbered datagrams until it is told to stop, another one checks them."""

    def __init__(self, test, per_second=1000, sender='a', burst=1):
        receiver = 'ba'['ab'.index(sender)]
        self.address = ADDRESS[receiver]
        self.sockets = []
        for side in sender, receiver:
            with inside(test.namespace[side]):
                self.sockets.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            test.addCleanup(self.sockets[-1].close)
        self.sockets[1].bind((self.address, UDP_PORT))
        self.sockets[1].settimeout(0.1)
        # What a busy machine reads late is not lost.
        self.sockets[1].setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BYTES)
        self.pause_s = burst / per_second
        self.burst = burst
        self.sent = 0
        self.numbers = []  # of what has arrived, in its order
        self.arrived_s = []
        self.wrong = []
        self.should_send = self.should_receive = True
        self.threads = [threading.Thread(target=self.send), threading.Thread(target=self.receive)]
        test.addCleanup(self.stop)
        for thread in self.threads:
            thread.start()

    def send(self):
        while self.should_send:
            for _ in range(self.burst):
                self.sockets[0].sendto(datagram(self.sent), (self.address, UDP_PORT))
                self.sent += 1
            time.sleep(self.pause_s)

    def receive(self):
        while self.should_receive:
            try:
                data = self.sockets[1].recv(65536)
            except socket.timeout:
                continue
            number = NUMBER.unpack_from(data)[0] if len(data) >= NUMBER.size else None
            if number is None or data != datagram(number):
                self.wrong.append(data)
            self.numbers.append(number)
            self.arrived_s.append(time.monotonic())

    def stop(self):
        """The datagrams lost; those under way are waited for."""
        self.should_send = False
        self.threads[0].join()
        give_up = time.monotonic() + 1
        while len(set(self.numbers)) < self.sent and time.monotonic() < give_up:
            time.sleep(0.02)
        self.should_receive = False
        self.threads[1].join()
        for sock in self.sockets:
            sock.close()
        return self.sent - len(set(self.numbers))

    def longest_gap_s(self):
        return max((b - a for a, b in zip(self.arrived_s, self.arrived_s[1:])), default=0)


class Transfer:
    """A connection that carries bytes from host a to host b, in the background."""

    def __init__(self, test, data):
        with inside(test.namespace['b']):
            listener = socket.socket()
        with inside(test.namespace['a']):
            self.client = socket.socket()
        test.addCleanup(self.client.close)
        listener.bind((ADDRESS['b'], TCP_PORT))
        listener.listen()
        self.client.settimeout(PATIENCE_S)
        self.client.connect((ADDRESS['b'], TCP_PORT))
        self.server, _ = listener.accept()
        test.addCleanup(self.server.close)
        self.server.settimeout(60)  # a host repeats what is lost, ever more slowly
        self.client.settimeout(60)
        listener.close()
        self.data = data
        self.got = bytearray()
        self.failure = None
        self.threads = [threading.Thread(target=self.guard, args=(work,), daemon=True)
                        for work in (self.send, self.receive)]
        for thread in self.threads:
            thread.start()

    def guard(self, work):
        try:
            work()
        except OSError as error:
            self.failure = error

    def send(self):
        self.client.sendall(self.data)
        self.client.shutdown(socket.SHUT_WR)

    def receive(self):
        while part := self.server.recv(1 << 16):
            self.got += part

    def wait(self):
        """All that has arrived."""
        for thread in self.threads:
            thread.join(120)
        if self.failure is not None:
            raise self.failure
        return bytes(self.got)

# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""Network namespaces for tests: made, entered, removed again. Nothing leaves them."""

import ctypes
import os
import shutil
import socket
import struct
import subprocess
import time
from contextlib import contextmanager

from helpers import skip_all

CLONE_NEWNET = 0x40000000
ETH_P_ALL = 3
SO_RCVBUFFORCE = 33
SOL_PACKET = 263
PACKET_AUXDATA = 8
PACKET_IGNORE_OUTGOING = 23
AUXDATA = struct.Struct('IIIHHHH')  # struct tpacket_auxdata
STATUS_VLAN_VALID = 1 << 4
RECEIVE_BYTES = 64 << 20
PATIENCE_S = 15


def ip(*args):
    return subprocess.run(['ip', *map(str, args)], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=60, check=False)


def must(*command, timeout=60, **options):
    """Run a command of the system that cannot fail."""
    done = subprocess.run([*map(str, command)], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=timeout, check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f'{" ".join(map(str, command))}: {done.stdout}{done.stderr}')
    return done.stdout


@contextmanager
def inside(namespace):
    """Sockets made here belong to the namespace for good."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open('/proc/self/ns/net', 'rb') as home, open(f'/run/netns/{namespace}', 'rb') as there:
        if libc.setns(there.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), 'setns')
        try:
            yield
        finally:
            if libc.setns(home.fileno(), CLONE_NEWNET) != 0:
                os.abort()  # all that follows would happen in the wrong place


def packet_socket(namespace, device, protocol=ETH_P_ALL):
    """A raw socket on a device of a namespace; it does not hear what its host sends."""
    with inside(namespace):
        sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(protocol))
        sock.bind((device, protocol))
    sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BYTES)
    sock.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    sock.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    sock.settimeout(PATIENCE_S)
    return sock


def receive_frame(sock):
    """The next frame, with the outermost VLAN tag, which the kernel hands over separately."""
    frame, extras, _, _ = sock.recvmsg(65536, socket.CMSG_SPACE(AUXDATA.size))
    for level, kind, data in extras:
        if level == SOL_PACKET and kind == PACKET_AUXDATA:
            status, _, _, _, _, tci, tpid = AUXDATA.unpack(data[:AUXDATA.size])
            if status & STATUS_VLAN_VALID:
                frame = frame[:12] + struct.pack('>HH', tpid, tci) + frame[12:]
    return frame


def wait_for(condition, what, patience_s=PATIENCE_S):
    """The first true value of the condition."""
    give_up = time.monotonic() + patience_s
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > give_up:
            raise AssertionError(f'not within {patience_s} s: {what}')
        time.sleep(0.01)


def skip_without_namespaces(*programs):
    """End the calling program, as skipped, if it cannot do its work here."""
    if os.geteuid() != 0:
        skip_all('needs root, for network namespaces')
    for program in ('ip', *programs):
        if shutil.which(program) is None:
            skip_all(f'{program} is missing')
    probe = f'lp-probe-{os.getpid()}'
    done = ip('netns', 'add', probe)
    if done.returncode == 0:
        done = ip('-n', probe, 'link', 'set', 'lo', 'up')  # refused in a chroot
    ip('netns', 'del', probe)
    if done.returncode != 0:
        skip_all(f'no network namespaces: {done.stderr.strip()}')

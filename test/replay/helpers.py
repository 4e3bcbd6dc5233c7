# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""What the tests of whole programs share: running them, captures, temporary directories.

The reader and writer of captures know nothing of libpcap or of linepress, so that a slip there
is not repeated here.
"""

import json
import os
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(os.environ.get('LP_SOURCE', Path(__file__).resolve().parents[2]))
BUILD = Path(os.environ.get('LP_BUILD', SOURCE / 'build'))
SHARED = SOURCE.parent / 'shared'

REPLAY = BUILD / 'app/linepress-replay/linepress-replay'
CODEBOOK = BUILD / 'app/linepress-codebook/linepress-codebook'
PERF = BUILD / 'app/linepress-perf/linepress-perf'
APPLIANCE = BUILD / 'app/linepress/linepress'

TRAINING = SOURCE / 'test/data/training.pcap'
TENSORS = SOURCE / 'test/data/tensors'
CODEBOOKS = SOURCE / 'codebooks'
CAPTURES = [TRAINING] + sorted((SHARED / 'captures').glob('*.pcap'))

EXIT_SKIP = 77  # of meson
LINK_ETHERNET = 1
MAGIC_US = 0xA1B2C3D4
MAGIC_NS = 0xA1B23C4D


class Frame(NamedTuple):
    """A frame of a capture; `length` is what it had before the capture cut it."""

    time_ns: int
    data: bytes
    length: int = -1


def read_pcap(path_or_bytes):
    """All frames of a capture in any of the four variants of the format; refuses odd ends."""
    blob = path_or_bytes if isinstance(path_or_bytes, bytes) else Path(path_or_bytes).read_bytes()
    order = next((o for o in '<>' if struct.unpack_from(o + 'I', blob)[0] in (MAGIC_US, MAGIC_NS)),
                 None)
    if order is None:
        raise ValueError(f'{path_or_bytes}: not a pcap file')
    unit = 1 if struct.unpack_from(order + 'I', blob)[0] == MAGIC_NS else 1000
    if struct.unpack_from(order + 'I', blob, 20)[0] != LINK_ETHERNET:
        raise ValueError(f'{path_or_bytes}: not Ethernet')
    frames, at = [], 24
    while at < len(blob):
        seconds, fraction, captured, length = struct.unpack_from(order + '4I', blob, at)
        data = blob[at + 16:at + 16 + captured]
        if len(data) != captured:
            raise ValueError(f'{path_or_bytes}: frame {len(frames) + 1} is cut')
        frames.append(Frame(seconds * 10**9 + fraction * unit, data, length))
        at += 16 + captured
    return frames


def pcap_bytes(frames, magic=MAGIC_NS, order='<', link=LINK_ETHERNET):
    """A capture of frames, or of bare bytes, which then get times of their own."""
    unit = 1 if magic == MAGIC_NS else 1000
    parts = [struct.pack(order + 'IHHiIII', magic, 2, 4, 0, 0, 262144, link)]
    for k, frame in enumerate(frames):
        if isinstance(frame, bytes):
            frame = Frame((1_700_000_000 + k) * 10**9 + k * 1000, frame)
        length = len(frame.data) if frame.length < 0 else frame.length
        parts.append(struct.pack(order + '4I', frame.time_ns // 10**9,
                                 frame.time_ns % 10**9 // unit, len(frame.data), length))
        parts.append(frame.data)
    return b''.join(parts)


def write_pcap(path, frames, **variant):
    Path(path).write_bytes(pcap_bytes(frames, **variant))
    return path


def run(program, *args, timeout=60, **options):
    """Run a program to its end, without input, and keep what it prints."""
    options.setdefault('stdout', subprocess.PIPE)
    return subprocess.run([str(program), *map(str, args)], stdin=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, timeout=timeout, check=False,
                          **options)


def replay_to_pipe(option, *args, timeout=60):
    """Run linepress-replay with its output file `option` in a pipe, which it cannot take back
    after a failure. Returns what became of the program, and the frames."""
    read_end, write_end = os.pipe()
    parts = []

    def drain():
        with open(read_end, 'rb') as pipe:
            parts.append(pipe.read())

    reader = threading.Thread(target=drain)
    reader.start()
    try:
        done = run(REPLAY, option, f'/dev/fd/{write_end}', *args, timeout=timeout,
                   pass_fds=(write_end,))
    finally:
        os.close(write_end)
        reader.join()
    return done, read_pcap(parts[0])


class ProgramTest(unittest.TestCase):
    """A test with a directory of its own, and what is said about programs."""

    maxDiff = 2000

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix='linepress-test-')
        self.addCleanup(directory.cleanup)
        self.dir = Path(directory.name)

    def path(self, name):
        return self.dir / name

    def assert_good(self, done):
        self.assertEqual((0, ''), (done.returncode, done.stderr), done.stdout)
        return done

    def assert_refused(self, done, *words):
        """Exit status 1 and one line that says why, with a hint where to read on at most."""
        lines = [line for line in done.stderr.splitlines() if not line.startswith('Try ')]
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertEqual(1, len(lines), done.stderr)
        self.assertRegex(lines[0], r'^[a-z-]+: .*\w')
        for word in words:
            self.assertIn(str(word), lines[0])

    def replay(self, *args):
        """A good run of linepress-replay; returns its JSON report."""
        report = self.path('report.json')
        done = self.assert_good(run(REPLAY, '--json', report, *args))
        self.assertRegex(done.stdout.splitlines()[-1], '^OK: ')
        return json.loads(report.read_text())

    def line_of(self, capture, *args):
        """The frames that a compressing box makes of a capture."""
        line = self.path('line.pcap')
        self.assert_good(run(REPLAY, '--mode', 'compress', '--loops', 1, '--line', line, *args,
                             capture))
        return read_pcap(line)

    def assert_same_frames(self, expected, actual):
        """Times and bytes; tells the first difference, not all of them."""
        self.assertEqual(len(expected), len(actual), 'number of frames')
        for number, (want, got) in enumerate(zip(expected, actual), 1):
            if want.data != got.data:
                at = next((i for i, (a, b) in enumerate(zip(want.data, got.data)) if a != b),
                          min(len(want.data), len(got.data)))
                self.fail(f'frame {number} differs at {at}: {len(want.data)} and {len(got.data)} '
                          f'bytes, {want.data[at:at + 8].hex()} and {got.data[at:at + 8].hex()}')
            self.assertEqual(want.time_ns, got.time_ns, f'time of frame {number}')


def skip_all(reason):
    print(f'skipped: {reason}')
    sys.exit(EXIT_SKIP)


def main(*programs):
    """Run the tests of the calling program; what is skipped says why."""
    for program in programs:
        if not Path(program).exists():
            sys.exit(f'{program} is not built')
    result = unittest.main(verbosity=2, exit=False).result
    if result.wasSuccessful() and 0 < result.testsRun == len(result.skipped):
        skip_all(result.skipped[0][1])
    sys.exit(not result.wasSuccessful())

# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""The appliance itself, with captures in place of network devices."""

import re
import shutil
import signal
import subprocess
import time

import edges
from appliance_help import frames_written
from box import ACCUMULATED, ForwardTest
from helpers import APPLIANCE, CODEBOOKS, TRAINING, main, read_pcap, run, write_pcap


class Appliance(ForwardTest):
    def pair_of_boxes(self, mode_a, mode_b, frames):
        """Frames from the host of box A to the host of box B; returns those on the line."""
        sent, line, back = self.path('in.pcap'), self.path('line.pcap'), self.path('back.pcap')
        write_pcap(sent, frames)
        unused = [self.path(f'unused-{k}.pcap') for k in range(2)]
        said = self.forward([(sent, unused[0]), (self.nothing, line)], line, len(frames),
                            f'--forward-mode={mode_a}', end=signal.SIGINT)
        self.check_statistics(said, len(frames))
        # Box B has its host at port 0 as well.
        said = self.forward([(self.nothing, back), (line, unused[1])], back, len(frames),
                            f'--forward-mode={mode_b}', end=signal.SIGTERM)
        self.assertEqual((len(frames),) * 2, tuple(map(int, ACCUMULATED.search(said).groups())))
        self.assertIn(f'restore: received {len(frames)} = transmitted {len(frames)} + dropped 0',
                      said)
        self.assert_same_bytes(read_pcap(sent), read_pcap(back))
        for path in unused:
            self.assertEqual(0, frames_written(path))
        return read_pcap(line)

    def test_boxes_that_press_both_ways(self):
        frames = read_pcap(TRAINING)
        line = self.pair_of_boxes('press', 'press', frames)
        self.assertLess(sum(len(frame.data) for frame in line),
                        0.8 * sum(len(frame.data) for frame in frames))

    def test_one_box_compresses_and_one_restores(self):
        # The driver cannot write frames longer than its buffer, nor does it read empty ones.
        frames = [data for _, data in edges.all_frames() if 0 < len(data) < 9000]
        self.pair_of_boxes('compress', 'restore', frames)

    def test_io_forwards_everything_unchanged(self):
        out, frames = self.path('out.pcap'), read_pcap(TRAINING)
        said = self.forward([(TRAINING, self.path('x.pcap')), (self.nothing, out)], out,
                            len(frames), '--forward-mode=io')
        self.check_statistics(said, len(frames))
        self.assert_same_bytes(frames, read_pcap(out))

    def test_verify_forwards_unchanged_and_finds_no_difference(self):
        out, frames = self.path('out.pcap'), read_pcap(TRAINING)
        said = self.forward([(TRAINING, out)], out, len(frames), '--forward-mode=verify',
                            '--port-topology=loop', '--burst=5')
        self.check_statistics(said, len(frames))
        self.assertIn('verify: 0 frames differ: OK', said)
        self.assertRegex(said, r'coded: [1-9]\d\d ')
        self.assert_same_bytes(frames, read_pcap(out))

    def test_output_that_nobody_reads_does_not_stop_forwarding(self):
        out, frames = self.path('out.pcap'), read_pcap(TRAINING)
        command = [APPLIANCE, *self.command([(self.nothing, out), (TRAINING, self.path('x.pcap'))],
                                            '--forward-mode=io', '--stats-period=1',
                                            '--duration=3')]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as box:
            box.stdout.readline()
            box.stdout.close()
            complaints = box.stderr.read()
            self.assertEqual(0, box.wait(10), complaints)
        self.assertEqual(len(frames), frames_written(out))

    def test_both_directions_at_once_and_progress(self):
        """What the far box sends is restored while the host's frames are compressed; without
        input on standard input it runs until its time is over."""
        line = self.path('line.pcap')
        write_pcap(line, self.line_of(TRAINING))
        to_host, to_line = self.path('to-host.pcap'), self.path('to-line.pcap')
        started = time.monotonic()
        done = run(APPLIANCE, *self.command([(TRAINING, to_host), (line, to_line)],
                                            '--duration=2', '--stats-period=1'))
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertGreaterEqual(time.monotonic() - started, 2)
        frames = read_pcap(TRAINING)
        self.assert_same_bytes(frames, read_pcap(to_host))
        self.assert_same_bytes(read_pcap(line), read_pcap(to_line))
        self.assertIn(f'compress: received {len(frames)} = ', done.stdout)
        self.assertIn(f'restore: received {len(frames)} = ', done.stdout)
        self.assertRegex(done.stdout, r'\d s  port 0: RX-packets: \d+')
        self.assertNotIn('\x1b', done.stdout)

    def test_each_bad_option_is_one_clear_line(self):
        ports = [(TRAINING, self.path('a')), (self.nothing, self.path('b'))]
        broken = self.path('books')
        shutil.copytree(CODEBOOKS, broken)
        (broken / 'bf16-grouped.book').write_text('linepress-codebook 1\nname\n')
        for args, *words in [
                (['--forward-mode=fast'], 'fast', 'press'),
                (['--burst=0'], '--burst', '512'),
                (['--nb-cores=9'], 'nb-cores'),
                (['--port-topology=ring'], 'ring', 'paired'),
                (['--host-ports=0,0'], '--host-ports', 'twice'),
                (['--host-ports=7'], '7'),
                (['--forward-mode=io', '--min-region=9'], '--min-region', 'io'),
                (['--codebooks=/nonexistent'], '/nonexistent', 'No such file'),
                ([f'--codebooks={broken}'], 'bf16-grouped.book:2: '),
                (['--key-file=/nonexistent'], '/nonexistent', 'No such file'),
                (['--rxq=2'], 'rxq'),
                (['--nonsense'], '--nonsense'),
                (['start'], 'start'),
                (['--duration=1', '--duration=2'], '--duration')]:
            with self.subTest(args=args):
                done = run(APPLIANCE, *self.command(ports, *args))
                complaints = [line for line in done.stderr.splitlines()
                              if line.startswith('linepress: ') and 'NOTICE' not in line]
                self.assertEqual(1, done.returncode, done.stdout + done.stderr)
                for word in words:
                    self.assertIn(word, '\n'.join(complaints))
                self.assertEqual(1, len(complaints), done.stderr)

    def test_two_ports_of_one_side_are_refused(self):
        ports = [(TRAINING, self.path('a')), (self.nothing, self.path('b'))]
        for option in '--host-ports=0,1', '--port-topology=loop':
            done = run(APPLIANCE, *self.command(ports, option))
            self.assertEqual(1, done.returncode, done.stdout)
            self.assertIn('both face the host', done.stderr)

    # ---- losses ----

    def test_overload_is_counted_and_leaks_nothing(self):
        """Two queues are sent to a ring that only one queue empties. What does not fit, many
        times the pool, goes back to it, and so does what waits in the ring at the end."""
        done = run(APPLIANCE, *self.command_of_devices(
            ['net_null0', 'net_ring0'], '--forward-mode=io', '--rxq=2', '--txq=1',
            '--total-num-mbufs=4000', '--duration=1'))
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        balance = re.search(r'  io: received (\d+) = transmitted (\d+) \+ dropped (\d+) '
                            r'\(press 0, tx_full (\d+)\): OK\n', done.stdout)
        self.assertIsNotNone(balance, done.stdout)
        received, sent, dropped, full = map(int, balance.groups())
        self.assertEqual((received, full), (sent + dropped, dropped))
        self.assertGreater(full, 20 * 4000)
        self.assertRegex(done.stdout, r'\nPort 1: [1-9]\d* frames left in its rings\n')
        self.assertNotIn('RX-nombufs', done.stdout)
        self.assertNotIn('leak', done.stderr)
        self.assertTrue(done.stdout.endswith('Bye...\n'), done.stdout)

    def test_frames_lost_before_us_are_named(self):
        """The driver cannot read the last frame of a capture that ends within it."""
        cut = self.path('cut.pcap')
        cut.write_bytes(TRAINING.read_bytes()[:-1])
        out = self.path('out.pcap')
        said = self.forward([(cut, self.path('x')), (self.nothing, out)], out,
                            len(read_pcap(TRAINING)) - 1, '--forward-mode=io')
        self.assertRegex(said, r'port 0: its driver lost frames before we received them: '
                         r'imissed 0, ierrors [1-9]\d*, rx_nombuf 0\n')
        self.assertNotIn('port 1: its driver', said)

    def test_frames_that_the_driver_does_not_send_are_no_success(self):
        down, _ = self.interfaces()
        self.assert_good(run('ip', 'link', 'set', down, 'down'))
        done = run(APPLIANCE, *self.command_of_devices(
            [f'net_pcap0,rx_pcap={TRAINING},tx_pcap={self.path("x")}',
             f'net_af_packet0,iface={down},framesz=9216,blocksz=36864'],
            '--forward-mode=io', '--duration=1'))
        self.assertEqual(1, done.returncode, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r'port 1: its driver did not send frames: oerrors (\d+), '
                         r'of them counted as transmitted above \1: WRONG\n')

    # ---- net_af_packet ----

    def test_ring_that_cuts_frames_is_refused(self):
        first, second = self.interfaces()
        for ring, args, *words in [
                ('', [], 'framesz=2048 holds frames of up to 1982 bytes',
                 'give the device framesz=9216,blocksz=36864, or lower --max-pkt-len to 1986'),
                ('', ['--max-pkt-len=1987'], 'give the device framesz=3072,blocksz=12288 and us '
                 '--mbuf-size=3168, or lower --max-pkt-len to 1986'),
                (',framesz=9088,blocksz=36864', [], '9022', '9038'),
                (',framesz=16384,blocksz=65536', [], '--mbuf-size=16480'),
                (',framesz=3072,blocksz=8192', ['--max-pkt-len=3000'], 'multiple of framesz')]:
            with self.subTest(ring=ring, args=args):
                done = run(APPLIANCE, *self.command_of_devices(
                    [f'net_af_packet{k},iface={name}{ring}'
                     for k, name in enumerate((first, second))], *args))
                self.assert_refused_with_notices(done, 'port 0: net_af_packet', *words)

    def assert_refused_with_notices(self, done, *words):
        complaints = [line for line in done.stderr.splitlines() if line.startswith('linepress: ')]
        self.assertEqual((1, 1), (done.returncode, len(complaints)), done.stderr)
        for word in words:
            self.assertIn(word, complaints[0])

    def test_rings_that_are_large_enough_start(self):
        """As the refusals advise; nothing is said of a shorter --max-pkt-len."""
        names = self.interfaces()
        for ring, *args in [('', '--max-pkt-len=1986'), (',framesz=9216,blocksz=36864',),
                            (',framesz=3072,blocksz=12288', '--max-pkt-len=1987',
                             '--mbuf-size=3168'),
                            (',framesz=16384,blocksz=65536', '--mbuf-size=16480')]:
            with self.subTest(ring=ring):
                done = run(APPLIANCE, *self.command_of_devices(
                    [f'net_af_packet{k},iface={name}{ring}' for k, name in enumerate(names)],
                    '--forward-mode=io', '--duration=1', *args))
                self.assertEqual(0, done.returncode, done.stdout + done.stderr)
                self.assertNotIn('max-pkt-len', done.stderr)

    def test_missing_device_is_named(self):
        done = run(APPLIANCE, *self.command([(self.path('nowhere.pcap'), self.path('a')),
                                             (self.nothing, self.path('b'))]))
        self.assertEqual(1, done.returncode)
        self.assertIn('linepress: --vdev net_pcap0', done.stderr)
        self.assertEqual(1, run(APPLIANCE, *self.command([])).returncode)

    def test_help_and_version_need_no_devices(self):
        for option, text in ('--help', 'Usage: linepress '), ('--version', 'linepress '):
            done = self.assert_good(run(APPLIANCE, option))
            self.assertTrue(done.stdout.startswith(text), done.stdout)


if __name__ == '__main__':
    main(APPLIANCE)

# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""Two hosts with a pair of boxes between them:

    host a          box 1          line          box 2          host b
    a0 --veth-- a1 [     ] l1 ------------ l2 [     ] b1 --veth-- b0

Hosts, boxes and the line's middle are network namespaces (two boxes in one would not do: the groups
that net_af_packet joins have numbers made of process and interface, which can be the same). The line is a pair of virtual Ethernet
devices, or two of them with a namespace between that bridges (and may slow down, mark or lose)
what passes.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'replay'))
# pylint: disable=wrong-import-position
from helpers import APPLIANCE, ProgramTest
from network import PATIENCE_S, ip, must, packet_socket, wait_for

ADDRESS = {'a': '10.20.0.1', 'b': '10.20.0.2'}
ADDRESS6 = {'a': 'fd00:20::1', 'b': 'fd00:20::2'}
MAC = {'a': '02:00:00:00:00:01', 'b': '02:00:00:00:00:02'}
LINE_EXTRA = 16  # bytes that the line takes more than the hosts send, for escapes
# The fast one reassembles fragments and loses the type of 802.1ad tags, the other is exact.
DRIVERS = {'af_packet': 'net_af_packet{k},iface={name},framesz=10240,blocksz=40960,framecnt=2048',
           'pcap': 'net_pcap{k},rx_iface_in={name},tx_iface={name}'}
MBUF_BYTES = 10752
REACH_S = 60  # boxes leave the processor to everybody else
CPUS = sorted(os.sched_getaffinity(0))


class Box:
    """One linepress process, commanded through its prompt."""

    def __init__(self, chain, number, devices, options):
        self.log_path = chain.path(f'box{number}-{chain.count}.log')
        self.json_path = chain.path(f'box{number}-{chain.count}.json')
        prefix = f'lp-chain-{os.getpid()}-{chain.count}-{number}'
        chain.addCleanup(shutil.rmtree, f'/var/run/dpdk/{prefix}', ignore_errors=True)
        eal = ['--no-huge', '-m', '512', '--no-pci', '--no-shconf', f'--file-prefix={prefix}',
               '-l', str(CPUS[number % len(CPUS)]), '--log-level=*:warning']
        eal += [f'--vdev={DRIVERS[chain.driver].format(k=k, name=name)}'
                for k, name in enumerate(devices)]
        self.command = ['ip', 'netns', 'exec', chain.namespace[f'box{number}'], 'nice', '-n', '19',
                        str(APPLIANCE), *eal, '--', '-i', '-a', '--no-mlockall',
                        f'--mbuf-size={MBUF_BYTES}', f'--stats-json={self.json_path}', *options]
        self.prefix = prefix
        self.process = None
        self.stderr = subprocess.STDOUT
        self.starts = 0

    def start(self):
        # pylint: disable=consider-using-with
        with open(self.log_path, 'ab') as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=log,
                                            stderr=self.stderr)
        self.starts += 1
        wait_for(self.is_up, f'{self.log_path}: forwarding', REACH_S)

    def is_up(self):
        if self.process.poll() is not None:
            raise AssertionError(f'the box ended: {self.log()}')
        return self.log().count('nb forwarding cores=') == self.starts

    def log(self):
        return self.log_path.read_text(errors='replace')

    def say(self, command):
        self.process.stdin.write(command.encode() + b'\n')
        self.process.stdin.flush()

    def ask(self, command, answer):
        """Give a command until the answer, a compiled expression, is in what came after it."""
        def answered():
            start = len(self.log())
            self.say(command)
            time.sleep(0.1)
            return answer.search(self.log(), start)
        return wait_for(answered, f'{command}: {answer.pattern}')

    def wait_for_peer(self, state):
        """Wait until the far box is in one of these states."""
        return self.ask('show peer', re.compile(rf'  state: ({state}) for [^\0]*?\n  -+\n'))

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()

    def send_signal(self, how):
        # `ip netns exec` and `nice` have become the box
        self.process.send_signal(how)

    def stop(self, how=signal.SIGINT):
        """End it in order; returns its last statistics."""
        if self.process is None or self.process.poll() is not None:
            return None
        self.process.send_signal(how)
        try:
            status = self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        self.process.stdin.close()
        if status != 0:
            raise AssertionError(f'status {status}: {self.log()}')
        return json.loads(self.json_path.read_text())

    def end(self):
        """Whatever its state."""
        if self.process is not None and self.process.poll() is None:
            self.kill()


class ChainTest(ProgramTest):
    count = 0

    def chain(self, mtu=1500, line='pair', rate=None, mode='press', driver='af_packet',
              with_ipv6=True, options=((), ()), agree=True, far_box=True):
        """
        Build it, with both boxes running.

        line   'pair', or 'bridge' with a namespace between, or a function that gets packet sockets of
               both ends of such a namespace, or 'none' for a plain wire and no boxes
        rate   of a line that bridges, as tc knows it
        agree  wait until the boxes code
        far_box  start box 2, too
        """
        ChainTest.count += 1
        self.count = ChainTest.count
        self.namespace = {role: f'lp-{os.getpid()}-{self.count}-{role}'
                          for role in ('a', 'b', 'box1', 'box2', 'mid')}
        self.driver = driver
        self.boxes = []
        self.addCleanup(self.tear_down_chain)
        signal.signal(signal.SIGTERM, self.give_up)
        for name in self.namespace.values():
            must('ip', 'netns', 'add', name)
            must('ip', '-n', name, 'link', 'set', 'lo', 'up')
            must('ip', 'netns', 'exec', name, 'sysctl', '-qw',
                 'net.ipv6.conf.default.disable_ipv6=1')
        if line == 'none':
            self.veth('a', 'a0', 'b', 'b0')
        else:
            self.veth('a', 'a0', 'box1', 'a1')
            self.veth('b', 'b0', 'box2', 'b1')
            self.lay_line(line, mtu + LINE_EXTRA, rate)
            self.up('box1', 'a1', mtu + LINE_EXTRA)
            self.up('box2', 'b1', mtu + LINE_EXTRA)
        for side in 'ab':
            self.set_up_host(side, mtu, with_ipv6)
        if line != 'none':
            self.start_boxes(mode, options, agree, far_box)

    def veth(self, space, name, other_space, other_name):
        must('ip', 'link', 'add', name, 'netns', self.namespace[space], 'type', 'veth', 'peer',
             'name', other_name, 'netns', self.namespace[other_space])

    def up(self, space, name, mtu):
        must('ip', '-n', self.namespace[space], 'link', 'set', name, 'mtu', mtu, 'promisc', 'on',
             'up')

    def lay_line(self, line, mtu, rate):
        if line == 'pair':
            self.veth('box1', 'l1', 'box2', 'l2')
        else:
            for end in '12':
                self.veth(f'box{end}', f'l{end}', 'mid', f'm{end}')
                self.up('mid', f'm{end}', mtu)
        for end in '12':
            self.up(f'box{end}', f'l{end}', mtu)
        if line == 'bridge':
            self.lay_bridge(self.namespace['mid'], rate)
        elif callable(line):
            line(*(self.packet_socket('mid', f'm{end}') for end in '12'))

    @staticmethod
    def lay_bridge(mid, rate):
        must('ip', '-n', mid, 'link', 'add', 'sw0', 'type', 'bridge')
        must('ip', '-n', mid, 'link', 'set', 'sw0', 'up')
        for device in 'm1', 'm2':
            must('ip', '-n', mid, 'link', 'set', device, 'master', 'sw0')
            if rate is not None:
                must('tc', '-n', mid, 'qdisc', 'add', 'dev', device, 'root', 'tbf', 'rate', rate,
                     'burst', '128kb', 'latency', '50ms')

    def set_up_host(self, side, mtu, with_ipv6):
        space, device = self.namespace[side], f'{side}0'
        other = 'ba'['ab'.index(side)]
        must('ip', 'netns', 'exec', space, 'ethtool', '-K', device, 'tx', 'off', 'tso', 'off',
             'gso', 'off', 'gro', 'off')
        if with_ipv6:
            must('ip', 'netns', 'exec', space, 'sysctl', '-qw',
                 f'net.ipv6.conf.{device}.disable_ipv6=0')
        must('ip', '-n', space, 'link', 'set', device, 'address', MAC[side], 'mtu', mtu, 'up')
        must('ip', '-n', space, 'addr', 'add', ADDRESS[side] + '/24', 'dev', device)
        if with_ipv6:
            must('ip', '-n', space, 'addr', 'add', ADDRESS6[side] + '/64', 'dev', device, 'nodad')
        for address in (ADDRESS, ADDRESS6)[:1 + with_ipv6]:
            must('ip', '-n', space, 'neigh', 'add', address[other], 'lladdr', MAC[other], 'dev',
                 device, 'nud', 'permanent')

    def start_boxes(self, mode, options, agree, far_box):
        # Each box has its host at port 0.
        for number, devices in enumerate((('a1', 'l1'), ('b1', 'l2'))[:1 + far_box]):
            # On a busy machine a box may not run for a while, and is not dead.
            patience = ['--hello-interval=400'] if mode == 'press' else []
            box = Box(self, number + 1, devices,
                      [f'--forward-mode={mode}', *patience, *options[number]])
            self.boxes.append(box)
            box.start()
        if far_box:
            self.reach()
        for box in self.boxes if mode == 'press' and agree and far_box else []:
            box.wait_for_peer('coding|always')

    def reach(self):
        """Wait until host b answers host a."""
        wait_for(lambda: self.on('a', 'ping', '-c', 1, '-W', 1, ADDRESS['b']).returncode == 0,
                 'an answer to ping', REACH_S)

    def on(self, side, *command, timeout=120, **options):
        """Run a command on a host to its end."""
        return subprocess.run(['ip', 'netns', 'exec', self.namespace[side], *map(str, command)],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=timeout, check=False, **options)

    def start_on(self, side, *command, **options):
        """Start a command on a host; it ends with the test at the latest."""
        # pylint: disable=consider-using-with
        process = subprocess.Popen(['ip', 'netns', 'exec', self.namespace[side],
                                    *map(str, command)], stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def packet_socket(self, side, device=None):
        sock = packet_socket(self.namespace[side], device or f'{side}0')
        self.addCleanup(sock.close)
        return sock

    def stop_boxes(self):
        """End both in order; returns their statistics."""
        return [box.stop() for box in self.boxes]

    def tear_down_chain(self):
        for box in self.boxes:
            box.end()
        if self.failed() and self.boxes:
            kept = Path(f'/tmp/linepress-{os.getpid()}-{self.count}')
            kept.mkdir(exist_ok=True)
            for box in self.boxes:
                for path in box.log_path, box.json_path:
                    if path.exists():
                        shutil.copy(path, kept)
            print(f'logs of the boxes: {kept}')
        for name in self.namespace.values():
            ip('netns', 'del', name)

    def failed(self):
        """Has this test failed so far?"""
        outcome = self._outcome
        result = getattr(outcome, 'result', None)
        failures = result.failures + result.errors if result is not None else []
        return not outcome.success or any(test is self for test, _ in failures)

    def give_up(self, *_):
        """After the time-out of the test runner."""
        self.tear_down_chain()
        os._exit(1)

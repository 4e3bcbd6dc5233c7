# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""A prompt to type at, for the tests of what is typed there."""

import os
import pty
import re
import select
import subprocess
import termios
import time

from appliance_help import LCORES, BoxTest, frames_written
from helpers import APPLIANCE, TRAINING, read_pcap

PROMPT = 'linepress> '
LOCAL_MODES = 3  # in what tcgetattr() returns
ANSWER_S = 30
COMPLAINT = re.compile('^linepress: ', re.M)
FRAMES = len(read_pcap(TRAINING))
RINGS = ['net_ring0', 'net_ring1']


class Prompt:
    """A user at the prompt of a box, on a terminal."""

    def __init__(self, command):
        self.terminal, inside = pty.openpty()
        # pylint: disable=consider-using-with
        self.box = subprocess.Popen(command, stdin=inside, stdout=inside, stderr=inside,
                                    start_new_session=True)
        os.close(inside)
        self.said = ''
        self.start = self.read_until(PROMPT)
        self.wait_for_no_echo()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.box.poll() is None:
            self.box.kill()
        self.box.wait()
        os.close(self.terminal)

    def wait_for_no_echo(self):
        """librte_cmdline prints the first prompt before it takes over from the terminal, which until
        then echoes what is typed."""
        give_up = time.monotonic() + ANSWER_S
        while termios.tcgetattr(self.terminal)[LOCAL_MODES] & termios.ECHO:
            if time.monotonic() > give_up:
                raise AssertionError('the terminal still echoes')
            time.sleep(0.001)

    def read_some(self, patience_s):
        """Returns False at the end."""
        if not select.select([self.terminal], [], [], patience_s)[0]:
            raise AssertionError(f'no answer within {ANSWER_S} s: {self.said}')
        try:
            said = os.read(self.terminal, 65536)
        except OSError:  # so Linux tells that nobody has the other side open
            return False
        self.said += said.decode(errors="replace").replace('\r', '')
        return bool(said)

    def read_until(self, end):
        """What is said up to and including `end`, or to the end of the program if it is None."""
        give_up = time.monotonic() + ANSWER_S
        while end is None or end not in self.said:
            if not self.read_some(max(0, give_up - time.monotonic())):
                break
        if end is None:
            said, self.said = self.said, ''
            return said
        if end not in self.said:
            raise AssertionError(f'ended without {end!r}: {self.said}')
        said, _, self.said = self.said.partition(end)
        return said + end

    def press_keys(self, keys):
        os.write(self.terminal, keys.encode())

    def type(self, line):
        """Type a command; returns what is answered."""
        self.press_keys(line + '\n')
        answer = self.read_until('\n' + PROMPT)
        return answer[:-len(PROMPT)].partition('\n')[2]

    def end(self, line='quit'):
        """Returns the exit status and what was said at the end."""
        self.press_keys(line + '\n')
        said = self.read_until(None)
        return self.box.wait(ANSWER_S), said


class PromptTest(BoxTest):
    """A test that types; answers are judged by whether they complain."""

    def prompt(self, devices, *args, command=None):
        box = Prompt([APPLIANCE, *(command or self.command_of_devices(devices, '-i', *args))])
        self.addCleanup(box.__exit__)
        return box

    def capture_and_ring(self):
        """A host whose frames come back from the line."""
        return [f'net_pcap0,rx_pcap={TRAINING},tx_pcap={self.path("out.pcap")}', 'net_ring0']

    def on_three_lcores(self, devices, *args):
        command = self.command_of_devices(devices, *args)
        at = command.index('-l')
        cpu = LCORES.split(',')[-1]
        command[at:at + 2] = ['--lcores', f'0@{LCORES.split(",", maxsplit=1)[0]},1@{cpu},2@{cpu}']
        return command

    def accept(self, box, line, answer=''):
        said = box.type(line)
        self.assertNotRegex(said, COMPLAINT, line)
        self.assertNotIn('Bad arguments', said, line)
        self.assertIn(answer, said, line)
        return said

    def refuse(self, box, line, *words):
        said = box.type(line)
        self.assertEqual(1, len(COMPLAINT.findall(said)), f'{line}: {said}')
        for word in words:
            self.assertIn(word, said, line)

    def wait_for_frames(self, name, count=FRAMES):
        give_up = time.monotonic() + 20
        while frames_written(self.path(name)) < count:
            self.assertLess(time.monotonic(), give_up, f'{name} has too few frames')
            time.sleep(0.02)

    def wait_for_answer(self, box, line, answer):
        """Type a command again and again."""
        give_up = time.monotonic() + 20
        while answer not in self.accept(box, line):
            self.assertLess(time.monotonic(), give_up, f'{line} never answers {answer}')
            time.sleep(0.1)

    def wait_for_stats_without(self, box, gone, there):
        """Presses count no more of that as soon as nothing of before is under way."""
        for _ in range(20):
            self.accept(box, 'clear press stats')
            self.wait_for_answer(box, 'show press stats', there)
            said = self.accept(box, 'show press stats')
            if not re.search(gone, said):
                return
        raise AssertionError(f'there is still {gone}: {said}')

    def end(self, box):
        status, said = box.end()
        self.assertEqual(0, status, said)
        self.assertTrue(said.endswith('Bye...\n'), said)
        return said

# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""The lab of app/lab.sh, as a newcomer starts it."""

import glob
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
from helpers import APPLIANCE, SOURCE, ProgramTest, main
from network import ip, skip_without_namespaces, wait_for

LAB = SOURCE / 'app/lab.sh'
DIRECTORIES = f'{os.environ.get("TMPDIR", "/tmp")}/linepress-lab.*'
BALANCED = r'  compress: received (\d+) = transmitted \1 \+ dropped 0 .*: OK'


class Lab(ProgramTest):
    def setUp(self):
        super().setUp()
        if 'lp-lab-' in ip('netns', 'list').stdout:
            self.skipTest('somebody has a lab on this machine')
        self.directories = glob.glob(DIRECTORIES)

    def start(self, *command, **environment):
        # pylint: disable=consider-using-with
        lab = subprocess.Popen([LAB, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True,
                               env={**os.environ, **environment})
        self.addCleanup(self.end, lab)
        return lab

    @staticmethod
    def end(lab):
        if lab.poll() is None:
            lab.terminate()
        lab.communicate(timeout=30)
        subprocess.run([LAB, 'down'], capture_output=True, timeout=60, check=False)

    def bring_up(self):
        """Returns the lab and what it says to try."""
        lab, said = self.start(), ''
        while 'Ctrl-C' not in said:
            line = lab.stdout.readline()
            self.assertNotEqual('', line, said)
            said += line
        return lab, said

    def lab(self, *args, status=0):
        """What a lab that is up answers."""
        done = subprocess.run([LAB, *map(str, args)], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual(status, done.returncode, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def assert_nothing_left(self, directories):
        self.assertNotIn('lp-lab-', ip('netns', 'list').stdout)
        self.assertEqual(directories, glob.glob(DIRECTORIES))
        self.assertFalse(os.path.lexists('/run/linepress-lab'))

    def test_command_of_a_host(self):
        lab = self.start('ping', '-c', '3', '-i', '0.2', '10.20.0.2', LINE_RATE='100mbit')
        said, _ = lab.communicate(timeout=60)
        self.assertEqual(0, lab.returncode, said)
        self.assertIn(' 0% packet loss', said)
        self.assertEqual(2, len(re.findall(BALANCED, said)), said)
        self.assert_nothing_left(self.directories)

    def test_hints_work_and_a_signal_takes_it_down(self):
        """The commands that it prints are typed."""
        lab, said = self.bring_up()
        hints = re.findall(r'^  ((?:ip netns exec|[^ ]*/lab.sh) .*)$', said, re.M)
        self.assertEqual(4, len(hints), said)
        for hint in [hints[0].replace('ping ', 'ping -c 1 '),
                     hints[1].replace('-D;', '-D; sleep 1;'), *hints[2:3]]:
            done = subprocess.run(['sh', '-c', hint], capture_output=True, text=True, timeout=60,
                                  check=False)
            self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        lab.send_signal(signal.SIGINT)
        said, _ = lab.communicate(timeout=30)
        self.assertEqual(130, lab.returncode, said)
        near, far = said.split('box lab2:')
        self.assertRegex(near, r'\n  compress: frame bytes saved: 2\d\.\d\d %')
        self.assertRegex(far, r'\n  restore: frame bytes saved on the line: 2\d\.\d\d %')
        self.assertEqual(2, len(re.findall(BALANCED, said)), said)
        self.assert_nothing_left(self.directories)

    def test_wrong_rate_leaves_nothing_behind(self):
        lab = self.start(LINE_RATE='fast')
        said, _ = lab.communicate(timeout=60)
        self.assertEqual(1, lab.returncode)
        self.assertIn('LINE_RATE=fast: tc refuses it', said)
        self.assert_nothing_left(self.directories)

    def test_failure_of_a_command_is_told_and_leaves_logs_only(self):
        lab = self.start('sh', '-c', 'exit 7')
        said, _ = lab.communicate(timeout=60)
        self.assertEqual(7, lab.returncode, said)
        self.assertIn('sh: exit status 7', said)
        kept = re.search(r'^logs: (.*)$', said, re.M).group(1)
        self.assertEqual(['box1.log', 'box2.log'], sorted(os.listdir(kept)))
        shutil.rmtree(kept)
        self.assert_nothing_left(self.directories)

    def wait_for_coding(self):
        wait_for(lambda: 'state: coding' in self.lab('box', 1, 'show', 'peer'), 'coding')

    def test_box_is_restarted_and_ends_while_hosts_talk(self):
        """Then the terminal is closed."""
        lab, _ = self.bring_up()
        self.addCleanup(lab.stdout.close)
        # pylint: disable=consider-using-with
        ping = subprocess.Popen(['ip', 'netns', 'exec', 'lp-lab-a', 'ping', '-i', '0.2', '10.20.0.2'],
                                stdout=subprocess.PIPE, text=True)
        self.addCleanup(ping.communicate)
        self.addCleanup(ping.kill)
        self.wait_for_coding()
        self.assertIn('box lab2 is started', self.lab('restart', 2))
        self.wait_for_coding()
        self.assertRegex(self.lab('box', 2, 'show', 'fwd'), 'must be ')
        self.assertIn('compress: received ', self.lab('box', 2, 'quit'))
        while 'box lab2 has ended, exit status 0' not in (said := lab.stdout.readline()):
            self.assertNotEqual('', said)
        self.assertIn('is not running', self.lab('box', 2, 'show', 'peer', status=1))
        self.assertIn('is not running', self.lab('stop', 2, status=1))
        self.lab('start', 2)
        self.wait_for_coding()
        self.assertIn('is running', self.lab('start', 2, status=1))
        self.assertIn('must be the number of a box', self.lab('stop', 3, status=1))
        time.sleep(2)
        ping.send_signal(signal.SIGINT)
        answered = re.findall(r'icmp_seq=(\d+)', ping.communicate(timeout=30)[0])
        first = int(answered[-5])
        self.assertEqual([str(first + k) for k in range(5)], answered[-5:])
        lab.send_signal(signal.SIGHUP)
        said, _ = lab.communicate(timeout=30)
        self.assertEqual(130, lab.returncode, said)
        self.assert_nothing_left(self.directories)

    @staticmethod
    def pids_of_boxes():
        done = subprocess.run(['pgrep', '-f', '[-]-file-prefix=lab[12] .*net_af_packet0'],
                              capture_output=True, text=True, timeout=30, check=False)
        return [pid for pid in done.stdout.split()
                if os.path.basename(os.readlink(f'/proc/{pid}/exe')) == 'linepress']

    def test_down_removes_what_a_killed_lab_leaves(self):
        lab, _ = self.bring_up()
        lab.kill()
        lab.communicate(timeout=30)
        boxes = self.pids_of_boxes()
        self.assertEqual(2, len(boxes))
        self.assertIn('lab.sh down', self.lab(status=1))
        self.assertIn('no lab is up', self.lab('box', 1, 'show', 'peer', status=1))
        self.lab('down')
        self.assert_nothing_left(self.directories)
        self.assertEqual([], self.pids_of_boxes())
        self.assertIn('there is no lab', self.lab('down', status=1))


if __name__ == '__main__':
    skip_without_namespaces('ethtool')
    main(APPLIANCE)

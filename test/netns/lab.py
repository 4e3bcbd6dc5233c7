# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""The lab of app/lab.sh, as a newcomer starts it."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'replay'))
# pylint: disable=wrong-import-position
from helpers import APPLIANCE, SOURCE, ProgramTest, main
from network import ip, skip_without_namespaces

LAB = SOURCE / 'app/lab.sh'
BALANCED = r'  compress: received (\d+) = transmitted \1 \+ dropped 0 .*: OK'


class Lab(ProgramTest):
    def setUp(self):
        super().setUp()
        if 'lp-lab-' in ip('netns', 'list').stdout:
            self.skipTest('somebody has a lab on this machine')

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

    def test_command_of_a_host(self):
        lab = self.start('ping', '-c', '3', '-i', '0.2', '10.20.0.2', LINE_RATE='100mbit')
        said, _ = lab.communicate(timeout=60)
        self.assertEqual(0, lab.returncode, said)
        self.assertIn(' 0% packet loss', said)
        self.assertEqual(2, len(re.findall(BALANCED, said)), said)
        self.assertNotIn('lp-lab-', ip('netns', 'list').stdout)

    def test_hints_work_and_a_signal_takes_it_down(self):
        """The commands that it prints are typed."""
        lab = self.start()
        said = ''
        while 'Ctrl-C' not in said:
            line = lab.stdout.readline()
            self.assertNotEqual('', line, said)
            said += line
        hints = re.findall(r'^  (ip netns exec .*)$', said, re.M)
        self.assertEqual(2, len(hints), said)
        for hint in [hints[0].replace('ping ', 'ping -c 1 '), hints[1].replace('-D;', '-D; sleep 1;')]:
            done = subprocess.run(['sh', '-c', hint], capture_output=True, text=True, timeout=60,
                                  check=False)
            self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        lab.send_signal(signal.SIGINT)
        said, _ = lab.communicate(timeout=30)
        self.assertEqual(130, lab.returncode, said)
        self.assertRegex(said, r'frame bytes saved: 2\d\.\d\d %')
        self.assertEqual(2, len(re.findall(BALANCED, said)), said)
        self.assertNotIn('lp-lab-', ip('netns', 'list').stdout)

    def test_wrong_rate_leaves_nothing_behind(self):
        lab = self.start(LINE_RATE='fast')
        said, _ = lab.communicate(timeout=60)
        self.assertEqual(1, lab.returncode)
        self.assertIn('LINE_RATE=fast: tc refuses it', said)
        self.assertNotIn('lp-lab-', ip('netns', 'list').stdout)


if __name__ == '__main__':
    skip_without_namespaces('ethtool')
    main(APPLIANCE)

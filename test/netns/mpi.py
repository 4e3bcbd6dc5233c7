# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""Collectives of OpenMPI between the hosts: equal results."""

import os
import shutil
import subprocess
from pathlib import Path

from chain import ADDRESS, ChainTest
from helpers import APPLIANCE, TENSORS, main
from network import skip_without_namespaces

PYTHON = '/usr/bin/python3'  # of Debian, which python3-mpi4py belongs to
RANK = Path(__file__).resolve().with_name('mpi_rank.py')
# In place of ssh: enter the namespace that has the address.
AGENT = '''#!/bin/sh
case $1 in
{cases}*) exit 1 ;;
esac
shift
exec ip netns exec $space sh -c "$*"
'''


def has_mpi():
    return shutil.which('mpirun') is not None and subprocess.run(
        [PYTHON, '-c', 'import mpi4py, numpy'], stdin=subprocess.DEVNULL, capture_output=True,
        timeout=60, check=False).returncode == 0


class Mpi(ChainTest):
    def mpirun(self, tensor):
        """What both ranks have got."""
        agent = self.path('agent')
        agent.write_text(AGENT.format(cases=''.join(
            f'{ADDRESS[side]}) space={self.namespace[side]} ;;\n' for side in 'ab')))
        agent.chmod(0o755)
        net = '10.20.0.0/24'
        done = self.on('a', 'mpirun', '--allow-run-as-root', '-np', 2, '-H',
                       f'{ADDRESS["a"]}:1,{ADDRESS["b"]}:1', '--map-by', 'node', '--mca',
                       'plm_rsh_agent', agent, '--mca', 'btl', 'tcp,self', '--mca', 'pml', 'ob1',
                       '--mca', 'mpi_yield_when_idle', '1', '--mca', 'btl_tcp_if_include', net, '--mca', 'oob_tcp_if_include', net,
                       PYTHON, RANK, tensor, self.path('out'),
                       env=dict(os.environ, OMP_NUM_THREADS='1'))
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return [self.path(f'out.{rank}').read_bytes() for rank in range(2)]

    def test_openmpi_gets_equal_results(self):
        if not has_mpi():
            self.skipTest('openmpi-bin or python3-mpi4py is missing')
        for name in 'bf16-ffn1-wgrad.bin', 'fp32-ffn1-act.bin':
            with self.subTest(tensor=name):
                self.chain(line='none', mtu=9000)
                plain = self.mpirun(TENSORS / name)
                self.tear_down_chain()
                self.chain(mtu=9000)
                boxed = self.mpirun(TENSORS / name)
                statistics = self.stop_boxes()
                self.tear_down_chain()
                self.assertEqual(plain[0], plain[1])
                self.assertEqual(plain, boxed)
                for box in statistics:
                    self.assertGreater(box['directions']['compress']['coded'], 100)


if __name__ == '__main__':
    skip_without_namespaces('ethtool')
    main(APPLIANCE)

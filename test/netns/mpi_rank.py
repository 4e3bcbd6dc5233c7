# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""One rank of a collective of OpenMPI, for Debian's python3-mpi4py.

    mpi_rank.py TENSOR-FILE RESULT-FILE

All-reduces the tensor as fp32 and all-gathers its bytes; each rank writes its results.
"""

import sys

import numpy
from mpi4py import MPI

REPEAT = 32


def main():
    world = MPI.COMM_WORLD
    raw = numpy.roll(numpy.fromfile(sys.argv[1], dtype=numpy.uint8), 4 * world.rank)
    mine = numpy.tile(raw, REPEAT)
    parts = numpy.empty(world.size * mine.size, dtype=numpy.uint8)
    world.Allgather(mine, parts)
    total = numpy.empty(raw.size // 4, dtype=numpy.float32)
    world.Allreduce(raw.view(numpy.float32), total)
    with open(f'{sys.argv[2]}.{world.rank}', 'wb') as out:
        out.write(parts.tobytes() + total.tobytes())


main()

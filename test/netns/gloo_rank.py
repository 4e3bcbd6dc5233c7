# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""One rank of a collective of PyTorch over gloo, for Debian's python3-torch.

    gloo_rank.py RANK TENSOR-FILE RESULT-FILE ROUNDS

All-reduces (fp32) and all-gathers (as bytes: gloo has no bf16) the tensor; writes the results, and
prints the seconds of the fastest all-gather.
"""

import os
import sys
import time

import numpy
import torch
import torch.distributed as dist

REPEAT = 64


def main():
    rank, source, result, rounds = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
    dist.init_process_group('gloo', rank=rank, world_size=2)
    raw = numpy.fromfile(source, dtype=numpy.uint8)
    mine = torch.from_numpy(numpy.tile(numpy.roll(raw, 4 * rank), REPEAT))
    parts = [torch.empty_like(mine) for _ in range(2)]
    seconds = []
    for _ in range(rounds):
        dist.barrier()
        start = time.monotonic()
        dist.all_gather(parts, mine)
        dist.barrier()
        seconds.append(time.monotonic() - start)
    total = torch.from_numpy(numpy.roll(raw, 4 * rank).copy().view(numpy.float32))
    dist.all_reduce(total)
    with open(result, 'wb') as out:
        for part in parts:
            out.write(part.numpy().tobytes())
        out.write(total.numpy().tobytes())
    print(min(seconds), flush=True)
    dist.barrier()
    os._exit(0)  # gloo's threads may abort an orderly end


main()

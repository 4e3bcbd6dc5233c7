#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""Tensors of a corpus made sparse or narrow, to build and to measure the books for such tensors.

derive.py CORPUS OUTPUT [SPLIT]

Of each element type of CORPUS/manifest.tsv, OUTPUT receives (SPLIT is `profile`, the default, or
`eval`):
  TYPE-z50.bin, -z90, -z99   elements set to zero at random, so many percent of them: ReLU, top-k
  TYPE-zero.bin              zeros alone: padding
  TYPE-one.bin               the number 1 alone (0x05 of int8)
  int8-n4.bin, -n8, -n16, -n32  values divided, as if one outlier had set the scale
  int4-g32.bin, -g128, -tensor  bf16 elements as packed 4-bit integers from -7 to 7, the first in the
                             low half of a byte, scaled by the largest of 32, of 128, or of all
  constant.bin               of no tensor: rotated bytes of which half are 0 and a quarter are 1,
                             the others the rarer the farther from 0, so that sampling finds the
                             base of a constant of either sign step by step
The books named `sparse`, `narrow`, `constant` and `int4` are built from these, see docs/codebooks.md.
"""

import csv
import random
import struct
import sys
from pathlib import Path

ELEMENT_BYTES = {'bf16': 2, 'fp16': 2, 'fp32': 4, 'e4m3': 1, 'e5m2': 1, 'int8': 1}
ONE = {'bf16': '803f', 'fp16': '003c', 'fp32': '0000803f', 'e4m3': '38', 'e5m2': '3c',
       'int8': '05'}
KINDS = ('ffn1-act', 'ffn1-wgrad', 'resid-act')
PART_BYTES = 65536  # of a tensor at most, so that long ones do not outweigh others
CONSTANT_BYTES = 65536
CONSTANT_BITS = {2: 6, 4: 8, 8: 9, 18: 13}  # -log2 of the probability from this distance on
SEED = 7


def sparse(data, size, percent, rng):
    out = bytearray(data)
    for k in range(0, len(out), size):
        if rng.random() * 100 < percent:
            out[k:k + size] = bytes(size)
    return out


def divided(data, divisor):
    values = (byte - 256 if byte > 127 else byte for byte in data)
    return bytes(int(abs(v) / divisor + 0.5) * (1 if v > 0 else -1) & 255 for v in values)


def packed(data, group):
    words = struct.unpack(f'<{len(data) // 2}H', data)
    values = struct.unpack(f'<{len(words)}f',
                           struct.pack(f'<{len(words)}I', *(word << 16 for word in words)))
    nibbles = []
    for k in range(0, len(values), group):
        part = values[k:k + group]
        scale = (max(map(abs, part)) or 1) / 7
        nibbles += (round(value / scale) & 15 for value in part)
    return bytes(low | high << 4 for low, high in zip(nibbles[::2], nibbles[1::2]))


def constant(rng):
    weights = [1 / 2, 1 / 4] + [0.0] * 254
    for symbol in range(2, 256):
        distance = min(symbol, 257 - symbol)
        bits = max(bits for start, bits in CONSTANT_BITS.items() if distance >= start)
        weights[symbol] = 2.0 ** -bits
    rotated = rng.choices(range(256), weights, k=CONSTANT_BYTES)
    return bytes(symbol >> 1 | (symbol & 1) << 7 for symbol in rotated)


def main(corpus, output, split='profile'):
    corpus, output = Path(corpus), Path(output)
    with open(corpus / 'manifest.tsv', encoding='utf-8') as manifest:
        rows = [row for row in csv.DictReader(manifest, delimiter='\t') if row['split'] == split]
    output.mkdir(exist_ok=True)
    (output / 'constant.bin').write_bytes(constant(random.Random(SEED)))
    for element_type, size in ELEMENT_BYTES.items():
        rng = random.Random(SEED)
        parts = {row['path']: (corpus / row['path']).read_bytes()[:PART_BYTES]
                 for row in rows if row['dtype'] == element_type}
        for percent in 50, 90, 99:
            (output / f'{element_type}-z{percent}.bin').write_bytes(b''.join(
                sparse(data, size, percent, rng) for path, data in parts.items()
                if path.split('/')[1] in KINDS))
        (output / f'{element_type}-zero.bin').write_bytes(bytes(CONSTANT_BYTES))
        (output / f'{element_type}-one.bin').write_bytes(
            bytes.fromhex(ONE[element_type]) * (CONSTANT_BYTES // size))
        for name, group in (('g32', 32), ('g128', 128), ('tensor', PART_BYTES)) \
                if element_type == 'bf16' else ():
            (output / f'int4-{name}.bin').write_bytes(b''.join(
                packed(data, group) for data in parts.values()))
        for divisor in (4, 8, 16, 32) if element_type == 'int8' else ():
            (output / f'int8-n{divisor}.bin').write_bytes(b''.join(
                divided(data, divisor) for data in parts.values()))


if __name__ == '__main__':
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])

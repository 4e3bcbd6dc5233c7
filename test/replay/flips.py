# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""Coded frames damaged on the line: no host may get a payload that was not sent."""

import collections
import random

import edges
import frames as f
from helpers import (REPLAY, TRAINING, Frame, ProgramTest, main, read_pcap, replay_to_pipe,
                     write_pcap)

SEED = 20260101
BODY_FLIPS = 40  # in each frame
TRAINING_STEP = 25  # takes one coded frame of so many
EDGES = ('tcp-v6', 'udp-v6', 'vlan-2', 'roce-v6', 'roce-udp-checksum', 'roce-0-0x6', 'roce-trailer',
         'roce-0-0x8', 'udp-checksum-0000', 'udp-checksum-wrong', 'tcp-checksum-wrong', 'trailer-7',
         'payload-zero', 'payload-nan', 'payload-swapped', 'payload-fp32', 'length-1447-phase-1')
SHIM_MAX = 16


def acceptable(data):
    """Would a host take this frame's payload? Without UDP checksum it takes anything."""
    p = f.parse(data)
    if p is None or not f.ip_cksum_ok(data, p):
        return False
    if p.is_roce:
        return f.icrc_ok(data, p)
    return f.l4_cksum_ok(data, p) or (p.protocol == f.UDP and data[p.cksum:p.cksum + 2] == bytes(2))


def unprotected(at, p):
    """Is this byte outside of all checksums of a host?"""
    if at < p.l3 or (p.version == 6 and at - p.l3 in (0, 1, 2, 3, 7)):
        return True
    return p.is_roce and (at - p.cksum in (0, 1) or at == p.l4 + 8 + 4)


def flip(data, at, bits):
    return data[:at] + bytes([data[at] ^ bits]) + data[at + 1:]


class Flips(ProgramTest):
    def samples(self):
        """Pairs of a frame and its coded form."""
        named = dict(edges.all_frames())
        sent = read_pcap(TRAINING)
        sent = [frame.data for frame in sent] + [named[name] for name in EDGES]
        line = self.line_of(write_pcap(self.path('sent.pcap'), sent))
        pairs = [(a, b.data) for a, b in zip(sent, line) if a != b.data]
        edge_pairs = pairs[-len(EDGES):]
        self.assertEqual([named[name] for name in EDGES], [a for a, _ in edge_pairs])
        return pairs[:-len(EDGES):TRAINING_STEP] + edge_pairs

    def damage(self, pairs):
        """For each flip: index of the pair, offset, bits."""
        rng = random.Random(SEED)
        for k, (_, coded) in enumerate(pairs):
            p = f.parse(coded)
            body = p.region + SHIM_MAX
            offsets = list(range(body))
            offsets += sorted(rng.sample(range(body, p.region_end), BODY_FLIPS))
            offsets += [body, p.region_end - 1] + list(range(p.region_end, len(coded)))
            for at in offsets:
                yield k, at, rng.randrange(1, 256)

    def judge(self, original, coded, at, bits, out):
        """What has become of one flip; a test failure if a host could be harmed."""
        if out is None:
            return 'dropped'
        p = f.parse(coded)
        damaged = flip(coded, at, bits)
        if out == damaged:
            if not p.is_roce or f.parse(damaged) is not None and f.parse(damaged).is_roce:
                self.assertFalse(acceptable(out), 'coded frame that a host would take')
            return 'untouched'
        if out == original:
            return 'restored'
        if at < p.region:
            same = out == flip(original, at, bits)
        else:
            same = at >= p.region_end and out == flip(original, at + len(original) - len(coded),
                                                      bits)
        outside = unprotected(at, p) or at >= p.ip_end
        if same and outside:
            return 'restored, with the flip outside of the payload'
        if same:
            self.assertFalse(acceptable(out) and acceptable(original))
            return 'restored, with a flip that the host notices'
        self.assertTrue(p.is_roce, 'not the payload that was sent')
        self.assertFalse(acceptable(out), 'not the payload that was sent, with a right ICRC')
        return 'wrong, but the ICRC tells'

    def test_flipped_bytes_harm_no_host(self):
        pairs = self.samples()
        flips = list(self.damage(pairs))
        line = [Frame((k + 1) * 1000, flip(pairs[n][1], at, bits))
                for k, (n, at, bits) in enumerate(flips)]
        # Bursts of one, so that a frame that is dropped does not shift the times of others.
        done, out = replay_to_pipe('--restored', '--mode', 'restore', '--loops', 1, '--burst', 1,
                                   write_pcap(self.path('line.pcap'), line))
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertRegex(done.stdout.splitlines()[-1], '^FAILED: ')
        by_time = {frame.time_ns: frame.data for frame in out}
        self.assertEqual(len(out), len(by_time))

        fates, in_region = collections.Counter(), 0
        for frame, (n, at, bits) in zip(line, flips):
            original, coded = pairs[n]
            p = f.parse(coded)
            in_region += p.region <= at < p.region_end
            try:
                fates[self.judge(original, coded, at, bits, by_time.get(frame.time_ns))] += 1
            except AssertionError as error:
                raise AssertionError(f'frame {n}, byte {at} ^ {bits:#x}, region from {p.region} '
                                     f'to {p.region_end}: {error}') from None
        print(f'{in_region} of {len(flips)} flips in the region;', dict(fates))
        self.assertGreater(in_region, 300)
        for fate in ('dropped', 'untouched', 'restored', 'wrong, but the ICRC tells'):
            self.assertGreater(fates[fate], 20, fate)

    def test_cut_body_is_never_restored(self):
        """As packet trimming leaves it: shorter, with lengths and IP checksum made right."""
        pairs, cut = self.samples(), []
        for n, (_, coded) in enumerate(pairs):
            p = f.parse(coded)
            for lost in (1, 2, 3, 100):
                length_at, base = (p.l3 + 2, p.l3) if p.version == 4 else (p.l3 + 4, p.l4)
                data = edges.patched(coded, length_at, p.ip_end - lost - base)
                if p.protocol == f.UDP:
                    data = edges.patched(data, p.l4 + 4, p.ip_end - lost - p.l4)
                data = data[:p.region_end - lost] + data[p.region_end:p.ip_end]
                cut.append((n, f.with_ip_cksum(data, p)))
        line = [Frame((k + 1) * 1000, data) for k, (_, data) in enumerate(cut)]
        done, out = replay_to_pipe('--restored', '--mode', 'restore', '--loops', 1, '--burst', 1,
                                   write_pcap(self.path('line.pcap'), line))
        self.assertEqual(1, done.returncode, done.stderr)
        self.assert_same_frames(line, out)  # the tag is wrong, so they pass
        self.assertFalse(any(acceptable(frame.data) for frame in out))


if __name__ == '__main__':
    main(REPLAY)

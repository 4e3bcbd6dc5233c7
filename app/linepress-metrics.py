#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""Print the statistics of a running linepress in Prometheus' text format.

For the textfile collector of prometheus-node-exporter, run it regularly as the user of the box:

    linepress-metrics -o /var/lib/prometheus/node-exporter/linepress.prom

Without a box to ask, the exit status is 1 and nothing is written.
"""

import argparse
import json
import os
import socket
import sys

ANSWER_BYTES = 16384
TIMEOUT_S = 5
PERCENTILES = {'p50': '50', 'p90': '90', 'p99': '99', 'p999': '99.9', 'max': '100'}


def runtime_dir():
    if os.geteuid() == 0:
        return '/var/run/dpdk'
    return os.environ.get('XDG_RUNTIME_DIR', '/tmp') + '/dpdk'


class Box:
    """A running linepress."""

    def __init__(self, prefix):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(TIMEOUT_S)
        self.socket.connect(f'{runtime_dir()}/{prefix}/dpdk_telemetry.v2')
        self.socket.recv(ANSWER_BYTES)

    def ask(self, command, when_null=None):
        self.socket.send(f'/linepress/{command}'.encode())
        answer = json.loads(self.socket.recv(ANSWER_BYTES))
        return answer.get(f'/linepress/{command.partition(",")[0]}') or when_null


class Metrics:
    """Samples, by metric."""

    def __init__(self):
        self.samples = {}

    def add(self, name, text, value, **labels):
        words = ','.join(f'{key}="{label}"' for key, label in labels.items())
        kind = 'counter' if name.endswith('_total') else 'gauge'
        head = [f'# HELP {name} {text}', f'# TYPE {name} {kind}']
        self.samples.setdefault(name, head).append(f'{name}{{{words}}} {value}')

    def add_all(self, what, counters, **labels):
        for key, value in counters.items():
            if isinstance(value, int):
                self.add(f'linepress_{what}_{key}_total',
                         f'{key} of each {what} since forwarding began.', value, **labels)

    def text(self):
        return '\n'.join(line for lines in self.samples.values() for line in lines) + '\n'


def collect(box, metrics):
    info = box.ask('info')
    if info is None:
        raise ValueError('it is ending')
    metrics.add('linepress_info', 'What runs here.', 1, version=info['version'],
                mode=info['mode'], kernel=info['kernel'])
    metrics.add('linepress_forwarding', 'Whether frames are forwarded.', info['forwarding'])
    metrics.add('linepress_verify_every', 'One in so many coded frames is verified, 0: none.',
                info['verify_every'])
    for name, counters in box.ask('stats', {}).items():
        what, _, port = name.partition('_')
        labels = {'port': port} if what == 'port' else {'direction': name}
        metrics.add_all('port' if port else 'direction', counters, **labels)
    for direction, reasons in box.ask('drops', {}).items():
        for reason, count in reasons.items():
            what, _, reason = reason.partition('_')
            metrics.add(f'linepress_{what}_packets_total',
                        f'Frames {what}, by reason, since forwarding began.', count,
                        direction=direction, reason=reason)
    for number in box.ask('codebooks', {}):
        book = box.ask(f'codebooks,{number}', {})
        for direction in 'compress', 'restore':
            metrics.add_all('codebook', book.get(direction, {}), codebook=book['name'],
                            type=book['type'], direction=direction)
    for port in box.ask('peer', {}):
        peer = box.ask(f'peer,{port}', {})
        metrics.add('linepress_peer_state', 'State of the far box.', 1, port=port,
                    state=peer.get('state', 'gone'))
        metrics.add('linepress_peer_coding', 'Whether frames to the far box are coded.',
                    peer.get('coding', 0), port=port)
        for key, value in peer.items():
            what, _, word = key.partition('_')
            if what == 'entered':
                metrics.add('linepress_peer_states_total', 'How often each state began.', value,
                            port=port, state=word)
    drift = box.ask('drift', {})
    for key in 'sampled', 'missed', 'stale', 'noise':
        if key in drift:
            metrics.add(f'linepress_profile_{key}_regions_total',
                        f'Regions {key} by profiling since it began.', drift[key])
    for number in (key.removeprefix('alarm_') for key in drift if key.startswith('alarm_')):
        book = box.ask(f'drift,{number}', {})
        if not book:
            continue
        labels = {'codebook': book['name'], 'type': book['type']}
        metrics.add('linepress_drift_alarm', 'Whether another codebook would save much more.',
                    book['alarm'], **labels)
        metrics.add('linepress_drift_alarms_total', 'Alarms raised since profiling began.',
                    book['alarms'], **labels)
        metrics.add('linepress_drift_loss_ratio',
                    'Share of bytes that another codebook would save more.',
                    book['loss_ppm'] / 1e6, **labels)
    for percentile, ns in box.ask('latency', {}).items():
        if percentile in PERCENTILES:
            metrics.add('linepress_latency_seconds', 'From receive to transmit.', ns / 1e9,
                        percentile=PERCENTILES[percentile])
    for lcore in box.ask('lcore', []):
        counters = box.ask(f'lcore,{lcore}', {})
        metrics.add_all('lcore', {key: counters[key] for key in
                                  ('busy_cycles', 'idle_cycles', 'packets', 'sleeps')
                                  if key in counters}, lcore=lcore)


def write(path, text):
    """A file that is complete under its name, or not there."""
    temporary = f'{path}.{os.getpid()}'
    with open(temporary, 'w', encoding='ascii') as out:
        out.write(text)
    os.replace(temporary, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('-f', '--file-prefix', default='rte', help='of the box (default: rte)')
    parser.add_argument('-o', '--output', help='file to write (default: standard output)')
    args = parser.parse_args()
    prefix = args.file_prefix
    metrics = Metrics()
    try:
        collect(Box(prefix), metrics)
    except (OSError, ValueError) as error:
        sys.exit(f'linepress-metrics: no answer from a linepress with --file-prefix={prefix}: '
                 f'{error}')
    if args.output is None:
        sys.stdout.write(metrics.text())
    else:
        write(args.output, metrics.text())


if __name__ == '__main__':
    main()

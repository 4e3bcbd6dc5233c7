# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""What linepress answers to DPDK's telemetry: the same as in its JSON file."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import threading
import time

from appliance_help import LCORES, BoxTest
from helpers import APPLIANCE, SOURCE, TRAINING, main, read_pcap, run
from prompt import Prompt

FRAMES = len(read_pcap(TRAINING))
METRICS = SOURCE / 'app/linepress-metrics.py'
ANSWER_BYTES = 16384
LCORE = int(LCORES.rsplit(',', maxsplit=1)[-1])
COMMANDS = ['info', 'stats', 'drops', 'codebooks', 'codebooks,1', 'latency', f'lcore,{LCORE}',
            'peer', 'peer,1']
RUNTIME = '/var/run/dpdk' if os.geteuid() == 0 else os.environ.get('XDG_RUNTIME_DIR', '') + '/dpdk'


class Client:
    """A connection to a process of DPDK."""

    def __init__(self, prefix):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.connect(f'{RUNTIME}/{prefix}/dpdk_telemetry.v2')
        self.socket.settimeout(20)
        self.socket.recv(ANSWER_BYTES)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def ask(self, command):
        self.socket.send(f'/linepress/{command}'.encode())
        said = self.socket.recv(ANSWER_BYTES)
        if not said:
            raise ConnectionError
        return json.loads(said)[f'/linepress/{command.partition(",")[0]}']


class Telemetry(BoxTest):
    def prompt(self, *args):
        command = self.command_of_devices(
            [f'net_pcap0,rx_pcap={TRAINING},tx_pcap={self.path("out.pcap")}', 'net_ring0'],
            '-i', *args)
        command.remove('--no-telemetry')
        prefix = next(word for word in command if word.startswith('--file-prefix='))[14:]
        box = Prompt([APPLIANCE, *command])
        self.addCleanup(box.__exit__)
        client = Client(prefix)
        self.addCleanup(client.__exit__)
        return box, client, prefix

    def started(self, *args):
        """A box that has forwarded the whole capture and back and still forwards."""
        box, client, prefix = self.prompt(*args)
        box.type('start')
        give_up = time.monotonic() + 20
        while client.ask('latency')['samples'] < 2 * FRAMES:
            self.assertLess(time.monotonic(), give_up)
            time.sleep(0.02)
        return box, client, prefix

    def end(self, box):
        status, said = box.end()
        self.assertEqual(0, status, said)

    def check_answers(self, client, report):
        """Compare with a report in JSON."""
        stats, drops = client.ask('stats'), client.ask('drops')
        for name, direction in report['directions'].items():
            for key, value in stats[name].items():
                self.assertEqual(direction[key], value, (name, key))
            reasons = {f'{what}_{reason}': count for what in ('passed', 'dropped')
                       for reason, count in direction[what].items()}
            self.assertEqual(reasons, drops[name])
        for port in report['ports']:
            self.assertEqual({key: value for key, value in port.items()
                              if key not in ('id', 'driver')}, stats[f'port_{port["id"]}'])
        for book in report['codebooks']:
            self.assertEqual(book, client.ask(f'codebooks,{book["id"]}'))
        self.assertEqual({str(book['id']): book['name'] for book in report['codebooks']},
                         client.ask('codebooks'))
        self.assertEqual(report['latency_ns'], client.ask('latency'))
        (lcore,) = report['lcores']
        self.assertEqual([lcore['id']], client.ask('lcore'))
        answer = client.ask(f'lcore,{lcore["id"]}')
        self.assertEqual(lcore, {key: answer[key] for key in lcore})
        self.assertEqual(report['latency_ns'], answer['latency_ns'])

    def test_answers_at_the_end_are_those_of_the_json_file(self):
        path = self.path('stats.json')
        box, client, _ = self.started(f'--stats-json={path}')
        box.type('stop')
        report = json.loads(path.read_text())
        self.assertEqual(FRAMES, report['directions']['restore']['tx_packets'])
        self.check_answers(client, report)
        info = client.ask('info')
        self.assertEqual((report['version'], 'press', 0, 2, 2, 1, len(report['codebooks'])),
                         tuple(info[key] for key in ('version', 'mode', 'forwarding', 'ports',
                                                     'streams', 'lcores', 'codebooks')))
        self.end(box)

    def test_answers_while_forwarding_count_what_was_forwarded(self):
        box, client, _ = self.started()
        self.assertEqual(1, client.ask('info')['forwarding'])
        stats = client.ask('stats')
        self.assertEqual((FRAMES, FRAMES), (stats['compress']['rx_packets'],
                                            stats['restore']['tx_packets']))
        box.type('clear fwd stats all')
        self.assertEqual(stats, client.ask('stats'))
        self.assertEqual(2 * FRAMES, client.ask('latency')['samples'])
        self.end(box)

    def test_rules_are_those_of_the_json_file(self):
        path, rules = self.path('stats.json'), self.path('rules')
        rules.write_text('# all that matches\nproto roce -> dry-run\nproto tcp -> pass\n')
        box, client, _ = self.started(f'--stats-json={path}', f'--rules={rules}')
        box.type('stop')
        *matched, unmatched = json.loads(path.read_text())['rules']
        self.assertEqual(['proto roce -> dry-run', 'proto tcp -> pass'],
                         [rule['text'] for rule in matched])
        self.assertEqual([rule['packets'] for rule in [unmatched] + matched], client.ask('rules'))
        for number, rule in enumerate([unmatched] + matched):
            self.assertEqual({'line': number + 1 if number else 0, **rule},
                             client.ask(f'rules,{number}'))
        self.assertGreater(matched[0]['would_coded'], 0)
        self.assertGreater(matched[1]['packets'], 0)
        for command in 'rules,3', 'rules,x', 'rules,-1':
            self.assertIsNone(client.ask(command), command)
        box.type('set rules none')
        self.assertIsNone(client.ask('rules'))
        self.end(box)

    def test_drift_is_that_of_the_json_file(self):
        path = self.path('stats.json')
        box, client, prefix = self.prompt(f'--stats-json={path}')
        self.assertIsNone(client.ask('drift'))
        box.type('set profile on rate 1/1')
        box.type('start')
        give_up = time.monotonic() + 20
        while client.ask('latency')['samples'] < 2 * FRAMES:
            self.assertLess(time.monotonic(), give_up)
            time.sleep(0.02)
        box.type('stop')
        report, drift = json.loads(path.read_text()), client.ask('drift')
        self.assertGreaterEqual(report['profile']['sampled'], 63)
        self.assertEqual(report['profile']['sampled'],
                         sum(book['regions'] for book in report['drift']))
        self.assertEqual({**report['profile'], **{f'alarm_{book["number"]}': book['alarm']
                                                  for book in report['drift']}}, drift)
        for book in report['drift']:
            self.assertEqual(book, client.ask(f'drift,{book["number"]}'))
        for command in 'drift,99', 'drift,0', 'drift,x':
            self.assertIsNone(client.ask(command), command)
        _, metrics = self.metrics(prefix)
        self.assertEqual(str(report['profile']['missed']),
                         metrics['linepress_profile_missed_regions_total{}'])
        for book in report['drift']:
            labels = f'{{codebook="{book["name"]}",type="{book["type"]}"}}'
            self.assertEqual('0', metrics[f'linepress_drift_alarm{labels}'])
            self.assertAlmostEqual(book['loss_ppm'] / 1e6,
                                   float(metrics[f'linepress_drift_loss_ratio{labels}']))
        self.end(box)

    def test_wrong_parameters_are_refused(self):
        box, client, _ = self.started()
        for command in ('info,1', 'stats,x', 'drops,0', 'latency,1', 'lcore,x',
                        f'lcore,{LCORE}x', f'lcore,{LCORE},1', 'lcore,-1', 'lcore, 1',
                        'lcore,0x1', 'lcore,4294967297', 'lcore,65535', 'codebooks,0',
                        'codebooks,99', 'codebooks,256', 'codebooks,1x', 'codebooks,1,2',
                        'peer,0', 'peer,2', 'peer,x'):
            self.assertIsNone(client.ask(command), command)
        for command in COMMANDS:
            self.assertIsNotNone(client.ask(command), command)
        self.end(box)

    def test_whether_coded_frames_are_verified(self):
        box, client, prefix = self.started()
        for what, every in ('off', 0), ('on', 1), ('1/16', 16):
            box.type(f'set verify {what}')
            self.assertEqual(every, client.ask('info')['verify_every'])
            _, metrics = self.metrics(prefix)
            self.assertEqual(str(every), metrics['linepress_verify_every{}'])
        self.end(box)

    def test_before_the_first_start_there_is_nothing_to_count(self):
        box, client, _ = self.prompt()
        self.assertEqual((0, 0), tuple(client.ask('info')[key] for key in
                                       ('forwarding', 'streams')))
        for command in 'stats', 'drops', 'latency', f'lcore,{LCORE}':
            self.assertIsNone(client.ask(command), command)
        self.assertEqual({'id', 'name', 'type', 'kind', 'symbol', 'digest', 'kernel'},
                         set(client.ask('codebooks,1')))
        self.end(box)

    def test_mode_io_has_no_codebooks(self):
        box, client, _ = self.started('--forward-mode=io')
        self.assertEqual('none', client.ask('info')['kernel'])
        self.assertIsNone(client.ask('codebooks'))
        self.assertIsNone(client.ask('codebooks,1'))
        self.assertEqual(2 * FRAMES, client.ask('stats')['io']['tx_packets'])
        self.assertIsNone(client.ask('peer') or None)
        self.end(box)

    def test_questions_may_come_at_any_time(self):
        """Forwarding starts and stops, ports close and the program ends meanwhile."""
        box, _, prefix = self.prompt()
        asked = 0

        def ask_on():
            nonlocal asked
            with contextlib.suppress(OSError), Client(prefix) as client:
                while True:
                    for command in COMMANDS:
                        client.ask(command)
                        asked += 1

        threads = [threading.Thread(target=ask_on) for _ in range(3)]
        for thread in threads:
            thread.start()
        for k in range(12):
            box.type(f'set burst {k + 1}')
            box.type(f'set record-burst-stats {"on" if k % 2 else "off"}')
            box.type('start')
            box.type('show fwd stats all')
            box.type('stop')
        box.type('start')
        self.end(box)
        for thread in threads:
            thread.join()
        self.assertGreater(asked, 12 * len(COMMANDS))

    def test_client_of_dpdk_understands_the_answers(self):
        program = shutil.which('dpdk-telemetry.py')
        if program is None:
            self.skipTest('needs dpdk-telemetry.py')
        box, _, prefix = self.started()
        questions = ''.join(f'/linepress/{command}\n' for command in COMMANDS)
        done = subprocess.run([program, '-f', prefix], input=questions, text=True, timeout=20,
                              capture_output=True, check=True)
        for command in COMMANDS:
            self.assertRegex(done.stdout, f'{{"/linepress/{command.partition(",")[0]}": {{"')
        self.end(box)

    def metrics(self, prefix, *args):
        """What linepress-metrics prints: values by name and labels."""
        done = self.assert_good(run(METRICS, '-f', prefix, *args))
        return done.stdout, dict(line.rsplit(' ', maxsplit=1) for line in
                                 done.stdout.splitlines() if not line.startswith('#'))

    def test_metrics_for_prometheus_are_those_counters(self):
        path = self.path('stats.json')
        box, _, prefix = self.started(f'--stats-json={path}')
        _, metrics = self.metrics(prefix)
        self.assertEqual('1', metrics['linepress_peer_state{port="1",state="always"}'])
        self.assertEqual('1', metrics['linepress_peer_coding{port="1"}'])
        box.type('stop')
        text, metrics = self.metrics(prefix)
        report = json.loads(path.read_text())
        for name, direction in report['directions'].items():
            self.assertEqual(str(direction['rx_bytes']), metrics[
                f'linepress_direction_rx_bytes_total{{direction="{name}"}}'])
            for reason, count in direction['passed'].items():
                self.assertEqual(str(count), metrics[
                    f'linepress_passed_packets_total{{direction="{name}",reason="{reason}"}}'])
        coded = sum(int(value) for name, value in metrics.items()
                    if name.startswith('linepress_codebook_packets_total{'))
        self.assertEqual(2 * report['directions']['compress']['coded'], coded)
        self.assertAlmostEqual(report['latency_ns']['p999'] / 1e9, float(
            metrics['linepress_latency_seconds{percentile="99.9"}']))
        self.assertIn(f'linepress_lcore_packets_total{{lcore="{LCORE}"}}', metrics)
        self.assertEqual('0', metrics['linepress_direction_verified_total{direction="compress"}'])
        written = self.path('linepress.prom')
        self.assertEqual(('', {}), self.metrics(prefix, '-o', written))
        self.assertEqual(text, written.read_text())
        self.end(box)
        self.assertEqual(1, run(METRICS, '-f', prefix, '-o', self.path('none')).returncode)
        self.assertFalse(self.path('none').exists())

    def test_prometheus_accepts_the_metrics(self):
        promtool = shutil.which('promtool')
        if promtool is None:
            self.skipTest('needs promtool, of package prometheus')
        box, _, prefix = self.started()
        text, _ = self.metrics(prefix)
        done = subprocess.run([promtool, 'check', 'metrics'], input=text, text=True, timeout=20,
                              capture_output=True, check=False)
        self.assertEqual((0, ''), (done.returncode, done.stdout + done.stderr))
        self.end(box)


if __name__ == '__main__':
    main(APPLIANCE)

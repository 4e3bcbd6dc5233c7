#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the linepress authors
"""Does docs/operations.md explain every name that a box can print, and every message of its log?"""

import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
TABLE_ENTRY = re.compile(r'\[LP_\w+\] = "(\w+)"')
FIELD = re.compile(r'\bSTATS_FIELD\(\w+, "(\w+)"')
# Tables of names, and how many each has at least: an empty one would be no test.
TABLES = {
    'lib/wire/parse.c': (TABLE_ENTRY, 17),
    'lib/wire/hello_check.c': (TABLE_ENTRY, 16),
    'lib/press/reason.c': (TABLE_ENTRY, 19),
    'lib/press/peer_report.c': (TABLE_ENTRY, 22),
    'app/linepress/report/stats_fields.c': (FIELD, 40),
    'app/linepress/report/drift_stats.c': (FIELD, 15),
}
NOT_A_REASON = {'eligible'}
MESSAGE = re.compile(r'LOG\((?:CRIT|ERR|WARNING|NOTICE),\s*((?:"(?:[^"\\]|\\.)*"\s*|PRI\w+\s*)+)')
MESSAGES_MIN = 20


def names():
    for path, (pattern, at_least) in TABLES.items():
        found = pattern.findall((TOP / path).read_text())
        if len(found) < at_least:
            sys.exit(f'{path}: only {len(found)} names found, is this test out of date?')
        yield from ((path, name) for name in found if name not in NOT_A_REASON)


def messages():
    found = [(path.name, ''.join(re.findall(r'"((?:[^"\\]|\\.)*)"', text)))
             for path in sorted((TOP / 'app/linepress').rglob('*.c'))
             for text in MESSAGE.findall(path.read_text())]
    if len(found) < MESSAGES_MIN:
        sys.exit(f'only {len(found)} messages found, is this test out of date?')
    return found


def main():
    text = (TOP / 'docs/operations.md').read_text()
    explained = re.findall(r'^\| `(.*?)` \|', text.partition('## Messages')[2], re.M)
    missing = [f'{path}: {name}' for path, name in names() if f'`{name}`' not in text]
    missing += [f'{path}: {message}' for path, message in messages()
                if not any(part in message for part in explained)]
    for what in missing:
        print(f'docs/operations.md does not explain {what}')
    sys.exit(bool(missing))


if __name__ == '__main__':
    main()

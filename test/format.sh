#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Is all C code laid out as .clang-format says? Versions differ, so only that of Debian 12 judges.

cd "$(dirname "$0")/.." || exit 1
clang-format --version 2>/dev/null | grep -q 'version 14\.' || {
    echo "skipped: needs clang-format 14"
    exit 77
}
find app lib test -name '*.[ch]' -exec clang-format --dry-run -Werror {} +

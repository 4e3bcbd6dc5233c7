#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Static analysis: no findings. Versions differ in what they find, so only those of Debian 12 judge.
#
#   test/lint.sh cppcheck         seconds; also a test of the suite unit
#   test/lint.sh clang-tidy       24 minutes of one CPU
#   test/lint.sh                  both
#
# .clang-tidy and test/lint.cppcheck say what is left out, and why.

cd "$(dirname "$(readlink -f "$0")")/.." || exit 1
failed=0

with_cppcheck() {
    cppcheck --version 2>/dev/null | grep -q ' 2\.10$' || { echo "skipped: needs cppcheck 2.10"; return 77; }
    cppcheck --enable=warning,performance,portability --std=c11 --library=gnu --library=posix \
        -D_GNU_SOURCE -D__x86_64__ -DLP_KERNEL_AVX2 -I lib/codec -I lib/wire -I lib/press -I lib/profile \
        --suppressions-list=test/lint.cppcheck --error-exitcode=1 --quiet lib app test
}

# tidy DIRECTORY... [OPTION]
tidy() {
    local -a where=() options=()
    local word
    for word in "$@"; do
        case $word in -*) options+=("$word") ;; *) where+=("$word") ;; esac
    done
    find "${where[@]}" -name '*.c' ! -path '*/simde/*' -print0 |
        xargs -0 -P "$(nproc)" -n 4 clang-tidy-14 -p "${LP_BUILD:-build}" --quiet \
            --warnings-as-errors='*' "${options[@]}" 2>/dev/null
}

with_clang_tidy() {
    local build=${LP_BUILD:-build}
    clang-tidy-14 --version >/dev/null 2>&1 || { echo "skipped: needs clang-tidy-14"; return 77; }
    [ -f "$build/compile_commands.json" ] || { echo "skipped: needs a build in build/"; return 77; }
    tidy lib app && tidy test/unit test/fuzz --checks=-clang-analyzer-core.NullDereference # CU_ASSERT_FATAL()
}

case ${1:-all} in
cppcheck) with_cppcheck; exit ;;
clang-tidy) with_clang_tidy; exit ;;
all)
    for tool in with_cppcheck with_clang_tidy; do
        $tool
        case $? in 0 | 77) ;; *) failed=1 ;; esac
    done
    exit $failed ;;
*) echo "usage: test/lint.sh [cppcheck|clang-tidy]" >&2; exit 1 ;;
esac

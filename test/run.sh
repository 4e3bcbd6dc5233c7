#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Run the tests.
#
#   test/run.sh                   all of them, then all again under AddressSanitizer and UBSan
#   test/run.sh --suite unit      a part of them (arguments of `meson test`), without sanitizers

. "$(dirname "$(readlink -f "$0")")/../app/setup.sh"

passed=0 failed=0 skipped=0

# run_tests DIRECTORY [ARGUMENT OF meson test...]
run_tests() {
    local dir=$1 log ok fail skip
    shift
    log=$(mktemp)
    meson test -C "$dir" --no-rebuild --print-errorlogs "$@" </dev/null 2>&1 | tee "$log" |
        sed -u '/^ninja: /d; /^Full log /d; /^$/d; /^[A-Z][A-Za-z ]*: *[0-9]* *$/d' || true
    count() { awk -F: -v key="$1" '$1 == key { n = $2 } END { print n + 0 }' "$log"; }
    ok=$(($(count Ok) + $(count 'Expected Fail')))
    fail=$(($(count Fail) + $(count 'Unexpected Pass') + $(count Timeout)))
    skip=$(count Skipped)
    [ $((ok + fail + skip)) -gt 0 ] || fail=1 # meson did not come to its summary
    passed=$((passed + ok))
    failed=$((failed + fail))
    skipped=$((skipped + skip))
    rm -f "$log"
}

install_packages "${packages[@]}" tshark iproute2
build_in "$build"
can_write "$build"
run_tests "$build" "$@"
if [ $# -eq 0 ]; then
    build_in "$top/build-sanitize" -Db_sanitize=address,undefined -Db_lundef=false \
        --buildtype=debugoptimized
    echo "again, under AddressSanitizer and UBSan:"
    run_tests "$top/build-sanitize"
fi
[ "$skipped" -eq 0 ] && echo "$passed passed, $failed failed" ||
    echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Run the tests.
#
#   test/run.sh                   all of them, then all again under AddressSanitizer and UBSan
#   test/run.sh --suite unit      a part of them (arguments of `meson test`), without sanitizers

. "$(dirname "$0")/../app/setup.sh"

passed=0 failed=0 skipped=0

# run_tests DIRECTORY [ARGUMENT OF meson test...]
run_tests() {
    local dir=$1 log
    shift
    log=$(mktemp)
    meson test -C "$dir" --no-rebuild --print-errorlogs "$@" </dev/null 2>&1 | tee "$log" |
        sed -u '/^ninja: /d; /^Full log /d; /^$/d; /^[A-Z][A-Za-z ]*: *[0-9]* *$/d' || true
    count() { awk -F: -v key="$1" '$1 == key { n = $2 } END { print n + 0 }' "$log"; }
    passed=$((passed + $(count Ok) + $(count 'Expected Fail')))
    failed=$((failed + $(count Fail) + $(count 'Unexpected Pass') + $(count Timeout)))
    skipped=$((skipped + $(count Skipped)))
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
[ "$passed" -gt 0 ] || failed=$((failed + 1)) # nothing ran: not a success
[ "$skipped" -eq 0 ] && echo "$passed passed, $failed failed" ||
    echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Run the tests.
#
#   test/run.sh                   all of them, with a soak of 2 minutes, then all again under
#                                 AddressSanitizer and UBSan, then the unit tests for AArch64
#   test/run.sh --suite unit      a part of them (arguments of `meson test`), only once

. "$(dirname "$(readlink -f "$0")")/tests.sh"

install_packages "${packages[@]}" dpdk dpdk-dev tshark iproute2 ethtool iputils-ping nftables iperf3 \
    python3-torch openmpi-bin python3-mpi4py libsimde-dev gnuplot-nox cppcheck
build_in "$build"
can_write "$build"
if [ $# -gt 0 ]; then
    run_tests "$build" "$@"
    report
    exit
fi

sanitize=$top/build-sanitize

build_others() {
    build_in "$sanitize" -Db_sanitize=address,undefined -Db_lundef=false \
        --buildtype=debugoptimized
    build_aarch64
}

# What is tested last is built meanwhile, but not while hosts talk to each other.
install_aarch64
log=$(mktemp)
set -m # a group of its own, to be ended as a whole
build_others >"$log" 2>&1 &
builder=$!
set +m
trap 'kill -- -"$builder" 2>/dev/null || true; rm -f "$log"' EXIT
LP_SOAK_SECONDS=${LP_SOAK_SECONDS:-120} run_tests "$build" --no-suite netns
if ! step "building for sanitizers and for AArch64" wait "$builder"; then
    cat "$log" >&2
    failed=$((failed + 1))
    report
fi
trap 'rm -f "$log"' EXIT # the number of the group may become another's
run_tests "$build" --suite netns
echo "again, under AddressSanitizer and UBSan:"
LP_SOAK_SECONDS=8 run_tests "$sanitize" --no-suite netns # hosts do not wait for boxes so slow
echo "again, the unit tests for AArch64:"
test_aarch64
report

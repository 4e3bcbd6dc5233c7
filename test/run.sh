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
[ $# -gt 0 ] || soak_seconds=120
LP_SOAK_SECONDS=${LP_SOAK_SECONDS:-${soak_seconds:-8}} run_tests "$build" "$@"
if [ $# -eq 0 ]; then
    build_in "$top/build-sanitize" -Db_sanitize=address,undefined -Db_lundef=false \
        --buildtype=debugoptimized
    echo "again, under AddressSanitizer and UBSan:"
    run_tests "$top/build-sanitize" --no-suite netns # hosts do not wait for boxes so slow
    echo "again, the unit tests for AArch64:"
    test_aarch64
fi
report

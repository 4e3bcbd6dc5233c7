#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Build everything for AArch64 and run the unit tests in QEMU, on x86-64; test/run.sh does it too.
#
#   test/aarch64.sh                  all of them
#   test/aarch64.sh codec_sample     a part of them (arguments of `meson test`)

. "$(dirname "$(readlink -f "$0")")/tests.sh"

install_aarch64
build_in "$build"
build_aarch64
test_aarch64 "$@"
report

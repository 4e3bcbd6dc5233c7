#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Send traffic through a pair of boxes and change everything that may change meanwhile: rules,
# codebooks, modes, bursts, ports. Every coded frame is decoded and compared before it is sent, in
# between random traffic is compared end to end; memory must stay the same.
#
#   test/soak.sh MINUTES          with another seed each time; LP_SOAK_SEED=N repeats one

. "$(dirname "$(readlink -f "$0")")/../app/setup.sh"

[[ ${1:-} =~ ^[1-9][0-9]{0,5}$ ]] && [ $# -eq 1 ] || die "usage: test/soak.sh MINUTES"
install_packages "${packages[@]}" python3
build_in "$build"
export LP_SOURCE=$top LP_BUILD=$build PYTHONDONTWRITEBYTECODE=1
export LP_SOAK_SECONDS=$(($1 * 60)) LP_SOAK_SEED=${LP_SOAK_SEED:-$RANDOM}
echo "seed $LP_SOAK_SEED"
exec python3 "$top/test/replay/soak.py"

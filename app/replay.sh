#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Send captures through a pair of boxes and verify that every frame comes back bit for bit.
#
#   app/replay.sh                 the shipped capture
#   app/replay.sh CAPTURE...      others; all options of linepress-replay may be given too

. "$(dirname "$(readlink -f "$0")")/setup.sh"

install_packages "${packages[@]}"
build_in "$build"
[ $# -gt 0 ] || set -- "$top/test/data/training.pcap"
exec "$build/app/linepress-replay/linepress-replay" "$@"

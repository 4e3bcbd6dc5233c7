#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Run all fuzz targets for hours, each a few minutes at a time, with other seeds each time.
#
#   test/fuzz/long.sh [HOURS]     default 1
#
# Ends with status 1 at the first input that a target does not survive, which is kept.

. "$(dirname "$(readlink -f "$0")")/../../app/setup.sh"

[[ ${1:-1} =~ ^[1-9][0-9]{0,3}$ ]] || { echo "usage: $0 [HOURS], 1 to 9999" >&2; exit 1; }
install_packages "${packages[@]}"
build_in "$build"

# Executions a round: about a minute each.
declare -A runs=([book]=5000000 [capture]=2000000 [command_file]=1500000 [console]=60000 [decode_area]=50000000
    [decode_grouped]=30000000 [decode_huffman]=3000000 [frame]=200000000 [hello]=100000000
    [key_file]=4000000 [numbers]=200000000 [peer]=1000000 [press]=25000000 [profile]=1000000 [rules]=2000000
    [telemetry]=600000)
work=$(mktemp -d /tmp/linepress-fuzz.XXXXXX) seed=$RANDOM total=0
end=$((SECONDS + 3600 * ${1:-1}))
cd "$work"
while [ "$SECONDS" -lt "$end" ]; do
    seed=$((seed + 1))
    for target in "${!runs[@]}"; do
        if ! nice "$build/test/fuzz/fuzz_$target" -seed="$seed" -runs="${runs[$target]}" \
            "$top/test/fuzz/corpus/$target" 2>log; then
            cat log
            echo "FAILED: $target with seed $seed, input in $work/crash-input"
            exit 1
        fi
        total=$((total + runs[$target]))
        echo "$target seed $seed: $(tail -1 log)"
    done
done
cd / && rm -r "$work"
echo "OK: $total executions"

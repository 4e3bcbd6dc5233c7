#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Which lines of lib/ do the unit tests and fuzz targets reach? Less than 95 % of them is a failure.
# Takes some ten minutes.
#
# Out of reach (98.1 % are reached): memory that runs out while books, sets, rules, profiles and
# peers are loaded; kernels that fail their self-test, which test/replay/faulty.py has; switches over
# all values of a type; rules that linepress-codebook asks (rules_frame.c), files of profiles that
# cannot be opened or hold what nobody writes, which test/replay/codebook_profile.py has; a few lines
# of AVX-512 where the processor has none and SIMDe stands in for it.

. "$(dirname "$(readlink -f "$0")")/../app/setup.sh"

install_packages "${packages[@]}" gcovr
coverage=$top/build-coverage
build_in "$coverage" -Db_coverage=true --buildtype=debug
find "$coverage" -name '*.gcda' -delete
meson test -C "$coverage" --no-rebuild --suite unit --suite fuzz-smoke --timeout-multiplier 4
gcovr --root "$top" --filter "$top/lib/" --object-directory "$coverage" --fail-under-line 95 "$coverage"

# SPDX-License-Identifier: BSD-3-Clause
#
# Sourced by app/replay.sh, app/lab.sh and test/run.sh: install what is missing, then build into build/.

set -eu
unset CDPATH
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$top/build
packages=(gcc meson ninja-build pkg-config libdpdk-dev libpcap-dev libjansson-dev libssl-dev
    libcunit1-dev zlib1g-dev libzstd-dev libisal-dev liblz4-dev libdeflate-dev)

die() {
    echo "$0: $*" >&2
    exit 1
}

# Run a long step quietly: one line while it lasts, its output only if it fails.
step() {
    local what=$1 log status=0 start=$SECONDS
    shift
    log=$(mktemp)
    printf '%s ... ' "$what"
    "$@" >"$log" 2>&1 </dev/null || status=$?
    if [ "$status" -eq 0 ]; then
        echo "done ($((SECONDS - start)) s)"
    else
        echo failed
        cat "$log" >&2
    fi
    rm -f "$log"
    return "$status"
}

missing_packages() {
    local package
    for package in "$@"; do
        [ "$(dpkg-query -Wf '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
            echo "$package"
    done
}

install_packages() {
    local missing
    command -v dpkg-query >/dev/null || return 0 # not Debian: meson tells what it does not find
    mapfile -t missing < <(missing_packages "$@")
    [ ${#missing[@]} -eq 0 ] && return
    [ "$(id -u)" -eq 0 ] || die "missing packages; as root: apt-get install ${missing[*]}"
    command -v apt-get >/dev/null || die "missing packages, and no apt-get: ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    step "updating the package lists" apt-get update ||
        die "cannot update the package lists; missing packages: ${missing[*]}"
    step "installing ${missing[*]}" apt-get install -y --no-install-recommends "${missing[@]}" ||
        die "cannot install: ${missing[*]}"
}

can_write() {
    [ -w "$1" ] || { [ ! -e "$1" ] && [ -w "$top" ]; } ||
        die "cannot write into ${1#"$top"/}: use a checkout of your own"
}

# build_in DIRECTORY [MESON OPTION...]
build_in() {
    local dir=$1
    shift
    [ -z "${CI:-}" ] || set -- "$@" -Dwerror=true
    if [ ! -f "$dir/build.ninja" ]; then
        can_write "$dir"
        rm -rf "$dir/meson-private" # of a configuration that was interrupted
        step "configuring ${dir#"$top"/}" meson setup "$dir" "$top" "$@"
    fi
    # -n tells whether there is anything to do, so that a second run says nothing.
    ninja -C "$dir" -n 2>/dev/null | grep -q 'no work to do' && return
    can_write "$dir"
    step "building ${dir#"$top"/} (a minute or two)" ninja -C "$dir"
}

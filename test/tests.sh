# SPDX-License-Identifier: BSD-3-Clause
#
# Sourced by test/run.sh and test/aarch64.sh: run tests and count them.

. "$(dirname "${BASH_SOURCE[0]}")/../app/setup.sh"

passed=0 failed=0 skipped=0
trap 'exit 130' INT # meson takes it for its own end only

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

report() {
    [ "$skipped" -eq 0 ] && echo "$passed passed, $failed failed" ||
        echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
}

arm=$top/build-aarch64
arm_root=$top/build-aarch64-sysroot

arm_apt() {
    apt-get -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User= \
        -o Dir::State="$arm_root.apt" -o Dir::State::status="$arm_root.apt/status" \
        -o Dir::Cache="$arm_root.apt" "$@"
}

# Packages of arm64 are unpacked, not installed: dpkg takes them only in the very versions of this
# machine's own, so that installing them upgrades those.
unpack_arm_packages() {
    local new=$arm_root.new archive link
    rm -rf "$arm_root" "$arm_root.apt" "$new"
    mkdir -p "$arm_root.apt/lists/partial" "$arm_root.apt/archives/partial" "$new" &&
        : >"$arm_root.apt/status" &&
        arm_apt update &&
        arm_apt install -y --no-install-recommends --download-only "$@" || return
    for archive in "$arm_root.apt"/archives/*.deb; do
        dpkg-deb -x "$archive" "$new" || return
    done
    find "$new" -type l -lname '/*' | while read -r link; do
        ln -sfnr "$new$(readlink "$link")" "$link"
    done
    rm -rf "$arm_root.apt"
    echo "$*" >"$new/packages"
    mv "$new" "$arm_root"
}

# An x86 box and an Arm box may face each other.
same_frames_on_the_line() {
    local native=$build/app/linepress-replay/linepress-replay
    local cross=$arm/app/linepress-replay/linepress-replay
    local capture=$top/test/data/training.pcap line=$arm/line
    "$native" --loops 1 --line "$line.native" "$capture" &&
        qemu-aarch64 -L "$arm_root" "$cross" --loops 1 --line "$line.cross" "$capture" &&
        cmp "$line.native" "$line.cross"
}

can_run_aarch64() {
    [ "$(uname -m)" = x86_64 ] && grep -qs '^ID=debian$' /etc/os-release
}

install_aarch64() {
    ! can_run_aarch64 || install_packages "${packages[@]}" gcc-aarch64-linux-gnu qemu-user
}

build_aarch64() {
    local libraries=()
    can_run_aarch64 || return 0
    mapfile -t libraries < <(printf '%s\n' "${packages[@]}" | grep -e '-dev$')
    if [ "$(cat "$arm_root/packages" 2>/dev/null)" != "${libraries[*]}" ]; then
        can_write "$arm_root"
        step "fetching packages of arm64" unpack_arm_packages "${libraries[@]}"
    fi
    printf "[constants]\nsysroot = '%s'\n" "$arm_root" >"$arm_root/sysroot.ini"
    build_in "$arm" --cross-file "$arm_root/sysroot.ini" \
        --cross-file "$top/test/cross/aarch64.ini"
}

# The unit tests in QEMU.
test_aarch64() {
    if ! can_run_aarch64; then
        echo "AArch64 in QEMU: skipped, needs Debian on x86-64"
        skipped=$((skipped + 1))
        return
    fi
    run_tests "$arm" --suite unit "$@"
    if step "AArch64 and x86-64 put the same frames on the line" same_frames_on_the_line; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
}

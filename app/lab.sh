#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# A lab on one machine: two hosts that talk through a pair of boxes, all in network namespaces.
#
#   app/lab.sh                      bring it up; Ctrl-C takes it down
#   app/lab.sh COMMAND...           run a command on host a, then take it down
#   LINE_RATE=200mbit app/lab.sh    with a slow line between the boxes
#
#   host a ── a1 [box lab1] l1 ── switch ── l2 [box lab2] b1 ── host b

. "$(dirname "$(readlink -f "$0")")/setup.sh"

hosts_mtu=1500
line_mtu=$((hosts_mtu + 16)) # so that a frame that looks coded can be escaped
declare -A address=([a]=10.20.0.1 [b]=10.20.0.2) mac=([a]=02:00:00:00:00:0a [b]=02:00:00:00:00:0b)
spaces=(a b 1 2 line)
boxes=()
logs=

in_space() {
    local space=$1
    shift
    ip netns exec "lp-lab-$space" "$@"
}

# wire SPACE NAME SPACE NAME: a cable between two namespaces
wire() {
    ip link add "$2" netns "lp-lab-$1" type veth peer name "$4" netns "lp-lab-$3"
}

# up SPACE NAME MTU: an interface of a box or the switch; nothing but frames of hosts leaves it
up() {
    in_space "$1" sysctl -qw "net.ipv6.conf.$2.disable_ipv6=1"
    ip -n "lp-lab-$1" link set "$2" mtu "$3" promisc on up
}

make_host() {
    local host=$1 other
    [ "$host" = a ] && other=b || other=a
    # what a stack leaves to adapters, no box can restore
    in_space "$host" ethtool -K "${host}0" tx off tso off gso off gro off >/dev/null
    ip -n "lp-lab-$host" link set "${host}0" address "${mac[$host]}" mtu "$hosts_mtu" up
    ip -n "lp-lab-$host" addr add "${address[$host]}/24" dev "${host}0"
}

make_line() {
    local end
    ip -n lp-lab-line link add sw0 type bridge
    ip -n lp-lab-line link set sw0 up
    for end in 1 2; do
        wire "$end" "l$end" line "m$end"
        up "$end" "l$end" "$line_mtu"
        up line "m$end" "$line_mtu"
        ip -n lp-lab-line link set "m$end" master sw0
        [ -z "${LINE_RATE:-}" ] || tc -n lp-lab-line qdisc add dev "m$end" root tbf \
            rate "$LINE_RATE" burst 128kb latency 50ms || die "LINE_RATE=$LINE_RATE: tc refuses it"
    done
}

make_spaces() {
    local space
    for space in "${spaces[@]}"; do
        ip netns add "lp-lab-$space"
        ip -n "lp-lab-$space" link set lo up
    done
    wire a a0 1 a1
    wire b b0 2 b1
    up 1 a1 "$line_mtu"
    up 2 b1 "$line_mtu"
    make_line
    make_host a
    make_host b
}

start_box() {
    local number=$1 host=$2 cpus cpu ring=framesz=9216,blocksz=36864
    mapfile -t cpus < <(taskset -cp $$ | sed 's/.*: //' | tr , '\n' |
        awk -F- '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }')
    cpu=${cpus[$(((number - 1) % ${#cpus[@]}))]}
    setsid ip netns exec "lp-lab-$number" "$build/app/linepress/linepress" --no-huge -m 512 --no-pci \
        --file-prefix="lab$number" -l "$cpu" \
        --vdev="net_af_packet0,iface=${host}1,$ring" --vdev="net_af_packet1,iface=l$number,$ring" \
        -- --cmdline-file="$top/configs/bump.cmd" --idle-sleep-us=100 --no-mlockall \
        >"$logs/box$number.log" 2>&1 </dev/null &
    boxes[$number]=$!
}

wait_for_agreement() {
    local number tries
    for number in 1 2; do
        for ((tries = 0; tries < 300; tries++)); do
            grep -q 'peer coding' "$logs/box$number.log" && break
            kill -0 "${boxes[$number]}" 2>/dev/null || break
            sleep 0.1
        done
        grep -q 'peer coding' "$logs/box$number.log" || {
            cat "$logs/box$number.log" >&2
            die "box lab$number does not code, see above"
        }
    done
}

take_down() {
    local status=$? number space
    trap - EXIT INT TERM
    for number in "${!boxes[@]}"; do
        kill -TERM "${boxes[$number]}" 2>/dev/null || true
    done
    for number in "${!boxes[@]}"; do
        wait "${boxes[$number]}" || {
            echo "box lab$number: exit status $?, see $logs/box$number.log" >&2
            status=1
            continue
        }
        echo "box lab$number:"
        grep -E '^  (frame bytes saved|compress: |restore: )' "$logs/box$number.log" || true
    done
    for space in "${spaces[@]}"; do
        ip netns del "lp-lab-$space" 2>/dev/null || true
    done
    case $status in
    0 | 130) rm -rf "$logs" ;;
    *) echo "logs: $logs" >&2 ;;
    esac
    exit "$status"
}

case ${1:-} in
-h | --help)
    sed -n '4,10s/^# \{0,1\}//p' "$0"
    exit
    ;;
-*) die "$1: unknown option, see --help" ;;
esac
[ "$(id -u)" -eq 0 ] || die "needs root, for network namespaces"
install_packages "${packages[@]}" iproute2 ethtool iputils-ping iperf3 procps
build_in "$build"
if ip netns list | grep -q '^lp-lab-'; then
    die "there is a lab already; if it is a dead one: ip -all netns list, then ip netns del lp-lab-..."
fi
logs=$(mktemp -d "${TMPDIR:-/tmp}/linepress-lab.XXXXXX")
trap take_down EXIT
trap 'exit 130' INT TERM
make_spaces
start_box 1 a
start_box 2 b
wait_for_agreement
if [ $# -gt 0 ]; then
    in_space a "$@"
    exit
fi
for ((i = 0; i < 2048; i++)); do
    cat "$top/test/data/tensors/bf16-ffn1-act.bin"
done >"$logs/tensor.bin"
cat <<EOF
hosts a (${address[a]}) and b (${address[b]}) talk through boxes lab1 and lab2, which agree. In another shell:
  ip netns exec lp-lab-a ping ${address[b]}
  ip netns exec lp-lab-b iperf3 -s -1 -D; ip netns exec lp-lab-a iperf3 -c ${address[b]} -F $logs/tensor.bin
  dpdk-telemetry.py -f lab1, then /linepress/peer,1 or /linepress/stats
  tail -f $logs/box1.log
Ctrl-C takes it down.
EOF
while kill -0 "${boxes[1]}" 2>/dev/null && kill -0 "${boxes[2]}" 2>/dev/null; do
    sleep 1
done
die "a box has ended by itself, see $logs"

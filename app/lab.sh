#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# A lab on one machine: two hosts that talk through a pair of boxes, all in network namespaces.
#
#   app/lab.sh                      bring it up; Ctrl-C takes it down
#   app/lab.sh COMMAND...           run a command on host a, then take it down
#   LINE_RATE=200mbit app/lab.sh    with a slow line between the boxes
#
# While it is up, from another shell:
#
#   app/lab.sh box 1 show peer      a command at the prompt of box 1; without one: the prompt
#   app/lab.sh restart 2            stop box 2 in order, and start it again; or stop 2, start 2
#   app/lab.sh down                 take it down, even if what has brought it up was killed
#
#   host a ── a1 [box lab1] l1 ── switch ── l2 [box lab2] b1 ── host b

. "$(dirname "$(readlink -f "$0")")/setup.sh"
. "$top/app/lab_boxes.sh"

hosts_mtu=1500
line_mtu=$((hosts_mtu + 16)) # so that a frame that looks coded can be escaped
declare -A address=([a]=10.20.0.1 [b]=10.20.0.2) mac=([a]=02:00:00:00:00:0a [b]=02:00:00:00:00:0b)
spaces=(a b 1 2 line)
state=/run/linepress-lab # leads to the directory of the lab, of which there is one on a machine
lab=

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
    local host=$1
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

lab_pid() {
    local pid
    pid=$(cat "$state/pid" 2>/dev/null) && grep -qas lab.sh "/proc/$pid/cmdline" && echo "$pid"
}

# enter NUMBER: choose a box of the lab that is up
enter() {
    lab_pid >/dev/null || die "no lab is up; \`$0\` brings one up"
    lab=$(readlink "$state")
    case ${1:-} in
    1 | 2) ;;
    *) die "${1:-no number}: must be the number of a box, 1 or 2" ;;
    esac
}

# ---- the end ----

# remove_spaces SIGNAL: with what still runs in them, which would keep them alive
remove_spaces() {
    local space
    for space in "${spaces[@]}"; do
        ip netns pids "lp-lab-$space" 2>/dev/null | xargs -r kill "-$1" 2>/dev/null
        ip netns del "lp-lab-$space" 2>/dev/null
    done
    rm -rf /var/run/dpdk/lab[12]
}

take_down() {
    local status=$? number
    trap '' INT TERM HUP PIPE # the terminal may be gone, or somebody impatient
    trap - EXIT
    set +e
    for number in 1 2; do
        has_ended "$number" || signal_box "$number" TERM
    done
    for number in 1 2; do
        [ -e "$lab/box$number.pid" ] || continue
        wait_for_end "$number"
        totals "$number"
        [ "$(box_status "$number")" != 0 ] || continue
        echo "box lab$number: exit status $(box_status "$number"), see $lab/box$number.log" >&2
        status=1
    done
    remove_spaces TERM
    rm -f "$state"
    case $status in
    0 | 130) rm -rf "$lab" ;;
    *)
        find "$lab" -type f -name '*.log' -o -type d -o -delete
        rmdir "$lab" 2>/dev/null || echo "logs: $lab" >&2
        ;;
    esac
    exit "$status"
}

# The lab itself does it if it lives; the command of a host that it may wait for ends, too.
down() {
    local pid
    [ -L "$state" ] || ip netns list | grep -q '^lp-lab-' || die "there is no lab"
    lab=$(readlink "$state" || true)
    set +e
    if pid=$(lab_pid); then
        kill -TERM "$pid"
        ip netns pids lp-lab-a | xargs -r kill -TERM 2>/dev/null
        wait_until 40 [ ! -e "/proc/$pid" ] && return
        kill -KILL "$pid"
    fi
    remove_spaces KILL
    [[ $lab != */linepress-lab.* ]] || rm -rf "$lab"
    rm -f "$state"
}

# Say of boxes that have ended that they have, once.
report_ended() {
    local number pid
    for number in 1 2; do
        pid=$(cat "$lab/box$number.pid" 2>/dev/null) || continue
        [ -e "$lab/box$number.status" ] && [ "${reported[$number]:-}" != "$pid" ] || continue
        reported[number]=$pid
        echo "box lab$number has ended, exit status $(box_status "$number"), see" \
            "$lab/box$number.log; \`$0 start $number\` starts it again"
    done
}

[ "$(id -u)" -eq 0 ] || [[ ${1:-} == -* ]] || die "needs root, for network namespaces"
case ${1:-} in
-h | --help)
    sed -n '4,16s/^# \{0,1\}//p' "$0"
    exit
    ;;
-*) die "$1: unknown option, see --help" ;;
box | start | stop | restart)
    command=$1
    shift
    enter "${1:-}"
    case $command in
    box) prompt "$@" ;;
    start | stop) "${command}_box" "$1" ;;
    restart)
        has_ended "$1" || stop_box "$1"
        start_box "$1"
        ;;
    esac
    exit
    ;;
down)
    down
    exit
    ;;
esac
install_packages "${packages[@]}" iproute2 ethtool iputils-ping iperf3 procps
build_in "$build"
lab=$(mktemp -d "${TMPDIR:-/tmp}/linepress-lab.XXXXXX")
if ip netns list | grep -q '^lp-lab-' || ! ln -s "$lab" "$state" 2>/dev/null; then
    rm -rf "$lab"
    die "there is a lab already; \`$0 down\` takes it down, or removes what a dead one has left"
fi
trap take_down EXIT
trap 'exit 130' INT TERM HUP
echo $$ >"$lab/pid"
make_spaces
launch 1
launch 2
wait_for_log 1 'peer coding' code
wait_for_log 2 'peer coding' code
if [ $# -gt 0 ]; then
    in_space a "$@" || {
        status=$?
        echo "$0: $1: exit status $status" >&2
        exit "$status"
    }
    exit
fi
for ((i = 0; i < 2048; i++)); do
    cat "$top/test/data/tensors/bf16-ffn1-act.bin"
done >"$lab/tensor.bin"
cat <<END
hosts a (${address[a]}) and b (${address[b]}) talk through boxes lab1 and lab2, which agree. In another shell:
  ip netns exec lp-lab-a ping ${address[b]}
  ip netns exec lp-lab-b iperf3 -s -1 -D; ip netns exec lp-lab-a iperf3 -c ${address[b]} -F $lab/tensor.bin
  $0 box 1 show peer
  $0 restart 2
  dpdk-telemetry.py -f lab1, then /linepress/peer,1 or /linepress/stats
  tail -f $lab/box1.log
Ctrl-C takes it down.
END
reported=()
while true; do
    report_ended
    sleep 1
done

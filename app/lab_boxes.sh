# SPDX-License-Identifier: BSD-3-Clause
#
# Sourced by app/lab.sh: the boxes of the lab in the directory $lab. Of each there is box1.in, which
# takes what is typed, box1.log, box1.pid, and box1.status once it has ended.

# wait_until SECONDS COMMAND...: until it succeeds
wait_until() {
    local tries
    for ((tries = 0; tries < 10 * $1; tries++)); do
        ! "${@:2}" || return 0
        sleep 0.1
    done
    return 1
}

has_ended() {
    [ -e "$lab/box$1.status" ] || ! kill -0 "$(cat "$lab/box$1.pid" 2>/dev/null)" 2>/dev/null
}

signal_box() {
    kill "-$2" "$(cat "$lab/box$1.pid")"
}

launch() {
    local number=$1 host cpus cpu box=$lab/box$1 ring=framesz=9216,blocksz=36864
    [ "$number" = 1 ] && host=a || host=b
    mapfile -t cpus < <(taskset -cp $$ | sed 's/.*: //' | tr , '\n' |
        awk -F- '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }')
    cpu=${cpus[$(((number - 1) % ${#cpus[@]}))]}
    [ -p "$box.in" ] || mkfifo "$box.in"
    rm -f "$box.pid" "$box.status"
    echo "---- start" >>"$box.log"
    # A shell stays with it to note its exit status: whoever starts it may be gone by then. It has
    # its input open for writing, too, so that no writer's end is the end of it.
    setsid ip netns exec "lp-lab-$number" bash -c '
        "$@" 0<>"$0.in" >>"$0.log" 2>&1 &
        echo $! >"$0.pid"
        wait $!
        echo $? >"$0.new" && mv "$0.new" "$0.status"' "$box" \
        "$build/app/linepress/linepress" --no-huge -m 512 --no-pci \
        --file-prefix="lab$number" -l "$cpu" \
        --vdev="net_af_packet0,iface=${host}1,$ring" --vdev="net_af_packet1,iface=l$number,$ring" \
        -- -i --cmdline-file="$top/configs/bump.cmd" --idle-sleep-us=100 --no-mlockall \
        </dev/null >/dev/null 2>&1 &
}

# The log of the last start of a box.
last_log() {
    awk '/^---- start$/ { text = "" } { text = text $0 "\n" } END { printf "%s", text }' \
        "$lab/box$1.log"
}

says() {
    last_log "$1" | grep -q "$2" || [ -e "$lab/box$1.status" ]
}

# wait_for_log NUMBER TEXT WHAT: until a box has said something
wait_for_log() {
    wait_until 30 says "$1" "$2" && [ ! -e "$lab/box$1.status" ] && return
    last_log "$1" >&2
    die "box lab$1 does not $3, see above"
}

# A box stops within ten seconds, or not at all.
wait_for_end() {
    wait_until 15 has_ended "$1" && return
    echo "box lab$1 does not end, it is killed" >&2
    signal_box "$1" KILL && wait_until 5 has_ended "$1"
}

box_status() {
    wait_until 1 [ -e "$lab/box$1.status" ] || true # written a moment after its end
    cat "$lab/box$1.status" 2>/dev/null || echo unknown
}

# What a box tells of its traffic at the end.
totals() {
    echo "box lab$1:"
    last_log "$1" | awk '
        /^Telling cores to stop/ { text = "" }
        / Press statistics: / { direction = $4 }
        /^  frame bytes saved/ { sub(/^  /, "  " direction ": "); text = text $0 "\n" }
        /^  (compress|restore): / && !/ frame bytes / { text = text $0 "\n" }
        END { printf "%s", text }'
}

# ---- commands ----

start_box() {
    has_ended "$1" || die "box lab$1 is running"
    launch "$1"
    wait_for_log "$1" '^linepress> ' start
    echo "box lab$1 is started"
}

stop_box() {
    ! has_ended "$1" || die "box lab$1 is not running"
    signal_box "$1" TERM
    wait_for_end "$1"
    echo "box lab$1 is stopped, exit status $(box_status "$1")"
}

# What box NUMBER has said since its log had so many bytes; true once that is an answer.
said_since() {
    said=$(tail -c "+$(($2 + 1))" "$lab/box$1.log" | tr -d '\r')
    [[ $said == *$'\nlinepress> '* ]] || has_ended "$1"
}

# ask NUMBER COMMAND...: type a command at the prompt of a box, and print the answer
ask() {
    local number=$1 box=$lab/box$1 said from
    shift
    ! has_ended "$number" || die "box lab$number is not running, \`$0 start $number\` starts it"
    exec 9>"$box.lock" && flock 9 # one at a time
    from=$(stat -c %s "$box.log")
    printf '%s\n' "$*" 1<>"$box.in"
    wait_until 30 said_since "$number" "$from" ||
        die "box lab$number does not answer, see $box.log"
    exec 9>&-
    said=${said#*"$*"}
    said=${said#$'\n'}
    printf '%s\n' "${said%%$'\nlinepress> '*}"
}

# prompt NUMBER [COMMAND...]: the command, or those that are typed
prompt() {
    local line
    if [ $# -gt 1 ]; then
        ask "$@"
        return
    fi
    while ! has_ended "$1" && read -rep "lab$1> " line; do
        history -s -- "$line"
        [ -z "$line" ] || ask "$1" "$line"
    done
}

# Running the built program in tests and looking at what it made. Sourced by POSIX sh after tap.sh,
# roots.sh and servers.sh, and after servers_begin: its files lie in $SERVERS_TMP.
#
#   nv ARGS...           runs it; sets nv_rc, leaves $NV_OUT and $NV_ERR
#   nv_as_nobody ARGS... the same without root
#   nv_get FILTER        a value of the JSON in $NV_OUT (jq)
#   nv_sound NAME        no sanitizer spoke, in no child either, and no fact says "crashed"
#   nv_schema NAME SCHEMA FILE     FILE is as docs/schema/SCHEMA.json says
#   nv_alone             options that hide other servers of this machine, and how small it is
#
# The program is a copy that any user can execute: a checkout may lie below a private home.

nv_begin()
{
    # Another user may not read below here, but for what is named.
    NV_DIR=$SERVERS_TMP/nv
    mkdir "$NV_DIR" "$NV_DIR/state"
    chmod 711 "$NV_DIR"
    mkdir -m 1777 "$NV_DIR/sanitizer"
    cp "$NVADVISE" "$NV_DIR/nvadvise"
    chmod 755 "$NV_DIR/nvadvise"
    NV_OUT=$NV_DIR/out NV_ERR=$NV_DIR/err
    NV=$NV_DIR/nvadvise
    # shellcheck disable=SC2034
    NV_TOOLS=$(dirname "$NVADVISE")/../../tests/integration
    # Children have no stderr. An exit code of its own: 1 is a code of check's.
    ASAN_OPTIONS=exitcode=99:log_path=$NV_DIR/sanitizer/log:detect_leaks=0
    UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:log_path=$NV_DIR/sanitizer/log
    # What one test leaves must not be what the next one finds.
    STATE_DIRECTORY=$NV_DIR/state
    export ASAN_OPTIONS UBSAN_OPTIONS STATE_DIRECTORY
    # No option file of this machine, and no colour.
    HOME=$NV_DIR
    export HOME
    unset MYSQL_PWD MYSQL_HOST MYSQL_TCP_PORT MYSQL_UNIX_PORT
}

nv()
{
    nv_rc=0
    "$NV" "$@" >"$NV_OUT" 2>"$NV_ERR" </dev/null || nv_rc=$?
}

nv_as_nobody()
{
    nv_rc=0
    (cd / && setpriv --reuid=65534 --regid=65534 --clear-groups -- "$NV" "$@") \
        >"$NV_OUT" 2>"$NV_ERR" </dev/null || nv_rc=$?
}

# What it said, for a failed check: the first lines of both.
nv_said()
{
    echo "exit $nv_rc"
    head -n 30 "$NV_OUT" "$NV_ERR"
}

# nv_ended NAME CODE: the last run ended with it.
nv_ended()
{
    if [ "$nv_rc" = "$2" ]; then
        tap_pass "$1"
    else
        tap_fail "$1" "wanted exit code $2; $(nv_said)"
    fi
}

nv_get()
{
    jq -r "$1" "$NV_OUT" 2>&1
}

nv_schema()
{
    tap_is "$1" "$(jq -r --slurpfile s "docs/schema/$2.json" -f tests/lib/schema.jq "$3" 2>&1)" ""
}

nv_sound()
{
    tap_is "$1" "$(cat "$NV_DIR"/sanitizer/* 2>/dev/null | head -n 40)" ""
}

# Verdict of RULE on the first subject that has one.
nv_verdict()
{
    nv_get "[.findings[], (.not_measured[] | .verdict = \"not_measured\")]
        | map(select(.rule == \"$1\"))[0].verdict"
}

# One process more than ours makes a server look as if it shared its host. Where the machine has its
# own servers, or little memory left, say so to the program; its output is then marked as what-if.
nv_alone()
{
    na_others=0
    for na_comm in /proc/[0-9]*/comm; do
        case $(cat "$na_comm" 2>/dev/null) in
        mysqld | mariadbd) ;;
        *) continue ;;
        esac
        na_pid=${na_comm#/proc/}
        na_pid=${na_pid%/comm}
        case " $* " in
        *" $na_pid "*) ;;
        *) na_others=$((na_others + 1)) ;;
        esac
    done
    na_rss=$(cat /proc/[0-9]*/statm 2>/dev/null | awk '{ n += $2 } END { printf "%d", n * 4 }')
    na_total=$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo)
    if [ "$na_others" -gt 0 ]; then
        echo "# $na_others other servers run here: they are left out with --set" >&2
        printf '%s\n' --set host.server_processes=1
    fi
    if [ "$na_total" -lt 6291456 ]; then
        echo "# this machine has less than 6 GiB: judged as if it had 24, with --set" >&2
        printf '%s\n' --set host.memory.total=24GiB
    fi
    if [ "$((na_rss * 12))" -gt "$na_total" ]; then
        echo "# other processes hold $((na_rss / 1024)) MiB: left out with --set" >&2
        printf '%s\n' --set host.memory.other_rss=512MiB
    fi
}

# Why a test that runs the program against servers cannot run here; else nothing.
nv_missing()
{
    nm_reason=$(servers_missing)
    if [ -n "$nm_reason" ]; then
        echo "$nm_reason"
    elif ! command -v jq >/dev/null; then
        echo "jq is not installed"
    elif [ ! -x "${NVADVISE:-}" ]; then
        echo "no program in \$NVADVISE: build it first"
    fi
}

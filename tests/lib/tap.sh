# Test results in the Test Anything Protocol. Sourced by POSIX sh; usable in the guest too.
#
#   tap_ok NAME COMMAND...     passes when the command does
#   tap_not NAME COMMAND...    passes when the command fails
#   tap_is NAME GOT WANT       passes when the two are the same text
#   tap_has NAME TEXT PART     passes when TEXT contains PART
#   tap_rc NAME WANT COMMAND.. passes when the command's exit code is WANT
#   tap_skip NAME REASON       counts as skipped
#   tap_end                    plan line; exits 1 when anything failed or nothing ran
#   tap_skip_all REASON        for a whole program that cannot run here: exits 77

tap_n=0
tap_failed=0

tap_pass()
{
    tap_n=$((tap_n + 1))
    printf 'ok %d - %s\n' "$tap_n" "$1"
}

# tap_fail NAME WHY: every line of WHY becomes a diagnostic.
tap_fail()
{
    tap_n=$((tap_n + 1))
    tap_failed=$((tap_failed + 1))
    printf 'not ok %d - %s\n' "$tap_n" "$1"
    printf '%s\n' "$2" | sed 's/^/# /'
}

tap_ok()
{
    tap_name=$1
    shift
    if tap_out=$("$@" 2>&1); then
        tap_pass "$tap_name"
    else
        tap_fail "$tap_name" "$* failed: $tap_out"
    fi
}

tap_not()
{
    tap_name=$1
    shift
    if tap_out=$("$@" 2>&1); then
        tap_fail "$tap_name" "$* succeeded: $tap_out"
    else
        tap_pass "$tap_name"
    fi
}

tap_rc()
{
    tap_name=$1 tap_want=$2
    shift 2
    tap_got=0
    tap_out=$("$@" 2>&1) || tap_got=$?
    if [ "$tap_got" = "$tap_want" ]; then
        tap_pass "$tap_name"
    else
        tap_fail "$tap_name" "$* ended $tap_got, wanted $tap_want: $tap_out"
    fi
}

tap_is()
{
    if [ "$2" = "$3" ]; then
        tap_pass "$1"
    else
        tap_fail "$1" "got  '$2'
want '$3'"
    fi
}

tap_has()
{
    case $2 in
    *"$3"*) tap_pass "$1" ;;
    *) tap_fail "$1" "no '$3' in: $2" ;;
    esac
}

tap_skip()
{
    tap_n=$((tap_n + 1))
    printf 'ok %d - %s # SKIP %s\n' "$tap_n" "$1" "$2"
}

tap_skip_all()
{
    printf '1..0 # SKIP %s\n' "$1"
    printf 'skip: %s\n' "$1"
    exit 77
}

tap_end()
{
    printf '1..%d\n' "$tap_n"
    printf '# %d checks, %d failed\n' "$tap_n" "$tap_failed"
    [ "$tap_failed" -eq 0 ] && [ "$tap_n" -gt 0 ]
    exit $?
}

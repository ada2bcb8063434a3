#!/bin/sh
# A rule file with each kind of mistake: check refuses it with exit code 2 and file, line and cause;
# rules lint lists it. Nothing is judged with half a rule set.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

[ -x "${NVADVISE:-}" ] || tap_skip_all "no program in \$NVADVISE: build it first"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'server.flavour = mariadb' >"$work/facts"

# A copy of the rule texts, whole.
fresh()
{
    rm -rf "$work/rules"
    mkdir "$work/rules"
    (cd rules && cp -r --parents ./*.ini rules catalogue "$work/rules")
}

# Exit code and texts of check and lint with the copy.
look()
{
    check_rc=0 lint_rc=0
    "$NVADVISE" check --rules "$work/rules" --facts "$work/facts" >"$work/out" 2>"$work/err" \
        </dev/null || check_rc=$?
    "$NVADVISE" rules lint --rules "$work/rules" >"$work/lint" 2>"$work/lint.err" \
        </dev/null || lint_rc=$?
}

# refused NAME FILE WORD: both refuse the copy, name FILE, and say WORD.
refused()
{
    look
    tap_is "$1: check's exit code" "$check_rc" 2
    tap_is "$1: check prints no report" "$(cat "$work/out")" ""
    tap_has "$1: check names the file" "$(cat "$work/err")" "$2"
    tap_has "$1: check says what" "$(cat "$work/err")" "$3"
    tap_ok "$1: lint refuses it ($lint_rc)" test "$lint_rc" = 1 -o "$lint_rc" = 2
    tap_has "$1: lint says what" "$(cat "$work/lint" "$work/lint.err")" "$3"
}

# mistake NAME WORD: the rule on standard input, added to a file of its own.
mistake()
{
    fresh
    cat >"$work/rules/rules/site.ini"
    refused "$1" "site.ini:" "$2"
}

# wrong NAME WORD KEY VALUE: a rule that is good but for one line; an empty VALUE leaves it out.
wrong()
{
    sed "/^$3 .*=/d" >"$work/one" <<'RULE'
[site-rule]
title    = a rule of this site
scope    = server
fails    = server.bp.size_in_force <= 128MiB
severity = low
why      = The pool is {{server.bp.size_in_force}}.
advice   = raise
do.1     = mariadb -e 'SHOW ENGINE INNODB STATUS' | online
risk     = none
undo     = set it back
source   = this site
RULE
    [ -z "$4" ] || printf '%s = %s\n' "$3" "$4" >>"$work/one"
    mistake "$1" "$2" <"$work/one"
}

fresh
look
tap_is "the texts as they are: check ends with a verdict" "$check_rc" 3
tap_is "the texts as they are: lint finds nothing" "$lint_rc" 0
fresh
sed '/^never /d' >"$work/rules/rules/site.ini" <<'RULE'
[site-rule]
title    = a rule of this site
scope    = server
fails    = server.bp.size_in_force <= 128MiB
severity = low
why      = The pool is {{server.bp.size_in_force}}.
advice   = raise
do.1     = mariadb -e 'SHOW ENGINE INNODB STATUS' | online
risk     = none
undo     = set it back
source   = this site
RULE
look
tap_is "the good rule that the others are made from" "$check_rc $lint_rc $(cat "$work/err")" "3 0 "

wrong "a key that does not exist" "serverity" serverity high
wrong "no title" "title" title ""
wrong "no scope" "scope" scope ""
wrong "no condition" "fails" fails ""
wrong "no severity" "severity" severity ""
wrong "no source" "source" source ""
wrong "a scope that does not exist" "cluster" scope cluster
wrong "a fact that does not exist" "server.bp.size_in_farce" fails "server.bp.size_in_farce <= 128MiB"
wrong "and the nearest one is named" "server.bp.size_in_force" fails \
    "server.bp.size_in_farce <= 128MiB"
wrong "bytes against seconds" "cannot compare" fails "server.bp.size_in_force <= 128s"
wrong "bytes plus a plain number" "cannot add" fails "server.bp.size_in_force + 1 > 1GiB"
wrong "a number that is no condition" "true or false is wanted" fails "server.bp.size_in_force"
wrong "a bare K" "K" fails "server.bp.size_in_force <= 128K"
wrong "a unit that does not exist" "furlong" fails "server.bp.size_in_force <= 128furlong"
wrong "a bracket left open" "not closed" fails "(server.bp.size_in_force <= 128MiB"
wrong "an operator that is none" "no operator" fails "server.bp.size_in_force =< 128MiB"
wrong "half an expression" "expression ends" fails "server.bp.size_in_force <="
wrong "an assignment" "==" fails "server.bp.size_in_force = 128MiB"
wrong "a function that does not exist" "average" fails "average(server.bp.size_in_force) > 1GiB"
wrong "too few arguments" "clamp takes 3" fails "clamp(server.bp.size_in_force, 1GiB) > 1GiB"
wrong "a word that this enum has not" "oracle" fails "server.flavour == oracle"
wrong "a fact of another scope" "device.model" fails 'device.model == "x"'
wrong "a version against bytes" "cannot compare" fails "server.version > 8MiB"
wrong "a parameter that was not declared" "param.nowhere" fails \
    "server.bp.size_in_force <= param.nowhere"
wrong "a severity that does not exist" "grave" severity grave
wrong "severity without a plain level at its end" "severity" severity \
    "high when server.bp.size_in_force < 1MiB"
wrong "advice that does not exist" "hope" advice hope
wrong "a fact in a text that does not exist" "server.bp.nothing" why "It is {{server.bp.nothing}}."
wrong "a setting that does not exist" "innodb_nothing" sets innodb_nothing
wrong "a need that does not exist" "luck" needs luck
wrong "a see-also that does not exist" "no-such-rule" see no-such-rule
wrong "a default out of its range" "param.site_share" param.site_share \
    "ratio 50% 60% 90% a share of nothing"
wrong "nothing but brackets, very deep" "nested too deeply" fails "$(printf '%0150d' 0 | tr 0 '(')"
wrong "a line longer than may be" "site.ini" why "$(printf '%0300d' 0)"

mistake "a rule that is there already" "os-swappiness" <rules/rules/os.ini
mistake "an id in capitals" "Site-Rule" <<'RULE'
[Site-Rule]
alias = os-swappiness
RULE
mistake "an id of more than 40 bytes" "40" <<'RULE'
[a-rule-id-that-is-longer-than-forty-bytes-x]
alias = os-swappiness
RULE
mistake "an alias of nothing" "no-such-rule" <<'RULE'
[site-alias]
alias = no-such-rule
RULE
mistake "a key before the first section" "site.ini:1" <<'RULE'
title = nobody's
RULE
mistake "a key twice" "scope" <<'RULE'
[site-rule]
title = a
scope = host
scope = server
RULE
mistake "a section twice" "site-twice" <<'RULE'
[site-twice]
alias = os-swappiness
[site-twice]
alias = os-swappiness
RULE
mistake "a line without a value" "site.ini:2" <<'RULE'
[site-rule]
only words
RULE
printf '[site-rule]\ntitle = a\0b\n' | mistake "a NUL byte" "site.ini:2"
printf '[site-rule]\ntitle = \377\376\n' | mistake "bytes that are not UTF-8" "site.ini:2"

fresh
printf '\n[site.ring]\nscope = host\nkind = bytes\nmeaning = a ring\nformula = site.ring + 1MiB\n' \
    >>"$work/rules/derived.ini"
refused "a derived fact that rests on itself" "derived.ini:" "site.ring"
fresh
printf '\n[no_such_variable]\nkind = bytes\nmeaning = x\nowners = mem-bp-small\ntarget = 1GiB\n' \
    >>"$work/rules/settings.ini"
refused "a setting outside the catalogue" "settings.ini:" "no_such_variable"
fresh
sed -i 's/^\(innodb_page_size\|kind\) *= .*/kind = bites/' "$work/rules/catalogue/redo.ini"
refused "a kind that the catalogue has not" "redo.ini:" "bites"
fresh
rm "$work/rules/settings.ini"
refused "a text that is missing" "settings.ini" "No such file"
rm -r "$work/rules"
refused "no such folder" "$work/rules" "No such file"
fresh
mkdir "$work/rules/rules/folder.ini"
refused "a folder in place of a text" "folder.ini" ""
fresh
{
    cat rules/rules/os.ini
    awk 'BEGIN { for (i = 0; i < 40000; i++) print "# a comment that fills the file, line " i }'
} >"$work/rules/rules/os.ini"
refused "a text larger than may be" "os.ini" ""

# Several mistakes: lint tells all of them, each with its place.
fresh
printf '[site-a]\nalias = none-a\n[site-b]\nalias = none-b\n' >"$work/rules/rules/site.ini"
look
tap_is "lint tells every mistake" "$(grep -c '^[^ ]*site.ini:[0-9]*: ' "$work/lint")" 2
tap_end

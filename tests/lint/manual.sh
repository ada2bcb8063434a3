#!/bin/sh
# Program, man page, completion and README say the same: every command and option stands in the man page and
# nothing else does; the pages are clean mdoc; the completion offers what --help lists.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
[ -x "${NVADVISE:-}" ] || tap_skip_all "no program in \$NVADVISE: build it first"
page=packaging/man/nvadvise.8
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$NVADVISE" --help | sed -n '/^commands:/,/^$/s/^  \([a-z-]*\)  .*/\1/p' | sort >"$work/commands"
sed -n '/^\.Sh COMMANDS/,/^\.Sh OPTIONS/s/^\.It Cm \([a-z-]*\).*/\1/p' $page | sort >"$work/page.commands"
tap_is "commands of the man page" "$(cat "$work/page.commands")" "$(cat "$work/commands")"
tap_ok "there are commands" test -s "$work/commands"

while read -r command; do
    "$NVADVISE" "$command" --help | sed -n '/^options:/,$s/^ \{2,6\}\(-., \)\{0,1\}--\([a-z-]*\).*/\2/p'
done <"$work/commands" | sort -u >"$work/options"
sed -n '/^\.Sh OPTIONS/,/^\.Sh ENVIRONMENT/s/^\.It Fl //p' $page | tr ' ' '\n' | sed -n 's/^-\([a-z]\)/\1/p' |
    sort -u >"$work/page.options"
tap_is "options that the man page lacks" "$(comm -23 "$work/options" "$work/page.options")" ""
tap_is "options that only the man page has" "$(comm -13 "$work/options" "$work/page.options")" ""
tap_ok "there are options" test "$(wc -l <"$work/options")" -gt 20

tap_is "help fits eighty columns" "$({ "$NVADVISE" --help
    while read -r command; do "$NVADVISE" "$command" --help; done <"$work/commands"; } | awk 'length > 80')" ""

while read -r command; do
    tap_ok "README: $command" grep -q "^| .nvadvise $command" README.md
done <"$work/commands"

if command -v mandoc >/dev/null; then
    for file in packaging/man/*; do
        tap_is "$file is clean" "$(mandoc -T lint -W style "$file" 2>&1 |
            grep -v -e 'referenced manual not found' -e 'outdated mandoc.db')" ""
    done
else
    tap_skip "the pages are clean mdoc" "mandoc is not installed"
fi

# ---- completion ----

if command -v bash >/dev/null; then
    mkdir "$work/bin"
    ln -s "$NVADVISE" "$work/bin/nvadvise"
    # offers WORDS: what bash would offer for the last one.
    offers()
    {
        PATH=$work/bin:$PATH bash -c '. packaging/completion/nvadvise.bash
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _nvadvise; printf "%s\n" "${COMPREPLY[@]}"' \
            bash "$@" | sort
    }
    tap_is "completion of commands" \
        "$(offers nvadvise '' | grep -v -- '^--')" "$(cat "$work/commands")"
    tap_is "completion of a command that is begun" "$(offers nvadvise exp)" explain
    "$NVADVISE" check --help | sed -n '/^options:/,$s/^ \{2,6\}\(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p' |
        sort >"$work/check"
    tap_is "completion of options" "$(offers nvadvise check --)" "$(cat "$work/check")"
    tap_is "completion of a value" "$(offers nvadvise check --fail-on me)" medium
    tap_is "completion after a sign" "$(offers nvadvise check --fail-on = cr)" critical
    tap_is "completion of rules" "$(offers nvadvise explain os-swap)" os-swappiness
    tap_is "completion of files" "$(offers nvadvise check --from READ)" README.md
    tap_is "completion of folders" "$(offers nvadvise check --out packagin)" packaging
else
    tap_skip "completion" "bash is not installed"
fi
tap_end

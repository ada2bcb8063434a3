#!/bin/sh
# What a site decides: profiles and parameters change verdicts and say so; waivers are seen, counted apart and
# end; a broken file stops the run before anything is read; others' files are not believed.
set -u
cd "$NVADVISE_SOURCE" || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
command -v jq >/dev/null || tap_skip_all "jq is not installed"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# look FACTS OPTIONS...: a report; sets rc.
look()
{
    rc=0
    facts=$1
    shift
    "$NVADVISE" check --no-site --facts "$facts" --format json "$@" >"$work/out" 2>"$work/err" || rc=$?
}

get()
{
    jq -r "$1" "$work/out"
}

verdict()
{
    get ".findings[] | select(.rule == \"$1\") | .verdict"
}

printf 'server.var.innodb_flush_log_at_trx_commit = 2\nserver.doublewrite.mode = off\n' >"$work/facts"
printf 'data.fs.full_page_writes = false\n' >>"$work/facts"

look "$work/facts"
tap_is "durable is the default" "$(get .profile.name)" durable
tap_is "durable: a lost second fails" "$(verdict dur-trx-commit-relaxed)" fail
tap_is "durable: torn pages fail" "$(verdict dur-doublewrite-off)" fail
hash=$(get .parameters.hash)
for profile in balanced replica; do
    look "$work/facts" --profile "$profile"
    tap_is "$profile: a lost second passes" "$(verdict dur-trx-commit-relaxed)" pass
    tap_is "$profile: torn pages fail" "$(verdict dur-doublewrite-off)" fail
    tap_is "$profile: said" "$(get .profile.name)" "$profile"
done
look "$work/facts" --profile bulk_load
tap_is "bulk_load: torn pages pass" "$(verdict dur-doublewrite-off)" pass
tap_is "bulk_load: what it changed" "$(get '.parameters.changed | keys | join(",")')" \
    torn_pages_accepted,trx_commit_loss
tap_not "bulk_load: another hash of the parameters" test "$(get .parameters.hash)" = "$hash"
look "$work/facts" --profile none
tap_is "an unknown profile: exit code" "$rc" 2
tap_has "an unknown profile: those there are" "$(cat "$work/err")" "durable, balanced"

printf '[nvadvise]\nprofile = ours\n[profile ours]\nmeaning = x\nbased_on = balanced\n' >"$work/conf"
printf '[parameters]\ntrx_commit_loss = 0\n' >>"$work/conf"
look "$work/facts" --config "$work/conf"
tap_is "a site's own profile" "$(get .profile.name)" ours
tap_is "a site's parameter goes over the profile" "$(verdict dur-trx-commit-relaxed)" fail
printf '[parameters]\ntrx_comit_loss = 0\n' >"$work/bad"
look "$work/facts" --config "$work/bad"
tap_is "an unknown parameter: exit code" "$rc" 2
tap_has "an unknown parameter: place and nearest" "$(cat "$work/err")" "bad:2: [parameters]"
tap_has "an unknown parameter: nearest" "$(cat "$work/err")" "trx_commit_loss"

# ---- waivers ----

day()
{
    date -u -d "$1" +%Y-%m-%d
}

look "$work/facts" --fail-on critical
tap_is "without waiver: fails" "$rc" 1
printf '[dblwr-zfs-small-record]\nreason = scratch data\nowner = dba\nexpires = %s\n' \
    "$(day '+20 days')" >"$work/waivers"
look "$work/facts" --fail-on critical --waivers "$work/waivers" --allow-unknown
tap_is "waived, by the rule's old name: exit code" "$rc" 0
tap_is "waived: the verdict stays" "$(verdict dur-doublewrite-off)" fail
tap_is "waived: the reason stands there" \
    "$(get '.findings[] | select(.rule == "dur-doublewrite-off").waived.reason')" "scratch data"
tap_is "waived: in no count by severity" "$(get .counts.failed_by_severity.critical)" 0
tap_is "waived: counted" "$(get .counts.waived)" 1
tap_is "waived: its state" "$(get '.waivers.items[0].state')" used
tap_has "soon over: said" "$(get '.notes[]')" "ends on"
"$NVADVISE" check --no-site --facts "$work/facts" --waivers "$work/waivers" >"$work/text" 2>&1
tap_has "waived: in the text" "$(cat "$work/text")" "waived: dur-doublewrite-off on"
printf '[dur-doublewrite-off]\nreason = x\nexpires = %s\n' "$(day '2 days ago')" >"$work/waivers"
look "$work/facts" --fail-on critical --waivers "$work/waivers"
tap_is "expired: fails again" "$rc" 1
tap_has "expired: said" "$(get '.notes[]')" "expired on"
printf '[dur-trx-commit-relaxed]\nreason = x\nexpires = %s\n' "$(day '+2 days')" >"$work/waivers"
planned='[.findings[].settings[]? | select(.variable == "innodb_flush_log_at_trx_commit")] | length'
printf 'server.version = 8.0.36\nserver.flavour = mysql\n' | cat "$work/facts" - >"$work/known"
look "$work/known"
tap_is "not waived: planned" "$(get "$planned")" 1
look "$work/known" --waivers "$work/waivers" --out "$work/advice"
tap_is "waived: nothing is planned for it" "$(get "$planned")" 0
tap_not "waived: not in the drop-in" grep -rq '^innodb_flush_log_at_trx_commit' "$work/advice"
printf '[dur-doublewrite-of]\nreason = x\nexpires = %s\n' "$(day '+2 days')" >"$work/waivers"
look "$work/facts" --waivers "$work/waivers"
tap_is "an unknown rule: exit code" "$rc" 2
tap_has "an unknown rule: nearest" "$(cat "$work/err")" "Did you mean 'dur-doublewrite-off'?"
tap_is "a broken file: no report" "$(cat "$work/out")" ""
look "$work/facts" --waivers "$work/nowhere"
tap_is "a file that is not there: exit code" "$rc" 2

tap_is "documents as their schema says" "$(
    look "$work/facts" --profile replica
    jq -r --slurpfile s docs/schema/report-1.json -f tests/lib/schema.jq "$work/out" 2>&1)" ""
tap_end

# What storage.sh offers, carried out: the lines that only look end well, and what changes something does
# what the finding wanted, and nothing else. On partition 12, which the other scripts leave alone.
# shellcheck source=tests/lib/tap.sh
. /ro/guest/tap.sh
# shellcheck source=tests/vm/guest/lib.sh
. /ro/guest/lib.sh
# shellcheck source=tests/vm/guest/server.sh
. /ro/guest/server.sh
# shellcheck source=tests/vm/guest/stacks.sh
. /ro/guest/stacks.sh
# shellcheck source=tests/vm/guest/judge.sh
. /ro/guest/judge.sh

GUEST_DIR=/tmp/advice
mkdir "$GUEST_DIR"
stacks_disks
[ -b "$(part a 12)" ] || stacks_begin 13
modprobe raid1

# ---- a host as somebody may have left it ----
printf secret >/tmp/advice/key
tap_ok "encrypted, trims passed on" sh -c "cryptsetup -q luksFormat --pbkdf pbkdf2 \
    --pbkdf-force-iterations 1000 $(part a 12) /tmp/advice/key && cryptsetup open --allow-discards \
    --key-file /tmp/advice/key $(part a 12) advised"
tap_ok "ext4 with bad options" stack_mount advised /dev/mapper/advised strictatime,discard,nobarrier \
    mke2fs -q -t ext4
tap_ok "md raid1 with a fine bitmap" sh -c "yes | mdadm --create /dev/md12 --run --assume-clean --level=1 \
    --bitmap=internal --bitmap-chunk=4M --raid-devices=2 $(part b 12) $(part c 12)"
tap_ok "xfs with small log buffers" stack_mount mirrored /dev/md12 noatime,logbsize=32k
tap_ok "xfs as it should be" stack_mount plain12 "$(part d 12)" noatime
uuid_of()
{
    blkid -o value -s UUID "$1"
}
cat >>/etc/fstab <<TABLE
UUID=$(uuid_of /dev/mapper/advised) /s/advised ext4 strictatime,discard,nobarrier 0 2
UUID=$(uuid_of /dev/md12) /s/mirrored xfs noatime,logbsize=32k 0 0
TABLE
tap_ok "a server with its roles on them" roles_start mirrored advised advised advised advised plain12

# ---- what it is told ----
# advice [OPTIONS]: the script, made anew.
advice()
{
    /ro/nvadvise check --timeout 60 --out "$GUEST_DIR"/out "$@" >"$GUEST_DIR"/text 2>"$GUEST_DIR"/err
    tap_ok "there is a script" test -s "$GUEST_DIR"/out/storage.sh
}

# steps WORDS: the commands whose mark begins so, one a line.
steps()
{
    awk -v mark="($1" '/^# -- step / { on = index($0, mark); next } !/^# [^ ]/ { on = 0 }
        on { print substr($0, 3) }' \
        "$GUEST_DIR"/out/storage.sh
}

# offered PATTERN: those commands of the script.
offered()
{
    sed -n 's/^# //p' "$GUEST_DIR"/out/storage.sh | grep -e "$1"
}

advice --set server.data.table_count=20000
cp "$GUEST_DIR"/out/storage.sh /tmp/advice/first.sh
advice --set server.data.table_count=20000 \
    --set volume.stack.group_devices=2 --set volume.stack.stripe_count=1 --set volume.utilisation=90%
steps "looks only" >"$GUEST_DIR"/looks
advice --set volume.stack.stripe_count=2 \
    --set volume.stack.chunk_bytes=4KiB --set 'volume.stack.kinds={lvm-thin, lvm-raid, md}' \
    --set volume.stack.md_level=raid5 --set volume.stack.md_degraded=1
steps "looks only" >>"$GUEST_DIR"/looks
sort -u "$GUEST_DIR"/looks >"$GUEST_DIR"/looks.once
sed 's/^/# /' "$GUEST_DIR"/looks.once
while read -r command; do
    tool=${command%% *}
    command -v "$tool" >/dev/null || continue
    case $command in
    */dev/[A-Z][A-Z]*) continue ;; # a place to fill in
    esac
    rc=0
    sh -c "$command" >"$GUEST_DIR"/looked 2>&1 </dev/null || rc=$?
    [ "$tool" != grep ] || [ $rc != 1 ] || rc=0 # found nothing
    tap_is "looks: $command" "$rc $(grep -i -e 'unrecogni' -e 'unknown' -e 'invalid' "$GUEST_DIR"/looked)" "0 "
done <"$GUEST_DIR"/looks.once

# ---- what it is told, done ----
cp /tmp/advice/first.sh "$GUEST_DIR"/out/storage.sh
# fstab_edit MOUNT: the line that the script shows for it takes the place of the old one.
fstab_edit()
{
    fe_line=$(grep -F -A 1 "# the line of $1 becomes:" "$GUEST_DIR"/out/storage.sh | sed -n '2s/^#   //p')
    tap_ok "a line for $1" test -n "$fe_line"
    awk -v at="$1" -v line="$fe_line" '$2 == at { print line; next } { print }' /etc/fstab \
        >"$GUEST_DIR"/fstab && cat "$GUEST_DIR"/fstab >/etc/fstab
}
fstab_edit /s/advised
fstab_edit /s/mirrored
tap_is "it keeps the names and passes" "$(grep -e ' /s/advised ' -e ' /s/mirrored ' /etc/fstab)" \
    "UUID=$(uuid_of /dev/mapper/advised) /s/advised ext4 noatime 0 2
UUID=$(uuid_of /dev/md12) /s/mirrored xfs noatime,logbsize=256k 0 0"
steps remount >"$GUEST_DIR"/remounts
while read -r command; do
    tap_ok "$command" sh -c "$command"
done <"$GUEST_DIR"/remounts
tap_is "no bad option is left" "$(sed -n 's|^[^ ]* /s/advised ext4 \([^ ]*\) .*|\1|p' /proc/mounts |
    tr , '\n' | grep -x -e strictatime -e relatime -e discard -e nobarrier -e barrier=0)" ""
tap_has "but the good one" "$(grep ' /s/advised ' /proc/mounts)" noatime
offered '^mdadm --grow' >"$GUEST_DIR"/bitmap
while read -r command; do
    tap_ok "$command" sh -c "$command"
done <"$GUEST_DIR"/bitmap
tap_is "the bitmap is coarse" "$(cat /sys/block/md12/md/bitmap/chunksize)" 134217728
tap_ok "dm-crypt without queues" sh -c "$(offered '^cryptsetup refresh') </tmp/advice/key"
table=$(dmsetup table advised)
tap_has "it has none for reads" "$table" no_read_workqueue
tap_has "none for writes" "$table" no_write_workqueue
tap_has "and still passes trims on" "$table" allow_discards
tap_has "also at the next start" "$(cryptsetup luksDump "$(part a 12)" | grep Flags)" allow-discards
tap_ok "the server stops" guest_server_stop
tap_ok "unmounted and mounted" sh -c "$(offered '^umount /s/mirrored ')"
tap_has "larger log buffers" "$(grep ' /s/mirrored ' /proc/mounts)" logbsize=256k
tap_end

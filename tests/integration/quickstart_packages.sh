#!/bin/sh
# How ./quickstart installs: with an apt that only plays its part, since the point is what must not
# happen to a host. Every case starts with one thing missing and looks at what apt was asked to do.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

top=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/src"
for tool in sh cat sed grep tr sort head tail mkdir rm ln cut basename dirname uname id env \
    paste touch; do
    ln -s "$(command -v "$tool")" "$work/bin/$tool"
done
for tool in cmake ninja cc mariadb; do
    printf '#!/bin/sh\n' >"$work/bin/$tool"
done

# Each stub answers from files in $PLAY: missing (pkg-config names), simulate.PACKAGE (apt's
# account), versions (apt-cache madison), installed ("name version").
cat >"$work/bin/pkg-config" <<'STUB'
#!/bin/sh
! grep -qx "$2" "$PLAY/missing"
STUB
cat >"$work/bin/apt-get" <<'STUB'
#!/bin/sh
case "$*" in
-s*)
    for word in "$@"; do last=$word; done
    [ -e "$PLAY/simulate.$last" ] || exit 0
    cat "$PLAY/simulate.$last"
    ! grep -q '^E: ' "$PLAY/simulate.$last"
    exit
    ;;
esac
echo "apt-get $*" >>"$PLAY/asked"
case "$*" in
*download*) : >libnvme-dev_1.4_amd64.deb ;;
esac
STUB
cat >"$work/bin/apt-cache" <<'STUB'
#!/bin/sh
case $1 in
show) echo "Depends: libnvme1 (= 1.4-1), libc6" ;;
madison) cat "$PLAY/versions" ;;
esac
STUB
cat >"$work/bin/dpkg-query" <<'STUB'
#!/bin/sh
for word in "$@"; do last=$word; done
line=$(grep "^$last " "$PLAY/installed") || exit 1
case "$*" in
*Status-Status*) echo installed ;;
*) echo "${line#* }" ;;
esac
STUB
cat >"$work/bin/dpkg" <<'STUB'
#!/bin/sh
lib=$3/usr/lib/test-arch
mkdir -p "$lib/pkgconfig"
ln -sfn libnvme.so.1.4 "$lib/libnvme.so"
printf 'prefix=/usr\nlibdir=/usr/lib/test-arch\nRequires.private: json-c\n' \
    >"$lib/pkgconfig/libnvme.pc"
STUB
printf '#!/bin/sh\necho test-arch\n' >"$work/bin/dpkg-architecture"
chmod 755 "$work"/bin/*

# play NAME MISSING: a fresh case; PLAY is its folder.
play()
{
    PLAY=$work/$1
    export PLAY
    mkdir "$PLAY"
    printf '%s\n' "$2" >"$PLAY/missing"
    echo "libnvme1 1.3-1" >"$PLAY/installed"
    : >"$PLAY/versions"
    : >"$PLAY/asked"
}

# run_satisfy: satisfy build_needs as quickstart would; output in $PLAY/out, result as exit code.
run_satisfy()
{
    (
        PATH=$work/bin
        export PATH
        src=$work/src sudo='' yes=1
        say() { echo "$*"; }
        die() { echo "$*"; exit 1; }
        server_runs() { return 1; }
        # shellcheck source=packaging/quickstart/packages.sh
        . "$top/packaging/quickstart/packages.sh"
        satisfy build_needs
    ) >"$PLAY/out" 2>&1
}

upgrade='Inst libnvme1 [1.3-1] (1.4-1 Debian:12 [amd64])
Inst libnvme-dev (1.4-1 Debian:12 [amd64])'

play nothing none
tap_ok "everything is there" run_satisfy
tap_is "apt is not asked" "$(cat "$PLAY/asked")" ""

play clean libnvme
echo 'Inst libnvme-dev (1.3-1 Debian:12 [amd64])' >"$PLAY/simulate.libnvme-dev"
tap_ok "a missing package without side effects" run_satisfy
tap_is "is installed, and removal is forbidden" "$(cat "$PLAY/asked")" \
    "apt-get -q -y --no-remove --no-install-recommends install libnvme-dev"

play pinned libnvme
printf '%s\n' "$upgrade" >"$PLAY/simulate.libnvme-dev"
echo 'libnvme-dev | 1.3-1 | a mirror' >"$PLAY/versions"
tap_ok "a library would be upgraded, apt still has the -dev of its version" run_satisfy
tap_has "that version is installed" "$(cat "$PLAY/asked")" " install libnvme-dev=1.3-1"

play unpacked libnvme
printf '%s\n' "$upgrade" >"$PLAY/simulate.libnvme-dev"
mkdir -p "$work/src/build"
tap_not "unpacking needs the library itself" run_satisfy
tap_has "and says so" "$(cat "$PLAY/out")" "the library of libnvme-dev (libnvme.so) is not installed"
tap_is "nothing was installed" "$(grep -c ' install ' "$PLAY/asked")" 0
tap_ok "headers lie below build/deps" test -f \
    "$work/src/build/deps/usr/lib/test-arch/pkgconfig/libnvme.pc"
tap_is "and point there" \
    "$(sed -n 's/^prefix=//p' "$work/src/build/deps/usr/lib/test-arch/pkgconfig/libnvme.pc")" \
    "$work/src/build/deps/usr"

play removal libnvme
cat >"$PLAY/simulate.libmariadb-dev" <<'SIM'
Remv libmysqlclient-dev [8.0.40-1]
Inst libmariadb-dev (1:10.11 Debian:12 [amd64])
SIM
printf 'libmariadb\nmysqlclient\n' >"$PLAY/missing"
run_satisfy
tap_is "a package would go: nothing is installed" "$(grep -c ' install ' "$PLAY/asked")" 0

play stuck none
rm "$work/bin/cmake"
printf 'Remv precious [1.0]\nInst cmake (3.25 Debian:12 [amd64])\n' >"$PLAY/simulate.cmake"
tap_not "a tool that needs a removal stops it" run_satisfy
tap_has "with the list" "$(cat "$PLAY/out")" "precious: would be removed"
tap_is "and nothing was asked of apt" "$(cat "$PLAY/asked")" ""

tap_is "mariadb-server is never asked for" \
    "$(grep -n -w -e 'mariadb-server$' -e 'default-mysql-server' -e 'mysql-server' \
        packaging/quickstart/packages.sh | grep -v '#')" ""
tap_end

# What building and testing need, and how it is installed without touching anything that is there.
# Sourced by ../../quickstart. Knows apt and dpkg; expects $src, $sudo, say and die.
#
# A need is "KIND WHAT PACKAGE": a command, a pkg-config name or a file, and the package that brings
# it. What exists is not asked for: even naming an installed package can change its version.

export LC_ALL=C DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1
deps=${src:?}/build/deps
arch_dir=$(dpkg-architecture -q DEB_HOST_MULTIARCH 2>/dev/null || gcc -print-multiarch 2>/dev/null ||
    echo "$(uname -m)-linux-gnu")
export PKG_CONFIG_PATH="$deps/usr/lib/$arch_dir/pkgconfig:$deps/usr/lib/pkgconfig\
:$deps/usr/share/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"

# A client library's headers change its calls; the one whose runtime is here fits this host.
client_need()
{
    if pkg-config --exists libmariadb 2>/dev/null || pkg-config --exists mysqlclient 2>/dev/null; then
        return 0
    fi
    if ! pkg_is_installed libmariadb3 && dpkg-query -W -f '${db:Status-Status}\n' \
        'libmysqlclient2*' 2>/dev/null | grep -q '^installed'; then
        echo "pc mysqlclient libmysqlclient-dev"
    else
        echo "pc libmariadb libmariadb-dev"
    fi
}

build_needs()
{
    echo "command cmake cmake
command ninja ninja-build
command cc gcc
file /usr/include/stdio.h libc6-dev
command pkg-config pkg-config
pc jansson libjansson-dev
pc zlib zlib1g-dev
pc nettle nettle-dev
pc inih libinih-dev
pc libnvme libnvme-dev
pc libudev libudev-dev"
    client_need
}

# The server and client programs alone. The package mariadb-server is never asked for: its script
# registers and starts a service.
server_needs()
{
    echo "file /usr/sbin/mariadbd mariadb-server-core
command mariadb mariadb-client-core"
}

package_needs()
{
    build_needs
    echo "command dpkg-shlibdeps dpkg-dev
command fakeroot fakeroot"
}

test_needs()
{
    package_needs
    server_needs
    echo "pc cmocka libcmocka-dev
command git git
file /usr/share/i18n/locales/de_DE locales
command shellcheck shellcheck
command jq jq
command mandoc mandoc
command unshare util-linux
command mmdebstrap mmdebstrap
command qemu-system-x86_64 qemu-system-x86
command mke2fs e2fsprogs
command mkfs.xfs xfsprogs
command mkfs.btrfs btrfs-progs
command xz xz-utils
command zstd zstd"
}

pkg_is_installed()
{
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# missing_packages: reads needs, prints the packages of those that are not met.
missing_packages()
{
    while read -r kind what package; do
        case $kind in
        command) command -v "$what" >/dev/null && continue ;;
        pc) pkg-config --exists "$what" 2>/dev/null && continue ;;
        file) [ -e "$what" ] && continue ;;
        esac
        echo "$package"
    done | sort -u
}

# simulate PACKAGES: apt's own account of what it would do; nothing is done.
simulate()
{
    apt-get -s -q -o Debug::NoLocking=true --no-install-recommends install "$@"
}

# changes PACKAGES: installed packages that would change or go, one a line; fails where apt has no
# answer.
changes()
{
    ch_out=$(simulate "$@" 2>&1) || {
        printf '%s\n' "$ch_out" | sed -n 's/^E: //p'
        return 1
    }
    printf '%s\n' "$ch_out" | sed -n \
        -e 's/^Inst \([^ ]*\) \[\([^]]*\)\] (\([^ ]*\) .*/\1: \2 would become \3/p' \
        -e 's/^Remv \([^ ]*\) .*/\1: would be removed/p'
}

# is_clean PACKAGES: apt can install them and nothing that is there changes.
is_clean()
{
    ic_out=$(changes "$@") && [ -z "$ic_out" ]
}

# same_version DEV: "DEV=VERSION" with the version of its library that is installed, where apt
# still has it.
same_version()
{
    sv_lib=$(apt-cache show --no-all-versions "$1" 2>/dev/null | sed -n 's/^Depends: //p' |
        tr ',' '\n' | sed -n 's/^ *\(lib[^ ]*\|zlib1g\) (= .*/\1/p' | head -n 1)
    [ -n "$sv_lib" ] && pkg_is_installed "$sv_lib" || return 1
    sv_version=$(dpkg-query -W -f '${Version}' "$sv_lib")
    apt-cache madison "$1" 2>/dev/null | cut -d'|' -f2 | tr -d ' ' | grep -qxF "$sv_version" ||
        return 1
    printf '%s=%s\n' "$1" "$sv_version"
}

# Sorts $missing into $install (as they are or at a version) and $unpack; stops with the list where
# neither will do.
plan_packages()
{
    install='' unpack='' stuck=''
    # shellcheck disable=SC2086
    if is_clean $missing; then
        install=$missing
        return 0
    fi
    for pp in $missing; do
        if is_clean "$pp"; then
            install="${install:+$install }$pp"
        elif pp_same=$(same_version "$pp") && is_clean "$pp_same"; then
            install="${install:+$install }$pp_same"
        else
            case $pp in
            *-dev) unpack="${unpack:+$unpack }$pp" ;;
            *) stuck="${stuck:+$stuck }$pp" ;;
            esac
        fi
    done
    # shellcheck disable=SC2086
    if [ -z "$stuck" ] && [ -n "$install" ] && ! is_clean $install; then
        stuck=$install
    fi
    [ -z "$stuck" ] || refuse "$stuck"
}

# refuse PACKAGES: what apt would do to this host, and the end.
refuse()
{
    say "these packages are needed and cannot be installed without changing others:"
    for rf in $1; do
        say "  $rf"
        changes "$rf" | sed 's/^/    /' >&2
    done
    die "nothing was changed; install them as you see fit, then run this again"
}

# unpack_package DEV: headers and links of a -dev package below build/deps, nothing installed. Its
# link to the library is turned to the one that is installed.
unpack_package()
{
    up_spec=$(same_version "$1") || up_spec=$1
    mkdir -p "$deps/debs"
    (cd "$deps/debs" && apt-get -q download "$up_spec") >&2 || die "cannot download $up_spec"
    for up_deb in "$deps/debs/$1"_*.deb; do
        dpkg -x "$up_deb" "$deps" || die "cannot unpack $up_deb"
    done
    rm -rf "$deps/debs"
    for up_pc in "$deps"/usr/lib/*/pkgconfig/*.pc "$deps"/usr/lib/pkgconfig/*.pc \
        "$deps"/usr/share/pkgconfig/*.pc; do
        [ -f "$up_pc" ] || continue
        # What a static link would need is not unpacked, and not needed.
        sed -i -e "s|=/usr\$|=$deps/usr|" -e "s|=/usr/|=$deps/usr/|" \
            -e '/^Requires.private:/d' -e '/^Libs.private:/d' "$up_pc"
    done
    for up_link in "$deps/usr/lib/$arch_dir"/lib*.so; do
        { [ -L "$up_link" ] && [ ! -e "$up_link" ]; } || continue
        up_name=$(basename "$up_link")
        # The very file that the link names, else (another minor version) one of that name.
        for up_lib in "/usr/lib/$arch_dir/$(readlink "$up_link")" \
            "/usr/lib/$arch_dir/$up_name".[0-9]* "/lib/$arch_dir/$up_name".[0-9]*; do
            if [ -e "$up_lib" ]; then
                ln -sfn "$up_lib" "$up_link"
                break
            fi
        done
    done
    # A link to another link may have come right only at the end.
    for up_link in "$deps/usr/lib/$arch_dir"/lib*.so; do
        [ ! -L "$up_link" ] || [ -e "$up_link" ] ||
            die "the library of $1 ($(basename "$up_link")) is not installed"
    done
}

# ask_first: on a host with a running server, in front of a person, the list comes before the deed.
ask_first()
{
    if [ -n "$yes" ] || [ ! -t 0 ] || [ ! -t 2 ] || ! server_runs; then
        return 0
    fi
    say "a database server runs here. To be installed: $install"
    [ -z "$unpack" ] || say "to be unpacked into $deps only: $unpack"
    say "no installed package changes. Go on? [y/N]"
    read -r answer || answer=n
    case $answer in
    [yY]*) ;;
    *) die "nothing was changed" ;;
    esac
}

# satisfy NEEDS-FUNCTION...: installs what is missing. Asks neither apt nor dpkg when nothing is.
satisfy()
{
    missing=$(for need in "$@"; do "$need"; done | missing_packages | tr '\n' ' ')
    missing=${missing% }
    [ -n "$missing" ] || return 0
    command -v apt-get >/dev/null || die "missing: $missing (only apt is known here)"
    # shellcheck disable=SC2086
    if ! simulate $missing >/dev/null 2>&1; then
        say "updating apt's lists"
        ${sudo:-} apt-get -q update >&2 || die "apt-get update failed"
    fi
    plan_packages
    ask_first
    if [ -n "$install" ]; then
        say "installing: $install"
        # shellcheck disable=SC2086
        ${sudo:-} env NEEDRESTART_SUSPEND=1 DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-remove \
            --no-install-recommends install $install >&2 || die "apt-get install failed"
    fi
    for need in $unpack; do
        say "unpacking $need into $deps"
        unpack_package "$need"
    done
}

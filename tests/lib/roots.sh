# Unpacked package trees of other suites, for servers that this host cannot install beside its own.
# Sourced by POSIX sh. Knows apt and mmdebstrap; knows nothing of servers or of nvadvise.
#
# A tree is made once per set of package versions: apt resolves the wanted packages (a few
# seconds), and the resolved names and versions are the key. Packages are unpacked, not configured:
# no maintainer script runs, so no service can start and no user is made.

# The cache folder, outside any checkout.
roots_dir()
{
    printf '%s\n' "${NVADVISE_CACHE:-/var/cache/nvadvise-test}"
}

# Valid-Until: a mirror of a moving suite may be a few days behind. ROOTS_COMPONENTS: what else than
# main a caller needs.
roots_mmdebstrap()
{
    mmdebstrap --aptopt='Acquire::Check-Valid-Until "false"' \
        --components="${ROOTS_COMPONENTS:-main}" "$@"
}

# roots_resolve VARIANT SUITE PACKAGES: "name version" lines of everything that would be unpacked.
roots_resolve()
{
    roots_mmdebstrap --variant="$1" --simulate --verbose --include="$3" "$2" /dev/null 2>&1 |
        sed -n 's/^Inst \([^ ]*\) (\([^ ]*\) .*/\1 \2/p' | LC_ALL=C sort
}

# roots_newest NAME: the most recent tree of that name, for a run without a package source.
roots_newest()
{
    # The key is 16 characters; names are ours and hold no blanks.
    # shellcheck disable=SC2012
    ls -td "$(roots_dir)/$1"-???????????????? 2>/dev/null | head -n 1
}

# roots_prune NAME KEEP: other trees of that name, from before the last package change, go.
roots_prune()
{
    for roots_old in "$(roots_dir)/$1"-*; do
        if [ -d "$roots_old" ] && [ "$roots_old" != "$2" ]; then
            rm -rf "$roots_old"
        fi
    done
}

# roots_get NAME SUITE PACKAGES: make the tree if need be; prints its path, notes go to stderr.
roots_get()
{
    roots_name=$1 roots_suite=$2 roots_pkgs=$3
    mkdir -p "$(roots_dir)" || return 1
    # One run asks once: its tests must see the same versions.
    roots_asked=$(find "$(roots_dir)/.$roots_name.asked" -mmin -60 2>/dev/null)
    if [ -n "$roots_asked" ] && [ -n "$(roots_newest "$roots_name")" ]; then
        roots_newest "$roots_name"
        return 0
    fi
    roots_list=$(roots_resolve extract "$roots_suite" "$roots_pkgs")
    if [ -z "$roots_list" ]; then
        roots_path=$(roots_newest "$roots_name")
        if [ -z "$roots_path" ]; then
            echo "roots: cannot resolve '$roots_pkgs' in $roots_suite and no cached tree" >&2
            return 1
        fi
        echo "roots: no package source; using $roots_path" >&2
        printf '%s\n' "$roots_path"
        return 0
    fi
    roots_key=$(printf '%s\n%s\n' "recipe 3" "$roots_list" | sha256sum | cut -c1-16)
    roots_path=$(roots_dir)/$roots_name-$roots_key
    (
        flock 9
        touch "$(roots_dir)/.$roots_name.asked"
        [ ! -d "$roots_path" ] || exit 0
        echo "roots: unpacking $roots_pkgs of $roots_suite" >&2
        roots_new=$roots_path.new.$$
        roots_mmdebstrap --quiet --variant=extract --format=directory \
            --include="$roots_pkgs" "$roots_suite" "$roots_new" >&2 || exit 1
        roots_finish "$roots_new" || exit 1
        printf '%s\n' "$roots_list" >"$roots_new/packages"
        touch "$roots_new"
        mv "$roots_new" "$roots_path"
        roots_prune "$roots_name" "$roots_path"
    ) 9>"$(roots_dir)/.$roots_name.lock" || return 1
    printf '%s\n' "$roots_path"
}

# What configuring would have made and a server needs: users, a shell, writable places.
roots_finish()
{
    chmod 755 "$1"
    mkdir -p "$1/etc" "$1/tmp" "$1/run" "$1/proc" "$1/dev" "$1/data"
    # The folder that Debian's MySQL insists on.
    mkdir -p "$1/var/lib/mysql-files"
    chown "$ROOTS_UID:$ROOTS_UID" "$1/var/lib/mysql-files"
    printf '%s\n' root:x:0:0::/root:/bin/sh "mysql:x:$ROOTS_UID:$ROOTS_UID::/data:/bin/false" \
        nobody:x:65534:65534::/:/bin/false >"$1/etc/passwd"
    printf '%s\n' root:x:0: "mysql:x:$ROOTS_UID:" nogroup:x:65534: >"$1/etc/group"
    echo 127.0.0.1 localhost >"$1/etc/hosts"
    [ -e "$1/bin/sh" ] || [ ! -e "$1/bin/dash" ] || ln -s dash "$1/bin/sh"
    [ -e "$1/usr/bin/awk" ] || [ ! -e "$1/usr/bin/mawk" ] || ln -s mawk "$1/usr/bin/awk"
    rm -rf "$1/usr/share/doc" "$1/usr/share/man" "$1/usr/share/locale" "$1/var/cache/apt"
}

# roots_version ROOT PACKAGE: the version that was unpacked.
roots_version()
{
    sed -n "s/^$2 //p" "$1/packages"
}

# One user id for all test servers: neither root nor nobody (nvadvise becomes both), and no name
# on the host is needed.
ROOTS_UID=61993

# roots_installed NAME SUITE PACKAGES: as roots_get, but a small system that its packages were installed
# into, with dpkg's database.
roots_installed()
{
    ri_name=$1 ri_suite=$2 ri_pkgs=$3
    mkdir -p "$(roots_dir)" || return 1
    ri_asked=$(find "$(roots_dir)/.$ri_name.asked" -mmin -60 2>/dev/null)
    ri_list=
    [ -n "$ri_asked" ] || ri_list=$(roots_resolve minbase "$ri_suite" "$ri_pkgs")
    if [ -z "$ri_list" ] && [ -n "$(roots_newest "$ri_name")" ]; then
        roots_newest "$ri_name"
        return 0
    fi
    ri_key=$(printf '%s\n%s\n%s\n' "recipe 1" "$ri_pkgs" "$ri_list" | sha256sum | cut -c1-16)
    ri_path=$(roots_dir)/$ri_name-$ri_key
    (
        flock 9
        touch "$(roots_dir)/.$ri_name.asked"
        [ ! -d "$ri_path" ] || exit 0
        echo "roots: installing $ri_pkgs of $ri_suite" >&2
        roots_mmdebstrap --quiet --variant=minbase --format=directory --include="$ri_pkgs" \
            "$ri_suite" "$ri_path.new.$$" >&2 || exit 1
        # Its package has the server's user made by a script that starts nothing.
        chroot "$ri_path.new.$$" useradd --system --no-create-home --shell /bin/false mysql
        mv "$ri_path.new.$$" "$ri_path"
        roots_prune "$ri_name" "$ri_path"
    ) 9>"$(roots_dir)/.$ri_name.lock" || return 1
    printf '%s\n' "$ri_path"
}

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# clients.sh: hostpin setup with the real dnf, zypper and pacman, as an ordinary user, in a mount namespace that has another os-release and the
# configuration of these clients. The repositories are local ones that were made for the test: real packages of this Debian, repacked by
# repository.py, with real metadata, signed by a key that was made for it. What real repositories name their packages is in packages.toml,
# and not shown here. What is wrong with a repository is shown with zypper, and with HOSTPIN_FULL=1 with each client.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
need_hostpin
need_mounts
need_command python3 gpg setpriv nvcc g++-11
for package in g++-11 libc6-dev; do dpkg-query -W "$package" >/dev/null 2>&1 || skip "$package is no package of Debian's here"; done
version=$(g++-11 -dumpfullversion)

# ---------------------------------------------------------------------------------------------- the machine

chmod 755 "$work"
mkdir -m 700 "$work/gpg"
export GNUPGHOME=$work/gpg
# make_key NAME: its public half is in NAME.asc.
make_key() {
    gpg --batch --quiet --passphrase '' --quick-gen-key "$1@example.org" rsa2048 sign never 2>/dev/null
    gpg --batch --armor --export "$1@example.org" >"$work/$1.asc"
}
make_key signer
make_key other
mkdir "$work/www" "$work/etc" "$work/home" "$work/prefix" "$work/rpm" "$work/sets"
cp -a /etc/. "$work/etc"
[ ! -d /usr/lib/rpm ] || cp -a /usr/lib/rpm/. "$work/rpm"
chown nobody "$work/home" "$work/sets"
: >"$work/nothing"
: >"$work/server"

python3 -u -m http.server 0 --bind 127.0.0.1 --directory "$work/www" >"$work/server" 2>/dev/null &
server=$!
trap 'kill "$server" 2>/dev/null; gpgconf --kill all; remove_work' EXIT
for _ in {1..600}; do
    port=$(sed -n 's/.*port \([0-9]*\).*/\1/p' "$work/server")
    [ -z "$port" ] || break
    sleep 0.1
done
[ -n "$port" ] || { echo "FAIL: no server"; exit 1; }
base=http://127.0.0.1:$port

# machine COMMAND...: as nobody, with $work/etc as /etc. The g++-11 that was repacked is not there.
machine() {
    # shellcheck disable=SC2016 # the inner shell's
    unshare -m bash -c '
        work=$1 prefix=$2
        shift 2
        mount --bind "$prefix" "$work/prefix"
        mount --bind "$work/os-release" /usr/lib/os-release
        [ ! -d /usr/lib/rpm ] || mount --bind "$work/rpm" /usr/lib/rpm
        mount --bind "$work/nothing" "$(realpath /usr/bin/g++-11)"
        mount --bind "$work/etc" /etc
        cd "$work/sets"
        exec setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME="$work/home" "$@"' - "$work" "$prefix" "$@"
}
# set_up DIR [OPTION]...
set_up() {
    local directory=$1
    shift
    call machine env -u GNUPGHOME -u XDG_RUNTIME_DIR -u HOSTPIN_CACHE_DIR ${plugin:+PYTHONPATH="$plugin"} "$work/prefix/bin/hostpin" setup "$work/sets/$directory" \
        --yes "${@:---gcc=11}"
}
# value_of EXPRESSION: of the JSON on stdout, as d.
value_of() { python3 -c "import json, sys; d = json.load(open(sys.argv[1])); print($1)" "$out"; }
# distribution ID VERSION NAME: what os-release has.
distribution() { printf 'ID=%s\nVERSION_ID=%s\nPRETTY_NAME="%s"\n' "$1" "$2" "$3" >"$work/os-release"; }

# ---------------------------------------------------------------------------------------------- the cases

# Of the client in $client, whose repository is in $www and whose packages end in $suffix. `trusts KEY` makes the machine trust that key alone.
plans() {
    set_up plan --gcc 11 --dry-run --json
    exits 0
    local file sum
    [ "$(value_of 'len(d["pieces"][0]["files"])')" = 5 ]
    [ "$(value_of 'd["client"]')" = "$client" ]
    while read -r file sum; do
        [ "$(sha256sum <"$www/$file" | cut -c 1-64)" = "$sum" ] || fail "another SHA-256 of $file"
    done < <(value_of '"\n".join(f["file"] + " " + f["sha256"] for f in d["pieces"][0]["files"])')
    value_of 'd["pieces"][0]["files"][0]["address"]' | contains "^$base/"
    absent "$work/sets/plan"
}
sets_up() {
    set_up "$client set up"
    exits 0
    contains -E "fetch +GCC $version +[0-9.]+ MB in 5 files +A distribution, $base" <"$out"
    contains -E 'check +a program was built with it' <"$out"
    absent "$work/sets/$client set up/.work"
    cat >"$work/home/p.cu" <<'CODE'
#include <cstdio>
#include <string>
__global__ void f() {}
int main() { f<<<1, 1>>>(); std::printf("GCC %d\n", __GNUC__); return std::string("ab").size() == 2 ? 0 : 1; }
CODE
    machine sh -c "cd && '$work/sets/$client set up/toolchain/nvcc' p.cu -o p && ./p" | contains -x 'GCC 11'
    set_up "$client set up"
    exits 0
    contains 'is set up' <"$out"
}
refuses() { # CODE DIR WORDS...: nothing is bound
    local directory=$work/sets/$2
    exits "$1"
    shift 2
    says "$@"
    absent "$directory/toolchain"
    absent "$directory/setup.toml"
    absent "$directory/compilers"
}
another_key() {
    trusts other
    set_up "$client set up"
    trusts signer
    refuses 2 "$client set up" "is not signed by a key that it has" "--keyring"
}
damaged() {
    local file=$www/glibc-devel-$version-1$suffix
    cp "$file" "$work/whole"
    damage "$file" 5000
    rm -rf "$work/sets/$client set up"
    set_up "$client set up"
    mv "$work/whole" "$file"
    refuses 2 "$client set up" "fetched a file that is damaged or not the one that its index lists"
}
vanished() {
    mv "$www" "$www.gone"
    set_up "$client vanished"
    mv "$www.gone" "$www"
    refuses 2 "$client vanished" "cannot fetch from the machine's repositories" "check the network and http_proxy"
}
no_candidate() {
    set_up "$client none" --gcc 10
    refuses 1 "$client none" 'no suite has GCC 10 that fits' '  GCC 11$' 'configure a repository .* that has it; or take GCC 10 from elsewhere' 'conda-forge'
}
all_cases() {
    it "$client: the plan has each file with its SHA-256" plans
    it "$client: packages that another key has signed are refused" another_key
    $errors "$client: a file that is not what the index says is refused" damaged
    $works "$client: after that one command ends in a bound compiler whose program runs" sets_up
    $errors "$client: a server that has lost its repository is reported" vanished
    $errors "$client: a major that no repository has is reported with what there is" no_candidate
}
# repository FORM NAME COMMAND...: as $www, if the commands are there.
repository() {
    local form=$1 name=$2 each
    shift 2
    for each; do command -v "$each" >/dev/null || { echo "skipped: $client: no $each on this machine"; return 1; }; done
    www=$work/www/$form
    [ -d "$www" ] || python3 "$here/repository.py" "$form" "$www" signer@example.org g++-11 "$name" "$version" 2>"$work/made" || { cat "$work/made"; exit 1; }
}
repo_file() { # DIRECTORY: the configuration of the repository, as dnf and zypper read it
    mkdir -p "$work/etc/$1"
    rm -f "$work/etc/$1"/*
    printf '[test]\nname=test\nbaseurl=%s\nenabled=1\ngpgcheck=1\n' "$base/rpm" >"$work/etc/$1/test.repo"
}

works=it errors=it
client=zypper suffix=.x86_64.rpm plugin=""
if repository rpm gcc11-c++ zypper createrepo_c rpmbuild rpmsign; then
    distribution opensuse-leap 15.6 'A distribution'
    repo_file zypp/repos.d
    trusts() { mkdir -p "$work/rpm/gnupg/keys" && cp "$work/$1.asc" "$work/rpm/gnupg/keys/key.asc"; }
    trusts signer
    all_cases
fi

works=seldom errors=seldom # zypper stands for what reads the same repositories
client=dnf
# Debian's package with the plugin `download` breaks zypper, so it is unpacked here.
if command -v dnf >/dev/null && ! dnf download --help >/dev/null 2>&1; then
    mkdir "$work/plugin"
    (cd "$work/plugin" && apt-get -qq download dnf-plugins-core 2>/dev/null && dpkg -x ./*.deb .) || echo "skipped: dnf: its plugins cannot be fetched"
    plugin=$work/plugin/usr/lib/python3/dist-packages
    mkdir -p "$work/plugin/only" "$work/etc/dnf"
    cp "$plugin/dnf-plugins/download.py" "$work/plugin/only" || client=none
    printf '[main]\npluginpath=%s\n' "$work/plugin/only" >"$work/etc/dnf/dnf.conf"
fi
if [ "$client" = dnf ] && repository rpm gcc11-c++ dnf createrepo_c rpmbuild rpmsign; then
    distribution fedora 43 'A distribution'
    repo_file yum.repos.d
    trusts() { mkdir -p "$work/etc/pki/rpm-gpg" && cp "$work/$1.asc" "$work/etc/pki/rpm-gpg/key"; }
    trusts signer
    all_cases
fi

works=it
client=pacman suffix=-x86_64.pkg.tar.zst plugin=""
if repository pacman gcc11 pacman repo-add bsdtar; then
    distribution arch rolling 'A distribution'
    printf '[options]\nArchitecture = x86_64\n[test]\nServer = %s\n' "$base/pacman" >"$work/etc/pacman.conf"
    for key in signer other; do # as pacman-key makes it
        mkdir -m 700 "$work/keys-$key"
        touch "$work/keys-$key/pubring.gpg"
        keys=(gpg --batch --quiet --no-autostart --homedir "$work/keys-$key")
        "${keys[@]}" --import "$work/$key.asc" 2>/dev/null
        "${keys[@]}" --list-keys --with-colons 2>/dev/null | sed -n 's/^fpr:*\([0-9A-F]*\):/\1:6:/p' | "${keys[@]}" --import-ownertrust 2>/dev/null
        "${keys[@]}" --check-trustdb 2>/dev/null
        chmod 644 "$work/keys-$key"/*.gpg
    done
    mkdir -p "$work/etc/pacman.d/gnupg"
    chmod 755 "$work/etc/pacman.d/gnupg"
    trusts() { cp "$work/keys-$1"/*.gpg "$work/etc/pacman.d/gnupg"; }
    trusts signer
    all_cases
fi
finish

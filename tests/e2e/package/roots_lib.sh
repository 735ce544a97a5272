# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Bare systems by debootstrap, kept in /var/tmp/hostpin-roots, for scripts that are run by hand. Sourced after tests/e2e/lib.sh.
: "${work:?}" "${repository:?}"
roots=/var/tmp/hostpin-roots

need_roots() {
    need_command debootstrap
    need_mounts
}
# unpack_tarball FILE: as $tree.
unpack_tarball() {
    tree=$work/tree
    mkdir "$tree" && tar -xf "$1" -C "$tree" --strip-components=1
}
# shellcheck disable=SC2016 # apt's own variables
mirror() { apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | awk '$3 == "main" { print $1; exit }'; }
# provide_root SUITE PACKAGE NAME: a minimal system with that package.
provide_root() {
    if [ -d "$roots/$3" ]; then return; fi
    rm -rf "$roots/$3.new" && mkdir -p "$roots"
    debootstrap --variant=minbase --include="$2" "$1" "$roots/$3.new" "$(mirror)" >"$work/debootstrap.log" || { tail "$work/debootstrap.log" && return 1; }
    mv "$roots/$3.new" "$roots/$3"
}
# in_root NAME TREE OUT SCRIPT [TOOLKIT]: in a copy of the system, as root, with the network, the portable tree in /hostpin, the sample in
# /saxpy, the toolkit in /cuda, and OUT in /out, the working directory.
in_root() {
    local space code=0
    space=$(mktemp -d "$roots/space.XXXX")
    # shellcheck disable=SC2016 # expanded by the inner shell
    unshare -m bash -eu -c '
        space=$1 root=$1/root && mkdir "$space"/{upper,state,root}
        if ! mount -t overlay overlay -o "lowerdir=$2,upperdir=$space/upper,workdir=$space/state" "$root"; then
            mount -t tmpfs tmpfs "$space" && mkdir "$space"/{upper,state,root} # in a container
            mount -t overlay overlay -o "lowerdir=$2,upperdir=$space/upper,workdir=$space/state" "$root"
        fi
        mkdir -p "$root"/{hostpin,saxpy,cuda,out}
        cp /etc/resolv.conf /etc/hosts "$root/etc/"
        mount -t proc proc "$root/proc" && mount --bind /dev "$root/dev"
        mount --bind "$3" "$root/hostpin" && mount --bind "$4" "$root/saxpy" && mount --bind "$5" "$root/out"
        [ -z "$7" ] || mount --bind "$7" "$root/cuda"
        exec env -i PATH=/hostpin/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/out "$(command -v chroot)" "$root" sh -euc "cd /out && $6"' \
        bash "$space" "$roots/$1" "$2" "$repository/samples/saxpy" "$3" "$4" "${5:-}" || code=$?
    rm -rf "$space"
    return "$code"
}

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# What the scripts beside it share: CUDA 13.0 with two GCCs, a cache of their own, and ways to change who compiles.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
only= # no case rests on another
need_hostpin
need_cuda 13.0
need_lab bin/g++-11 bin/g++-12
toolkit=$(cuda 13.0)
export HOSTPIN_TOOLKIT=$toolkit

# use_cache NAME [--newest]: $cache is the machine's, or the lab's newest.
use_cache() {
    if [ "${2:-}" = --newest ]; then
        need_lab "caches/bin/$1"
        cache=$lab/caches/bin/$1
    else
        need_command "$1"
        cache=$(PATH=$plain_path command -v "$1")
    fi
    "$cache" --version | sed -n 1p
    local name
    while IFS= read -r name; do unset "$name"; done < <(compgen -e | grep -E '^S?CCACHE_')
}

# also SENTENCE FUNCTION: a case that the newest release is asked only by HOSTPIN_FULL=1: nothing about it differs in kind.
also() {
    if [ "$cache" = "$(PATH=$plain_path command -v "${cache##*/}")" ] || [ "$full" = 1 ]; then it "$@"; fi
}

compile() { # NVCC: a.cu to a.o
    rm -f a.o
    "$cache" "$1" "${@:2}" -arch=sm_75 -c a.cu -o a.o
}
build() { # NVCC [ARGUMENT...]: the same, which must work
    compile "$@" || fail "exit code $? of $cache $1"
    [ -f a.o ] || fail "no a.o"
}

only_compilers g++-11 g++-12
configure_host() { printf 'search = "named"\nstdenv = "g++-12"\nhost = "%s"\n' "$1" >"$HOSTPIN_CONFIG"; }
bind_host() { "$hostpin" bind "$1" --toolkit "$toolkit" --stdenv g++-12 --host "${2:-g++-12}" >/dev/null; }

# A compiler like any distribution's: the front end is a file of its own, and an update may change that alone, with the
# same version, headers and driver.
make_updatable() { # NAME: $bin/NAME
    mkdir -p "$work/parts.$1"
    cp "$(g++-12 -print-prog-name=cc1plus)" "$work/parts.$1/cc1plus"
    compiler "$1" "$(realpath "$(command -v g++-12)")" -B "$work/parts.$1/"
    settle
}
update() { # NAME: what it makes says GCX from now on
    local parts=$work/parts.$1
    LC_ALL=C sed 's/GCC: /GCX: /g' "$parts/cc1plus" >"$parts/new"
    chmod 755 "$parts/new"
    mv "$parts/new" "$parts/cc1plus"
    settle
}
made_before_update() { producers "$1" | contains '^GCC:' && ! producers "$1" | contains '^GCX:'; }
made_after_update() { producers "$1" | contains '^GCX:' || fail "$1 was made by $(producers "$1"), before the update"; }

# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Shared by the scripts in this directory: a machine with only the two compilers that a case names.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
only=${1:-}

# A toolkit next to a stdenv it rejects and one compiler it accepts, with the lab CUDA 12.4, GCC 16 and 13. PATH has all programs of the machine but the compilers.
ground() {
    need_split 12.4 13 16
    all_compilers # but PATH has few
    rm -rf "$bin"
    compiler "g++-$older" "$host"
    compiler "g++-$newer" "$stdenv"
    compiler gcc "$lab/bin/gcc-$newer" # what bare nvcc would run
    export PATH=$bin:$tools CXX=$bin/g++-$newer CUDA_HOME=$toolkit
    # shellcheck disable=SC2034 # of the scripts next to this
    old="$bin/g\+\+-$older" # in a pattern
    write_source x.cu
    write_host_source x.cpp
}
# alone: hides what hostpin would find on the machine anyway, for cases where each call decides again and the choice does not
# matter.
alone() {
    printf 'search = "named"\ncompilers = ["%s"]\n' "$bin/g++-$older" >alone.toml
    export HOSTPIN_CONFIG=$PWD/alone.toml
}
tools=$work/tools
mkdir "$tools"
find /usr/sbin /usr/bin -maxdepth 1 ! -type d ! -name '*++*' ! -name '*gcc*' ! -name '*clang*' ! -name 'nvcc*' ! -name 'c[89]9' \
    ! -name cc ! -name '*-cc' -exec ln -sft "$tools" {} +
compile() { call "$our_nvcc" -c x.cpp -o x.o; }
compiles_with() { # GCC MAJOR
    rm -f x.o
    compile
    exits 0
    made_by x.o gcc "$1"
}
refuses() { # EXIT-CODE PATTERN...
    exits "$1"
    prints_nothing
    says '^hostpin: error: ' "${@:2}"
    absent x.o
}
# as_nobody COMMAND...: as an unprivileged user. The lab may be below a home that only its owner can enter; then that
# home is covered by an empty one that contains only the lab.
as_nobody() {
    local closed='' each
    each=$(dirname "$lab")
    while [ "$each" != / ]; do
        case $(stat -c %A "$each") in *[xt]) ;; *) closed=$each ;; esac
        each=$(dirname "$each")
    done
    mkdir hold
    # shellcheck disable=SC2016
    unshare -m sh -ec 'lab=$1 closed=$2; shift 2
        if [ -n "$closed" ]; then
            mount --bind "$lab" hold && mount -t tmpfs -o mode=755 none "$closed"
            mkdir -p "$lab" && mount --bind hold "$lab"
        fi
        exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"' sh "$lab" "$closed" "$@"
}

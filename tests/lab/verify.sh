# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
# Each piece is proven by compiling, linking and running, not by its presence. Sourced after lib.sh.
: "${lab:?}" "${here:?}"

# What a user's environment adds to every compilation is no property of the piece.
unset LIBRARY_PATH CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH LD_LIBRARY_PATH NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS NVCC_CCBIN

# expect WORDS COMMAND...: the command must print exactly these words, where a dot stands for anything.
expect() (
  words=$1
  shift
  answer=$("$@") || fail "$1 ended with exit code $?" || return 1
  printf '%s\n' "$answer" | grep -qx "$words" || fail "$1 printed '$answer', not '$words'"
)

try_driver() ( # DRIVER WORDS
  work=$(mktemp -d) || return 1
  trap 'rm -rf "$work"' EXIT
  "$1" -std=c++17 -O1 -c "$here/verify/hello.cpp" -o "$work/hello.o" &&
    "$1" "$work/hello.o" -o "$work/hello" && expect "$2" "$work/hello" &&
    "$1" -std=c++17 -fsanitize=address "$here/verify/hello.cpp" -o "$work/asan" && expect "$2" "$work/asan"
)

try_toolkit() ( # TOOLKIT VERSION HOST-COMPILER
  work=$(mktemp -d) || return 1
  trap 'rm -rf "$work"' EXIT
  cd "$work" || return 1
  nvcc=$1/bin/nvcc
  "$nvcc" -ccbin "$3" "$here/verify/saxpy.cu" -o whole && expect "ok $2" ./whole &&
    "$nvcc" -ccbin "$3" -rdc=true "$here/verify/saxpy.cu" -o separate && expect "ok $2" ./separate &&
    "$nvcc" -ccbin "$3" -dc -gencode arch=compute_70,code=lto_70 "$here/verify/saxpy.cu" -o lto.o &&
    "$nvcc" -ccbin "$3" -dlto -arch=sm_70 lto.o -o lto && expect "ok $2" ./lto
)

# verified NAME IDENTITY FUNCTION ARGUMENT...: once for each identity of the piece and of these checks.
verified() (
  name=$1
  print=$(fingerprint "$2" "$here/verify.sh" "$here/verify/hello.cpp" "$here/verify/saxpy.cu")
  shift 2
  stamped "$lab/.stamps/verified-$name" "$print" && return 0
  quietly "$name: verification" "$@" && stamp "$lab/.stamps/verified-$name" "$print" && say "$name: compiles, links and runs"
)

# What a compiler rests on: for the machine's own its package's version, else its launcher and its root.
identity() ( # DRIVER PACKAGE SUITE
  case $3 in
    host) dpkg-query -W -f '${Package} ${Version}' "$2" ;;
    *) fingerprint "$3" "$lab/bin/$1" "$lab/.stamps/root-$3" ;;
  esac
)

verify_compiler() ( # KIND VERSION SUITE
  case $1 in gcc) driver=g++-$2 package=g++-$2 ;; *) driver=clang++-$2 package=clang-$2 ;; esac
  # The minor version of the C library whose headers the compiler must see.
  case $1-$3 in gcc-bullseye) glibc=31 ;; *) glibc=36 ;; esac
  verified "$driver" "$(identity "$driver" "$package" "$3")" try_driver "$lab/bin/$driver" "ok $1 $2 $glibc" || return 1
  [ "$1-$3" = gcc-trixie ] || [ "$1-$3" = gcc-sid ] || return 0
  verified "$driver-newglibc" "$(identity "$driver-newglibc" "" "$3")" try_driver "$lab/bin/$driver-newglibc" "ok $1 $2 4."
)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
# cmake/VERSION/usr/bin/cmake, xmake/VERSION/usr/bin/xmake: build systems in other releases than this machine's, or that it has not, each
# with the libraries of its suite. Sourced after apt.sh and root.sh.
: "${lab:?}" "${here:?}"

# What they read at run time may be in either of two packages, and lies where root.sh unpacks nothing.
unpack_builder() ( # KIND VERSION ARCHIVES
  final=$lab/$1/$2
  unpack_all "$3" "$final.new" || return 1
  for deb in "$3/$1"_*.deb "$3/$1"-data_*.deb; do
    unpack_some "$deb" "$final.new" --exclude='*/Help' "./usr/share/$1*" || return 1
  done
  relocate "$final.new" "$final" || return 1
  rm -rf "$final"
  mv "$final.new" "$final"
)

# The release that a suite has moves on, so that a row names as much of it as tests depend on; that must come.
provide_builder() ( # KIND VERSION SUITE PACKAGE...
  kind=$1 version=$2 suite=$3
  shift 3
  mark=$lab/.stamps/$kind-$version
  print=$(fingerprint "$version $suite $*" "$here/builders.sh" "$here/root.sh" "$here/apt.sh")
  if stamped "$mark" "$print" && [ -x "$lab/$kind/$version/usr/bin/$kind" ]; then
    say "$kind-$version: unpacked already"
    return 0
  fi
  tree=$lab/.apt/$kind-$version
  mkdir -p "$lab/$kind"
  apt_tree "$suite" "$tree" && fetch_closure "$kind-$version" "$tree" "$tree/archives" "$@" || return 1
  quietly "$kind-$version: unpacking" unpack_builder "$kind" "$version" "$tree/archives" || return 1
  verify_builder "$kind" "$version" && stamp "$mark" "$print" && rm -rf "$tree"
)

# It says so itself; xmake by what it has to read for that, and not to the terminal's liking or into the home directory.
verify_builder() ( # KIND VERSION
  own=$(mktemp -d) || return 1
  trap 'rm -rf "$own"' EXIT
  XMAKE_ROOT=y XMAKE_COLORTERM=nocolor XMAKE_GLOBALDIR=$own XMAKE_TMPDIR=$own "$lab/$1/$2/usr/bin/$1" --version </dev/null |
    grep -qE "^$1 (version |v)$2\\." || fail "$1-$2 does not run, or is of another release" || return 1
  say "$1-$2 runs"
)

# each_builder FUNCTION: with kind, version, suite and packages.
each_builder() (
  for kind in cmake xmake; do
    pieces "$kind" | while read -r version suite packages; do
      # shellcheck disable=SC2086  # a list of package names
      "$1" "$kind" "$version" "$suite" $packages || exit 1
    done || return 1
  done
)

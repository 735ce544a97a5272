# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
# cmake/VERSION/usr/bin/cmake: other releases of CMake than this machine's, each with the libraries of its suite. Sourced after root.sh.
: "${lab:?}" "${here:?}"

# Its modules may be in either of two packages, and lie where root.sh unpacks nothing.
unpack_cmake() ( # VERSION ARCHIVES
  final=$lab/cmake/$1
  unpack_all "$2" "$final.new" || return 1
  for deb in "$2"/cmake_*.deb "$2"/cmake-data_*.deb; do
    dpkg-deb --fsys-tarfile "$deb" |
      tar -x -C "$final.new" --wildcards --exclude='*/Help' './usr/share/cmake-*' 2>/dev/null || true
  done
  relocate "$final.new" "$final" || return 1
  rm -rf "$final"
  mv "$final.new" "$final"
)

# The release that a suite has moves on; what is asked for by name is what must come.
provide_cmake() ( # VERSION SUITE PACKAGE
  version=$1 suite=$2
  shift 2
  mark=$lab/.stamps/cmake-$version
  print=$(fingerprint "$version $suite $*" "$here/cmakes.sh" "$here/root.sh" "$here/apt.sh")
  if stamped "$mark" "$print" && [ -x "$lab/cmake/$version/usr/bin/cmake" ]; then
    say "cmake-$version: unpacked already"
    return 0
  fi
  tree=$lab/.apt/cmake-$version
  mkdir -p "$lab/cmake"
  apt_tree "$suite" "$tree" && fetch_closure "cmake-$version" "$tree" "$tree/archives" "$@" || return 1
  quietly "cmake-$version: unpacking" unpack_cmake "$version" "$tree/archives" || return 1
  verify_cmake "$version" && stamp "$mark" "$print" && rm -rf "$tree"
)

verify_cmake() { # VERSION
  "$lab/cmake/$1/usr/bin/cmake" --version | grep -q "^cmake version $1\\." || fail "cmake-$1 does not run, or is of another release"
}

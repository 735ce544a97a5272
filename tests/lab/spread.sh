# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
# icecc/usr: the programs of the machine's own icecc package. The package itself is not installed, as it would start a daemon that serves
# the whole network. Sourced after apt.sh.
: "${lab:?}" "${here:?}"

provide_icecc() ( # VERSION SUITE PACKAGE LIBRARY...
  version=$1 suite=$2 package=$3
  shift 3
  mark=$lab/.stamps/icecc
  print=$(fingerprint "$version $suite $package $*" "$here/spread.sh" "$here/apt.sh")
  if stamped "$mark" "$print" && [ -x "$lab/icecc/usr/bin/icecc" ]; then
    say "icecc: unpacked already"
    return 0
  fi
  install_packages "libraries of icecc" "$@" || return 1
  tree=$lab/.apt/icecc
  apt_tree "$suite" "$tree" && fetch_packages icecc "$tree" "$tree/archives" "$package" || return 1
  rm -rf "$lab/icecc"
  mkdir -p "$lab/icecc"
  quietly "icecc: unpacking" dpkg-deb -x "$tree/archives/$package"_*.deb "$lab/icecc" || return 1
  verify_icecc "$version" && stamp "$mark" "$print" && rm -rf "$tree"
)

verify_icecc() { # VERSION
  "$lab/icecc/usr/bin/icecc" --version | grep -q "^ICECC $1\\." || fail "icecc does not run, or is not of release $1" || return 1
  for program in icecc-scheduler iceccd; do
    ldd "$lab/icecc/usr/sbin/$program" | grep -q 'not found' && { fail "$program lacks a library" || return 1; }
  done
  say "icecc-$1 runs"
}

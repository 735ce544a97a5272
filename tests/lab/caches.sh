# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
# caches/bin/: compiler caches newer than the machine's own, with the libraries of their suite. Sourced after root.sh.
: "${lab:?}" "${here:?}"

# Suite and packages of the one row.
provide_caches() ( # SUITE PACKAGE...
  suite=$1
  shift
  final=$lab/caches/root
  mark=$lab/.stamps/caches
  print=$(fingerprint "$suite $*" "$here/caches.sh" "$here/root.sh" "$here/apt.sh")
  if stamped "$mark" "$print" && [ -d "$final" ]; then
    say "caches: unpacked already"
    return 0
  fi
  tree=$lab/.apt/caches
  apt_tree "$suite" "$tree" && fetch_closure "caches of $suite" "$tree" "$tree/archives" "$@" || return 1
  rm -rf "$lab/caches"
  mkdir -p "$lab/caches/bin"
  quietly "caches: unpacking" unpack_all "$tree/archives" "$final" || return 1
  quietly "caches: relocating" relocate "$final" "$final" || return 1
  for program; do
    ln -s "../root/usr/bin/$program" "$lab/caches/bin/$program" && "$lab/caches/bin/$program" --version >/dev/null || return 1
  done
  stamp "$mark" "$print" && rm -rf "$tree"
)

verify_caches() { # SUITE PACKAGE...
  shift
  for program; do
    say "$program, the newest"
    "$lab/caches/bin/$program" --version >/dev/null || fail "$lab/caches/bin/$program does not run" || return 1
  done
}

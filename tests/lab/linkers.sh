# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
# linkers/NAME-VERSION/: linkers that no compiler's package brings, each a directory for -B that holds `ld.lld` or `ld.mold` alone.
# They are unpacked rather than installed, so the machine's drivers go on finding what they did. Sourced after root.sh.
: "${lab:?}" "${here:?}" "${triplet:?}" "${loader:?}"

linker_suite() { # SUITE
  case $1 in host) codename ;; *) printf '%s' "$1" ;; esac
}

# The program below an unpacked package.
linker_program() { # KIND DIRECTORY
  case $1 in
    lld) echo "$2"/usr/lib/llvm-*/bin/lld ;;
    *) echo "$2/usr/bin/$1" ;;
  esac
}

# A linker of another suite runs with the libraries of that suite's root, where its compiler is.
unpack_linker() ( # KIND VERSION SUITE ARCHIVES PACKAGE
  final=$lab/linkers/$1-$2
  rm -rf "$final.new"
  mkdir -p "$final.new/package"
  unpack "$(echo "$4/$5"_*.deb)" "$final.new/package" || return 1
  program=$(linker_program "$1" "$final.new/package")
  if [ "$3" != host ]; then
    root=$lab/roots/$3
    patchelf --set-interpreter "$root/$loader" --force-rpath \
      --set-rpath "$root/usr/lib/$triplet:$root/usr/lib/llvm-$2/lib" "$program" || return 1
  fi
  ln -s "${program#"$final.new/"}" "$final.new/ld.$1"
  "$final.new/ld.$1" --version >/dev/null || return 1
  rm -rf "$final"
  mv "$final.new" "$final"
)

provide_suite_linkers() ( # SUITE, "KIND VERSION SUITE PACKAGE" lines on stdin
  rows=$(cat)
  [ -n "$rows" ] || return 0
  print=$(fingerprint "$rows" "$here/linkers.sh")
  mark=$lab/.stamps/linkers-$1
  complete=yes
  while read -r kind version _; do [ -x "$lab/linkers/$kind-$version/ld.$kind" ] || complete=no; done <<ROWS
$rows
ROWS
  stamped "$mark" "$print" && [ "$complete" = yes ] && return 0
  tree=$lab/.apt/linkers-$1
  # shellcheck disable=SC2046  # a list of package names
  apt_tree "$(linker_suite "$1")" "$tree" &&
    fetch_packages "linkers of $1" "$tree" "$tree/archives" $(printf '%s\n' "$rows" | awk '{ print $4 }') || return 1
  mkdir -p "$lab/linkers"
  while read -r kind version suite package; do
    quietly "$kind-$version" unpack_linker "$kind" "$version" "$suite" "$tree/archives" "$package" || return 1
  done <<ROWS
$rows
ROWS
  stamp "$mark" "$print" && rm -rf "$tree"
)

verify_linkers() {
  for kind in lld mold; do
    pieces "$kind" | while read -r version _; do
      say "$kind-$version"
      "$lab/linkers/$kind-$version/ld.$kind" --version >/dev/null || fail "$kind-$version does not run" || exit 1
    done || return 1
  done
}

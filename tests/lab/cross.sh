# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
# Cross compilers. Those of the machine's suite are installed; newer ones are in roots/SUITE-cross and in bin/ by their own names. They
# find their target's headers and libraries relative to themselves, so that links suffice. Sourced after compilers.sh.
: "${lab:?}" "${here:?}" "${loader:?}"

cross_suite() { printf '%s-cross' "$1"; }

# The linker scripts of the target's C library name its libraries by absolute paths, where the machine may have others.
relocate_cross() ( # ROOT FINAL
  relocate "$1" "$2" || return 1
  # until GCC 12 its programs are there, and no others
  find "$1/usr/lib/gcc-cross" -type f -perm -100 ! -name '*.so*' | while read -r file; do
    patchelf --set-interpreter "$2/$loader" --force-rpath --set-rpath "$(libraries_for "$file" "$1" "$2")" "$file" ||
      fail "cannot relocate $file" || exit 1
  done || return 1
  for libraries in "$1"/usr/*-linux-gnu/lib; do
    target=${libraries#"$1"} && target=${target%/lib}
    find "$libraries" -name 'lib*.so' -type f -size -2k -exec grep -lIZ "$target/lib" {} + | xargs -0r sed -i "s#$target/lib#$2$target/lib#g"
  done
)

# roots/SUITE-cross-host-headers: the same compilers with the C library headers that the machine's cross compilers use, for the reason that
# compilers.sh has for native ones. Hard links, so that it costs nothing.
with_machine_headers() ( # ROOT DIRECTORY
  set -e
  rm -rf "$2"
  cp -al "$1" "$2"
  for headers in "$2"/usr/*-linux-gnu/include; do
    triple=${headers%/include} && triple=${triple##*/}
    find "$headers" -mindepth 1 -maxdepth 1 ! -name 'c++' -exec rm -rf {} +
    find "/usr/$triple/include" -mindepth 1 -maxdepth 1 ! -name 'c++' -exec ln -s -t "$headers" {} +
  done
)

# provide_cross_root SUITE PACKAGE...: as provide_root, in a root that only cross compilers share.
provide_cross_root() (
  suite=$1
  shift
  name=$(cross_suite "$suite") root=$lab/roots/$(cross_suite "$suite")
  mark=$lab/.stamps/root-$name
  print=$(fingerprint "$*" "$here/root.sh" "$here/apt.sh" "$here/cross.sh")
  if stamped "$mark" "$print" && [ -d "$root-host-headers" ]; then
    say "$name: unpacked already"
    return 0
  fi
  tree=$lab/.apt/root-$name
  apt_tree "$suite" "$tree" && fetch_closure "$name" "$tree" "$tree/archives" "$@" || return 1
  say "$name: unpacking"
  quietly "$name: unpacking" unpack_all "$tree/archives" "$root.new" || return 1
  quietly "$name: relocating" relocate_cross "$root.new" "$root" || return 1
  rm -rf "$root" "$root-host-headers"
  mv "$root.new" "$root" && with_machine_headers "$root" "$root-host-headers" && stamp "$mark" "$print" && rm -rf "$tree"
)

# Whether the compiler that is called bin/TRIPLE-g++-N is of that suite: the machine's, where it has that release.
is_plain_cross() { # VERSION SUITE
  [ "$2" = host ] || ! pieces cross host | grep -q "^$1 "
}

# bin/TRIPLE-g++-N and, with the suite's own C library headers, bin/TRIPLE-g++-N-newglibc.
provide_cross() ( # TRIPLE VERSION SUITE
  root=$lab/roots/$(cross_suite "$3") plain=$lab/roots/$(cross_suite "$3")-host-headers
  [ "$3" != host ] || plain=
  for name in "$1-gcc-$2" "$1-g++-$2"; do
    ! is_plain_cross "$2" "$3" || link_launcher "$plain/usr/bin/$name" "$lab/bin/$name" || return 1
    [ "$3" = host ] || link_launcher "$root/usr/bin/$name" "$lab/bin/$name-newglibc" || return 1
  done
)

# The directory that holds the target's loader and C library, as qemu's -L wants it.
emulated_prefix() ( # DRIVER
  libc=$("$1" -print-file-name=libc.so.6) && libc=$(readlink -f "$libc") && printf '%s' "${libc%/lib/*}"
)

try_cross() ( # DRIVER TRIPLE WORDS
  work=$(mktemp -d) || return 1
  trap 'rm -rf "$work"' EXIT
  processor=${2%%-*}
  [ "$processor" != powerpc64le ] || processor=ppc64le
  "$1" -std=c++17 -O1 "$here/verify/hello.cpp" -o "$work/hello" &&
    expect "$3" "qemu-$processor-static" -L "$(emulated_prefix "$1")" "$work/hello"
)

verify_cross() ( # TRIPLE VERSION SUITE
  driver=$1-g++-$2
  case $3 in
    host) is=$(dpkg-query -W -f '${Package} ${Version}' "g++-$2-$(printf '%s' "$1" | tr _ -)") ;;
    *) is=$(fingerprint "$3" "$lab/.stamps/root-$(cross_suite "$3")") ;;
  esac
  ! is_plain_cross "$2" "$3" || verified "$driver" "$is" try_cross "$lab/bin/$driver" "$1" "ok gcc $2 36" || return 1
  [ "$3" = host ] || verified "$driver-newglibc" "$is" try_cross "$lab/bin/$driver-newglibc" "$1" "ok gcc $2 4."
)

each_cross() { # FUNCTION
  pieces cross | while read -r version suite packages; do
    for package in $packages; do
      triple=${package#"g++-$version-"}
      "$1" "$triple" "$version" "$suite" || exit 1
    done || exit 1
  done
}

cross_packages() { # SUITE
  pieces cross "$1" | awk '{ for (i = 3; i <= NF; ++i) print $i }'
}

provide_cross_compilers() {
  # shellcheck disable=SC2046  # lists of package names
  install_packages "cross compilers of this machine, and an emulator" qemu-user-static $(cross_packages host) || return 1
  # shellcheck disable=SC2046
  provide_cross_root trixie $(cross_packages trixie) || return 1
  each_cross provide_cross && each_cross verify_cross
}

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
# A root holds the compilers of another suite with all they depend on, made to run from where it lies:
# each program gets that suite's own loader and libraries. Sourced after lib.sh.

: "${lab:?}" "${here:?}"
triplet=x86_64-linux-gnu
loader=lib64/ld-linux-x86-64.so.2

# Packages that only maintainer scripts need. The lab runs none of those.
is_needless() { # DEB
  case ${1##*/} in
    perl* | libperl* | python* | libpython* | debconf* | dpkg* | tar_* | libc-bin* | coreutils* | systemd* | mawk*) return 0 ;;
  esac
  return 1
}

unpack() { # DEB DIRECTORY
  dpkg-deb --fsys-tarfile "$1" |
    tar -x --keep-directory-symlink -C "$2" --exclude='./usr/share/*' --exclude='./etc/*' --exclude='./var/*'
}

unpack_all() ( # ARCHIVES ROOT
  rm -rf "$2"
  mkdir -p "$2/usr/bin" "$2/usr/lib" "$2/usr/lib64"
  # Debian's merged /usr, so that packages from before and after the merge meet.
  for directory in bin lib lib64; do ln -s "usr/$directory" "$2/$directory"; done
  for deb in "$1"/*.deb; do
    echo "${deb##*/}"
    is_needless "$deb" || unpack "$deb" "$2" || fail "cannot unpack $deb" || return 1
  done
)

# A library that needs more than the C library would look for it with the search path of its own, or with none.
needs_others() { # LIBRARY
  patchelf --print-needed "$1" 2>/dev/null | grep -qv -e '^libc\.so' -e '^ld-linux'
}

# relocate ROOT FINAL: patches what lies in ROOT to run once ROOT is called FINAL. RPATH rather than RUNPATH, because it
# must reach the libraries' own dependencies. The libraries get one too: programs that the compilers make may carry a
# RUNPATH only, and must not find the machine's libm below this root's libstdc++.
relocate() (
  root=$1 final=$2
  find "$root/usr/bin" "$root/usr/lib/gcc" "$root/usr/libexec" "$root"/usr/lib/llvm-*/bin -type f -perm -100 ! -name '*.so*' 2>/dev/null |
    while read -r file; do
      patchelf --print-interpreter "$file" >/dev/null 2>&1 || continue
      patchelf --set-interpreter "$final/$loader" --force-rpath --set-rpath "$(libraries_for "$file" "$root" "$final")" "$file" ||
        fail "cannot relocate $file" || exit 1
    done || return 1
  find "$root/usr/lib/$triplet" "$root"/usr/lib/llvm-*/lib -maxdepth 1 -type f \
    \( -name 'lib*.so*' -o -name LLVMgold.so \) 2>/dev/null |
    while read -r file; do
      needs_others "$file" || continue
      patchelf --force-rpath --set-rpath "$(libraries_for "$file" "$root" "$final")" "$file" ||
        fail "cannot relocate $file" || exit 1
    done || return 1
  find "$root/usr" -type l -lname '/*' | while read -r link; do
    target=$(readlink "$link")
    [ ! -e "$root$target" ] || ln -sfn "$final$target" "$link"
  done
)

libraries_for() { # FILE ROOT FINAL
  case $1 in
    */llvm-*) llvm=${1#"$2"} && llvm=${llvm#*/llvm-} && printf '%s:%s' "$3/usr/lib/$triplet" "$3/usr/lib/llvm-${llvm%%/*}/lib" ;;
    *) printf '%s' "$3/usr/lib/$triplet" ;;
  esac
}

# provide_root SUITE PACKAGE...: $lab/roots/SUITE, whole or not at all.
provide_root() (
  suite=$1
  shift
  root=$lab/roots/$suite
  mark=$lab/.stamps/root-$suite
  print=$(fingerprint "$*" "$here/root.sh" "$here/apt.sh")
  if stamped "$mark" "$print" && [ -d "$root" ]; then
    say "$suite: unpacked already"
    return 0
  fi
  tree=$lab/.apt/root-$suite
  apt_tree "$suite" "$tree" && fetch_closure "$suite" "$tree" "$tree/archives" "$@" || return 1
  say "$suite: unpacking"
  quietly "$suite: unpacking" unpack_all "$tree/archives" "$root.new" || return 1
  say "$suite: relocating"
  quietly "$suite: relocating" relocate "$root.new" "$root" || return 1
  rm -rf "$root"
  mv "$root.new" "$root" && stamp "$mark" "$print" && rm -rf "$tree"
)

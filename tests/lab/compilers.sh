# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
# bin/: one name per compiler. A compiler of the machine is a link; one from a root is a launcher. Sourced after root.sh.
: "${lab:?}" "${here:?}" "${triplet:?}" "${loader:?}"

# Written only when it changes, and in one step: other programs may be running it.
write_launcher() { # FILE, text on stdin
  cat >"$1.new" && chmod 755 "$1.new" || return 1
  if cmp -s "$1.new" "$1"; then rm -f "$1.new"; else mv -f "$1.new" "$1"; fi
}

link_launcher() { # TARGET LINK
  [ "$(readlink "$2")" = "$1" ] || { ln -sfn "$1" "$2.new" && mv -fT "$2.new" "$2"; }
}

# The C library of trixie and sid declares functions (cospi, rsqrt) that clash with CUDA's own. So their GCCs normally read the
# machine's C library headers, through an include tree that holds only links; their own libraries are linked either way.
provide_headers() (
  suite=$1
  tree=$lab/roots/$suite-host-headers
  versions=$(dpkg-query -W -f '${Package} ${Version} ' libc6-dev linux-libc-dev libcrypt-dev) || return 1
  print=$(fingerprint "$versions" "$here/compilers.sh" "$lab/.stamps/root-$suite")
  stamped "$lab/.stamps/headers-$suite" "$print" && [ -d "$tree" ] && return 0
  rm -rf "$tree.new"
  mkdir -p "$tree.new/usr/include/$triplet"
  for directory in /usr/include "/usr/include/$triplet"; do
    dpkg -L libc6-dev linux-libc-dev libcrypt-dev | sed -n "s#^$directory/\([^/]*\)\$#\1#p" | sort -u | while read -r name; do
      [ "$name" = "$triplet" ] || ln -s "$directory/$name" "$tree.new$directory/$name"
    done
    ln -s "$lab/roots/$suite$directory/c++" "$tree.new$directory/c++"
  done
  rm -rf "$tree"
  mv "$tree.new" "$tree" && stamp "$lab/.stamps/headers-$suite" "$print"
)

# GCC looks for the assembler and the linker in COMPILER_PATH before PATH, and unlike PATH it changes nothing else.
gcc_launcher() { # NAME ROOT OPTIONS
  cat <<LAUNCHER
#!/bin/sh
COMPILER_PATH=$2/usr/bin exec $2/usr/bin/$triplet-$1 --sysroot=$2 $3-Wl,--dynamic-linker=$2/$loader -Wl,-rpath,$2/usr/lib/$triplet "\$@"
LAUNCHER
}

provide_gcc() ( # VERSION SUITE
  for name in "gcc-$1" "g++-$1"; do
    root=$lab/roots/$2
    case $2 in
      host) link_launcher "/usr/bin/$name" "$lab/bin/$name" ;;
      bullseye) gcc_launcher "$name" "$root" "" | write_launcher "$lab/bin/$name" ;;
      *)
        gcc_launcher "$name" "$root" "-isysroot $root-host-headers " | write_launcher "$lab/bin/$name" || return 1
        gcc_launcher "$name" "$root" "" | write_launcher "$lab/bin/$name-newglibc"
        ;;
    esac || return 1
  done
)

# A relocated Clang finds the machine's C library, libstdc++ and GCC by itself, so its programs run as they are. It needs its own
# suite's linker, because the machine's cannot load its LTO plugin.
provide_clang() ( # VERSION SUITE
  for name in clang clang++; do
    case $2 in
      host) link_launcher "/usr/bin/$name-$1" "$lab/bin/$name-$1" ;;
      *) write_launcher "$lab/bin/$name-$1" <<LAUNCHER ;;
#!/bin/sh
PATH=$lab/roots/$2/usr/bin:\$PATH exec $lab/roots/$2/usr/lib/llvm-$1/bin/$name "\$@"
LAUNCHER
    esac || return 1
  done
)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
# What pip installs from the Python Package Index: wheels/RELEASE/lib/python3/site-packages, CUDA compilers; backends/VERSION, what builds wheels;
# cmakes/RELEASE, CMake. Where the index is not reached they are not there, and the tests that need them say so. Sourced after lib.sh.
: "${lab:?}" "${here:?}"

# from_index NAME SITE PROGRAM REQUIREMENT...: SITE as pip fills it, with PROGRAM, which has to run.
from_index() (
  name=$1 site=$2 program=$3
  shift 3
  mark=$lab/.stamps/$name
  print=$(fingerprint "$*" "$here/wheels.sh")
  if stamped "$mark" "$print" && [ -x "$site/$program" ]; then
    say "$name: installed already"
    return 0
  fi
  rm -rf "$site.new"
  if ! quietly "$name: downloading" python3 -m pip install --no-deps --only-binary=:all: --no-compile --target "$site.new" "$@"; then
    say "$name: left out, as the index is not reached or has no such wheels"
    return 0
  fi
  rm -rf "$site"
  mv "$site.new" "$site"
  "$site/$program" --version >/dev/null || fail "the program of $name does not run: $site/$program" || return 1
  stamp "$mark" "$print"
)

provide_wheels() ( # RELEASE WHEEL...
  release=$1
  shift
  from_index "wheels-$release" "$lab/wheels/$release/lib/python3/site-packages" nvidia/cu13/bin/nvcc "$@"
)
provide_backends() ( # VERSION WHEEL...
  version=$1
  shift
  from_index "backends-$version" "$lab/backends/$version" bin/ninja "$@"
)
provide_cmake() { from_index "cmakes-$1" "$lab/cmakes/$1" cmake/data/bin/cmake "$2"; } # RELEASE WHEEL

# each_of_index KIND FUNCTION: with the release and the requirements of each row.
each_of_index() {
  pieces "$1" | while read -r release _ wheels; do
    # shellcheck disable=SC2086  # a list of requirements
    "$2" "$release" $wheels || exit 1
  done
}

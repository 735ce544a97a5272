# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
# wheels/RELEASE/lib/python3/site-packages: CUDA compilers as pip installs them, from the Python Package Index. Where that is not reached they
# are not there, and the tests that need them say so. Sourced after lib.sh.
: "${lab:?}" "${here:?}"

provide_wheels() ( # RELEASE WHEEL...
  release=$1
  shift
  site=$lab/wheels/$release/lib/python3/site-packages
  mark=$lab/.stamps/wheels-$release
  print=$(fingerprint "$*" "$here/wheels.sh")
  if stamped "$mark" "$print" && [ -x "$site/nvidia/cu13/bin/nvcc" ]; then
    say "wheels-$release: installed already"
    return 0
  fi
  rm -rf "$site.new"
  if ! quietly "wheels-$release: downloading" python3 -m pip install --no-deps --only-binary=:all: --no-compile --target "$site.new" "$@"; then
    say "wheels-$release: left out, as the index is not reached or has no such wheels"
    return 0
  fi
  rm -rf "$site"
  mv "$site.new" "$site"
  "$site/nvidia/cu13/bin/nvcc" --version >/dev/null || fail "the nvcc of wheels-$release does not run" || return 1
  stamp "$mark" "$print"
)

each_wheels() { # FUNCTION
  pieces wheels | while read -r release _ wheels; do
    # shellcheck disable=SC2086  # a list of requirements
    "$1" "$release" $wheels || exit 1
  done
}

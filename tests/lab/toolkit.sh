# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
# A CUDA toolkit from Debian's packages, in NVIDIA's own layout: bin, nvvm, include, lib64. It holds the compiler, the headers and
# the CUDA runtime, not the mathematical libraries. Sourced after apt.sh.

# The runtime's package carries its ABI in its name, so nvidia-cuda-dev is asked for it.
toolkit_packages() ( # TREE
  runtime=$(apt-cache -c "$1/apt.conf" depends nvidia-cuda-dev | awk '$2 ~ /^libcudart/ { print $2; exit }')
  for package in nvidia-cuda-toolkit nvidia-cuda-dev libnvvm4 libthrust-dev libcub-dev libcu++-dev $runtime; do
    apt-cache -c "$1/apt.conf" policy "$package" | grep -q '^  Candidate: [^(]' && printf '%s\n' "$package"
  done
  [ -n "$runtime" ]
)

unpack_toolkit() ( # ARCHIVES DIRECTORY
  rm -rf "$2"
  mkdir -p "$2"
  for deb in "$1"/*.deb; do
    echo "${deb##*/}"
    unpack_some "$deb" "$2" --no-anchored './usr/include/*' './usr/bin/*' \
      './usr/lib/nvidia-cuda-toolkit/bin/*' './usr/lib/nvidia-cuda-toolkit/libdevice/*' '*/stubs/libcuda.so' '*/libcudart*' \
      '*/libcudadevrt*' '*/libculibos*' '*/libnvvm*' '*/libnvptxcompiler_static.a' || return 1
  done
  [ -x "$2/usr/lib/nvidia-cuda-toolkit/bin/nvcc" ] || fail "the packages in $1 hold no nvcc"
)

# nvcc reads this beside itself. Debian's own profile leaves out the toolkit's include and library directories, because there
# they are the system's.
write_profile() { # FILE
  cat >"$1" <<'PROFILE'
TOP                = $(_HERE_)/..
NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice
PATH              += $(TOP)/nvvm/bin:$(_HERE_):
LD_LIBRARY_PATH   += $(TOP)/lib64:
INCLUDES          += "-I$(TOP)/include" $(_SPACE_)
LIBRARIES         =+ $(_SPACE_) "-L$(TOP)/lib64/stubs" "-L$(TOP)/lib64"
CUDAFE_FLAGS      +=
PTXAS_FLAGS       +=
PROFILE
}

arrange_toolkit() ( # UNPACKED TOOLKIT
  set -e
  from=$1/usr to=$2
  rm -rf "$to"
  mkdir -p "$to/bin" "$to/nvvm/bin" "$to/nvvm/lib64"
  for tool in __nvcc_device_query bin2c cu++filt cudafe++ cuobjdump fatbinary nvdisasm nvlink nvprune ptxas; do
    mv "$from/bin/$tool" "$to/bin/"
  done
  mv "$from/lib/nvidia-cuda-toolkit/bin/nvcc" "$from/lib/nvidia-cuda-toolkit/bin/crt" "$to/bin/"
  mv "$from/lib/nvidia-cuda-toolkit/bin/cicc" "$to/nvvm/bin/"
  mv "$from/lib/nvidia-cuda-toolkit/libdevice" "$to/nvvm/"
  mv "$from/include" "$to/include"
  mv "$from"/lib/*-linux-gnu "$to/lib64"
  # nvlink -dlto loads it from here.
  mv "$to"/lib64/libnvvm.* "$to/nvvm/lib64/"
  ln -s lib64 "$to/lib"
  write_profile "$to/bin/nvcc.profile"
  "$to/bin/nvcc" --version
)

# provide_toolkit LABEL SUITE DIRECTORY WORK: a whole toolkit in DIRECTORY or none; WORK may be kept to resume and is removed at the end.
provide_toolkit() (
  label=$1 suite=$2 directory=$3 work=$4
  apt_tree "$suite" "$work/apt" || return 1
  packages=$(toolkit_packages "$work/apt") ||
    fail "$suite has no nvidia-cuda-toolkit; install a CUDA toolkit and set CUDAToolkit_ROOT to it" || return 1
  # shellcheck disable=SC2086  # a list of package names
  fetch_packages "$label" "$work/apt" "$work/debs" $packages || return 1
  finish_toolkit "$label" "$directory" "$work"
)

finish_toolkit() (
  label=$1 directory=$2 work=$3
  say "$label: unpacking"
  quietly "$label: unpacking" unpack_toolkit "$work/debs" "$work/root" || return 1
  quietly "$label: layout" arrange_toolkit "$work/root" "$directory.new" || return 1
  rm -rf "$directory"
  mv "$directory.new" "$directory" && rm -rf "$work"
)

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/hot/key.hpp"

#include "toolchains/base/cache_place.hpp"
#include "toolchains/base/checksum.hpp"
#include "wrapper/hot/system.hpp"

#include <cstddef>
#include <cstdint>

namespace hostpin::hot {

namespace {

// Compiler wrappers and drivers read these; a change may change which compiler runs or what it answers.
constexpr std::string_view variables[] = {
    // read by hostpin and by discovery
    "PATH", "HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "HOSTPIN_CONFIG", "HOSTPIN_TOOLKIT",
    "HOSTPIN_STDENV", "HOSTPIN_HOST", "CXX", "CUDAToolkit_ROOT", "CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX",
    "VIRTUAL_ENV", "SPACK_ROOT",
    // read by GCC; CPATH, LIBRARY_PATH and the like are hidden from probing instead
    "GCC_EXEC_PREFIX", "COMPILER_PATH",
    // read by wrappers: ccache, MPI, Cray, Nix
    "CCACHE_COMPILER", "CCACHE_PATH", "OMPI_CXX", "MPICH_CXX", "I_MPI_CXX", "PE_ENV", "CRAYPE_LINK_TYPE",
    "NIX_CC", "NIX_CFLAGS_COMPILE", "NIX_LDFLAGS"};

constexpr std::uint64_t first_seed = 0x686F7374;
constexpr std::uint64_t second_seed = 0x70696E00;

} // namespace

std::string cache_key(const char* const* envp, std::string_view installation, std::string_view base,
                      const Naming& naming, std::string_view current_directory) {
  std::string all;
  all.reserve(4096);
  const auto add = [&all](std::string_view part) { all.append(part).append(1, '\0'); };
  add(installation);
  add(base);
  add(naming.value);
  add(naming.by);
  add(naming.allow_unsupported ? "unsupported" : "");
  add(naming.caller);
  add(current_directory);
  for (const std::string_view name : variables) {
    const auto value = variable(envp, name);
    add(value ? *value : std::string_view("\1", 1)); // unset differs from any value a user would write
  }
  std::string key;
  for (const std::uint64_t seed : {first_seed, second_seed}) {
    const auto digits = hexadecimal(checksum(all, seed));
    key.append(digits.data(), digits.size());
  }
  return key;
}

std::optional<std::string> cache_directory(const char* const* envp) {
  return hostpin::cache_directory(
      {variable(envp, "HOSTPIN_CACHE_DIR"), variable(envp, "XDG_CACHE_HOME"), variable(envp, "HOME")});
}

} // namespace hostpin::hot

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/cmdline/driver_variables.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace hostpin::cmdline {

namespace {

struct Variable {
  std::string_view name; ///< ends with `*`: every name that begins so
  bool read = true;      ///< false: an exception to a family below it
};

// By the first letter; exceptions before their families. Sources: the manuals of GCC ("Environment Variables
// Affecting GCC") and ccache, CC(1) of Cray PE, the manual of Nixpkgs ("Standard environment"), mpicxx(1) of
// Open MPI and MPICH, Intel's MPI reference ("Compilation Environment Variables"), and the wrappers: Clang's
// driver, Spack's `cc`, `cc-wrapper` and `bintools-wrapper` of Nixpkgs, Guix's `ld-wrapper`, `rpath_args.py`
// of EasyBuild, `h5c++`, `icecc`.
constexpr Variable variables[] = {
    {"CCACHE_COMPILER*"},
    {"CCACHE_CONFIGPATH*"},
    {"CCACHE_DIR"}, // has a configuration file
    {"CCACHE_PATH"},
    {"CCACHE_PREFIX*"},
    {"CCC_*"},
    {"CLANG_NO_DEFAULT_CONFIG"},
    {"COMPILER_PATH"},
    {"CONDA_BUILD_SYSROOT"},
    {"CRAYPE_*"},
    {"CRAY_*"},
    {"GCC_EXEC_PREFIX"},
    {"GCC_SPECS"},
    {"GUIX_LD_WRAPPER_*"},
    {"HDF5_*"},
    {"ICECC_CC"},
    {"ICECC_CXX"},
    {"ICPCCFG"},
    {"ICPXCFG"},
    {"I_MPI_*"},
    {"LIBRARY_PATH"}, // EasyBuild's wrappers make run paths of it
    {"MPICC_PROFILE"},
    {"MPICH_*"},
    {"MPICXX_PROFILE"},
    {"NIX_BUILD_CORES", false},
    {"NIX_BUILD_TOP", false},
    {"NIX_LOG_FD", false},
    {"NIX_PATH", false},
    {"NIX_PROFILES", false},
    {"NIX_REMOTE", false},
    {"NIX_SSL_CERT_FILE", false},
    {"NIX_USER_PROFILE_DIR", false},
    {"NIX_*"},
    {"OMPI_CC"}, // no family: mpiexec gives each process other OMPI_COMM_WORLD_*
    {"OMPI_CFLAGS"},
    {"OMPI_CPPFLAGS"},
    {"OMPI_CXX"},
    {"OMPI_CXXFLAGS"},
    {"OMPI_LDFLAGS"},
    {"OMPI_LIBS"},
    {"OPAL_*"},
    {"PE_*"},
    {"PKG_CONFIG_*"}, // Cray's drivers run pkg-config
    {"QA_OVERRIDE_GCC3_OPTIONS"},
    {"SDKROOT"},
    {"SPACK_*"},
};
static_assert(std::is_sorted(std::begin(variables), std::end(variables),
                             [](const Variable& a, const Variable& b) {
                               return a.name.front() < b.name.front();
                             }));

constexpr std::string_view selecting[] = {"OMPI_CXX", "MPICH_CXX",       "I_MPI_CXX",
                                          "HDF5_CXX", "CCACHE_COMPILER", "ICECC_CXX"};

bool covers(std::string_view pattern, std::string_view name) {
  if (pattern.ends_with('*'))
    return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return name == pattern;
}

} // namespace

bool is_read_by_drivers(std::string_view name) {
  if (name.empty())
    return false;
  for (const Variable& row : variables) {
    if (row.name.front() > name.front())
      return false;
    if (row.name.front() == name.front() && covers(row.name, name))
      return row.read;
  }
  return false;
}

std::span<const std::string_view> compiler_variables() {
  return selecting;
}

} // namespace hostpin::cmdline

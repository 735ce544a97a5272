// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/cmdline/driver_variables.hpp"

#include <doctest/doctest.h>

using hostpin::cmdline::compiler_variables;
using hostpin::cmdline::is_read_by_drivers;

TEST_CASE("variables that wrappers read are known, single or as a family") {
  for (const char* const name : {"SPACK_INCLUDE_DIRS",
                                 "SPACK_CXX",
                                 "CLANG_NO_DEFAULT_CONFIG",
                                 "NIX_CFLAGS_COMPILE",
                                 "NIX_CFLAGS_COMPILE_x86_64_unknown_linux_gnu",
                                 "NIX_LDFLAGS",
                                 "NIX_CC",
                                 "OMPI_CXX",
                                 "OMPI_LDFLAGS",
                                 "OPAL_PREFIX",
                                 "MPICH_CXX",
                                 "I_MPI_CXX",
                                 "HDF5_CXX",
                                 "HDF5_CXXFLAGS",
                                 "PE_SITE_INCLUDE_OPTS",
                                 "CRAYPE_LINK_TYPE",
                                 "CCACHE_COMPILER",
                                 "CCACHE_CONFIGPATH2",
                                 "GCC_EXEC_PREFIX",
                                 "LIBRARY_PATH",
                                 "SDKROOT"}) {
    CAPTURE(name);
    CHECK(is_read_by_drivers(name));
  }
}

TEST_CASE("variables that differ between calls of one build are not among them") {
  for (const char* const name : {"", "A", "SPACK", "NIX_BUILD_TOP", "NIX_BUILD_CORES", "NIX_LOG_FD",
                                 "OMPI_COMM_WORLD_RANK", "OMPI_CXXX", "CPATH", "MAKEFLAGS", "TERM", "_"}) {
    CAPTURE(name);
    CHECK_FALSE(is_read_by_drivers(name));
  }
}

TEST_CASE("each variable that selects a wrapper's compiler is read by drivers") {
  for (const std::string_view name : compiler_variables()) {
    CAPTURE(name);
    CHECK(is_read_by_drivers(name));
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/version.hpp"

#include <llvm/Config/llvm-config.h>

#include <CLI/Version.hpp>
#include <boost/version.hpp>
#include <fmt/format.h>
#include <toml++/impl/version.h>

namespace hostpin::command {

namespace {

#ifdef __clang__
constexpr const char* compiler = "Clang " __clang_version__;
#else
constexpr const char* compiler = "GCC " __VERSION__;
#endif

std::string library() {
#ifdef _LIBCPP_VERSION
  return fmt::format("libc++ {}", _LIBCPP_VERSION);
#else
  return fmt::format("libstdc++ {}", _GLIBCXX_RELEASE);
#endif
}

} // namespace

std::string version_text() {
  return fmt::format("hostpin {}\nbuilt by {} with {} for {} ({})\n"
                     "with LLVM {}, Boost {}.{}.{}, toml++ {}.{}.{}, CLI11 {}, fmt {}.{}.{}",
                     HOSTPIN_VERSION, compiler, library(), HOSTPIN_MACHINE, HOSTPIN_BUILD_TYPE,
                     LLVM_VERSION_STRING, BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000,
                     BOOST_VERSION % 100, TOML_LIB_MAJOR, TOML_LIB_MINOR, TOML_LIB_PATCH, CLI11_VERSION,
                     FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100);
}

} // namespace hostpin::command

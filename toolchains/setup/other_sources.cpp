// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/setup/other_sources.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/search.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hostpin::setup {

namespace {

std::string bind_command(const Wish& wish, const std::string& driver) {
  return fmt::format("hostpin bind --host {} {}", driver, shell_word(wish.directory + "/toolchain"));
}

/// conda-forge's name of a platform, as in its compilers' packages; empty if it has none.
std::string conda_platform(const std::string& machine) {
  if (machine == "x86_64")
    return "linux-64";
  return machine == "aarch64" ? "linux-aarch64" : machine == "powerpc64le" ? "linux-ppc64le" : "";
}

/// sysroot 2.28: its default, 2.17, lacks symbols that libraries of the machine need.
Advice conda(const Wish& wish, const std::string& program) {
  const std::string place = wish.directory + "/conda", platform = conda_platform(wish.machine);
  const bool is_gcc = wish.family == Family::gcc;
  const std::string packages =
      is_gcc ? fmt::format("gxx_{}={} sysroot_{}=2.28", platform, wish.major, platform)
             : fmt::format("clangxx={} gxx_{} sysroot_{}=2.28", wish.major, platform, platform);
  const std::string driver =
      is_gcc ? fmt::format("{}/bin/{}-conda-linux-gnu-g++", place, wish.machine) : place + "/bin/clang++";
  return {"conda-forge",
          fmt::format("{} create --yes --prefix {} --override-channels --channel conda-forge {}\n{}", program,
                      shell_word(place), packages, bind_command(wish, shell_word(driver)))};
}

Advice nix(const Wish& wish) {
  const bool is_gcc = wish.family == Family::gcc;
  const std::string link = wish.directory + "/nix";
  return {"Nix", fmt::format("nix-build '<nixpkgs>' --attr {}{} --out-link {}\n{}", is_gcc ? "gcc" : "clang_",
                             wish.major, shell_word(link),
                             bind_command(wish, shell_word(link + (is_gcc ? "/bin/g++" : "/bin/clang++"))))};
}

Advice spack(const Wish& wish) {
  const std::string package = fmt::format("{}@{}", wish.family == Family::gcc ? "gcc" : "llvm", wish.major);
  const std::string name = wish.family == Family::gcc ? "g++" : "clang++";
  return {"Spack",
          fmt::format("spack install {}\n{}", package,
                      bind_command(wish, fmt::format("\"$(spack location -i {})/bin/{}\"", package, name)))};
}

} // namespace

std::vector<Advice> other_sources(const Wish& wish, const Environment& environment) {
  std::vector<Advice> present, absent;
  const bool has_conda_packages = !conda_platform(wish.machine).empty();
  std::string program;
  for (const char* const each : {"micromamba", "mamba", "conda"})
    if (program.empty() && executable(each, environment))
      program = each;
  if (has_conda_packages)
    (program.empty() ? absent : present).push_back(conda(wish, program.empty() ? "micromamba" : program));
  (executable("nix-build", environment) ? present : absent).push_back(nix(wish));
  (executable("spack", environment) ? present : absent).push_back(spack(wish));
  present.insert(present.end(), absent.begin(), absent.end());
  return present;
}

} // namespace hostpin::setup

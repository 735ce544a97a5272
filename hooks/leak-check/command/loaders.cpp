// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/command/loaders.hpp"

#include "toolchains/loader/places.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace hostpin {

namespace {

/// What glibc's own ABI fixes for a machine.
struct Machine {
  std::uint16_t number; ///< e_machine
  bool wide;
  std::string_view loader;
  std::string_view target;
};
constexpr std::array machines = {
    Machine{62, true, "/lib64/ld-linux-x86-64.so.2", "x86_64-linux-gnu"},
    Machine{183, true, "/lib/ld-linux-aarch64.so.1", "aarch64-linux-gnu"},
    Machine{21, true, "/lib64/ld64.so.2", "powerpc64le-linux-gnu"},
    Machine{3, false, "/lib/ld-linux.so.2", "i386-linux-gnu"},
};

} // namespace

Loaders::Loaders(const Files& files, const Processes& processes, const std::vector<std::string>& trusted)
    : files_(files),
      processes_(processes), trusted_{"/lib",       "/lib64",      "/usr/lib",   "/usr/lib32",
                                      "/usr/lib64", "/usr/libx32", "/nix/store", "/gnu/store"} {
  for (const std::string& directory : trusted)
    trusted_.push_back(files.real_path(directory).value_or(directory));
}

const LoaderPlaces* Loaders::named(const std::string& loader, const ElfKind& kind) {
  const auto* const machine = std::find_if(machines.begin(), machines.end(), [&](const Machine& one) {
    return one.number == kind.machine && one.wide == kind.wide;
  });
  if (machine == machines.end())
    return nullptr;
  const std::string path = loader.empty() ? std::string(machine->loader) : loader;
  const auto known = known_.find(path);
  if (known != known_.end())
    return known->second ? &*known->second : nullptr;
  std::optional<LoaderPlaces>& places = known_[path];
  const std::string target(machine->target);
  const auto real = files_.real_path(path);
  if (real && is_below(*real, trusted_) && describe_loader(path, target, processes_))
    places = loader_places(path, target, files_, processes_);
  return places ? &*places : nullptr;
}

} // namespace hostpin

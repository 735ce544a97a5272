// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/command/loaders.hpp"

#include "hooks/leak-check/command/judged_by.hpp"
#include "hooks/leak-check/needles/needles.hpp"
#include "hooks/leak-check/needles/path_text.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/binary/machine.hpp"
#include "toolchains/loader/loader_file.hpp"
#include "toolchains/loader/places.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hostpin::leak {

namespace {

/// Values that glibc's ABI fixes for a machine.
struct Machine {
  binary::ElfKind kind;
  std::string_view loader;
  std::string_view target;
};
constexpr std::array machines = {
    Machine{{true, 62}, "/lib64/ld-linux-x86-64.so.2", "x86_64-linux-gnu"},
    Machine{{true, 183}, "/lib/ld-linux-aarch64.so.1", "aarch64-linux-gnu"},
    Machine{{true, 21}, "/lib64/ld64.so.2", "powerpc64le-linux-gnu"},
    Machine{{false, 3}, "/lib/ld-linux.so.2", "i386-linux-gnu"},
};

/// Runs nothing: a query of a loader through it gets no answer.
class NoProcesses final : public Processes {
public:
  std::vector<Outcome> run(std::span<const Command> commands) const override {
    return std::vector<Outcome>(commands.size());
  }
};

/// The directories in /etc/ld.so.conf and its included files: ldconfig adds their libraries to the cache, for
/// a staged tree only once it is installed.
std::vector<std::string> configured(const Files& files) {
  constexpr std::size_t limit = std::size_t{1} << 20U;
  constexpr std::size_t most_files = 1000;
  constexpr std::string_view include = "include";
  std::vector<std::string> directories;
  std::vector<std::string> left = {"/etc/ld.so.conf"};
  for (std::size_t i = 0; i < left.size() && i < most_files; ++i) {
    const auto text = files.read(left[i], limit);
    for (const std::string& line : split(text.value_or(""), "\n")) {
      const std::string_view words = trimmed(std::string_view(line).substr(0, line.find('#')));
      if (words.starts_with('/'))
        directories.push_back(lexically_normal(words));
      else if (words.starts_with(include) && words.ends_with("/*.conf")) {
        const std::string_view pattern = trimmed(words.substr(include.size()));
        // Fedora's is relative to the file that contains it.
        std::string directory = pattern.starts_with('/') ? "" : directory_of(left[i]) + '/';
        directory += pattern.substr(0, pattern.rfind('/'));
        for (const std::string& name : files.entries(directory))
          if (name.ends_with(".conf"))
            left.push_back(directory + '/' + name);
      }
    }
  }
  return directories;
}

/// A user who can write there can already run any program on this machine.
const std::vector<std::string>& system_directories() {
  static const std::vector<std::string> all = {"/lib",       "/lib64",     "/usr/lib",
                                               "/usr/lib32", "/usr/lib64", "/usr/libx32"};
  return all;
}

std::vector<std::string> real_paths(std::vector<std::string> paths, const Files& files) {
  for (std::string& path : paths)
    path = files.real_path(path).value_or(path);
  return paths;
}

} // namespace

Loaders::Loaders(const Files& files, const Processes& processes, const LoaderTrust& trust,
                 const RootedFiles* root, const TargetLoader& target)
    : files_(files), processes_(processes), trust_{real_paths(trust.prefixes, files), trust.scanned,
                                                   real_paths(trust.stores, files)},
      root_(root), target_(target) {
  trust_.prefixes.insert(trust_.prefixes.end(), {"/nix/store", "/gnu/store"});
}

/// A list of paths may be long, and few loaders are checked.
bool Loaders::is_scanned(const std::string& real) const {
  return std::any_of(trust_.scanned.begin(), trust_.scanned.end(), [&](const std::string& path) {
    return is_below(real, absolute(std::vector{path}, files_));
  });
}

Loaders::Way Loaders::way_to(const std::string& real) const {
  if (is_below(real, system_directories()))
    return Way::run;
  if (is_below(real, trust_.prefixes))
    return is_scanned(real) ? Way::read : Way::run;
  return is_below(real, trust_.stores) ? Way::read : Way::none;
}

std::optional<loader::LoaderPlaces> Loaders::places_by(Way way, const std::string& loader,
                                                       const std::string& target) const {
  const NoProcesses none;
  const bool runs = way == Way::run && (root_ == nullptr || !root_->is_alone());
  const Processes& processes = runs ? processes_ : none;
  if (way == Way::none || !loader::describe_loader(loader, target, processes))
    return std::nullopt;
  loader::LoaderPlaces places = loader::loader_places(loader, target, files_, processes);
  if (way == Way::read) {
    constexpr std::size_t largest = std::size_t{16} << 20U, largest_cache = std::size_t{64} << 20U;
    const auto bytes = files_.read(loader, largest);
    loader::LoaderFile file = loader::loader_file(bytes.value_or(""));
    if (file.directories.empty())
      return std::nullopt;
    places.directories = std::move(file.directories);
    places.library_name = std::move(file.library_name);
    places.cache = files_.read(file.cache, largest_cache).value_or("");
  }
  return places;
}

/// A staged tree that is a whole system has its own loader.
bool Loaders::is_of_target(const std::string& loader, const binary::ElfKind& kind) const {
  return !target_.bound.path.empty() && kind == target_.kind &&
         (loader.empty() || loader == target_.bound.path) && (root_ == nullptr || !root_->is_alone());
}

loader::LoaderPlaces Loaders::places_of_target() const {
  loader::LoaderPlaces places;
  places.directories = target_.bound.directories;
  if (root_ != nullptr) // installed there, they are found as on that machine
    places.directories.insert(places.directories.begin(), target_.bound.own_directories.begin(),
                              target_.bound.own_directories.end());
  places.library_name = target_.bound.library_name;
  places.platform = target_.bound.platform;
  places.root = target_.bound.root;
  places.elsewhere = true;
  return places;
}

const loader::LoaderPlaces* Loaders::named(const std::string& loader, const binary::ElfKind& kind) {
  const auto* const machine =
      std::find_if(machines.begin(), machines.end(), [&](const Machine& one) { return one.kind == kind; });
  const bool of_target = is_of_target(loader, kind);
  if (machine == machines.end() && !of_target)
    return nullptr;
  const std::string path = of_target        ? target_.bound.path
                           : loader.empty() ? std::string(machine->loader)
                                            : loader;
  const auto known = known_.find(path);
  if (known != known_.end())
    return known->second ? &*known->second : nullptr;
  std::optional<loader::LoaderPlaces>& places = known_[path];
  if (of_target)
    places = places_of_target();
  else if (const auto real = files_.real_path(path)) {
    const Way way = way_to(*real);
    places = places_by(way == Way::run && !binary::runs_here(kind) ? Way::read : way, path,
                       std::string(machine->target));
  }
  if (places && root_ != nullptr) {
    places->real_path = [this](const std::string& file) { return files_.real_path(file).value_or(file); };
    const std::vector<std::string> first = configured(files_);
    places->directories.insert(places->directories.begin(), first.begin(), first.end());
  }
  return places ? &*places : nullptr;
}

bool Loaders::are_in(const std::string& root) {
  const RootedFiles files(root, true);
  return std::any_of(machines.begin(), machines.end(), [&](const Machine& machine) {
    return files.status(std::string(machine.loader)).has_value();
  });
}

} // namespace hostpin::leak

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/command/loaders.hpp"

#include "hooks/leak-check/command/judged_by.hpp"
#include "hooks/leak-check/needles/needles.hpp"
#include "hooks/leak-check/needles/path_text.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/loader/places.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hostpin::leak {

namespace {

// Real ones have two to four; the list is searched for each directory.
constexpr std::size_t most_directories = 64;

bool is_path(std::string_view text) {
  constexpr std::size_t longest = 4096;
  return text.size() > 1 && text.size() < longest && text.front() == '/' &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

/// $LIB is the name of the directory of the system's libraries below /usr, or below the loader's prefix.
std::string library_name(const std::string& directory) {
  const std::size_t at = directory.rfind("/lib");
  return at == std::string::npos ? "lib" : directory.substr(at + 1);
}

} // namespace

LoaderFile loader_file(std::string_view bytes) {
  LoaderFile file;
  for (std::size_t at = bytes.find("\0/", 0, 2); at != std::string_view::npos;
       at = bytes.find("\0/", at + 1, 2)) {
    const std::size_t begin = at + 1, end = bytes.find('\0', begin);
    if (end == std::string_view::npos)
      break;
    const std::string_view text = bytes.substr(begin, end - begin);
    if (!is_path(text))
      continue;
    if (text.ends_with("/ld.so.cache"))
      file.cache = text;
    std::string directory = text.ends_with('/') ? lexically_normal(text) : std::string();
    if (!directory.empty() &&
        std::find(file.directories.begin(), file.directories.end(), directory) == file.directories.end()) {
      if (file.directories.size() == most_directories)
        return {};
      file.directories.push_back(std::move(directory));
    }
  }
  if (file.cache.empty())
    return {};
  if (!file.directories.empty())
    file.library_name = library_name(file.directories.front());
  return file;
}

namespace {

/// Values that glibc's ABI fixes for a machine.
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
                 const RootedFiles* root)
    : files_(files), processes_(processes), trust_{real_paths(trust.prefixes, files), trust.scanned,
                                                   real_paths(trust.stores, files)},
      root_(root) {
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
    LoaderFile file = loader_file(bytes.value_or(""));
    if (file.directories.empty())
      return std::nullopt;
    places.directories = std::move(file.directories);
    places.library_name = std::move(file.library_name);
    places.cache = files_.read(file.cache, largest_cache).value_or("");
  }
  return places;
}

const loader::LoaderPlaces* Loaders::named(const std::string& loader, const binary::ElfKind& kind) {
  const auto* const machine = std::find_if(machines.begin(), machines.end(), [&](const Machine& one) {
    return one.number == kind.machine && one.wide == kind.wide;
  });
  if (machine == machines.end())
    return nullptr;
  const std::string path = loader.empty() ? std::string(machine->loader) : loader;
  const auto known = known_.find(path);
  if (known != known_.end())
    return known->second ? &*known->second : nullptr;
  std::optional<loader::LoaderPlaces>& places = known_[path];
  if (const auto real = files_.real_path(path))
    places = places_by(way_to(*real), path, std::string(machine->target));
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

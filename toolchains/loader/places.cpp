// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/loader/places.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/binary/machine.hpp"
#include "toolchains/compiler/probe.hpp"
#include "toolchains/compiler/shown.hpp"
#include "toolchains/loader/loader_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace hostpin::loader {

namespace {

constexpr std::size_t cache_limit = std::size_t{64} << 20U;

/// The quoted value in `key="value"` or `key[0x0]="value"`; nothing on any other line.
std::optional<std::string> value_of(std::string_view line, std::string_view key) {
  if (!line.starts_with(key))
    return std::nullopt;
  const std::size_t open = line.find("=\"");
  if (open == std::string_view::npos || !line.ends_with('"') || open + 2 > line.size() - 1)
    return std::nullopt;
  return std::string(line.substr(open + 2, line.size() - open - 3));
}

constexpr std::array<std::string_view, 4> system_places = {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"};

bool starts_with_any(std::string_view text, std::span<const std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [&](std::string_view start) { return text.starts_with(start); });
}

/// By its name, which is part of each machine's ABI: ld-linux-x86-64.so.2, ld-linux-aarch64.so.1, ld64.so.2.
bool is_glibc(std::string_view loader) {
  constexpr std::array<std::string_view, 3> names = {"ld-linux", "ld64.so", "ld.so"};
  return starts_with_any(loader.substr(loader.rfind('/') + 1), names);
}

/// The entries of a list with colons whose bit is set; the lowest bit is the first entry.
std::vector<std::string> active(std::string_view list, std::uint64_t bits) {
  std::vector<std::string> chosen;
  for (; !list.empty(); bits >>= 1U) {
    const std::string_view one = list.substr(0, list.find(':'));
    list.remove_prefix(std::min(one.size() + 1, list.size()));
    if ((bits & 1U) != 0)
      chosen.emplace_back(one);
  }
  return chosen;
}

LoaderDescription answered(std::string_view rest, LoaderDescription description) {
  description.directories.clear();
  constexpr std::string_view bits_key = "dl_hwcaps_subdirs_active=0x";
  std::string capabilities;
  std::uint64_t bits = 0;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (auto directory = value_of(line, "path.system_dirs["))
      description.directories.push_back(*std::move(directory));
    else if (auto settings = value_of(line, "path.sysconfdir"))
      description.cache = *settings + "/ld.so.cache";
    else if (auto library = value_of(line, "dl_dst_lib"))
      description.library_name = *std::move(library);
    else if (auto platform = value_of(line, "dl_platform"))
      description.platform = *std::move(platform);
    else if (auto all = value_of(line, "dl_hwcaps_subdirs="))
      capabilities = *std::move(all);
    else if (line.starts_with(bits_key))
      std::from_chars(line.data() + bits_key.size(), line.data() + line.size(), bits, 16);
  }
  description.capabilities = active(capabilities, bits);
  return description;
}

/// What is known of a glibc loader without running it: one in a system directory searches where the
/// distributions' do, of one elsewhere only run paths are known. Processor capabilities are unknown.
LoaderDescription presumed_loader(const std::string& loader, const std::string& target) {
  LoaderDescription description{{}, {}, "lib/" + target, target.substr(0, target.find('-'))};
  if (starts_with_any(loader, system_places)) {
    description.directories = {"/lib/" + target, "/usr/lib/" + target, "/lib64", "/usr/lib64", "/lib",
                               "/usr/lib"};
    description.cache = "/etc/ld.so.cache";
  }
  return description;
}

} // namespace

std::optional<LoaderDescription> describe_loader(const std::string& loader, const std::string& target,
                                                 const Processes& processes) {
  if (!is_glibc(loader))
    return std::nullopt;
  LoaderDescription description = presumed_loader(loader, target);
  if (!binary::runs_here(target))
    return description;
  Command command;
  command.argv = {loader, "--list-diagnostics"};
  command.unset = {"LD_LIBRARY_PATH", "LD_PRELOAD"};
  command.enough =
      "\nversion."; // what follows concerns the processor, and takes seconds on a busy virtual machine
  const Outcome outcome = processes.run({&command, 1}).front();
  return outcome.ok() ? answered(outcome.output, std::move(description)) : description;
}

LoaderPlaces loader_places(const std::string& loader, const std::string& target, const Files& files,
                           const Processes& processes) {
  auto description = describe_loader(loader, target, processes);
  return description ? loader_places(*std::move(description), files) : LoaderPlaces();
}

LoaderPlaces loader_places(LoaderDescription description, const Files& files) {
  LoaderPlaces places;
  places.directories = std::move(description.directories);
  places.library_name = std::move(description.library_name);
  places.platform = std::move(description.platform);
  places.capabilities = std::move(description.capabilities);
  places.root = std::move(description.root);
  places.elsewhere = description.elsewhere;
  if (auto cache = files.read(description.cache, cache_limit))
    places.cache = *std::move(cache);
  return places;
}

LinkTarget link_target(const std::vector<std::string>& command, const std::string& library,
                       const Files& files, const Processes& processes) {
  std::array<Command, 2> questions;
  for (Command& question : questions)
    question = {command, "", variables_a_probe_hides()};
  questions[0].argv.insert(questions[0].argv.end(),
                           {"-###", "-x", "c++", "/dev/null", "-o", "hostpin-probe"});
  questions[0].own_temporary = true; // GCC creates its temporary files
  questions[1].argv.push_back("-print-file-name=" + library);
  const std::vector<Outcome> outcomes = run_shown(questions, processes);
  LinkLine line = link_line(outcomes[0].errors);
  LinkTarget target{std::move(line.loader), {}, line.libraries, command, std::move(line.sysroot)};
  const std::string path = outcomes[1].output.substr(0, outcomes[1].output.find('\n'));
  // If there is no such file, the name itself is printed.
  if (outcomes[1].ok() && path.starts_with('/') && files.status(path))
    if (const auto directory = files.real_path(path.substr(0, path.rfind('/'))))
      target.library = *directory + '/' + library;
  return target;
}

namespace {

/// Directories, each once, symlinks resolved.
class Directories {
public:
  explicit Directories(const Files& files) : files_(files) {}

  void add(const std::string& directory) {
    auto real = files_.real_path(directory);
    if (real && std::find(all_.begin(), all_.end(), *real) == all_.end())
      all_.push_back(*std::move(real));
  }
  std::vector<std::string> take() { return std::move(all_); }

private:
  const Files& files_;
  std::vector<std::string> all_;
};

/// Where a driver finds the files of these names; those that it does not find are left out.
std::vector<std::string> found_by_driver(const std::vector<std::string>& driver,
                                         std::span<const std::string> names, const Processes& processes) {
  std::vector<Command> questions;
  for (const std::string& name : names) {
    questions.push_back({driver, "", variables_a_probe_hides()});
    questions.back().argv.push_back("-print-file-name=" + name);
  }
  std::vector<std::string> found;
  for (const Outcome& outcome : processes.run(questions))
    if (std::string path = outcome.output.substr(0, outcome.output.find('\n'));
        outcome.ok() && path.starts_with('/'))
      found.push_back(std::move(path));
  return found;
}

/// Whether it is a directory for one architecture's libraries, next to those for others.
bool is_for(const std::string& directory, const std::string& triple) {
  return (directory + '/').find('/' + triple + '/') != std::string::npos;
}

/// Without running anything of the target.
LoaderDescription described_elsewhere(const LinkTarget& target, const std::string& triple, const Files& files,
                                      const Processes& processes) {
  constexpr std::size_t largest = std::size_t{16} << 20U;
  const std::vector<std::string> names = {std::string(base_name(target.loader)), "libc.so.6",
                                          "libgcc_s.so.1"};
  std::vector<std::string> found = found_by_driver(target.command, names, processes);
  if (!target.library.empty())
    found.push_back(target.library);

  LoaderDescription description = presumed_loader("/lib64/" + names.front(), triple);
  std::vector<std::string> loaders = {target.sysroot + target.loader};
  if (!found.empty() && base_name(found.front()) == names.front())
    loaders.push_back(found.front());
  for (const std::string& loader : loaders)
    if (LoaderFile file = loader_file(files.read(loader, largest).value_or("")); !file.directories.empty()) {
      description.directories = std::move(file.directories);
      description.library_name = std::move(file.library_name);
      break;
    }
  Directories directories(files);
  for (const std::string& directory : description.directories)
    if (!target.sysroot.empty() || is_for(directory, triple)) // else it is this machine's own
      directories.add(target.sysroot + directory);
  for (const std::string& file : found)
    directories.add(directory_of(file));
  description.own_directories = std::exchange(description.directories, directories.take());
  description.cache.clear();
  description.root = target.sysroot;
  description.elsewhere = true;
  return description;
}

} // namespace

std::optional<LoaderDescription> describe_loader(const LinkTarget& target, const std::string& triple,
                                                 const Files& files, const Processes& processes) {
  if (binary::runs_here(triple))
    return describe_loader(target.loader, triple, processes);
  return is_glibc(target.loader) ? std::optional(described_elsewhere(target, triple, files, processes))
                                 : std::nullopt;
}

} // namespace hostpin::loader

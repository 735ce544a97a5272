// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/loader/places.hpp"

#include "toolchains/compiler/probe.hpp"
#include "toolchains/library/link_line.hpp"

#include <optional>
#include <string_view>

namespace hostpin {

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

LoaderDescription usual(const std::string& target) {
  return {{"/lib/" + target, "/usr/lib/" + target, "/lib64", "/usr/lib64", "/lib", "/usr/lib"},
          "/etc/ld.so.cache",
          "lib/" + target,
          target.substr(0, target.find('-'))};
}

} // namespace

std::string loader_of_links(const std::vector<std::string>& command, const Processes& processes) {
  Command show;
  show.argv = command;
  show.argv.insert(show.argv.end(), {"-###", "-x", "c++", "/dev/null", "-o", "hostpin-probe"});
  show.unset = variables_a_probe_hides();
  const std::vector<Outcome> outcomes = processes.run({&show, 1});
  return outcomes.size() == 1 ? link_line(outcomes.front().errors).loader : std::string();
}

LoaderDescription describe_loader(const std::string& loader, const std::string& target,
                                  const Processes& processes) {
  LoaderDescription description = usual(target);
  Command command;
  command.argv = {loader, "--list-diagnostics"};
  command.unset = {"LD_LIBRARY_PATH", "LD_PRELOAD"};
  const std::vector<Outcome> outcomes = processes.run({&command, 1});
  if (outcomes.size() != 1 || !outcomes.front().ok())
    return description;
  std::vector<std::string> directories;
  std::string_view rest = outcomes.front().output;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (auto directory = value_of(line, "path.system_dirs["))
      directories.push_back(*std::move(directory));
    else if (auto settings = value_of(line, "path.sysconfdir"))
      description.cache = *settings + "/ld.so.cache";
    else if (auto library = value_of(line, "dl_dst_lib"))
      description.library_name = *std::move(library);
    else if (auto platform = value_of(line, "dl_platform"))
      description.platform = *std::move(platform);
  }
  if (!directories.empty())
    description.directories = std::move(directories);
  return description;
}

LoaderPlaces loader_places(const std::string& loader, const std::string& target, const Files& files,
                           const Processes& processes) {
  LoaderDescription description = describe_loader(loader, target, processes);
  LoaderPlaces places;
  places.directories = std::move(description.directories);
  places.library_name = std::move(description.library_name);
  places.platform = std::move(description.platform);
  if (auto cache = files.read(description.cache, cache_limit))
    places.cache = *std::move(cache);
  return places;
}

} // namespace hostpin

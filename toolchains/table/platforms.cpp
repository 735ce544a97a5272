// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/table/platforms.hpp"

#include "toolchains/document/reader.hpp"

#include <algorithm>
#include <utility>

namespace hostpin {

namespace {

Platform platform_row(document::Reader& row) {
  Platform platform;
  platform.name = row.required("name");
  platform.target = row.required("target");
  platform.triple = row.required("triple");
  platform.nix = row.string("nix").value_or("");
  platform.debian = row.string("debian").value_or("");
  platform.machine = row.required("machine");
  platform.format = row.required("format");
  platform.jetson = row.boolean("jetson").value_or(false);
  platform.last_cuda = row.string("last-cuda").value_or("");
  platform.conda = row.string("conda").value_or("");
  platform.cross_package = row.string("cross-package").value_or("");
  row.required("source"); // only readers of the file need it
  if (platform.format != "tar" && platform.format != "zip")
    row.refuse("format", document::quoted(platform.format) + " is neither `tar` nor `zip`");
  return platform;
}

} // namespace

Result<std::vector<Platform>> load_platforms(const Files& files, const std::string& directory) {
  std::vector<Platform> platforms;
  TRY(document::read_tables(files, directory + "/platforms.toml", "platforms.toml has [[platform]] rows only",
                            [&](document::Reader& document) {
                              document.rows("platform", "see the comment at the top of the file", platforms,
                                            platform_row);
                            }));
  return platforms;
}

const Platform* platform_named(const std::vector<Platform>& platforms, std::string_view name) {
  const auto found = std::find_if(platforms.begin(), platforms.end(),
                                  [&](const Platform& platform) { return platform.name == name; });
  return found == platforms.end() ? nullptr : &*found;
}

std::string_view architecture_of(std::string_view triple) {
  return triple.substr(0, triple.find('-'));
}

std::vector<const Platform*> platforms_of(const std::vector<Platform>& platforms, std::string_view triple) {
  const auto is_linux = [](std::string_view name) { return name.find("-linux") != std::string_view::npos; };
  std::vector<const Platform*> found;
  for (const Platform& platform : platforms)
    if (architecture_of(platform.triple) == architecture_of(triple) &&
        is_linux(platform.triple) == is_linux(triple))
      found.push_back(&platform);
  return found;
}

} // namespace hostpin

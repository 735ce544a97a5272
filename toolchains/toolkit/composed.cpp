// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/toolkit/composed.hpp"

#include "toolchains/base/text.hpp"

#include <cstddef>

#include <nlohmann/json.hpp>

namespace hostpin {

namespace {

using Json = nlohmann::json;

// The origin.json of all of CUDA 12.4 has 2 MB.
constexpr std::size_t largest_origin = std::size_t{256} << 20U;

constexpr int origin_schema = 1;

/// The members of the root but for `entries`, which has thousands of files.
Json without_entries(const std::string& text) {
  return Json::parse(text, [](int depth, Json::parse_event_t event, Json& parsed) {
    return depth != 1 || event != Json::parse_event_t::key || parsed != "entries";
  });
}

std::string description_of(const Json& origin) {
  std::set<std::string> releases;
  for (const Json& archive : origin.at("archives"))
    releases.insert(archive.at("product").get<std::string>() + ' ' + archive.at("label").get<std::string>());
  return composed_from(releases, origin.at("targets").get<std::vector<std::string>>(),
                       origin.at("lock").get<std::string>());
}

} // namespace

std::string composed_from(const std::set<std::string>& releases, const std::vector<std::string>& targets,
                          const std::string& lock) {
  return "composed from " + joined(releases) + " (" + joined(targets) + ") of " + lock;
}

std::vector<std::string> driver_path(const std::string& root, bool compat, const std::string& driver) {
  std::vector<std::string> directories;
  if (compat)
    directories.push_back(root + "/compat");
  if (!driver.empty())
    directories.push_back(driver);
  return directories;
}

Result<std::optional<ComposedToolkit>> composed_toolkit(const std::string& root, const Files& files) {
  const std::string file = root + '/' + origin_file;
  if (!files.status(file))
    return std::nullopt;
  TRY_ASSIGN(const auto text, files.read(file, largest_origin));
  const std::string advice = "compose the toolkit again, or see `hostpin redist check`";
  try {
    const Json origin = without_entries(text);
    if (origin.at("schema") != origin_schema)
      return failure(file + " is not an origin of schema " + std::to_string(origin_schema), advice);
    return ComposedToolkit{description_of(origin),
                           driver_path(root, origin.value("compat", false), origin.value("driver", ""))};
  } catch (const Json::exception& error) {
    return failure(file + " cannot be read: " + error.what(), advice);
  }
}

} // namespace hostpin

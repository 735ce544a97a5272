// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/rewrite.hpp"

#include "toolchains/base/path_text.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace hostpin::redist {

namespace {

constexpr std::string_view target_directory = "/$(_TARGET_DIR_)";

bool links_driver(std::string_view line) {
  const std::vector<std::string> parts = filled_parts(line, " \t");
  return line.starts_with("Libs:") && std::ranges::find(parts, "-lcuda") != parts.end();
}

std::string pkgconfig_line(std::string line) {
  constexpr std::pair<std::string_view, std::string_view> variables[] = {
      {"cudaroot=", "${pcfiledir}/../.."},
      {"prefix=", "${pcfiledir}/../.."},
      {"libdir=", "${pcfiledir}/../../lib"},
      {"includedir=", "${pcfiledir}/../../include"}};
  for (const auto& [name, value] : variables)
    if (line.starts_with(name))
      return std::string(name) + std::string(value);
  if (links_driver(line) && line.find("/stubs") == std::string::npos)
    line.insert(line.find("-lcuda"), "-L${libdir}/stubs ");
  return line;
}

} // namespace

std::string one_target_profile(std::string_view text) {
  std::string changed(text);
  for (std::size_t at = 0; (at = changed.find(target_directory, at)) != std::string::npos;)
    changed.erase(at, target_directory.size());
  return changed;
}

std::string relocatable_pkgconfig(std::string_view text) {
  std::string changed;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    changed += pkgconfig_line(std::string(text.substr(begin, end - begin)));
    if (end < text.size())
      changed += '\n';
    begin = end + 1;
  }
  return changed;
}

bool lacks_stubs(std::string_view pkgconfig) {
  const std::vector<std::string> lines = split(pkgconfig, "\n");
  return std::ranges::any_of(lines, [](const std::string& line) {
    return links_driver(line) && line.find("/stubs") == std::string::npos;
  });
}

} // namespace hostpin::redist

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/emit/names.hpp"

#include "toolchains/base/unicode.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace hostpin::redist {

namespace {

bool is_letter_or_digit(char one) {
  return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9');
}

} // namespace

std::string file_name(const LockedArchive& archive) {
  return archive.path.substr(archive.path.rfind('/') + 1);
}

std::string stem(const LockedArchive& archive) {
  return std::string(archive_stem(file_name(archive)));
}

std::string base_of(const Lock& lock, const LockedArchive& archive) {
  const std::string url = url_of(lock, archive);
  return url.substr(0, url.size() - std::min(url.size(), archive.path.size()));
}

Result<std::vector<std::string>> identifiers(const Lock& lock, char separator) {
  std::vector<std::string> names;
  std::map<std::string, const LockedArchive*> taken;
  for (const LockedArchive& archive : lock.archives) {
    std::string name = archive.package;
    for (const std::string& part : {archive.variant, archive.platform})
      if (!part.empty())
        name.append(1, separator).append(part);
    std::ranges::replace_if(
        name, [](char one) { return !is_letter_or_digit(one); }, separator);
    const auto [other, is_new] = taken.try_emplace(name, &archive);
    if (!is_new)
      return failure("'" + name + "' would be the name of two archives: " + escaped(name_of(*other->second)) +
                         " and " + escaped(name_of(archive)),
                     "make a lock without one of them");
    names.push_back(std::move(name));
  }
  return names;
}

std::string quoted_json(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

} // namespace hostpin::redist

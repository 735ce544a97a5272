// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/recorded.hpp"

#include "toolchains/table/toml.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hostpin {

Result<Recorded> read_recorded(const Files& files, const std::string& directory) {
  const std::string path = directory + "/binding.toml";
  const auto toml = read_toml(files, path);
  if (!toml)
    return failure(fmt::format("{} is not a bound directory: {}", directory, toml.error().message),
                   "make one: hostpin bind " + directory);
  const auto found = std::find_if(toml->members.begin(), toml->members.end(),
                                  [](const TomlMember& member) { return member.key == "request"; });
  if (found == toml->members.end() || found->value.kind != TomlValue::Kind::table)
    return failure(path + " does not say what it was made from", "make it anew: hostpin bind " + directory);

  Recorded recorded;
  TomlReader reader(path, found->value);
  recorded.request.toolkit = reader.string("toolkit");
  recorded.request.stdenv = reader.string("stdenv");
  recorded.request.host = reader.string("host");
  recorded.request.host_by = reader.string("host-by").value_or("--host");
  recorded.request.allow_unsupported = reader.boolean("allow-unsupported").value_or(false);
  recorded.named = reader.boolean("named").value_or(false);
  if (auto wrong = reader.finish())
    return tl::unexpected(std::move(*wrong));
  return recorded;
}

} // namespace hostpin

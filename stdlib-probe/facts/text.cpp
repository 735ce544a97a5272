// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/facts/write.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hostpin {

namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<std::string>;

std::string shown(const Json& value) {
  if (value.is_null())
    return "-";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string shown(const Json& object, const char* member) {
  return object.is_object() && object.contains(member) ? shown(object[member]) : "-";
}

std::string joined(const Json& words) {
  std::string text;
  for (const Json& word : words)
    text += fmt::format("{}{}", text.empty() ? "" : " ", word.get<std::string>());
  return text;
}

std::string name_of(const Json& facts) {
  if (facts["compiler"].is_object())
    return joined(facts["compiler"]["command"]);
  for (const char* const member : {"gcc_install", "sysroot"})
    if (facts[member].is_string())
      return facts[member];
  return facts["include_directories"].empty() ? "-" : facts["include_directories"][0].get<std::string>();
}

std::string abi_of(const Json& facts) {
  return facts["cxx11_abi"].is_null() ? "-" : facts["cxx11_abi"] == true ? "new" : "old";
}

std::string headers_of(const Json& facts) {
  return facts["kind"].is_null() ? "-" : shown(facts, "kind") + ' ' + shown(facts, "release");
}

std::string libc_of(const Json& facts) {
  const std::string name = shown(facts, "libc");
  return facts["glibc"].is_null() ? name : name + ' ' + shown(facts, "glibc");
}

/// `GLIBCXX_3.4.30` if the member exists.
std::string version_of(const Json& library, const char* member, const char* prefix) {
  const std::string version = shown(library, member);
  return version == "-" ? version : fmt::format("{}{}", prefix, version);
}

/// Paths and names of drivers are not split.
std::string aligned(const std::vector<Row>& rows, const Terminal& terminal) {
  std::vector<std::vector<Cell>> cells;
  for (const Row& row : rows)
    for (auto& to = cells.emplace_back(); const std::string& text : row)
      to.push_back({text});
  return columns(cells, terminal, 0);
}

std::string table(const std::vector<Json>& answers, const Terminal& terminal) {
  std::vector<Row> rows{{"", "HEADERS", "ABI", "C++", "LIBC", "GLIBCXX", "CXXABI", "GLIBC", "LIBRARY"}};
  for (const Json& facts : answers)
    rows.push_back({name_of(facts), headers_of(facts), abi_of(facts), shown(facts, "cplusplus"),
                    libc_of(facts), shown(facts["library"], "glibcxx"), shown(facts["library"], "cxxabi"),
                    shown(facts["c_library"], "glibc"), shown(facts["library"], "path")});
  return aligned(rows, terminal);
}

/// The library's path and versions, or why there is none.
void add_library(const Json& facts, const char* member, const std::vector<std::string>& versions,
                 std::vector<Row>& rows) {
  const Json& library = facts[member];
  if (library.is_null()) {
    rows.push_back({fmt::format("  {}", member), "none: " + shown(facts["unknown"], member)});
    return;
  }
  const bool archive = library["linked"] == "static";
  rows.push_back(
      {fmt::format("  {}", member), shown(library, "path") + (archive ? "  (an archive, linked in)" : "")});
  std::string line;
  for (const std::string& version : versions)
    if (version != "-")
      line += fmt::format("{}{}", line.empty() ? "" : "  ", version);
  if (!line.empty())
    rows.push_back({"", line});
}

std::string spread(const Json& facts, const Terminal& terminal) {
  const Json& compiler = facts["compiler"];
  std::vector<Row> rows;
  rows.push_back({name_of(facts), compiler.is_null()
                                      ? "headers, no compiler"
                                      : shown(compiler, "family") + ' ' + shown(compiler, "version")});
  rows.push_back({"  target", shown(facts, "target")});
  rows.push_back({"  headers", headers_of(facts)});
  rows.push_back({"  std::string", abi_of(facts) == "-" ? "-" : abi_of(facts) + " ABI"});
  rows.push_back({"  __cplusplus", shown(facts, "cplusplus")});
  rows.push_back({"  libc headers", libc_of(facts)});
  const Json& library = facts["library"];
  const std::string needs = version_of(library, "needs_glibc", "needs GLIBC_");
  add_library(facts, "library",
              {version_of(library, "glibcxx", "GLIBCXX_"), version_of(library, "cxxabi", "CXXABI_"), needs},
              rows);
  add_library(facts, "c_library", {version_of(facts["c_library"], "glibc", "GLIBC_")}, rows);
  add_library(facts, "libgcc_s", {version_of(facts["libgcc_s"], "gcc", "GCC_")}, rows);
  std::string label = "  includes";
  for (const Json& directory : facts["include_directories"]) {
    rows.push_back({label, directory});
    label.clear();
  }
  constexpr auto members = std::to_array<const char*>({"kind", "release", "cxx11_abi", "cplusplus", "glibc"});
  for (const char* const member : members)
    if (facts["unknown"].contains(member) && facts[member].is_null())
      rows.push_back({fmt::format("  no {}", member), shown(facts["unknown"], member)});
  // The name may be long; only the rest is aligned.
  const std::string heading = rows.front()[0] + ": " + rows.front()[1] + '\n';
  rows.erase(rows.begin());
  return heading + aligned(rows, terminal);
}

} // namespace

std::string facts_text(std::span<const std::string> answers, const Terminal& terminal) {
  std::vector<Json> parsed;
  for (const std::string& answer : answers)
    parsed.push_back(Json::parse(answer, nullptr, false));
  return parsed.size() == 1 ? spread(parsed.front(), terminal) : table(parsed, terminal);
}

} // namespace hostpin

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/facts/write.hpp"

#include "toolchains/base/files.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hostpin::probe {

namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

/// Null members of a library need no reason: an archive has no versions, and libgcc_s none of libstdc++'s.
Json linked_json(const std::optional<LinkedFacts>& linked) {
  if (!linked)
    return nullptr;
  return {{"linked", linked->shared ? "shared" : "static"},
          {"found", linked->found},
          {"path", linked->path},
          {"soname", text_or_null(linked->soname)}};
}

Json library_json(const std::optional<LinkedFacts>& library) {
  Json json = linked_json(library);
  if (library) {
    json["glibcxx"] = text_or_null(library->glibcxx);
    json["cxxabi"] = text_or_null(library->cxxabi);
    json["needs_glibc"] = text_or_null(library->needs_glibc);
  }
  return json;
}

Json c_library_json(const std::optional<LinkedFacts>& library) {
  Json json = linked_json(library);
  if (library)
    json["glibc"] = text_or_null(library->glibc);
  return json;
}

Json libgcc_json(const std::optional<LinkedFacts>& library) {
  Json json = linked_json(library);
  if (library)
    json["gcc"] = text_or_null(library->gcc);
  return json;
}

Json dependencies_json(const std::vector<std::string>& paths, const Files& files, std::int64_t asked) {
  Json list = Json::array();
  const std::string here = files.real_path(".").value_or("");
  std::set<std::string> absolute;
  for (const std::string& path : paths)
    absolute.insert(path.starts_with('/') ? path : here + '/' + path);
  for (const std::string& path : absolute) {
    // An absent file has neither size nor time, and the answer is valid until it exists.
    const FileStatus status = settled_status(path, asked, files);
    list.push_back({{"path", path}, {"size", status.size}, {"modified", status.modified}});
  }
  return list;
}

Json compiler_json(const Compiler& compiler, bool by_compiler) {
  if (!by_compiler)
    return nullptr;
  return {{"command", compiler.command},
          {"family", to_string(compiler.family)},
          {"version", to_full_string(compiler.version)}};
}

/// Bytes of a path or of a driver's output that are not UTF-8 become U+FFFD.
std::string dumped(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

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

std::string facts_json(const Facts& facts, const Files& files, std::int64_t asked) {
  const Compiler& compiler = facts.compiler;
  const StandardLibrary& library = compiler.library;
  const int release = library.kind == "libc++" ? library.version : library.release;
  Json json;
  json["compiler"] = compiler_json(compiler, facts.by_compiler);
  json["sysroot"] = text_or_null(facts.sysroot);
  json["gcc_install"] = text_or_null(compiler.gcc_install);
  json["target"] = text_or_null(compiler.target);
  json["kind"] = text_or_null(library.kind);
  json["release"] = release == 0 ? Json() : Json(release);
  json["cxx11_abi"] = library.cxx11_abi ? Json(*library.cxx11_abi) : Json();
  json["cplusplus"] = compiler.default_cplusplus == 0 ? Json() : Json(compiler.default_cplusplus);
  json["libc"] = text_or_null(compiler.c_library);
  json["glibc"] = compiler.glibc ? Json(to_string(*compiler.glibc)) : Json();
  json["include_directories"] = compiler.include_directories;
  json["library"] = library_json(facts.library);
  json["c_library"] = c_library_json(facts.c_library);
  json["libgcc_s"] = libgcc_json(facts.libgcc);
  json["unknown"] = Json::object();
  for (const auto& [member, reason] : facts.unknown)
    json["unknown"][member] = reason;
  json["rests_on"] = dependencies_json(facts.dependencies, files, asked);
  return dumped(json);
}

std::string facts_list_json(const char* list, const Answers& answers, const Files& files) {
  Json json;
  json[list] = Json::array();
  Json dependencies = dependencies_json(answers.looked, files, answers.asked);
  std::set<std::string> seen(answers.looked.begin(), answers.looked.end());
  for (const std::string& answer : answers.given) {
    Json one = Json::parse(answer, nullptr, false);
    for (const Json& file : one["rests_on"])
      if (seen.insert(file["path"].get<std::string>()).second)
        dependencies.push_back(file);
    json[list].push_back(std::move(one));
  }
  json["unusable"] = Json::array();
  for (const Error& error : answers.refused)
    json["unusable"].push_back(error.message);
  json["rests_on"] = std::move(dependencies);
  return dumped(json);
}

std::string facts_text(std::span<const std::string> answers, const Terminal& terminal) {
  std::vector<Json> parsed;
  for (const std::string& answer : answers)
    parsed.push_back(Json::parse(answer, nullptr, false));
  return parsed.size() == 1 ? spread(parsed.front(), terminal) : table(parsed, terminal);
}

} // namespace hostpin::probe

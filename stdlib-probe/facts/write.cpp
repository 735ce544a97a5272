// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/facts/write.hpp"

#include "toolchains/base/files.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

namespace hostpin {

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

Json rests_on_json(const std::vector<std::string>& paths, const Files& files, std::int64_t asked) {
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
  json["rests_on"] = rests_on_json(facts.rests_on, files, asked);
  return dumped(json);
}

std::string facts_list_json(const char* list, const Answers& answers, const Files& files) {
  Json json;
  json[list] = Json::array();
  Json rests_on = rests_on_json(answers.looked, files, answers.asked);
  std::set<std::string> seen(answers.looked.begin(), answers.looked.end());
  for (const std::string& answer : answers.given) {
    Json one = Json::parse(answer, nullptr, false);
    for (const Json& file : one["rests_on"])
      if (seen.insert(file["path"].get<std::string>()).second)
        rests_on.push_back(file);
    json[list].push_back(std::move(one));
  }
  json["unusable"] = Json::array();
  for (const Error& error : answers.refused)
    json["unusable"].push_back(error.message);
  json["rests_on"] = std::move(rests_on);
  return dumped(json);
}

} // namespace hostpin

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/libc/comparison.hpp"

#include "toolchains/base/json_number.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

namespace hostpin {

const char* to_string(Clash::Kind kind) {
  constexpr std::array<const char*, 3> words = {"exceptions", "types", "linkage"};
  return words[static_cast<std::size_t>(kind)];
}

std::string names(const std::vector<Clash>& clashes) {
  std::string text;
  for (std::size_t i = 0; i < clashes.size(); ++i)
    text += (i == 0 ? "" : i + 1 == clashes.size() ? " and " : ", ") + clashes[i].name;
  return text;
}

std::string places(const std::vector<Clash>& clashes) {
  std::vector<std::pair<std::string, std::set<unsigned>>> files;
  for (const auto side : {&Clash::libc, &Clash::toolkit})
    for (const Clash& clash : clashes) {
      const Clash::Declaration& declaration = clash.*side;
      auto file = std::find_if(files.begin(), files.end(),
                               [&](const auto& each) { return each.first == declaration.file; });
      if (file == files.end())
        file = files.insert(files.end(), {declaration.file, {}});
      file->second.insert(declaration.line);
    }
  std::string text;
  for (const auto& [file, lines] : files) {
    if (!text.empty())
      text += "; ";
    text += file;
    for (const unsigned line : lines) {
      text += line == *lines.begin() ? ':' : ',';
      text += std::to_string(line);
    }
  }
  return text;
}

namespace {

using Json = nlohmann::json;

ProbeCall call_for(const Toolkit& toolkit, const Compiler& compiler) {
  ProbeCall call = {
      "libc",       "--json",
      "--release",  to_string(toolkit.version),
      "--compiler", (compiler.family == Family::clang ? "clang-" : "") + to_full_string(compiler.version)};
  if (!compiler.target.empty())
    call.insert(call.end(), {"--target", compiler.target});
  for (const std::string& directory : toolkit.include_directories)
    call.insert(call.end(), {"--toolkit-include", directory});
  for (const std::string& directory : compiler.include_directories)
    call.insert(call.end(), {"--headers", directory});
  return call;
}

Clash::Declaration declaration(const Json& json) {
  return {json.at("file").get<std::string>(), number_of<unsigned>(json.at("line"), "line"),
          json.at("throws").get<bool>(), json.at("says").get<std::string>()};
}

Clash::Kind kind(const Json& json) {
  for (const Clash::Kind known : {Clash::Kind::types, Clash::Kind::linkage})
    if (json == to_string(known))
      return known;
  return Clash::Kind::exceptions;
}

} // namespace

Result<std::vector<Clash>> read_clashes(std::string_view answer) {
  try {
    const Json json = Json::parse(answer);
    std::vector<Clash> clashes;
    for (const Json& clash : json.at("clashes"))
      clashes.push_back({clash.at("name").get<std::string>(), declaration(clash.at("toolkit")),
                         declaration(clash.at("libc")), kind(clash.at("kind"))});
    return clashes;
  } catch (const Json::exception& error) {
    return failure(std::string("stdlib-probe's answer about a C library cannot be read: ") + error.what(),
                   "install hostpin again: its programs are of different releases");
  }
}

std::vector<LibcComparison> compare_libcs(const Toolkit& toolkit, std::span<const Compiler> compilers,
                                          const HeaderProbe& probe) {
  std::vector<LibcComparison> comparisons;
  std::vector<LibcComparison> unknown;
  std::vector<ProbeCall> calls;
  for (const Compiler& compiler : compilers) {
    if (compiler.family == Family::other)
      continue;
    if (compiler.c_headers.empty() && unknown.empty())
      unknown.push_back({"", failure("no include directory of " +
                                     (compiler.command.empty() ? "it" : compiler.command.front()) +
                                     " has a C library's <math.h>")});
    const bool known =
        std::any_of(comparisons.begin(), comparisons.end(), [&](const LibcComparison& comparison) {
          return comparison.c_headers == compiler.c_headers;
        });
    if (known || compiler.c_headers.empty())
      continue;
    comparisons.push_back({compiler.c_headers, failure("")});
    calls.push_back(call_for(toolkit, compiler));
  }
  std::vector<Result<std::string>> answers = probe.ask(calls);
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    if (answers[i])
      comparisons[i].clashes = read_clashes(*answers[i]);
    else
      comparisons[i].clashes = tl::unexpected(std::move(answers[i].error()));
  }
  comparisons.insert(comparisons.end(), unknown.begin(), unknown.end());
  return comparisons;
}

} // namespace hostpin

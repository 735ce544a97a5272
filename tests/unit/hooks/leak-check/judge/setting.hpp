// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/judge/judge.hpp"
#include "tests/tree.hpp"

#include <filesystem>
#include <optional>

#include <doctest/doctest.h>

namespace hostpin::test {

using namespace leak;

/// A tree, what is unwanted in it, and a judge that knows no loader.
struct Setting {
  Tree tree;
  DiskFiles files;
  Policy policy;

  Findings judged(ScannedFile file) const {
    const auto unwanted = Unwanted::make(policy, files);
    REQUIRE(unwanted);
    Judge judge(
        {policy, *unwanted, files, [](const std::string&, const binary::ElfKind&) { return nullptr; }});
    judge.judge_file(std::move(file));
    return judge.finish();
  }

  void forbid(const std::string& path, UnwantedPath::Kind kind = UnwantedPath::Kind::forbidden) {
    policy.unwanted.push_back({path, kind});
  }
  std::string directory(const std::string& name) const {
    std::filesystem::create_directories(tree.path(name));
    return tree.path(name);
  }

  /// A shared library of the tree with that RUNPATH.
  ScannedFile library(const std::string& runpath) const {
    ScannedFile file;
    file.path = "lib/libx.so";
    file.file = tree.write("out/lib/libx.so", "");
    file.kind = ScannedFile::Kind::elf;
    ScannedPart part;
    part.elf.emplace();
    part.elf->type = ElfFacts::Type::library;
    part.elf->image.emplace();
    part.elf->image->runpath = runpath;
    file.parts.push_back(std::move(part));
    return file;
  }
};

inline std::optional<Severity> severity_of(const Findings& findings, Rule rule) {
  for (const Finding& finding : findings.found)
    if (finding.rule == rule)
      return finding.severity;
  return std::nullopt;
}

} // namespace hostpin::test

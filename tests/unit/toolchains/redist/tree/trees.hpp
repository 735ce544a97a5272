// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tests/shipped_data.hpp"
#include "toolchains/archive/sha256.hpp"
#include "toolchains/base/scratch.hpp"
#include "toolchains/redist/tree/compose.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace hostpin::redist::test {

inline const TreeFacts& facts() {
  static const Result<TreeFacts> loaded = load_tree_facts(DiskFiles(), hostpin::test::shipped_data());
  REQUIRE_MESSAGE(loaded, loaded.error().message);
  return *loaded;
}

inline LockedArchive archive(const std::string& package, const std::string& platform = "linux-x86_64",
                             const std::string& variant = "") {
  LockedArchive one;
  one.product = variant.empty() ? "cuda" : "cudnn";
  one.label = variant.empty() ? "12.4.1" : "9.0.0";
  one.package = package;
  one.version = "12.4.127";
  one.platform = platform;
  one.variant = variant;
  one.license = "CUDA Toolkit";
  one.path = package + '/' + platform + '/' + package + "-archive.tar.xz";
  one.sha256 = sha256_of(one.path + variant);
  return one;
}

/// Unpacked archives in a scratch directory.
class Trees {
public:
  Trees() : scratch_(ScratchDirectory::make(Environment())) { REQUIRE(scratch_); }

  std::string path(const std::string& name) const { return scratch_->path() + '/' + name; }

  /// Files by path; a content that begins with `->` is a symbolic link.
  void add(const LockedArchive& archive, const std::map<std::string, std::string>& files) {
    const std::string directory = path("tree" + std::to_string(trees.size()));
    for (const auto& [name, content] : files)
      write(directory + '/' + name, content);
    auto members = members_of(directory, sha256_of_file);
    REQUIRE_MESSAGE(members, members.error().message);
    trees.push_back({archive, directory, *std::move(members)});
  }

  static void write(const std::string& file, const std::string& content) {
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    if (content.starts_with("->"))
      std::filesystem::create_symlink(content.substr(2), file);
    else
      std::ofstream(file) << content;
  }

  RootPlan plan(const Composition& composition) const {
    auto plan = plan_root(trees, composition, facts(),
                          [](const std::string& file) { return DiskFiles().read(file, 1 << 20); });
    REQUIRE_MESSAGE(plan, plan.error().message);
    plan->origin.lock = "redist.lock";
    plan->origin.lock_sha256 = sha256_of("lock");
    return *std::move(plan);
  }

  Result<Composed> compose(const Composition& composition, const std::string& name) const {
    return write_root(
        plan(composition), path(name), {sha256_of_file, sha256_of},
        [](const std::string&, const RootPlan&, std::vector<std::string>&) { return Result<void>(); });
  }

  std::vector<ArchiveTree> trees;

private:
  Result<ScratchDirectory> scratch_;
};

inline Composition native() {
  Composition composition;
  composition.host = "linux-x86_64";
  composition.targets = {"linux-x86_64"};
  return composition;
}

/// What a plan has at a path: `archive:member`, `->link`, `text`; empty if nothing.
inline std::string at(const RootPlan& plan, const std::string& path) {
  for (const RootPiece& piece : plan.pieces)
    if (piece.entry.path == path)
      return !piece.entry.link.empty() && !piece.entry.archive ? "->" + piece.entry.link
             : piece.entry.archive
                 ? plan.origin.archives[*piece.entry.archive].package + ':' + piece.entry.member
                 : "text";
  return {};
}

inline std::string text_at(const RootPlan& plan, const std::string& path) {
  for (const RootPiece& piece : plan.pieces)
    if (piece.entry.path == path)
      return piece.text;
  return {};
}

} // namespace hostpin::redist::test

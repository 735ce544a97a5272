// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/command/trees.hpp"

#include "toolchains/archive/sha256.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/document/json.hpp"
#include "toolchains/redist/store/nar.hpp"
#include "toolchains/redist/store/store.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace hostpin::redist {

namespace {

constexpr std::size_t largest_text = std::size_t{1} << 20U;

/// Whether the tree is the one that was unpacked, by the hash that it is named by.
Result<void> prove(const StoredTree& stored, const LockedArchive& archive) {
  TRY_ASSIGN(const auto hash, nar_sha256(stored.path));
  if (hash == stored.tree)
    return {};
  return failure(escaped(stored.path) + " is not " + name_of(archive) + " any more: a file in it was changed",
                 "remove that directory, and run `hostpin redist fetch` with this lock and store again");
}

} // namespace

bool is_in_store(const std::string& store, const LockedArchive& archive) {
  return Store(store).tree(archive.sha256).has_value();
}

Result<ArchiveTree> archive_tree(const std::string& directory, const LockedArchive& archive, bool verify) {
  const Store store(directory);
  const auto stored = store.tree(archive.sha256);
  if (!stored)
    return failure(name_of(archive) + " is not in the store " + escaped(store.directory()),
                   "run `hostpin redist fetch` with this lock and store first");
  const std::string lists = store.directory() + "/members";
  std::error_code error;
  std::filesystem::create_directory(lists, error);
  TRY_ASSIGN(auto members, stored_members(
                               stored->path, lists + "/sha256-" + stored->tree, sha256_of_file,
                               [&] { return prove(*stored, archive); }, verify));
  return ArchiveTree{archive, stored->path, std::move(members)};
}

Result<RootPlan> planned_root(const Context& context, const TreeFacts& facts, const std::string& lock,
                              const std::string& store, const Composition& composition, bool verify) {
  TRY_ASSIGN(const auto text, context.files.read(lock, document::largest_document));
  TRY_ASSIGN(const auto content, read_lock(text, lock));
  TRY_ASSIGN(const auto archives, selected_archives(content, composition, facts));
  if (composition.compat && std::ranges::none_of(archives, [](const LockedArchive& one) {
        return one.package.starts_with("cuda_compat");
      }))
    return failure("the lock has no cuda_compat, which --compat needs", "lock it too, or omit --compat");
  std::vector<ArchiveTree> trees;
  for (const LockedArchive& archive : archives) {
    TRY_ASSIGN(auto tree, archive_tree(store, archive, verify));
    trees.push_back(std::move(tree));
  }
  auto plan = plan_root(trees, composition, facts,
                        [&](const std::string& path) { return context.files.read(path, largest_text); });
  if (plan) {
    plan->origin.lock = escaped(base_name(lock));
    plan->origin.lock_sha256 = sha256_of(text);
  }
  return plan;
}

} // namespace hostpin::redist

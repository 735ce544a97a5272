// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/command/staged.hpp"

#include "hooks/leak-check/command/loaders.hpp"

#include <utility>

namespace hostpin {

namespace {

std::vector<std::string> once_there(std::vector<std::string> paths, const RootedFiles& root) {
  for (std::string& path : paths)
    if (auto there = root.once_there(path))
      path = *std::move(there);
  return paths;
}

} // namespace

Result<std::unique_ptr<RootedFiles>> staged_root(const std::string& root,
                                                 const std::vector<std::string>& paths, const Files& files) {
  auto real = files.real_path(root);
  const auto status = files.status(root);
  if (!real || !status || status->kind != FileStatus::Kind::directory)
    return failure("--root " + root + " is no directory",
                   "name the directory that was given as DESTDIR when this was installed");
  const bool alone = Loaders::are_in(*real);
  auto rooted = std::make_unique<RootedFiles>(*std::move(real), alone);
  for (const std::string& path : paths)
    if (files.status(path) && !rooted->once_there(path))
      return failure(path + " does not lie in --root " + root,
                     "name files and directories of the staged tree");
  return rooted;
}

void fit_to_root(Policy& policy, const RootedFiles& root) {
  policy.vendor = once_there(std::move(policy.vendor), root);
  policy.stores = once_there(std::move(policy.stores), root);
  std::vector<UnwantedPath> more;
  for (const UnwantedPath& row : policy.unwanted)
    if (auto real = root.real_path(row.path);
        real && *real != row.path && real->size() >= NeedleSet::shortest)
      more.push_back({*std::move(real), row.kind});
  if (root.root().size() >= NeedleSet::shortest)
    more.push_back({root.root(), UnwantedPath::Kind::build_directory});
  policy.unwanted.insert(policy.unwanted.end(), more.begin(), more.end());
}

} // namespace hostpin

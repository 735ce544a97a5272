// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/command/staged.hpp"

#include "hooks/leak-check/command/loaders.hpp"

#include <optional>
#include <utility>

namespace hostpin {

namespace {

std::vector<std::string> once_there(std::vector<std::string> paths, const RootedFiles& root) {
  for (std::string& path : paths)
    if (auto there = root.once_there(path))
      path = *std::move(there);
  return paths;
}

/// A path that does not lie in the tree as it is named, or does so only once it is installed.
std::optional<Error> unfit_name(const std::string& path, const std::string& root, const RootedFiles& rooted,
                                const Files& files) {
  const bool is_there = files.status(path).has_value();
  const std::string inside = root + (path.starts_with('/') ? "" : "/") + path;
  const bool is_meant = files.status(inside).has_value();
  const std::string hint = is_meant ? "name it as it lies now: " + inside
                                    : "name files and directories of the staged tree as they lie now";
  if (is_there && !rooted.once_there(path))
    return Error{path + " does not lie in --root " + root, hint};
  if (!is_there && is_meant)
    return Error{"there is no " + path + " here, but in --root " + root, hint};
  return std::nullopt;
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
    if (auto wrong = unfit_name(path, root, *rooted, files))
      return tl::unexpected(*std::move(wrong));
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

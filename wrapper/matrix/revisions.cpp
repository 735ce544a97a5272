// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/revisions.hpp"

#include "toolchains/base/process.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_output = std::size_t{256} << 20;

/// What git prints. Variables of a caller that is git itself, such as a hook, do not count.
Result<std::string> git(const std::string& directory, std::vector<std::string> words) {
  Command command;
  command.argv = {"git", "-C", directory, "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"};
  std::ranges::move(words, std::back_inserter(command.argv));
  command.unset = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX"};
  const HostProcesses processes({std::chrono::hours(1), largest_output});
  Outcome outcome = processes.run({&command, 1}).front();
  if (outcome.ok())
    return std::move(outcome.output);
  while (outcome.errors.ends_with('\n'))
    outcome.errors.pop_back();
  return failure(fmt::format("git {} in {}{}{}", describe(outcome), directory,
                             outcome.errors.empty() ? "" : ": ", outcome.errors));
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

bool is_below(std::string_view path, std::string_view directory) {
  return directory.empty() ||
         (path.size() > directory.size() && path.starts_with(directory) && path[directory.size()] == '/');
}

/// Whether .git itself was read, which each commit changes.
bool is_of_git(std::string_view place) {
  return place == ".git" || place.starts_with(".git/") || place.find("/.git/") != std::string_view::npos ||
         place.ends_with("/.git");
}

} // namespace

Result<std::vector<TreeChange>> read_changes(std::string_view printed) {
  std::vector<TreeChange> changes;
  const auto field = [&]() -> std::string_view {
    const std::size_t end = printed.find('\0');
    if (end == std::string_view::npos)
      return {};
    const std::string_view text = printed.substr(0, end);
    printed.remove_prefix(end + 1);
    return text;
  };
  while (!printed.empty()) {
    const std::string_view kind = field(), path = field();
    if (kind.size() != 1 || path.empty())
      return failure("git diff-tree printed what is not a list of changes");
    changes.push_back({kind == "A"   ? TreeChange::Kind::added
                       : kind == "D" ? TreeChange::Kind::deleted
                                     : TreeChange::Kind::changed,
                       std::string(path)});
  }
  return changes;
}

bool can_see(const Input& input, const std::string& in_tree, const TreeChange& change) {
  const std::string place = in_tree == "." ? "" : in_tree;
  if (place == change.path || is_below(place, change.path) || is_of_git(place))
    return true;
  const std::string parent = fs::path(change.path).parent_path().string();
  if (change.path.ends_with(".gitattributes") && is_below(place, parent))
    return true;
  if (!is_below(change.path, place) || change.kind == TreeChange::Kind::changed)
    return false;
  // a directory above the change: its names, or whether it is there at all
  return change.kind == TreeChange::Kind::deleted || !input.state.starts_with("directory") ||
         (input.access & static_cast<unsigned>(Access::listing)) != 0;
}

TreeChange reversed(TreeChange change) {
  if (change.kind == TreeChange::Kind::added)
    change.kind = TreeChange::Kind::deleted;
  else if (change.kind == TreeChange::Kind::deleted)
    change.kind = TreeChange::Kind::added;
  return change;
}

Result<Repository> Repository::of(const std::string& directory) {
  auto top = git(directory, {"rev-parse", "--show-toplevel"});
  if (!top)
    return failure(top.error().message, "revisions are those of a git repository with the sources");
  std::error_code error;
  return Repository(fs::canonical(first_line(*top), error).string());
}

Result<std::string> Repository::commit(const std::string& revision) const {
  const auto found =
      git(top_, {"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"});
  if (!found)
    return failure(fmt::format("{} has no revision {}", top_, revision), "git log lists them");
  return first_line(*found);
}

Result<std::vector<std::string>> Repository::history(const std::string& good, const std::string& bad) const {
  TRY_ASSIGN(const auto printed, git(top_, {"rev-list", "--first-parent", "--reverse", good + ".." + bad}));
  std::vector<std::string> commits{good};
  for (std::size_t at = 0; at < printed.size();) {
    const std::size_t end = std::min(printed.find('\n', at), printed.size());
    commits.push_back(printed.substr(at, end - at));
    at = end + 1;
  }
  const auto first = commits.size() < 2 ? Result<std::string>("") : commit(commits[1] + "^");
  if (commits.size() < 2 || !first || *first != good)
    return failure(fmt::format("{} is not among the first parents of {}", good, bad),
                   "name an older revision of the same branch with --good; git merge-base finds one");
  return commits;
}

Result<std::vector<TreeChange>> Repository::changes(const std::string& from, const std::string& to) const {
  TRY_ASSIGN(const auto printed,
             git(top_, {"diff-tree", "-r", "-z", "--name-status", "--no-renames", from, to}));
  return read_changes(printed);
}

Result<std::string> Repository::difference(const std::string& from, const std::string& to,
                                           const std::string& path) const {
  return git(top_, {"--literal-pathspecs", "diff-tree", "-r", "-p", "-U0", "--no-renames", "--no-color",
                    "--no-ext-diff", "--no-textconv", from, to, "--", path});
}

std::string Repository::subject(const std::string& commit) const {
  return first_line(git(top_, {"log", "-1", "--format=%s", commit}).value_or(""));
}

Result<void> Repository::check_out(const std::string& commit, const std::string& directory) const {
  // Named explicitly: for a damaged clone git would take the repository around it.
  const auto in_clone = [](const std::string& clone, std::vector<std::string> words) {
    words.insert(words.begin(), {"--git-dir", clone + "/.git", "--work-tree", clone});
    return git(clone, std::move(words));
  };
  const std::vector<std::string> take{"checkout", "--quiet", "--force", "--detach", commit};
  std::error_code error;
  if (fs::exists(directory + "/.git", error) && in_clone(directory, take) &&
      in_clone(directory, {"clean", "-ffdxq"}))
    return {};
  const std::string half = directory + ".half";
  fs::remove_all(directory, error);
  fs::remove_all(half, error);
  fs::create_directories(fs::path(directory).parent_path(), error);
  TRY(git(top_, {"clone", "--quiet", "--shared", "--no-checkout", top_, half}));
  TRY(in_clone(half, take));
  fs::rename(half, directory, error);
  if (error)
    return failure(fmt::format("cannot rename {}: {}", half, error.message()));
  return {};
}

std::string repository_above(const std::string& directory) {
  std::error_code error;
  for (fs::path each = directory; !each.empty(); each = each.parent_path()) {
    if (fs::exists(each / ".git", error))
      return each.string();
    if (each == each.root_path())
      break;
  }
  return {};
}

} // namespace hostpin::matrix

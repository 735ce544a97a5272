// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/devicecode/trees.hpp"

#include "toolchains/base/os_error.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/termination.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/devicecode/rewriting.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace hostpin::devicecode {

namespace {

tl::unexpected<Error> special(const std::string& path) {
  return failure(path + " is neither a file nor a directory nor a link", "remove it, or copy without it");
}

/// The names in a directory, sorted, so that a tree is handled in the same order each time.
Result<std::vector<std::string>> names_in(const std::string& directory) {
  const auto close = [](DIR* each) { closedir(each); };
  const std::unique_ptr<DIR, decltype(close)> open(opendir(directory.c_str()), close);
  if (!open)
    return os_failure("read " + directory);
  std::vector<std::string> names;
  errno = 0;
  for (const dirent* entry = readdir(open.get()); entry != nullptr; entry = readdir(open.get()))
    if (const std::string name = entry->d_name; name != "." && name != "..")
      names.push_back(name);
  if (errno != 0)
    return os_failure("read " + directory);
  std::sort(names.begin(), names.end());
  return names;
}

Result<void> interruption() {
  if (termination_pending())
    return failure("interrupted");
  return {};
}

/// The names of files with several: which of them was handled first.
class Links {
public:
  /// The first path of the file; empty if this is the first, which becomes `path`.
  std::string first(const struct stat& status, const std::string& path) {
    // A file whose first name was replaced has one name less.
    const std::pair file(status.st_dev, status.st_ino);
    if (status.st_nlink < 2 && !first_.contains(file))
      return {};
    const auto [found, is_new] = first_.emplace(file, path);
    return is_new ? std::string() : found->second;
  }

private:
  std::map<std::pair<dev_t, ino_t>, std::string> first_;
};

/// Sets what a copy has in common with its original, apart from the content.
Result<void> set_properties(const std::string& path, const struct stat& like) {
  const bool is_link = S_ISLNK(like.st_mode);
  const bool owned = lchown(path.c_str(), like.st_uid, like.st_gid) == 0;
  if (!is_link && chmod(path.c_str(), like.st_mode & (owned ? 07777U : 0777U)) != 0)
    return os_failure("write " + path);
  const std::array<timespec, 2> times{like.st_atim, like.st_mtim};
  if (utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW) != 0)
    return os_failure("write " + path);
  return {};
}

class TreeCopy {
public:
  explicit TreeCopy(const FileChange& change) : change_(change) {}

  Result<void> copy_directory(const std::string& from, const std::string& to, const struct stat& status) {
    TRY_ASSIGN(const auto names, names_in(from));
    for (const std::string& name : names)
      TRY(copy(from + '/' + name, to + '/' + name));
    return set_properties(to, status);
  }

private:
  Result<void> copy(const std::string& from, const std::string& to) {
    TRY(interruption());
    struct stat status {};
    if (lstat(from.c_str(), &status) != 0)
      return os_failure("read " + from);
    if (S_ISDIR(status.st_mode))
      return mkdir(to.c_str(), 0700) == 0 ? copy_directory(from, to, status) : os_failure("create " + to);
    if (S_ISLNK(status.st_mode))
      return copy_link(from, to, status);
    return S_ISREG(status.st_mode) ? copy_file(from, to, status) : special(from);
  }

  static Result<void> copy_link(const std::string& from, const std::string& to, const struct stat& status) {
    std::string target(static_cast<std::size_t>(status.st_size) + 1, '\0');
    const ssize_t size = readlink(from.c_str(), target.data(), target.size());
    if (size < 0)
      return os_failure("read " + from);
    target.resize(static_cast<std::size_t>(size));
    if (symlink(target.c_str(), to.c_str()) != 0)
      return os_failure("create " + to);
    return set_properties(to, status);
  }

  Result<void> copy_file(const std::string& from, const std::string& to, const struct stat& status) {
    if (const std::string first = links_.first(status, to); !first.empty())
      return link(first.c_str(), to.c_str()) == 0 ? Result<void>() : os_failure("create " + to);
    TRY_ASSIGN(const auto changed, change_(from, to));
    if (changed)
      return {};
    const auto blob = binary::open_blob(from);
    if (!blob)
      return failure("cannot read " + from + ": " + blob.error().message);
    Rewriting same;
    const binary::InputFile file(*blob);
    same.copy(binary::Bytes(file));
    TRY(write_file(same, *blob, to, Properties::all));
    return set_properties(to, status);
  }

  const FileChange& change_;
  Links links_;
};

/// A directory that disappears again unless it gets its path.
class TreeDraft {
public:
  explicit TreeDraft(const std::string& path) : path_(path), name_(path + ".XXXXXX") {
    if (mkdtemp(name_.data()) == nullptr)
      name_.clear();
  }
  TreeDraft(const TreeDraft&) = delete;
  TreeDraft& operator=(const TreeDraft&) = delete;
  ~TreeDraft() {
    if (name_.empty())
      return;
    std::error_code ignored;
    make_removable(name_);
    std::filesystem::remove_all(name_, ignored);
  }

  const std::string& name() const { return name_; }

  Result<void> publish() {
    if (renameat2(AT_FDCWD, name_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) != 0) {
      // Not all file systems have this; an empty directory made meanwhile is then replaced.
      if (errno != EINVAL || rename(name_.c_str(), path_.c_str()) != 0)
        return os_failure("create " + path_);
    }
    name_.clear();
    return {};
  }

private:
  /// Copied directories may not be writable.
  static void make_removable(const std::string& directory) {
    static_cast<void>(chmod(directory.c_str(), 0700));
    const auto names = names_in(directory);
    for (const std::string& name : names.value_or(std::vector<std::string>())) {
      struct stat status {};
      const std::string path = directory + '/' + name;
      if (lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
        make_removable(path);
    }
  }

  std::string path_, name_;
};

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/')
    path.pop_back();
  return path;
}

bool is_inside(const std::string& path, const std::string& tree) {
  std::error_code failed;
  const std::string real_tree = std::filesystem::canonical(tree, failed).string();
  const std::string parent = std::filesystem::canonical(directory_of(path), failed).string();
  return !failed && (parent == real_tree || parent.starts_with(real_tree == "/" ? "/" : real_tree + '/'));
}

class TreeChange {
public:
  explicit TreeChange(const FileChange& change) : change_(change) {}

  Result<void> change_directory(const std::string& directory) {
    TRY_ASSIGN(const auto names, names_in(directory));
    for (const std::string& name : names)
      TRY(change(directory + '/' + name));
    return {};
  }

private:
  Result<void> change(const std::string& path) {
    TRY(interruption());
    struct stat status {};
    if (lstat(path.c_str(), &status) != 0)
      return os_failure("read " + path);
    if (S_ISDIR(status.st_mode))
      return change_directory(path);
    if (!S_ISREG(status.st_mode))
      return {};
    const std::string first = links_.first(status, path);
    if (!first.empty())
      return changed_.contains(first) ? link_again(first, path) : Result<void>();
    TRY_ASSIGN(const auto changed, change_(path, path));
    if (changed && status.st_nlink > 1)
      changed_.insert(path);
    return {};
  }

  /// Makes `path` a name of the file `first`.
  static Result<void> link_again(const std::string& first, const std::string& path) {
    const std::string name = path + ".hostpin-link";
    if (link(first.c_str(), name.c_str()) != 0)
      return os_failure("create " + name);
    if (rename(name.c_str(), path.c_str()) == 0)
      return {};
    const int reason = errno;
    unlink(name.c_str());
    return os_failure("write " + path, reason);
  }

  const FileChange& change_;
  Links links_;
  std::set<std::string> changed_;
};

} // namespace

Result<void> copy_tree(const std::string& from, const std::string& to, const FileChange& change,
                       const std::function<bool()>& accepted) {
  const std::string path = without_slashes(to);
  struct stat status {};
  if (lstat(path.c_str(), &status) == 0)
    return failure(path + " exists already", "name a directory that does not exist yet");
  if (stat(from.c_str(), &status) != 0)
    return os_failure("read " + from);
  if (is_inside(path, from))
    return failure(path + " is inside " + from, "name a directory outside of it");
  TreeDraft draft(path);
  if (draft.name().empty())
    return os_failure("create a directory next to " + path);
  TRY(TreeCopy(change).copy_directory(from, draft.name(), status));
  return accepted() ? draft.publish() : Result<void>();
}

Result<void> change_tree(const std::string& tree, const FileChange& change) {
  return TreeChange(change).change_directory(tree);
}

} // namespace hostpin::devicecode

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/store.hpp"

#include "toolchains/base/file_lock.hpp"
#include "toolchains/base/os_error.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/toolkit/wheels.hpp"
#include "wrapper/view/view.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

namespace hostpin::view {

namespace {

namespace fs = std::filesystem;
using Links = std::vector<ViewLink>;

constexpr std::string_view magic = "hostpin view 1\n";
constexpr std::size_t longest_list = std::size_t{16} << 20;
constexpr std::string_view no_plan = "this view is being made\n"; // not a plan: calls are refused

std::string in_room(const std::string& directory, std::string_view name) {
  return fmt::format("{}/{}/{}", directory, view_room, name);
}

bool stays_below(std::string_view path) {
  if (path.empty() || path.front() == '/' || path.back() == '/')
    return false;
  const std::string framed = fmt::format("/{}/", path);
  return framed.find("/../") == std::string::npos && framed.find("/./") == std::string::npos &&
         framed.find("//") == std::string::npos;
}

/// The target of a link; nothing if there is no link.
std::optional<std::string> target_of(const std::string& path) {
  std::array<char, PATH_MAX> buffer{};
  const ssize_t length = readlink(path.c_str(), buffer.data(), buffer.size());
  return length < 0 ? std::nullopt
                    : std::optional(std::string(buffer.data(), static_cast<std::size_t>(length)));
}

bool is_there(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0;
}

bool holds(const Links& links, const std::string& path, const std::string& target) {
  return std::find(links.begin(), links.end(), ViewLink{path, target}) != links.end();
}

/// Directories between the view and one of its links, outermost first.
std::vector<std::string> above(const std::string& path) {
  std::vector<std::string> directories;
  for (std::size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1))
    directories.push_back(path.substr(0, at));
  return directories;
}

/// Whether every parent is a real directory, and not a symlink through which a write would reach the toolkit.
bool is_inside(const std::string& directory, const std::string& path) {
  const std::vector<std::string> between = above(path);
  return std::all_of(between.begin(), between.end(), [&](const std::string& each) {
    struct stat status {};
    return lstat((directory + '/' + each).c_str(), &status) == 0 && S_ISDIR(status.st_mode);
  });
}

bool is_link_of(const Links& links, const std::string& directory, const std::string& path) {
  const auto target = target_of(directory + '/' + path);
  return target && holds(links, path, *target);
}

/// A file or directory at the path of a link, or of its parent, that hostpin did not make.
std::optional<std::string> in_the_way(const std::string& directory, const Links& old, const Links& wanted) {
  for (const ViewLink& link : wanted) {
    for (const std::string& each : above(link.path)) {
      struct stat status {};
      if (lstat((directory + '/' + each).c_str(), &status) != 0)
        break;
      if (!S_ISDIR(status.st_mode) && !is_link_of(old, directory, each))
        return each;
    }
    if (!is_inside(directory, link.path) || !is_there(directory + '/' + link.path) ||
        is_link_of(wanted, directory, link.path) || is_link_of(old, directory, link.path))
      continue;
    // Directories whose links all disappear can be replaced by a link, unless they contain anything else.
    std::error_code error;
    const fs::path place = directory + '/' + link.path;
    if (!fs::is_directory(fs::symlink_status(place, error)))
      return link.path;
    for (auto entry = fs::recursive_directory_iterator(place, error); !error && entry != fs::end(entry);
         entry.increment(error)) {
      const std::string below = entry->path().string().substr(directory.size() + 1);
      if (!fs::is_directory(entry->symlink_status(error)) && !is_link_of(old, directory, below))
        return below;
    }
  }
  return std::nullopt;
}

void remove_vanished(const std::string& directory, const Links& old, const Links& wanted) {
  for (const ViewLink& link : old) {
    const bool stays = std::any_of(wanted.begin(), wanted.end(),
                                   [&](const ViewLink& each) { return each.path == link.path; });
    if (stays || !is_inside(directory, link.path) || !is_link_of(old, directory, link.path))
      continue;
    unlink((directory + '/' + link.path).c_str());
    std::vector<std::string> emptied = above(link.path);
    for (; !emptied.empty() && rmdir((directory + '/' + emptied.back()).c_str()) == 0; emptied.pop_back())
      continue;
  }
}

Result<void> make_directories(const std::string& directory, const std::string& path) {
  for (const std::string& each : above(path)) {
    const std::string made = directory + '/' + each;
    if (mkdir(made.c_str(), 0755) != 0 && errno != EEXIST)
      return os_failure("create " + made);
    struct stat status {};
    if (lstat(made.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
      return failure(fmt::format("{} is not a directory", made), "remove it, or name a new directory");
  }
  return {};
}

Result<void> put_link(const std::string& directory, const ViewLink& link) {
  const std::string path = directory + '/' + link.path;
  if (target_of(path) == link.target)
    return {};
  TRY(make_directories(directory, link.path));
  std::random_device random; // nobody can predict this name
  const std::string draft = fmt::format("{}.{:08x}{:08x}", path, random(), random());
  if (symlink(link.target.c_str(), draft.c_str()) != 0)
    return os_failure("create " + path);
  if (rename(draft.c_str(), path.c_str()) == 0)
    return {};
  const int reason = errno;
  unlink(draft.c_str());
  return os_failure("create " + path, reason);
}

/// Some file systems have no symbolic links.
bool takes_links(const std::string& directory) {
  const std::string trial = directory + "/.links";
  const bool made = symlink(".", trial.c_str()) == 0;
  const int reason = errno;
  unlink(trial.c_str());
  return made || (reason != EPERM && reason != EOPNOTSUPP && reason != ENOSYS);
}

/// Every link below a directory; links to directories are not followed.
Links links_in(const std::string& directory) {
  Links links;
  std::error_code error;
  for (auto entry = fs::recursive_directory_iterator(directory, error); !error && entry != fs::end(entry);
       entry.increment(error))
    if (const auto target = target_of(entry->path().string()))
      links.push_back({entry->path().string().substr(directory.size() + 1), *target});
  return links;
}

/// Writes into a directory that is private or locked. `old`: the links it contains now.
Result<void> fill(const std::string& directory, const Links& old, const Links& wanted,
                  const bind::Bundle& bundle) {
  const std::string list = in_room(directory, "links");
  TRY(make_directories(directory, fmt::format("{}/links", view_room)));
  const bool changes = !std::all_of(wanted.begin(), wanted.end(), [&](const ViewLink& link) {
    return target_of(directory + '/' + link.path) == link.target;
  }) || view_list(old) != view_list(wanted);
  if (changes) {
    // If this process is killed now, the next one knows all of hostpin's links; until then calls are refused.
    Links both = old;
    both.insert(both.end(), wanted.begin(), wanted.end());
    TRY(replace_file(in_room(directory, "plan"), no_plan, false));
    TRY(replace_file(list, view_list(both), false));
    remove_vanished(directory, old, wanted);
    for (const ViewLink& link : wanted)
      TRY(put_link(directory, link));
    TRY(replace_file(list, view_list(wanted), false));
  }
  return bind::fill_bound_directory(fmt::format("{}/{}", directory, view_room), bundle);
}

/// Whether the view was created; false if another one was created there meanwhile.
Result<bool> create_whole(const std::string& directory, const Links& links, const bind::Bundle& bundle) {
  std::error_code error;
  fs::create_directories(fs::path(directory).parent_path(), error);
  std::string draft = directory + ".XXXXXX";
  if (error || mkdtemp(draft.data()) == nullptr)
    return os_failure("create " + directory, error ? error.value() : errno);
  chmod(draft.c_str(), 0755);
  const Result<void> done = fill(draft, {}, links, bundle);
  if (done && rename(draft.c_str(), directory.c_str()) == 0)
    return true;
  const int reason = errno;
  fs::remove_all(draft, error);
  if (!done)
    return tl::unexpected(done.error());
  if (is_there(directory))
    return false;
  return os_failure("create " + directory, reason);
}

Result<void> update(const std::string& directory, const Links& links, const bind::Bundle& bundle,
                    const Files& files) {
  for (const std::string& each : {directory, directory + "/bin", fmt::format("{}/{}", directory, view_room)})
    TRY(is_there(each) ? bind::nobody_else_writes_to(each) : Result<void>());
  const FileLock lock = FileLock::of_directory(directory); // two processes must not mix the links of one view
  Links old;
  if (std::error_code error; !fs::is_empty(directory, error) || error) {
    auto kept = links_of_view(files, directory);
    if (!kept)
      return failure(
          fmt::format("{} contains files that are not a toolkit view; nothing was written", directory),
          "name a new or an empty directory");
    old = *std::move(kept);
  }
  if (const auto foreign = in_the_way(directory, old, links))
    return failure(
        fmt::format("{}/{} does not belong to this view; nothing was written", directory, *foreign),
        "remove it, or name a new directory");
  return fill(directory, old, links, bundle);
}

} // namespace

std::string view_list(const std::vector<ViewLink>& links) {
  std::string bytes(magic);
  for (const ViewLink& link : links)
    bytes.append(link.path).append(1, '\0').append(link.target).append(1, '\0');
  return bytes;
}

std::optional<std::vector<ViewLink>> read_view_list(std::string_view bytes) {
  if (!bytes.starts_with(magic))
    return std::nullopt;
  bytes.remove_prefix(magic.size());
  const auto next = [&]() -> std::optional<std::string> {
    const std::size_t end = bytes.find('\0');
    if (end == std::string_view::npos)
      return std::nullopt;
    std::string text(bytes.substr(0, end));
    bytes.remove_prefix(end + 1);
    return text;
  };
  std::vector<ViewLink> links;
  while (!bytes.empty()) {
    auto path = next();
    auto target = next();
    if (!path || !target || !stays_below(*path) || target->empty())
      return std::nullopt;
    links.push_back({*std::move(path), *std::move(target)});
  }
  return links;
}

Result<std::vector<ViewLink>> links_of_view(const Files& files, const std::string& directory) {
  const std::string path = in_room(directory, "links");
  TRY_ASSIGN(const auto bytes, files.read(path, longest_list));
  if (auto links = read_view_list(bytes))
    return *std::move(links);
  return failure(path + " is damaged",
                 "remove the directory and make it again: hostpin bind --view " + shell_word(directory));
}

Result<void> write_tree(const std::string& tree, const Links& links) {
  const Links old = links_in(tree);
  if (const auto foreign = in_the_way(tree, old, links))
    return failure(fmt::format("{}/{} is not hostpin's", tree, *foreign),
                   "remove it, or name a new directory");
  remove_vanished(tree, old, links);
  if (mkdir(tree.c_str(), 0755) != 0 && errno != EEXIST)
    return os_failure("create " + tree);
  for (const ViewLink& link : links)
    if (auto put = put_link(tree, link); !put) {
      if (takes_links(tree))
        return put;
      rmdir(tree.c_str());
      return {};
    }
  return {};
}

std::function<Result<void>(const std::string&)> toolkit_writer(const Toolkit& toolkit, bool tree,
                                                               const Files& files) {
  return [links = tree ? tree_links(toolkit, files) : Links(), stubs = driver_stubs(toolkit.root, files),
          tree](const std::string& directory) -> Result<void> {
    const std::string room = fmt::format("{}/{}", directory, stub_room);
    if (!stubs.empty() && mkdir(room.c_str(), 0755) != 0 && errno != EEXIST)
      return os_failure("create " + room);
    for (const auto& [name, bytes] : stubs)
      TRY(replace_file(fmt::format("{}/{}", room, name), bytes, false));
    return tree ? write_tree(fmt::format("{}/{}", directory, tree_room), links) : Result<void>();
  };
}

Result<void> write_view(const std::string& directory, const std::vector<ViewLink>& links,
                        const bind::Bundle& bundle, const Files& files) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(directory, error);
  const bool absent = status.type() == fs::file_type::not_found;
  if (error && !absent)
    return os_failure("read " + directory, error.value());
  // An empty directory is replaced as well, so that it is never half filled.
  if (absent || (status.type() == fs::file_type::directory && fs::is_empty(directory, error))) {
    TRY_ASSIGN(const auto made, create_whole(directory, links, bundle));
    if (made)
      return {};
  }
  if (!fs::is_directory(directory, error))
    return failure(fmt::format("{} exists and is not a directory", directory),
                   "name a new or an empty directory");
  return update(directory, links, bundle, files);
}

} // namespace hostpin::view

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/compose.hpp"

#include "toolchains/base/files.hpp"
#include "toolchains/base/os_error.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/scratch.hpp"
#include "toolchains/base/system_call.hpp"
#include "toolchains/base/termination.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/redist/tree/members.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <linux/fs.h>
#include <set>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace hostpin::redist {

namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> failed(const std::string& doing, const std::string& path, int reason) {
  return os_failure(doing + " " + escaped(path), reason);
}

/// The time of a file that hostpin makes, in nanoseconds since the epoch. It follows from the file's digest,
/// so that a binding, which compares size and time, sees another content, and is the same on two machines.
std::int64_t time_of(const std::string& sha256) {
  constexpr std::int64_t year_2000 = 946'684'800, sixteen_years = 504'921'600, second = 1'000'000'000;
  const auto number = static_cast<std::int64_t>(std::stoull(sha256.substr(0, 15), nullptr, 16));
  return (year_2000 + number % sixteen_years) * second + number % second;
}

/// Without the kernel's help, which not all pairs of file systems have.
Result<void> copy_bytes(int source, int copy, const std::string& from, const std::string& to) {
  std::vector<char> buffer(std::size_t{1} << 17U);
  for (;;) {
    const ssize_t size = ::read(source, buffer.data(), buffer.size());
    if (size == 0)
      return {};
    if (size < 0)
      return failed("read", from, errno);
    for (ssize_t done = 0; done < size;) {
      const ssize_t part = ::write(copy, buffer.data() + done, static_cast<std::size_t>(size - done));
      if (part < 0)
        return failed("write", to, errno);
      done += part;
    }
  }
}

/// Copies the bytes; the file systems that can share them do.
Result<void> copy_file(const std::string& from, const std::string& to) {
  const Descriptor source(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (source.number() < 0 || ::fstat(source.number(), &status) != 0)
    return failed("read", from, errno);
  const Descriptor copy(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, status.st_mode & 0777U));
  if (copy.number() < 0)
    return failed("write", to, errno);
  if (::ioctl(copy.number(), FICLONE, source.number()) != 0) {
    off_t left = status.st_size;
    while (left > 0) {
      const ssize_t part = ::copy_file_range(source.number(), nullptr, copy.number(), nullptr,
                                             static_cast<std::size_t>(left), 0);
      if (part == 0)
        return failed("write", to, EIO);
      if (part < 0)
        break;
      left -= part;
    }
    if (left > 0)
      TRY(copy_bytes(source.number(), copy.number(), from, to));
  }
  const timespec times[2]{status.st_atim, status.st_mtim};
  if (::futimens(copy.number(), times) != 0)
    return failed("write", to, errno);
  return {};
}

/// Writes the pieces below a new directory.
class Writing {
public:
  Writing(const RootPlan& plan, std::string root, const Digests& digests, Composed& composed)
      : plan_(plan), root_(std::move(root)), digests_(digests), composed_(composed) {}

  Result<void> all() {
    for (const RootPiece& piece : plan_.pieces)
      TRY(write(piece));
    return {};
  }

private:
  Result<void> write(const RootPiece& piece) {
    const std::string path = root_ + '/' + piece.entry.path;
    TRY(make_directory(directory_of(piece.entry.path)));
    if (!piece.entry.link.empty()) {
      ++composed_.made;
      return ::symlink(piece.entry.link.c_str(), path.c_str()) == 0 ? Result<void>()
                                                                    : failed("make the link", path, errno);
    }
    if (!piece.source.empty())
      return link(piece, path);
    ++composed_.made;
    return replace_file(path, piece.text, piece.entry.executable, time_of(digests_.text(piece.text)));
  }

  Result<void> link(const RootPiece& piece, const std::string& path) {
    // What it was when it was unpacked, or the tree of the store was changed since.
    struct stat status {};
    if (::lstat(piece.source.c_str(), &status) != 0)
      return failed("read", piece.source, errno);
    if (!S_ISREG(status.st_mode))
      return failure("cannot use " + escaped(piece.source) + ": it is not a regular file any more",
                     "remove the tree from the store, and fetch the archive again");
    if (!is_patched(piece) && ::link(piece.source.c_str(), path.c_str()) == 0) {
      ++composed_.linked;
      return {};
    }
    ++composed_.copied;
    return copy_file(piece.source, path);
  }

  /// Files that may be changed in place must not be those of the store.
  bool is_patched(const RootPiece& piece) const {
    return plan_.origin.patched && piece.entry.output == "lib";
  }

  Result<void> make_directory(const std::string& directory) {
    if (directory == "." || !directories_.insert(directory).second)
      return {};
    std::error_code error;
    fs::create_directories(root_ + '/' + directory, error);
    return error ? failed("make the directory", root_ + '/' + directory, error.value()) : Result<void>();
  }

  const RootPlan& plan_;
  std::string root_;
  const Digests& digests_;
  Composed& composed_;
  std::set<std::string> directories_;
};

/// Whether the file is the source: the same one, or a copy that has its size and time.
bool is_file_of(const struct stat& one, const std::string& source) {
  struct stat other {};
  if (::stat(source.c_str(), &other) != 0)
    return false;
  return (one.st_dev == other.st_dev && one.st_ino == other.st_ino) ||
         (one.st_size == other.st_size && one.st_mtim.tv_sec == other.st_mtim.tv_sec &&
          one.st_mtim.tv_nsec == other.st_mtim.tv_nsec);
}

bool is_in_place(const RootPiece& piece, const std::string& root) {
  const std::string path = root + '/' + piece.entry.path;
  std::error_code error;
  if (!piece.entry.link.empty())
    return fs::read_symlink(path, error) == piece.entry.link && !error;
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
      !wrong_mode(status.st_mode, piece.entry.executable).empty())
    return false;
  if (!piece.source.empty())
    return is_file_of(status, piece.source);
  const auto content = DiskFiles().read(path, piece.text.size());
  return content && *content == piece.text;
}

std::size_t count_of_files(const std::string& root) {
  std::size_t count = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator walk(root, error);
       !error && walk != fs::recursive_directory_iterator(); walk.increment(error))
    if (walk->is_symlink(error) || !walk->is_directory(error))
      ++count;
  return count;
}

/// Whether the directory is the root of this origin already.
bool is_composed(const RootPlan& plan, const std::string& directory, const std::string& text) {
  const auto before = DiskFiles().read(directory + '/' + std::string(origin_name), largest_origin);
  return before && *before == text && count_of_files(directory) == plan.pieces.size() + 1 &&
         std::ranges::all_of(plan.pieces,
                             [&](const RootPiece& piece) { return is_in_place(piece, directory); });
}

/// The error if the directory has something that compose did not put there.
Result<void> check_replaceable(const std::string& directory) {
  std::error_code error;
  const auto status = fs::symlink_status(directory, error);
  if (status.type() == fs::file_type::not_found)
    return {};
  const auto refusal = [&](const std::string& what) {
    return failure(escaped(directory) + ' ' + what,
                   "name a directory that does not exist, or one that `hostpin redist compose` made");
  };
  if (status.type() != fs::file_type::directory)
    return refusal("is not a directory");
  if (fs::is_empty(directory, error))
    return {};
  const std::string file = directory + '/' + std::string(origin_name);
  if (!fs::exists(file, error))
    return refusal("exists, and has no " + std::string(origin_name));
  TRY_ASSIGN(const auto text, DiskFiles().read(file, largest_origin));
  const auto origin = read_origin(text, file);
  return origin ? Result<void>() : tl::unexpected(origin.error());
}

/// Moves the new root to its place, and the former one where the new one was.
Result<void> put_in_place(const std::string& fresh, const std::string& directory) {
  std::error_code error;
  const bool is_there = fs::exists(directory, error);
  const unsigned exchange = is_there ? RENAME_EXCHANGE : RENAME_NOREPLACE;
  if (::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, directory.c_str(), exchange) == 0)
    return {};
  if (errno != EINVAL && errno != ENOSYS)
    return failed("move the tree to", directory, errno);
  // File systems without an exchange: there is a moment without a tree.
  if (exchange == RENAME_EXCHANGE && ::rename(directory.c_str(), (fresh + ".former").c_str()) != 0)
    return failed("move", directory, errno);
  return ::rename(fresh.c_str(), directory.c_str()) == 0 ? Result<void>()
                                                         : failed("move the tree to", directory, errno);
}

Result<std::string> absolute(const std::string& directory) {
  std::error_code error;
  std::string path = fs::absolute(directory, error).lexically_normal().string();
  if (error)
    return failed("find the directory", directory, error.value());
  if (path.size() > 1 && path.ends_with('/'))
    path.pop_back();
  return path;
}

std::vector<OriginEntry> entries_of(const RootPlan& plan, const Digests& digests) {
  std::vector<OriginEntry> entries;
  entries.reserve(plan.pieces.size());
  for (const RootPiece& piece : plan.pieces) {
    entries.push_back(piece.entry);
    if (piece.entry.link.empty() && piece.source.empty())
      entries.back().now = digests.text(piece.text);
  }
  return entries;
}

/// Sets digests of the files that were changed after they were written.
Result<void> take_digests(std::vector<OriginEntry>& entries, const std::vector<std::string>& changed,
                          const std::string& root, const FileDigest& digest) {
  const std::set<std::string> paths(changed.begin(), changed.end());
  for (OriginEntry& entry : entries) {
    if (!paths.contains(entry.path))
      continue;
    auto now = digest(root + '/' + entry.path);
    if (!now)
      return tl::unexpected(now.error());
    if (*now == entry.sha256)
      continue;
    entry.now = *std::move(now);
    entry.changed = "run path set by patchelf";
  }
  return {};
}

} // namespace

Result<Composed> write_root(const RootPlan& plan, const std::string& directory, const Digests& digests,
                            const PatchFiles& patch) {
  TRY_ASSIGN(const auto absolute_place, absolute(directory));
  const std::string& place = absolute_place;
  TRY(check_replaceable(place));
  Composed composed;
  composed.origin = plan.origin;
  composed.origin.entries = entries_of(plan, digests);
  if (!plan.origin.patched && is_composed(plan, place, origin_text(composed.origin))) {
    composed.was_there = true;
    return composed;
  }
  std::error_code error;
  fs::create_directories(directory_of(place), error);
  const DeferTermination deferred; // so that the scratch directory is removed
  auto scratch = ScratchDirectory::make(directory_of(place));
  if (!scratch)
    return failure(scratch.error().message, "compose to a directory next to which one can be made");
  const std::string fresh = scratch->path() + "/root";
  if (::mkdir(fresh.c_str(), 0755) != 0)
    return failed("make the directory", fresh, errno);
  auto written = Writing(plan, fresh, digests, composed).all();
  std::vector<std::string> changed;
  if (written && plan.origin.patched)
    written = patch(fresh, plan, changed);
  if (written)
    written = take_digests(composed.origin.entries, changed, fresh, digests.file);
  if (written) {
    const std::string text = origin_text(composed.origin);
    written = replace_file(fresh + '/' + std::string(origin_name), text, false, time_of(digests.text(text)));
  }
  if (written)
    written = put_in_place(fresh, place);
  if (!written)
    return tl::unexpected(written.error());
  return composed;
}

std::string patched_run_path(const Origin& origin, const std::string& path) {
  std::string run_path = "$ORIGIN";
  if (origin.compat) {
    const fs::path to = fs::path("compat").lexically_relative(fs::path(path).parent_path());
    run_path += ":$ORIGIN/" + to.string();
  }
  return origin.driver.empty() ? run_path : run_path + ':' + origin.driver;
}

Result<void> patch_run_paths(const std::string& root, const RootPlan& plan, const Processes& processes,
                             std::vector<std::string>& changed) {
  std::vector<Command> commands;
  for (const RootPiece& piece : plan.pieces) {
    const std::string_view name = base_name(piece.entry.path);
    if (piece.entry.output != "lib" || piece.source.empty() || name.find(".so") == std::string_view::npos)
      continue;
    changed.push_back(piece.entry.path);
    Command command;
    command.argv = {"patchelf", "--set-rpath", patched_run_path(plan.origin, piece.entry.path),
                    root + '/' + piece.entry.path};
    command.time = std::chrono::minutes(10);
    commands.push_back(std::move(command));
    // Files of a store are read-only.
    ::chmod((root + '/' + piece.entry.path).c_str(), 0755);
  }
  const std::vector<Outcome> outcomes = processes.run(commands);
  for (std::size_t index = 0; index < outcomes.size(); ++index)
    if (!outcomes[index].ok())
      return outcomes[index].end == Outcome::End::not_started
                 ? failure("cannot run patchelf: " + describe(outcomes[index]),
                           "install patchelf, or compose with --unmodified")
                 : failure("patchelf " + describe(outcomes[index]) + " for " + changed[index] + ": " +
                           outcomes[index].errors);
  return {};
}

} // namespace hostpin::redist

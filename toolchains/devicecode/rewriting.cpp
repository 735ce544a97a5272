// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/devicecode/rewriting.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/writing.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace hostpin::devicecode {

using namespace binary;

namespace {

/// A file that is written, and that disappears unless it gets its path.
class Draft {
public:
  explicit Draft(const std::string& path) : path_(path) {
    // Only /proc can give an unnamed file a name without privileges.
    if (access("/proc/self/fd", X_OK) == 0)
      descriptor_ = open(directory_of(path).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (descriptor_ < 0)
      create_named();
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    if (descriptor_ >= 0)
      close(descriptor_);
    if (!name_.empty())
      unlink(name_.c_str());
  }

  int descriptor() const { return descriptor_; }

  Result<void> publish() {
    if (name_.empty()) {
      const auto named = link_unnamed();
      if (!named)
        return tl::unexpected(named.error());
      if (*named == path_) // there was no file: it never had another name
        return close(std::exchange(descriptor_, -1)) == 0 ? Result<void>() : withdraw();
      name_ = *named;
    }
    // close reports what NFS and quotas deferred
    if (close(std::exchange(descriptor_, -1)) != 0 ||
        (!name_.empty() && rename(name_.c_str(), path_.c_str()) != 0))
      return cannot("write", path_);
    name_.clear();
    return {};
  }

private:
  void create_named() {
    name_ = path_ + ".XXXXXX";
    descriptor_ = mkostemp(name_.data(), O_CLOEXEC);
    if (descriptor_ < 0)
      name_.clear();
  }

  /// Gives the file its path, or, if something is there, a name next to it, and returns that. Linux cannot
  /// replace a file by one without a name.
  Result<std::string> link_unnamed() const {
    const std::string self = "/proc/self/fd/" + std::to_string(descriptor_);
    std::string name = path_;
    for (int number = 0; number <= most_names; ++number) {
      if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0)
        return name;
      if (errno != EEXIST)
        break;
      name = path_ + '.' + std::to_string(getpid()) + '.' + std::to_string(number);
    }
    return cannot("write", path_);
  }

  /// The file system reported only at the end that the content was not written.
  Result<void> withdraw() const {
    const int reason = errno;
    unlink(path_.c_str());
    return cannot("write", path_, reason);
  }

  static constexpr int most_names = 100;

  std::string path_, name_; ///< `name_`: empty while the file has none
  int descriptor_ = -1;
};

/// Copies a whole file within the kernel, which shares its blocks where the file system can; false if that
/// does not work.
bool copied_by_kernel(const Blob& source, int to) {
  off64_t at = 0;
  for (std::uint64_t left = source.size(); left != 0;) {
    const ssize_t copied = copy_file_range(source.file()->descriptor(), &at, to, nullptr, left, 0);
    if (copied <= 0) {
      lseek(to, 0, SEEK_SET); // what was copied is written again
      return false;
    }
    left -= static_cast<std::uint64_t>(copied);
  }
  return true;
}

Result<void> set_properties(const struct stat& like, Properties properties, int to, const std::string& path) {
  mode_t mode = like.st_mode & (properties == Properties::data ? 0666U : 0777U);
  if (properties == Properties::all && fchown(to, like.st_uid, like.st_gid) == 0)
    mode = like.st_mode & 07777U;
  if (fchmod(to, mode) != 0)
    return cannot("write", path);
  return {};
}

} // namespace

tl::unexpected<Error> cannot(const char* doing, const std::string& path, int reason) {
  return failure(std::string("cannot ") + doing + ' ' + path + ": " + std::strerror(reason));
}

tl::unexpected<Error> cannot(const char* doing, const std::string& path) {
  return cannot(doing, path, errno);
}

void Rewriting::copy(const Bytes& part) {
  if (part.size() == 0)
    return;
  size_ += part.size();
  if (!pieces_.empty() && pieces_.back().from && *pieces_.back().from + pieces_.back().size == part.begin())
    pieces_.back().size += part.size();
  else
    pieces_.push_back(Piece::of(part.begin(), part.size()));
}

void Rewriting::add(std::string bytes) {
  size_ += bytes.size();
  if (!bytes.empty())
    pieces_.push_back(Piece::of(std::move(bytes)));
}

void Rewriting::append(Rewriting other) {
  append(std::move(other.pieces_));
}

void Rewriting::append(std::vector<Piece> pieces) {
  size_ += size_of(pieces);
  std::move(pieces.begin(), pieces.end(), std::back_inserter(pieces_));
}

void Edits::replace(std::uint64_t at, std::uint64_t size, std::string bytes) {
  edits_.emplace(at, Edit{size, std::move(bytes)});
}

Reading<Rewriting> Edits::apply(const Bytes& bytes) const {
  Rewriting result;
  std::uint64_t done = 0;
  for (const auto& [at, edit] : edits_) {
    const auto part = at >= done ? bytes.part(done, at - done) : std::nullopt;
    if (!part || !bytes.part(at, edit.size))
      return damaged("parts of it that have to change overlap");
    result.copy(*part);
    result.add(edit.bytes);
    done = at + edit.size;
  }
  result.copy(*bytes.part(done, bytes.size() - done));
  return result;
}

Result<void> write_file(const Rewriting& content, const Blob& source, const std::string& path,
                        Properties properties) {
  Draft draft(path);
  if (draft.descriptor() < 0)
    return cannot("create a file next to", path);
  const bool is_whole =
      content.pieces().size() == 1 && content.pieces()[0].from == 0 && content.size() == source.size();
  if (!is_whole || source.file() == nullptr || !copied_by_kernel(source, draft.descriptor()))
    if (auto written = write_pieces(source, content.pieces(), draft.descriptor()); !written)
      return failure("cannot write " + path + ": " + written.error().message);
  if (source.has_changed())
    return failure("cannot write " + path + ": its input was written to while it was read", "try again");
  if (source.file() != nullptr)
    if (auto set = set_properties(source.file()->status(), properties, draft.descriptor(), path); !set)
      return set;
  return draft.publish();
}

} // namespace hostpin::devicecode

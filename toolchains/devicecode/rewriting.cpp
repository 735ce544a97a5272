// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/devicecode/rewriting.hpp"

#include "toolchains/base/os_error.hpp"
#include "toolchains/binary/draft.hpp"

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace hostpin::devicecode {

using namespace binary;

namespace {

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
    return os_failure("write " + path);
  return {};
}

} // namespace

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
    return os_failure("create a file next to " + path);
  const bool is_whole =
      content.pieces().size() == 1 && content.pieces()[0].from == 0 && content.size() == source.size();
  if (!is_whole || source.file() == nullptr || !copied_by_kernel(source, draft.descriptor()))
    if (auto written = write_pieces(source, content.pieces(), draft.descriptor()); !written)
      return failure("cannot write " + path + ": " + written.error().message);
  if (source.has_changed())
    return failure("cannot write " + path + ": its input was written to while it was read", "try again");
  if (source.file() != nullptr)
    TRY(set_properties(source.file()->status(), properties, draft.descriptor(), path));
  return draft.publish();
}

} // namespace hostpin::devicecode

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/bytes.hpp"

#include <algorithm>
#include <utility>

namespace hostpin::binary {

namespace {

/// Headers are close together, so one system call usually serves several reads.
constexpr std::size_t usual_window = 1024;
/// Up to this size one read of the whole file is cheaper than a system call for each part.
constexpr std::uint64_t small_file = 8192;

// Without the path: all missing files of an archive's hundred thousand members give the same message.
Error cannot_read(const std::string& why, std::string hint = {}) {
  return {"it cannot be read: " + why, std::move(hint)};
}

} // namespace

Bytes::Bytes(const InputFile& source) : source_(&source), size_(source.size()) {}

bool Bytes::whole_file() const {
  return begin_ == 0 && size_ == source_->size();
}

std::optional<Bytes> Bytes::part(std::uint64_t offset, std::uint64_t size) const {
  if (offset > size_ || size > size_ - offset)
    return std::nullopt;
  return Bytes(*source_, begin_ + offset, size);
}

std::optional<std::string_view> Bytes::view(std::uint64_t offset, std::uint64_t size) const {
  if (offset > size_ || size > size_ - offset || size > view_limit)
    return std::nullopt;
  return source_->window(begin_ + offset, static_cast<std::size_t>(size));
}

std::optional<std::string_view> Bytes::stable_view(std::uint64_t offset, std::uint64_t size) const {
  if (offset > size_ || size > size_ - offset)
    return std::nullopt;
  const InputFile& source = *source_;
  const bool all = source.window_.size() == source.size_;
  if (!all && (source.size_ > small_file || !source.window(0, static_cast<std::size_t>(source.size_))))
    return std::nullopt;
  return source.window_.substr(static_cast<std::size_t>(begin_ + offset), static_cast<std::size_t>(size));
}

bool Bytes::read(std::uint64_t offset, char* to, std::size_t size) const {
  return offset <= size_ && size <= size_ - offset && source_->load(begin_ + offset, to, size);
}

std::optional<std::uint64_t> Bytes::little(std::uint64_t offset, std::size_t size) const {
  const auto bytes = view(offset, size);
  if (!bytes)
    return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t at = size; at > 0; --at)
    value = value << 8U | static_cast<unsigned char>((*bytes)[at - 1]);
  return value;
}

std::string_view Bytes::up_to(std::uint64_t offset, std::size_t limit) const {
  if (offset >= size_)
    return {};
  return view(offset, std::min<std::uint64_t>({limit, size_ - offset, view_limit}))
      .value_or(std::string_view());
}

std::optional<bool> Bytes::holds(std::string_view text) const {
  for (std::uint64_t at = 0; at + text.size() <= size_; at += view_limit - text.size() + 1) {
    const std::string_view piece = up_to(at, view_limit);
    if (piece.empty())
      return std::nullopt;
    if (piece.find(text) != std::string_view::npos)
      return true;
  }
  return false;
}

Result<std::unique_ptr<InputFile>> InputFile::open(const std::string& path, ReadBuffer* shared) {
  auto blob = open_blob(path);
  if (!blob)
    return tl::unexpected(cannot_read(blob.error().message));
  auto source = std::make_unique<InputFile>(*std::move(blob), shared);
  const struct stat& status = source->blob_.file()->status();
  source->identity_ = {status.st_dev, status.st_ino};
  return source;
}

InputFile::InputFile(Blob blob, ReadBuffer* shared)
    : blob_(std::move(blob)), size_(blob_.size()), buffer_(shared != nullptr ? shared : &own_buffer_),
      window_(blob_.in_memory().value_or(std::string_view())) {}

std::optional<Error> InputFile::trouble() const {
  constexpr auto hint = "try again when no program writes to it";
  if (!failed_.empty())
    return cannot_read(failed_, hint);
  return blob_.has_changed() ? std::optional(Error{"it changed while it was read", hint}) : std::nullopt;
}

bool InputFile::in_window(std::uint64_t offset, std::size_t size) const {
  return offset >= window_begin_ && offset - window_begin_ <= window_.size() &&
         size <= window_.size() - (offset - window_begin_);
}

bool InputFile::load(std::uint64_t offset, char* to, std::size_t size) const {
  if (offset > size_ || size > size_ - offset)
    return false;
  if (!in_window(offset, size))
    return read_file(offset, to, size);
  std::copy_n(window_.data() + (offset - window_begin_), size, to);
  return true;
}

bool InputFile::read_file(std::uint64_t offset, char* to, std::size_t size) const {
  const auto count = blob_.read(offset, {to, size});
  if (!count)
    failed_ = count.error().message;
  return count.has_value();
}

/// Reads the bytes, and some more after them.
bool InputFile::move_window(std::uint64_t offset, std::size_t size) const {
  const bool whole = size_ <= small_file;
  const std::uint64_t begin = whole ? 0 : offset;
  const auto wanted = static_cast<std::size_t>(
      whole ? size_ : std::min<std::uint64_t>(std::max(size, usual_window), size_ - offset));
  window_ = {};
  if (wanted > buffer_->capacity) {
    buffer_->capacity = std::max(wanted, usual_window);
    buffer_->bytes = std::make_unique_for_overwrite<char[]>(buffer_->capacity);
  }
  if (!read_file(begin, buffer_->bytes.get(), wanted))
    return false;
  window_begin_ = begin;
  window_ = {buffer_->bytes.get(), wanted};
  return true;
}

std::optional<std::string_view> InputFile::window(std::uint64_t offset, std::size_t size) const {
  if (!in_window(offset, size) && !move_window(offset, size))
    return std::nullopt;
  return window_.substr(static_cast<std::size_t>(offset - window_begin_), size);
}

} // namespace hostpin::binary

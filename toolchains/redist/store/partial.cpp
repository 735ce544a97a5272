// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/store/partial.hpp"

#include "toolchains/base/files.hpp"
#include "toolchains/base/os_error.hpp"
#include "toolchains/base/writing.hpp"

#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace hostpin::redist {

namespace {

constexpr std::size_t longest_origin = 16384;
constexpr std::string_view head = "hostpin part 1\n";

std::string origin_path(const std::string& path) {
  return path + ".from";
}

bool is_line(std::string_view text) {
  return std::ranges::all_of(text,
                             [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != '\x7f'; });
}

} // namespace

std::string origin_text(const PartOrigin& origin) {
  return std::string(head) + origin.url + '\n' + origin.validator + '\n';
}

std::optional<PartOrigin> read_origin(std::string_view text) {
  if (!text.starts_with(head))
    return std::nullopt;
  text.remove_prefix(head.size());
  const std::size_t first = text.find('\n'), second = text.find('\n', first + 1);
  if (first == std::string_view::npos || second + 1 != text.size())
    return std::nullopt;
  PartOrigin origin{std::string(text.substr(0, first)),
                    std::string(text.substr(first + 1, second - first - 1))};
  if (origin.url.empty() || origin.validator.empty() || !is_line(origin.url) || !is_line(origin.validator))
    return std::nullopt;
  return origin;
}

PartialFile::PartialFile(std::string path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor), hashing_(std::make_unique<HashingThread>()) {}

PartialFile::PartialFile(PartialFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_),
      origin_(std::move(other.origin_)), hashing_(std::move(other.hashing_)) {}

PartialFile::~PartialFile() {
  hashing_.reset(); // it may read the file
  if (descriptor_ >= 0)
    ::close(descriptor_);
}

Result<PartialFile> PartialFile::open(const std::string& path, std::uint64_t most) {
  PartialFile file(path, ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  struct stat status {};
  if (file.descriptor_ < 0 || ::fstat(file.descriptor_, &status) != 0)
    return os_failure("open " + path);
  if (const auto text = DiskFiles().read(origin_path(path), longest_origin))
    file.origin_ = read_origin(*text);
  file.size_ = static_cast<std::uint64_t>(status.st_size);
  if (!file.origin_ || file.size_ > most || file.size_ == 0) {
    if (::ftruncate(file.descriptor_, 0) != 0)
      return os_failure("write " + path);
    file.size_ = 0;
    file.origin_.reset();
  }
  if (file.size_ > 0)
    file.hashing_->add_file(file.descriptor_, file.size_, path);
  return file;
}

Result<void> PartialFile::restart(const PartOrigin& origin) {
  hashing_->restart();
  // In this order: bytes of one origin must never be next to the name of another.
  if (::ftruncate(descriptor_, 0) != 0)
    return os_failure("write " + path_);
  size_ = 0;
  origin_.reset();
  static_cast<void>(::unlink(origin_path(path_).c_str()));
  if (origin.validator.empty() || !read_origin(origin_text(origin)))
    return {};
  if (auto written = replace_private_file(origin_path(path_), origin_text(origin)); !written)
    return os_failure("write " + origin_path(path_));
  origin_ = origin;
  return {};
}

Result<void> PartialFile::append(std::string_view bytes) {
  if (!write_all(descriptor_, bytes))
    return os_failure("write " + path_);
  size_ += bytes.size();
  hashing_->add(bytes);
  return {};
}

void PartialFile::remove(const std::string& path) {
  static_cast<void>(::unlink(path.c_str()));
  static_cast<void>(::unlink(origin_path(path).c_str()));
}

} // namespace hostpin::redist

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/blob.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace hostpin::binary {

namespace {

constexpr std::uint64_t page = 16384; // usually holds a header with its tables

} // namespace

std::string system_reason() {
  return std::system_category().message(errno);
}

OpenFile::OpenFile(int descriptor) : descriptor_(descriptor) {
  if (::fstat(descriptor_, &status_) != 0)
    status_ = {};
}

bool OpenFile::has_changed() const {
  struct stat now {};
  return ::fstat(descriptor_, &now) != 0 || now.st_size != status_.st_size ||
         now.st_mtim.tv_sec != status_.st_mtim.tv_sec || now.st_mtim.tv_nsec != status_.st_mtim.tv_nsec;
}

OpenFile::~OpenFile() {
  ::close(descriptor_);
}

Blob::Blob(std::shared_ptr<const OpenFile> file, std::uint64_t size) : file_(std::move(file)), size_(size) {}

Blob::Blob(std::string bytes)
    : bytes_(std::make_shared<const std::string>(std::move(bytes))), size_(bytes_->size()) {}

struct Blob::Parts {
  std::vector<Blob> blobs;         ///< none is empty
  std::vector<std::uint64_t> ends; ///< of each, in the whole
};

Blob::Blob(std::vector<Blob> parts) {
  Parts all;
  for (Blob& one : parts)
    if (one.size() > 0) {
      size_ += one.size();
      all.ends.push_back(size_);
      all.blobs.push_back(std::move(one));
    }
  parts_ = std::make_shared<const Parts>(std::move(all));
}

bool Blob::has_changed() const {
  if (parts_)
    return std::any_of(parts_->blobs.begin(), parts_->blobs.end(),
                       [](const Blob& one) { return one.has_changed(); });
  return file_ && file_->has_changed();
}

Result<std::size_t> Blob::read_parts(std::uint64_t offset, std::span<char> into) const {
  std::size_t done = 0;
  std::uint64_t at = begin_ + offset;
  auto i = static_cast<std::size_t>(std::upper_bound(parts_->ends.begin(), parts_->ends.end(), at) -
                                    parts_->ends.begin());
  for (; done < into.size(); ++i) {
    const Blob& one = parts_->blobs[i];
    const auto count = one.read(at - (parts_->ends[i] - one.size()), into.subspan(done));
    if (!count)
      return count;
    done += *count;
    at += *count;
  }
  return done;
}

Blob Blob::part(std::uint64_t offset, std::uint64_t size) const {
  Blob part = *this;
  const std::uint64_t skipped = std::min(offset, size_);
  part.begin_ += skipped;
  part.size_ = std::min(size, size_ - skipped);
  return part;
}

Result<std::size_t> Blob::read(std::uint64_t offset, std::span<char> into) const {
  const std::uint64_t left = size_ - std::min(offset, size_);
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left, into.size()));
  if (bytes_) {
    std::copy_n(bytes_->data() + begin_ + (size_ - left), wanted, into.data());
    return wanted;
  }
  if (parts_)
    return read_parts(offset, into.first(wanted));
  std::size_t done = 0;
  while (done < wanted) {
    const ssize_t count = ::pread(file_->descriptor(), into.data() + done, wanted - done,
                                  static_cast<off_t>(begin_ + offset + done));
    if (count > 0)
      done += static_cast<std::size_t>(count);
    else if (count == 0)
      return failure("it was truncated while it was read", "try again when no program writes to it");
    else if (errno != EINTR)
      return failure(system_reason());
  }
  return done;
}

std::optional<std::string_view> Blob::in_memory() const {
  return bytes_ ? std::optional(std::string_view(*bytes_).substr(static_cast<std::size_t>(begin_),
                                                                 static_cast<std::size_t>(size_)))
                : std::nullopt;
}

std::string Blob::beginning(std::size_t count) const {
  std::string bytes(count, '\0');
  bytes.resize(read(0, bytes).value_or(0));
  return bytes;
}

Result<std::string> Blob::all(std::size_t limit) const {
  if (size_ > limit)
    return failure("it is longer than " + std::to_string(limit) + " bytes");
  std::string bytes(static_cast<std::size_t>(size_), '\0');
  const auto count = read(0, bytes);
  return count ? Result<std::string>(std::move(bytes)) : tl::unexpected(count.error());
}

BlobSource::BlobSource(Blob blob, std::size_t budget) : blob_(std::move(blob)), budget_(budget) {}

std::optional<std::string_view> BlobSource::slice(std::uint64_t offset, std::uint64_t size) const {
  if (offset > blob_.size() || size > blob_.size() - offset)
    return std::nullopt;
  const std::uint64_t first = offset / page * page;
  if (size == 0 || offset + size > first + page)
    return keep(offset, static_cast<std::size_t>(std::min<std::uint64_t>(size, budget_ + 1)));
  if (first == last_page_)
    return last_.substr(static_cast<std::size_t>(offset - first), static_cast<std::size_t>(size));
  auto known = pages_.find(first);
  if (known == pages_.end()) {
    const auto bytes =
        keep(first, static_cast<std::size_t>(std::min<std::uint64_t>(page, blob_.size() - first)));
    if (!bytes)
      return std::nullopt;
    known = pages_.emplace(first, *bytes).first;
  }
  last_page_ = first;
  last_ = known->second;
  return last_.substr(static_cast<std::size_t>(offset - first), static_cast<std::size_t>(size));
}

std::optional<std::string_view> BlobSource::keep(std::uint64_t offset, std::size_t size) const {
  if (size > budget_ - kept_) {
    trouble_ = "its tables are larger than those of any real file";
    return std::nullopt;
  }
  auto bytes = std::make_unique_for_overwrite<char[]>(size);
  if (const auto count = blob_.read(offset, {bytes.get(), size}); !count) {
    trouble_ = count.error().message;
    return std::nullopt;
  }
  kept_ += size;
  return std::string_view(storage_.emplace_back(std::move(bytes)).get(), size);
}

Result<Blob> open_blob(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0)
    return failure(system_reason());
  auto file = std::make_shared<const OpenFile>(descriptor);
  const struct stat& status = file->status();
  if (!S_ISREG(status.st_mode))
    return failure(S_ISDIR(status.st_mode) ? "it is a directory" : "it is not a regular file");
  const auto size = static_cast<std::uint64_t>(status.st_size);
  return Blob(std::move(file), size);
}

Result<std::shared_ptr<const OpenFile>> open_scratch(const std::string& directory) {
  int descriptor = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) { // a file system without unnamed files
    std::string name = directory + "/hostpin-XXXXXX";
    descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor >= 0)
      ::unlink(name.c_str());
  }
  if (descriptor < 0)
    return failure("cannot make a file in " + directory + ": " + system_reason(),
                   "name a directory that can be written in TMPDIR");
  return std::make_shared<const OpenFile>(descriptor);
}

Result<Blob> written_blob(int descriptor) {
  const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (copy < 0)
    return failure(system_reason());
  auto file = std::make_shared<const OpenFile>(copy); // with the status that it has now
  const auto size = static_cast<std::uint64_t>(file->status().st_size);
  return Blob(std::move(file), size);
}

std::optional<MappedFile> MappedFile::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (descriptor < 0)
    return std::nullopt;
  struct stat status {};
  std::optional<MappedFile> file;
  errno = 0;
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
    const auto size = static_cast<std::size_t>(status.st_size);
    void* const start = size == 0 ? nullptr : ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (start != MAP_FAILED)
      file = MappedFile(std::string_view(static_cast<const char*>(start), size));
  }
  const int reason = errno;
  ::close(descriptor);
  errno = reason;
  return file;
}

MappedFile MappedFile::or_empty(const std::string& path) {
  auto file = open(path);
  return file ? *std::move(file) : MappedFile(std::string_view());
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

void MappedFile::forget() const {
  if (!bytes_.empty())
    static_cast<void>(::madvise(const_cast<char*>(bytes_.data()), bytes_.size(), MADV_DONTNEED));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty())
    ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

} // namespace hostpin::binary

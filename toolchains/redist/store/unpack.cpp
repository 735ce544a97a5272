// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/store/unpack.hpp"

#include "toolchains/base/system_call.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/options/progress_line.hpp"
#include "toolchains/redist/store/disk.hpp"
#include "toolchains/redist/store/members.hpp"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <array>
#include <cstddef>
#include <fcntl.h>
#include <memory>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace hostpin::redist {

namespace {

constexpr std::size_t piece = std::size_t{128} << 10U;

struct FreeArchive {
  void operator()(archive* reader) const { archive_read_free(reader); }
};
using Reader = std::unique_ptr<archive, FreeArchive>;

/// Counts what was unpacked.
class Budget {
public:
  Budget(const UnpackLimits& limits, std::uint64_t packed) : limits_(limits) {
    const bool beyond = packed > limits.bytes / limits.ratio;
    bytes_limit_ =
        std::min(limits.bytes, std::max(limits.ratio_from, beyond ? limits.bytes : packed * limits.ratio));
  }

  Result<void> add_member() {
    return ++members_ <= limits_.members
               ? Result<void>()
               : failure("it has more than " + std::to_string(limits_.members) + " members");
  }
  Result<void> add_bytes(std::uint64_t bytes) {
    if (bytes > bytes_limit_ - bytes_)
      return failure("it unpacks to more than " + options::amount_text(bytes_limit_) +
                     ", too much for its size");
    bytes_ += bytes;
    return {};
  }

private:
  UnpackLimits limits_;
  std::uint64_t bytes_limit_ = 0, bytes_ = 0, members_ = 0;
};

class Unpacker {
public:
  Unpacker(archive* reader, int into, Budget budget, const std::atomic<bool>& stop)
      : reader_(reader), into_(into), budget_(budget), stop_(stop) {}

  Result<void> run() {
    for (;;) {
      archive_entry* entry = nullptr;
      const int code = archive_read_next_header(reader_, &entry);
      if (code == ARCHIVE_EOF)
        break;
      if (code != ARCHIVE_OK && code != ARCHIVE_WARN)
        return damaged();
      auto added = supported_compression();
      if (added)
        added = budget_.add_member();
      if (added)
        added = member(entry);
      if (!added)
        return added;
    }
    if (members_.is_empty())
      return failure("it contains no file and no directory");
    return members_.check_links();
  }
  const MemberTable& members() const { return members_; }

private:
  tl::unexpected<Error> damaged() const {
    const char* const reason = archive_error_string(reader_);
    return failure("it is damaged: " + escaped(reason == nullptr ? "its format is not recognized" : reason));
  }

  /// One layer of compression around a tar; in a zip only deflate, whose window is small.
  Result<void> supported_compression() const {
    if (archive_filter_count(reader_) > 2) // the last one is none
      return failure("it is compressed more than once");
    const char* const name = archive_format_name(reader_);
    const std::string_view format = name == nullptr ? "" : name;
    if ((archive_format(reader_) & ARCHIVE_FORMAT_BASE_MASK) != ARCHIVE_FORMAT_ZIP ||
        format.ends_with("(deflation)") || format.ends_with("(uncompressed)"))
      return {};
    return failure("a member is compressed by an unsupported method: " + escaped(format));
  }

  Result<void> member(archive_entry* entry) {
    const char* const found = archive_entry_pathname(entry);
    const std::string name = found == nullptr ? "" : found;
    if (archive_entry_is_encrypted(entry) != 0)
      return failure("the member '" + escaped(name) + "' is encrypted");
    if (const char* const target = archive_entry_hardlink(entry); target != nullptr)
      return hard_link(entry, name, target);
    switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
      return file(entry, name);
    case AE_IFDIR:
      return make(members_.add(name, MemberTable::Kind::directory));
    case AE_IFLNK:
      return link(entry, name);
    default:
      return failure("the member '" + escaped(name) + "' is a device, FIFO or socket");
    }
  }

  Result<void> make(const Result<MemberTable::Added>& added) const {
    if (!added)
      return tl::unexpected(added.error());
    for (const std::string& directory : added->directories)
      if (::mkdirat(into_, directory.c_str(), 0755) != 0)
        return disk_failure("create the directory " + escaped(directory));
    return {};
  }

  Result<void> hard_link(archive_entry* entry, const std::string& name, const char* target) {
    const auto from = members_.hard_link_target(name, target);
    if (!from)
      return tl::unexpected(from.error());
    if (archive_entry_size_is_set(entry) != 0 && archive_entry_size(entry) > 0)
      return failure("the hard link '" + escaped(name) + "' has content");
    const auto added = members_.add(name, MemberTable::Kind::file);
    if (auto made = make(added); !made)
      return made;
    if (::linkat(into_, from->c_str(), into_, added->path.c_str(), 0) != 0)
      return disk_failure("create the hard link " + escaped(name));
    return {};
  }

  Result<void> link(archive_entry* entry, const std::string& name) {
    const char* const target = archive_entry_symlink(entry);
    const std::string to = target == nullptr ? "" : target;
    const auto added = members_.add(name, MemberTable::Kind::link, to);
    if (auto made = make(added); !made)
      return made;
    if (::symlinkat(to.c_str(), into_, added->path.c_str()) != 0)
      return disk_failure("create the symbolic link " + escaped(name));
    return {};
  }

  Result<void> file(archive_entry* entry, const std::string& name) {
    const mode_t mode = archive_entry_perm(entry);
    if ((mode & (S_ISUID | S_ISGID | S_ISVTX)) != 0)
      return failure("the member '" + escaped(name) + "' is setuid, setgid or sticky");
    const auto added = members_.add(name, MemberTable::Kind::file);
    if (auto made = make(added); !made)
      return made;
    const Descriptor output(
        ::openat(into_, added->path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (output.number() < 0)
      return disk_failure("create " + escaped(name));
    if (auto copied = copy(entry, output.number(), name); !copied)
      return copied;
    const timespec time{archive_entry_mtime(entry), archive_entry_mtime_nsec(entry)};
    const std::array<timespec, 2> times{time, time};
    static_cast<void>(::futimens(output.number(), times.data())); // some file systems lack old times
    if (::fchmod(output.number(), (mode & S_IXUSR) != 0 ? 0555 : 0444) != 0)
      return disk_failure("write " + escaped(name));
    return {};
  }

  Result<void> copy(archive_entry* entry, int output, const std::string& name) {
    std::uint64_t written = 0;
    for (;;) {
      const void* bytes = nullptr;
      std::size_t size = 0;
      la_int64_t offset = 0;
      const int code = archive_read_data_block(reader_, &bytes, &size, &offset);
      if (code == ARCHIVE_EOF)
        break;
      if (code != ARCHIVE_OK)
        return damaged();
      if (stop_)
        return failure("it was not unpacked any further");
      const auto from = static_cast<std::uint64_t>(offset);
      if (offset < 0 || from < written)
        return failure("parts of the member '" + escaped(name) + "' overlap");
      if (auto added = hole(output, written, from, name); !added)
        return added;
      if (auto added = budget_.add_bytes(size); !added)
        return added;
      if (!write_all(output, {static_cast<const char*>(bytes), size}))
        return disk_failure("write " + escaped(name));
      written = from + size;
    }
    const la_int64_t declared = archive_entry_size_is_set(entry) != 0 ? archive_entry_size(entry) : 0;
    return hole(output, written,
                std::max(written, static_cast<std::uint64_t>(std::max<la_int64_t>(declared, 0))), name);
  }

  /// Bytes of a sparse file that the archive leaves out.
  Result<void> hole(int output, std::uint64_t from, std::uint64_t to, const std::string& name) {
    if (from == to)
      return {};
    if (auto added = budget_.add_bytes(to - from); !added)
      return added;
    if (::ftruncate(output, static_cast<off_t>(to)) != 0 ||
        ::lseek(output, static_cast<off_t>(to), SEEK_SET) < 0)
      return disk_failure("write " + escaped(name));
    return {};
  }

  archive* reader_;
  int into_;
  Budget budget_;
  const std::atomic<bool>& stop_;
  MemberTable members_;
};

/// By the first bytes. What else libarchive could read is not enabled: each reader is a risk.
Result<Reader> reader_for(int archive_file) {
  std::array<char, 6> start{};
  const ssize_t count = ::pread(archive_file, start.data(), start.size(), 0);
  const std::string_view magic(start.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  Reader reader(archive_read_new());
  if (!reader)
    return failure("there is not enough memory to unpack it");
  if (magic == std::string_view("\xfd"
                                "7zXZ\0",
                                6))
    archive_read_support_filter_xz(reader.get());
  else if (magic.starts_with("\x1f\x8b"))
    archive_read_support_filter_gzip(reader.get());
  else if (!magic.starts_with("PK\3\4"))
    return failure("it is neither a tar.xz, a tar.gz nor a zip");
  if (magic.starts_with("PK"))
    archive_read_support_format_zip_seekable(reader.get());
  else
    archive_read_support_format_tar(reader.get());
  archive_read_set_options(reader.get(), "hdrcharset=BINARY"); // names are bytes, in any locale
  return reader;
}

} // namespace

Result<UnpackedTree> unpack(int archive, const std::string& into, const UnpackLimits& limits,
                            const std::atomic<bool>& stop) {
  struct stat status {};
  const Descriptor directory(::open(into.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.number() < 0 || ::fstat(archive, &status) != 0 || ::lseek(archive, 0, SEEK_SET) < 0)
    return disk_failure("unpack into " + into);
  auto reader = reader_for(archive);
  if (!reader)
    return tl::unexpected(reader.error());
  if (archive_read_open_fd(reader->get(), archive, piece) != ARCHIVE_OK) {
    const char* const reason = archive_error_string(reader->get());
    return failure("it is damaged: " + escaped(reason == nullptr ? "it cannot be opened" : reason));
  }
  Unpacker unpacker(reader->get(), directory.number(),
                    Budget(limits, static_cast<std::uint64_t>(status.st_size)), stop);
  if (auto done = unpacker.run(); !done)
    return tl::unexpected(done.error());
  const std::string top = unpacker.members().top();
  return UnpackedTree{top.empty() ? into : into + '/' + top, top};
}

} // namespace hostpin::redist

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/archive/unpack.hpp"

#include "toolchains/archive/members.hpp"
#include "toolchains/archive/reader.hpp"
#include "toolchains/archive/xz_blob.hpp"
#include "toolchains/base/os_error.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/system_call.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/binary/archive.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/options/progress_line.hpp"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <array>
#include <cstddef>
#include <fcntl.h>
#include <memory>
#include <span>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace hostpin {

namespace {

constexpr std::size_t piece = std::size_t{128} << 10U;
constexpr std::string_view zip_magic = "PK\3\4";
constexpr const char* no_memory = "there is not enough memory to unpack it";

tl::unexpected<Error> damaged(archive* reader, const char* otherwise) {
  return failure("it is damaged: " + escaped(archive_reason(reader, otherwise)));
}

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
  /// `placement` is null for NVIDIA's archives.
  Unpacker(archive* reader, int into, Budget budget, MemberTable& members, const Placement* placement,
           const std::atomic<bool>& stop)
      : reader_(reader), into_(into), budget_(budget), members_(members), placement_(placement), stop_(stop) {
  }

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
    return {};
  }

private:
  tl::unexpected<Error> damaged() const { return hostpin::damaged(reader_, "its format is not recognized"); }

  /// One layer of compression around a tar; in a zip only deflate, whose window is small.
  Result<void> supported_compression() const {
    int layers = 0;
    for (int i = 0; i < archive_filter_count(reader_); ++i)
      layers += archive_filter_code(reader_, i) != ARCHIVE_FILTER_RPM; // a header, no compression
    if (layers > 2)                                                    // the last one is none
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
    if (placement_ != nullptr)
      return placed_member(entry, name);
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

  /// The bytes of what is left out are decompressed as well.
  Result<void> skip(archive_entry* entry) {
    const la_int64_t size = archive_entry_size_is_set(entry) != 0 ? archive_entry_size(entry) : 0;
    return budget_.add_bytes(static_cast<std::uint64_t>(std::max<la_int64_t>(size, 0)));
  }

  Result<void> placed_member(archive_entry* entry, const std::string& name) {
    TRY_ASSIGN(const auto path, member_path(name));
    const auto place = (*placement_)(path);
    if (!place || place->empty())
      return skip(entry);
    if (const char* const target = archive_entry_hardlink(entry); target != nullptr)
      return placed_hard_link(entry, *place, target);
    switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
      return members_.has(*place) ? skip(entry) : file(entry, *place);
    case AE_IFLNK:
      return placed_symbolic_link(entry, path, *place);
    case AE_IFDIR:
      return {}; // made for what is in it
    default:
      return failure("the member '" + escaped(name) + "' is a device, FIFO or socket");
    }
  }

  Result<void> placed_symbolic_link(archive_entry* entry, const std::string& path, const std::string& place) {
    const char* const target = archive_entry_symlink(entry);
    TRY_ASSIGN(const auto to, placed_link(path, target == nullptr ? "" : target, *placement_));
    if (!to || members_.has(place))
      return {};
    return link_to(place, *to);
  }

  /// In a cpio the last of a file's names comes with the content.
  Result<void> placed_hard_link(archive_entry* entry, const std::string& place, const char* target) {
    const auto path = member_path(target);
    if (!path)
      return tl::unexpected(path.error());
    const auto from = (*placement_)(*path);
    if (members_.has(place))
      return skip(entry);
    const bool has_content = archive_entry_size_is_set(entry) != 0 && archive_entry_size(entry) > 0;
    if (!from || !members_.has(*from))
      return has_content ? file(entry, place)
                         : failure("the hard link '" + escaped(place) + "' leads to '" + escaped(target) +
                                   "', which is left out");
    TRY_ASSIGN(const auto earlier, members_.hard_link_target(place, *from));
    const auto added = members_.add(place, MemberTable::Kind::file);
    TRY(make(added));
    if (::linkat(into_, earlier.c_str(), into_, added->path.c_str(), 0) != 0)
      return os_failure("create the hard link " + escaped(place));
    if (!has_content)
      return {};
    const Descriptor output(
        ::openat(into_, added->path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW));
    return output.number() < 0 ? os_failure("write " + escaped(place)) : copy(entry, output.number(), place);
  }

  Result<void> make(const Result<MemberTable::Added>& added) const {
    if (!added)
      return tl::unexpected(added.error());
    for (const std::string& directory : added->directories)
      if (::mkdirat(into_, directory.c_str(), 0755) != 0)
        return os_failure("create the directory " + escaped(directory));
    return {};
  }

  Result<void> hard_link(archive_entry* entry, const std::string& name, const char* target) {
    TRY_ASSIGN(const auto from, members_.hard_link_target(name, target));
    if (archive_entry_size_is_set(entry) != 0 && archive_entry_size(entry) > 0)
      return failure("the hard link '" + escaped(name) + "' has content");
    const auto added = members_.add(name, MemberTable::Kind::file);
    TRY(make(added));
    if (::linkat(into_, from.c_str(), into_, added->path.c_str(), 0) != 0)
      return os_failure("create the hard link " + escaped(name));
    return {};
  }

  Result<void> link(archive_entry* entry, const std::string& name) {
    const char* const target = archive_entry_symlink(entry);
    return link_to(name, target == nullptr ? "" : target);
  }

  Result<void> link_to(const std::string& name, const std::string& to) {
    const auto added = members_.add(name, MemberTable::Kind::link, to);
    TRY(make(added));
    if (::symlinkat(to.c_str(), into_, added->path.c_str()) != 0)
      return os_failure("create the symbolic link " + escaped(name));
    return {};
  }

  Result<void> file(archive_entry* entry, const std::string& name) {
    const mode_t mode = archive_entry_perm(entry);
    if ((mode & (S_ISUID | S_ISGID | S_ISVTX)) != 0)
      return failure("the member '" + escaped(name) + "' is setuid, setgid or sticky");
    const auto added = members_.add(name, MemberTable::Kind::file);
    TRY(make(added));
    const Descriptor output(
        ::openat(into_, added->path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (output.number() < 0)
      return os_failure("create " + escaped(name));
    TRY(copy(entry, output.number(), name));
    const timespec time{archive_entry_mtime(entry), archive_entry_mtime_nsec(entry)};
    const std::array<timespec, 2> times{time, time};
    static_cast<void>(::futimens(output.number(), times.data())); // some file systems lack old times
    const mode_t writable = placement_ == nullptr ? 0 : S_IWUSR;  // `rm -r` asks about those that are not
    if (::fchmod(output.number(), ((mode & S_IXUSR) != 0 ? 0555 : 0444) | writable) != 0)
      return os_failure("write " + escaped(name));
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
      TRY(hole(output, written, from, name));
      TRY(budget_.add_bytes(size));
      if (!write_all(output, {static_cast<const char*>(bytes), size}))
        return os_failure("write " + escaped(name));
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
    TRY(budget_.add_bytes(to - from));
    if (::ftruncate(output, static_cast<off_t>(to)) != 0 ||
        ::lseek(output, static_cast<off_t>(to), SEEK_SET) < 0)
      return os_failure("write " + escaped(name));
    return {};
  }

  archive* reader_;
  int into_;
  Budget budget_;
  MemberTable& members_;
  const Placement* placement_;
  const std::atomic<bool>& stop_;
};

/// By the first bytes.
Result<ArchiveReader> reader_for(int archive_file) {
  std::array<char, 6> start{};
  const ssize_t count = ::pread(archive_file, start.data(), start.size(), 0);
  const std::string_view magic(start.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  const unsigned compression = compression_of(magic);
  if (compression == 0 && !magic.starts_with(zip_magic))
    return failure("it is neither a tar.xz, a tar.gz, a tar.zst nor a zip");
  auto reader = archive_reader(compression == 0 ? archive_zip : compression | archive_tar);
  return reader ? Result<ArchiveReader>(std::move(reader)) : failure(no_memory);
}

} // namespace

Result<UnpackedTree> unpack(int archive, const std::string& into, const UnpackLimits& limits,
                            const std::atomic<bool>& stop) {
  struct stat status {};
  const Descriptor directory(::open(into.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.number() < 0 || ::fstat(archive, &status) != 0 || ::lseek(archive, 0, SEEK_SET) < 0)
    return os_failure("unpack into " + into);
  TRY_ASSIGN(auto reader, reader_for(archive));
  if (archive_read_open_fd(reader.get(), archive, piece) != ARCHIVE_OK)
    return damaged(reader.get(), "it cannot be opened");
  MemberTable members;
  Unpacker unpacker(reader.get(), directory.number(),
                    Budget(limits, static_cast<std::uint64_t>(status.st_size)), members, nullptr, stop);
  TRY(unpacker.run());
  if (members.is_empty())
    return failure("it contains no file and no directory");
  TRY(members.check_links());
  const std::string top = members.top();
  return UnpackedTree{top.empty() ? into : into + '/' + top, top};
}

// ---------------------------------------------------------------------- packages of distributions

namespace {

la_ssize_t read_xz(archive* reader, void* data, const void** bytes) {
  const auto next = static_cast<XzBlob*>(data)->next();
  if (!next) {
    archive_set_error(reader, EIO, "%s", next.error().message.c_str());
    return -1;
  }
  *bytes = next->data();
  return static_cast<la_ssize_t>(next->size());
}

/// The file's content: what is in data.tar.* of a .deb (deb(5)), and the file itself else.
Result<binary::Blob> payload(const binary::Blob& package) {
  const auto kind = binary::archive_kind(package.beginning(8));
  if (kind != binary::ArchiveKind::ordinary)
    return package;
  const binary::InputFile file(package);
  binary::ArchiveReader members{binary::Bytes(file), kind};
  for (;;) {
    const auto member = members.next();
    if (!member)
      return failure("it is damaged: " + member.error().what);
    if (!*member)
      return failure("it is no package: it has no data.tar");
    const std::string& name = (*member)->name;
    if (name == "data.tar" || name.starts_with("data.tar."))
      return package.part((*member)->content->begin(), (*member)->content->size());
  }
}

/// By the first bytes, as `reader_for`. A tar.xz is decompressed before libarchive reads it.
unsigned formats_of(std::string_view magic) {
  if (magic.starts_with("\xed\xab\xee\xdb"))
    return archive_rpm | archive_xz | archive_gzip | archive_zstd | archive_cpio;
  if (magic.starts_with(zip_magic))
    return archive_zip;
  return archive_tar | (compression_of(magic) & ~archive_xz);
}

/// The path without `.` and `..`; nothing if it leads above its root.
std::optional<std::vector<std::string>> plain_names(const std::string& path) {
  std::vector<std::string> names;
  for (std::string& name : filled_parts(path, "/"))
    if (name == "..") {
      if (names.empty())
        return std::nullopt;
      names.pop_back();
    } else if (name != ".") {
      names.push_back(std::move(name));
    }
  return names;
}

} // namespace

Result<std::optional<std::string>> placed_link(const std::string& path, const std::string& target,
                                               const Placement& placement) {
  const auto names = plain_names(target.starts_with('/') ? target : directory_of(path) + '/' + target);
  if (target.empty() || !names)
    return failure("the symbolic link '" + escaped(path) + "' leads to '" + escaped(target) +
                   "', out of the package's root");
  const auto from = placement(path), to = placement(joined(*names, "/"));
  if (!from || !to || to->empty() || *from == *to)
    return std::optional<std::string>();
  const auto here = filled_parts(*from, "/"), there = filled_parts(*to, "/");
  std::size_t common = 0;
  while (common + 1 < here.size() && common < there.size() && here[common] == there[common])
    ++common;
  std::string relative;
  for (std::size_t i = common; i + 1 < here.size(); ++i)
    relative += relative.empty() ? ".." : "/..";
  const std::string rest = joined(std::span(there).subspan(common), "/");
  if (!rest.empty())
    relative += (relative.empty() ? "" : "/") + rest;
  return std::optional<std::string>(relative.empty() ? "." : relative);
}

struct PackageUnpacker::State {
  std::string into;
  Placement placement;
  UnpackLimits limits;
  MemberTable members{MemberTable::Tree::packages};
};

PackageUnpacker::PackageUnpacker(std::string into, Placement placement, UnpackLimits limits)
    : state_(std::make_unique<State>()) {
  state_->into = std::move(into);
  state_->placement = std::move(placement);
  state_->limits = limits;
}

PackageUnpacker::~PackageUnpacker() = default;

Result<void> PackageUnpacker::add(const std::string& package, const std::atomic<bool>& stop) {
  const auto named = [&](Error error) {
    if (error.kind == ErrorKind::disk_full) // members' names do not show which file system that is
      error.hint = "free space on the file system of " + state_->into + ", and run the same command again";
    return failure_in("cannot unpack " + escaped(package), std::move(error));
  };
  const Descriptor directory(::open(state_->into.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.number() < 0)
    return os_failure("unpack into " + state_->into);
  const auto file = binary::open_blob(package);
  const auto content = file ? payload(*file) : file;
  if (!content)
    return named(content.error());
  const std::string magic = content->beginning(8);
  const auto reader = archive_reader(formats_of(magic));
  if (!reader)
    return named({no_memory, {}});
  BlobFeed feed(*content);
  std::unique_ptr<XzBlob> xz;
  if (compression_of(magic) == archive_xz) {
    auto opened = XzBlob::open(*content);
    if (!opened)
      return named(opened.error());
    xz = *std::move(opened);
  }
  if (!xz)
    feed.attach(reader.get());
  const int opened = xz ? archive_read_open(reader.get(), xz.get(), nullptr, read_xz, nullptr)
                        : archive_read_open1(reader.get());
  if (opened != ARCHIVE_OK)
    return named(damaged(reader.get(), "it cannot be opened").value());
  auto done = Unpacker(reader.get(), directory.number(), Budget(state_->limits, file->size()),
                       state_->members, &state_->placement, stop)
                  .run();
  return done ? done : named(done.error());
}

Result<void> PackageUnpacker::finish() const {
  return state_->members.check_links();
}

} // namespace hostpin

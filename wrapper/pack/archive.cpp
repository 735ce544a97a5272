// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/pack/archive.hpp"

#include "toolchains/base/os_error.hpp"
#include "toolchains/base/system_call.hpp"
#include "toolchains/base/writing.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>
#include <zstd.h>

namespace hostpin::pack {

namespace {

// Offsets and widths of the fields in a ustar header (POSIX).
struct Field {
  std::size_t at;
  std::size_t width;
};
constexpr Field name_field{0, 100}, mode_field{100, 8}, uid_field{108, 8}, gid_field{116, 8},
    size_field{124, 12}, time_field{136, 12}, sum_field{148, 8}, target_field{157, 100}, magic_field{257, 8};
constexpr std::size_t kind_at = 156;
constexpr std::uint64_t largest_number = (std::uint64_t{1} << 33U) - 1; // eleven octal digits

void put(std::string& block, Field field, std::string_view text) {
  text = text.substr(0, field.width);
  std::copy(text.begin(), text.end(), block.begin() + static_cast<std::ptrdiff_t>(field.at));
}

void put_octal(std::string& block, Field field, std::uint64_t number) {
  for (std::size_t i = field.width - 1; i-- > 0; number /= 8)
    block[field.at + i] = static_cast<char>('0' + number % 8);
}

std::string block_of(const TarHead& head, char kind) {
  std::string block(tar_block, '\0');
  put(block, name_field, head.path);
  put_octal(block, mode_field, head.permissions);
  put_octal(block, uid_field, 0);
  put_octal(block, gid_field, 0);
  put_octal(block, size_field, std::min(head.size, largest_number));
  put_octal(block, time_field,
            std::min(static_cast<std::uint64_t>(std::max<std::int64_t>(head.seconds, 0)), largest_number));
  block[kind_at] = kind;
  put(block, target_field, head.target);
  put(block, magic_field, std::string_view("ustar\00000", magic_field.width));
  put(block, sum_field, "        ");
  std::uint64_t sum = 0;
  for (const char c : block)
    sum += static_cast<unsigned char>(c);
  put_octal(block, {sum_field.at, sum_field.width - 1}, sum);
  block[sum_field.at + sum_field.width - 2] = '\0'; // then a blank, as tar always writes it
  return block;
}

/// `LENGTH keyword=value\n`, where the length counts itself.
std::string record(std::string_view keyword, std::string_view value) {
  const std::size_t rest = keyword.size() + value.size() + 3;
  std::size_t length = rest;
  while (length != rest + std::to_string(length).size())
    length = rest + std::to_string(length).size();
  std::string text = std::to_string(length);
  text += ' ';
  text += keyword;
  text += '=';
  text += value;
  text += '\n';
  return text;
}

std::string records_of(const TarHead& head) {
  std::string records;
  if (head.path.size() > name_field.width)
    records += record("path", head.path);
  if (head.target.size() > target_field.width)
    records += record("linkpath", head.target);
  if (head.size > largest_number)
    records += record("size", std::to_string(head.size));
  if (head.nanoseconds != 0 || head.seconds < 0 || head.seconds > static_cast<std::int64_t>(largest_number)) {
    const std::string fraction = std::to_string(1'000'000'000ULL + head.nanoseconds).substr(1);
    records += record("mtime", std::to_string(head.seconds) + '.' + fraction);
  }
  return records;
}

} // namespace

std::string tar_head(const TarHead& head) {
  std::string bytes;
  if (const std::string records = records_of(head); !records.empty()) {
    TarHead extension;
    extension.path = "PaxHeader";
    extension.permissions = 0644;
    extension.size = records.size();
    bytes += block_of(extension, 'x');
    bytes += records;
    bytes += tar_padding(records.size());
  }
  return bytes += block_of(head, static_cast<char>(head.kind));
}

std::string tar_padding(std::uint64_t size) {
  return std::string((tar_block - size % tar_block) % tar_block, '\0');
}

std::string tar_end() {
  return std::string(2 * tar_block, '\0');
}

namespace {

constexpr std::int64_t nanoseconds_in_a_second = 1'000'000'000;

/// Compresses its input into one zstd frame, and writes that.
class Packer {
public:
  explicit Packer(int descriptor) : descriptor_(descriptor), room_(ZSTD_CStreamOutSize()) {
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }

  Result<void> take(std::string_view bytes, ZSTD_EndDirective directive = ZSTD_e_continue) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    for (std::size_t left = 1; left != 0 || in.pos < in.size;) {
      ZSTD_outBuffer out{room_.data(), room_.size(), 0};
      left = ZSTD_compressStream2(context_.get(), &out, &in, directive);
      if (ZSTD_isError(left) != 0)
        return failure(std::string("cannot pack: ") + ZSTD_getErrorName(left));
      if (!write_all(descriptor_, {room_.data(), out.pos}))
        return os_failure("write the archive");
      written_ += out.pos;
      if (directive == ZSTD_e_continue && in.pos == in.size)
        break;
    }
    return {};
  }

  std::uint64_t written() const { return written_; }

private:
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };

  int descriptor_;
  std::unique_ptr<ZSTD_CCtx, Free> context_{ZSTD_createCCtx()};
  std::vector<char> room_;
  std::uint64_t written_ = 0;
};

bool same(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

class Writer {
public:
  Writer(int descriptor, std::int64_t time) : packer_(descriptor), time_(time) {}

  Result<void> add(const Entry& entry) {
    TarHead head;
    head.path = entry.path.substr(1);
    head.seconds = time_ / nanoseconds_in_a_second;
    head.nanoseconds = static_cast<std::uint32_t>(time_ % nanoseconds_in_a_second);
    switch (entry.kind) {
    case Entry::Kind::scratch:
      return add_directory(std::move(head), 01777);
    case Entry::Kind::link:
      head.target = entry.target;
      return add_link(std::move(head));
    case Entry::Kind::kept:
    case Entry::Kind::dated:
      break;
    }
    return add_from_disk(entry, std::move(head));
  }

  Result<Written> finish() {
    TRY(packer_.take(tar_end(), ZSTD_e_end));
    written_.packed = packer_.written();
    return written_;
  }

private:
  Result<void> add_directory(TarHead head, unsigned permissions) {
    head.kind = TarHead::Kind::directory;
    head.path += '/';
    head.permissions = permissions;
    return packer_.take(tar_head(head));
  }

  Result<void> add_link(TarHead head) {
    head.kind = TarHead::Kind::link;
    head.permissions = 0777;
    return packer_.take(tar_head(head));
  }

  Result<void> add_from_disk(const Entry& entry, TarHead head) {
    struct stat status {};
    if (lstat(entry.path.c_str(), &status) != 0)
      return os_failure("read " + entry.path);
    if (S_ISDIR(status.st_mode))
      return add_directory(std::move(head), 0755);
    if (S_ISREG(status.st_mode))
      return add_file(entry, std::move(head));
    std::error_code error;
    head.target = std::filesystem::read_symlink(entry.path, error).string();
    if (error)
      return failure("cannot pack " + entry.path + ": it changed while it was packed");
    return add_link(std::move(head));
  }

  Result<void> add_file(const Entry& entry, TarHead head) {
    const Descriptor file(open(entry.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat before {};
    if (file.number() < 0 || fstat(file.number(), &before) != 0)
      return os_failure("read " + entry.path);
    // The archive is for all users of another machine; owner and permissions of this one do not count.
    head.permissions = (before.st_mode & S_IXUSR) != 0 ? 0755 : 0644;
    head.size = static_cast<std::uint64_t>(before.st_size);
    if (entry.kind == Entry::Kind::kept) {
      head.seconds = before.st_mtim.tv_sec;
      head.nanoseconds = static_cast<std::uint32_t>(before.st_mtim.tv_nsec);
    }
    TRY(packer_.take(tar_head(head)));
    TRY(copy(file.number(), entry.path, head.size));
    struct stat after {};
    if (fstat(file.number(), &after) != 0 || !same(before, after))
      return failure(entry.path + " changed while it was packed", "pack again once nothing changes it");
    ++written_.files;
    written_.bytes += head.size;
    return packer_.take(tar_padding(head.size));
  }

  Result<void> copy(int file, const std::string& path, std::uint64_t size) {
    for (std::uint64_t left = size; left > 0;) {
      const ssize_t count = read(file, buffer_.data(), std::min<std::uint64_t>(buffer_.size(), left));
      if (count < 0 && errno == EINTR)
        continue;
      if (count < 0)
        return os_failure("read " + path);
      if (count == 0)
        return failure(path + " was truncated while it was packed", "pack again once nothing changes it");
      TRY(packer_.take({buffer_.data(), static_cast<std::size_t>(count)}));
      left -= static_cast<std::uint64_t>(count);
    }
    return {};
  }

  Packer packer_;
  std::int64_t time_;
  std::array<char, std::size_t{1} << 18U> buffer_{};
  Written written_;
};

} // namespace

Result<Written> write_archive(int descriptor, const Order& order) {
  const auto writer = std::make_unique<Writer>(descriptor, order.time); // too large for a stack
  for (const Entry& entry : order.entries)
    TRY(writer->add(entry));
  return writer->finish();
}

} // namespace hostpin::pack

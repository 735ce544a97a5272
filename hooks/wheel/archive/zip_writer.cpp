// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/archive/zip_writer.hpp"

#include "toolchains/base/writing.hpp"
#include "toolchains/binary/pieces.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <future>
#include <unistd.h>
#include <utility>
#include <zlib.h>

namespace hostpin::wheel {

namespace {

constexpr std::uint64_t wide = 0xffffffff; // the field is in zip64's extra field
/// From this size on a member's sizes are in zip64's: below it, they fit after compression too, which is
/// known only after the header was written.
constexpr std::uint64_t least_wide = 0xf0000000;
/// Of what one thread compresses at a time, and of what a match may refer to before that.
constexpr std::size_t block = std::size_t{1} << 20U, window = std::size_t{32} << 10U;

std::string number(std::uint64_t value, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i, value >>= 8U)
    bytes += static_cast<char>(value & 0xffU);
  return bytes;
}

/// The time in the low half, the date in the high one.
std::uint64_t dos_date(std::int64_t seconds) {
  using namespace std::chrono;
  constexpr std::int64_t first = 315532800, last = 4354819198; // 1980-01-01 to 2107-12-31 23:59:58
  const sys_seconds time{std::chrono::seconds(std::clamp(seconds, first, last))};
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  const auto year = static_cast<unsigned>(static_cast<int>(date.year()) - 1980);
  const unsigned high =
      year << 9U | static_cast<unsigned>(date.month()) << 5U | static_cast<unsigned>(date.day());
  const auto low = static_cast<unsigned>(clock.hours().count() << 11 | clock.minutes().count() << 5 |
                                         clock.seconds().count() / 2);
  return static_cast<std::uint64_t>(high) << 16U | low;
}

/// A part of a member: what is compressed, and what comes before it.
struct Block {
  std::string bytes; ///< up to `window` of the previous part, then the part
  std::size_t before = 0;
  bool is_last = false;
};

/// A block of a stream of deflate that ends at a whole byte, so that blocks are concatenated. Empty if there
/// is not enough memory.
std::string deflated(const Block& part, int level) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL - 1, Z_DEFAULT_STRATEGY) != Z_OK)
    return {};
  auto* const bytes = reinterpret_cast<Bytef*>(const_cast<char*>(part.bytes.data()));
  const auto before = static_cast<uInt>(part.before),
             size = static_cast<uInt>(part.bytes.size() - part.before);
  if (before != 0)
    deflateSetDictionary(&stream, bytes, before);
  constexpr std::size_t flush = 16; // what ending a block at a byte takes
  std::string packed(deflateBound(&stream, size) + flush, '\0');
  stream.next_in = bytes + before;
  stream.avail_in = size;
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  ::deflate(&stream, part.is_last ? Z_FINISH : Z_SYNC_FLUSH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// Cuts content into blocks.
class Blocks {
public:
  explicit Blocks(const binary::Blob& content) : content_(content) {}

  bool at_end() const { return offset_ == content_.size(); }

  Result<Block> next() {
    const std::uint64_t begin = offset_ - std::min<std::uint64_t>(offset_, window);
    const std::uint64_t end = std::min<std::uint64_t>(content_.size(), offset_ + block);
    Block part{std::string(static_cast<std::size_t>(end - begin), '\0'),
               static_cast<std::size_t>(offset_ - begin), end == content_.size()};
    TRY_ASSIGN(const auto count, content_.read(begin, part.bytes));
    if (count != part.bytes.size())
      return failure("it became shorter while it was read");
    offset_ = end;
    return part;
  }

private:
  const binary::Blob& content_;
  std::uint64_t offset_ = 0;
};

} // namespace

bool ZipWriter::Written::is_wide() const {
  return size >= least_wide || packed >= wide;
}

ZipWriter::ZipWriter(int descriptor, std::int64_t modified)
    : descriptor_(descriptor), date_(dos_date(modified)) {}

Result<void> ZipWriter::write(std::string_view bytes) {
  if (!write_all(descriptor_, bytes))
    return failure(binary::system_reason());
  offset_ += bytes.size();
  return {};
}

/// What local headers and the central directory have in common.
std::string ZipWriter::fields(const Written& entry, std::size_t extra) const {
  constexpr std::uint64_t version = 20, version_of_zip64 = 45, utf8 = 1U << 11U, deflated = 8;
  const bool is_ascii = std::none_of(entry.member.name.begin(), entry.member.name.end(),
                                     [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  return number(entry.is_wide() ? version_of_zip64 : version, 2) + number(is_ascii ? 0 : utf8, 2) +
         number(entry.is_deflated ? deflated : 0, 2) + number(date_, 4) + number(entry.crc, 4) +
         number(entry.is_wide() ? wide : entry.packed, 4) + number(entry.is_wide() ? wide : entry.size, 4) +
         number(entry.member.name.size(), 2) + number(extra, 2);
}

Result<void> ZipWriter::begin(const Written& entry) {
  const std::string extra =
      entry.is_wide() ? number(1, 2) + number(16, 2) + number(entry.size, 8) + number(entry.packed, 8) : "";
  return write("PK\3\4" + fields(entry, extra.size()) + entry.member.name + extra);
}

Result<void> ZipWriter::copy(const ZipMember& member, const PackedData& data) {
  Written entry{member, offset_, data.bytes.size(), data.size, data.crc, data.is_deflated};
  TRY(begin(entry));
  if (auto written = binary::write_pieces(data.bytes, {binary::Piece::of(0, data.bytes.size())}, descriptor_);
      !written)
    return written;
  offset_ += data.bytes.size();
  entries_.push_back(std::move(entry));
  return {};
}

Result<void> ZipWriter::deflate(const binary::Blob& content, const Compression& how,
                                const std::function<void(std::string_view)>& see, Written& entry) {
  Blocks blocks(content);
  std::uint64_t packed = 0;
  while (!blocks.at_end()) {
    std::vector<Block> parts;
    for (unsigned i = 0; i < std::max(1U, how.threads) && !blocks.at_end(); ++i) {
      TRY_ASSIGN(auto part, blocks.next());
      parts.push_back(std::move(part));
    }
    // Where no thread can be made, what may be deferred is.
    const auto policy =
        parts.size() == 1 ? std::launch::deferred : std::launch::async | std::launch::deferred;
    std::vector<std::future<std::string>> working;
    for (const Block& part : parts)
      working.push_back(std::async(policy, [&part, level = how.level] {
        return level == 0 ? part.bytes.substr(part.before) : deflated(part, level);
      }));
    for (const Block& part : parts) {
      const std::string_view bytes = std::string_view(part.bytes).substr(part.before);
      entry.crc = static_cast<std::uint32_t>(
          crc32_z(entry.crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
      see(bytes);
    }
    for (std::future<std::string>& one : working) {
      const std::string bytes = one.get();
      if (bytes.empty())
        return failure("there is not enough memory to compress it");
      TRY(write(bytes));
      packed += bytes.size();
    }
  }
  entry.packed = packed;
  return {};
}

Result<void> ZipWriter::compress(const ZipMember& member, const binary::Blob& content, const Compression& how,
                                 const std::function<void(std::string_view)>& see) {
  Written entry{member, offset_, 0, content.size(), 0, how.level != 0 && content.size() != 0};
  TRY(begin(entry));
  TRY(deflate(content, how, see, entry));
  // Now its sizes are known.
  const std::uint64_t end = offset_;
  const auto seek = [&](std::uint64_t to) {
    return lseek(descriptor_, static_cast<off_t>(to) - static_cast<off_t>(offset_), SEEK_CUR) >= 0;
  };
  if (!seek(entry.offset))
    return failure(binary::system_reason());
  offset_ = entry.offset;
  TRY(begin(entry));
  if (!seek(end))
    return failure(binary::system_reason());
  offset_ = end;
  entries_.push_back(std::move(entry));
  return {};
}

std::string ZipWriter::directory_entry(const Written& entry) const {
  constexpr std::uint64_t made_on_unix = 3U << 8U | 45U, regular = 0100000, plain = 0644, program = 0755;
  std::string extra;
  if (entry.is_wide())
    extra += number(entry.size, 8) + number(entry.packed, 8);
  if (entry.offset >= wide)
    extra += number(entry.offset, 8);
  if (!extra.empty())
    extra = number(1, 2) + number(extra.size(), 2) + extra;
  const std::uint64_t mode = regular | (entry.member.is_executable ? program : plain);
  return "PK\1\2" + number(made_on_unix, 2) + fields(entry, extra.size()) + number(0, 6) +
         number(mode << 16U, 4) + number(std::min(entry.offset, wide), 4) + entry.member.name + extra;
}

std::string ZipWriter::end_records(std::uint64_t directory_size) const {
  constexpr std::uint64_t most_entries = 0xffff, version = 45, rest_of_record = 44;
  const std::uint64_t count = entries_.size(), begin = offset_ - directory_size;
  std::string bytes;
  if (count >= most_entries || directory_size >= wide || begin >= wide)
    bytes = "PK\6\6" + number(rest_of_record, 8) + number(3U << 8U | version, 2) + number(version, 2) +
            number(0, 8) + number(count, 8) + number(count, 8) + number(directory_size, 8) +
            number(begin, 8) + "PK\6\7" + number(0, 4) + number(offset_, 8) + number(1, 4);
  const std::uint64_t narrow = std::min(count, most_entries);
  return bytes + "PK\5\6" + number(0, 4) + number(narrow, 2) + number(narrow, 2) +
         number(std::min(directory_size, wide), 4) + number(std::min(begin, wide), 4) + number(0, 2);
}

Result<void> ZipWriter::finish() {
  std::string directory;
  for (const Written& entry : entries_)
    directory += directory_entry(entry);
  TRY(write(directory));
  return write(end_records(directory.size()));
}

} // namespace hostpin::wheel

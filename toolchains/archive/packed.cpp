// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/archive/packed.hpp"

#include "toolchains/base/unicode.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/binary/decompress.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>
#include <zlib.h>

namespace hostpin {

namespace {

constexpr std::uint64_t most_in_memory = std::uint64_t{1} << 20U;
constexpr std::size_t piece = std::size_t{256} << 10U;

std::uint64_t two_bytes(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]) |
         static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at + 1])) << 8U;
}

/// Where decompressed bytes go: to memory, or to a file.
class Content final : public binary::Target {
public:
  explicit Content(std::uint64_t size) : left_(size), buffer_(piece) {}

  Result<void> open(const std::string& scratch) {
    TRY_ASSIGN(auto file, binary::open_scratch(scratch));
    file_ = std::move(file);
    return {};
  }

  std::span<char> space() override { return buffer_; }
  bool advance(std::size_t count) override { return add({buffer_.data(), count}); }

  bool add(std::string_view bytes) {
    crc_ = crc32_z(crc_, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    is_too_long_ = bytes.size() > left_;
    if (is_too_long_)
      return false;
    left_ -= bytes.size();
    if (file_ == nullptr)
      text_ += bytes;
    else if (!write_all(file_->descriptor(), bytes)) {
      reason_ = binary::system_reason();
      return false;
    }
    return true;
  }

  Result<binary::Blob> finished(std::uint32_t crc) {
    if (!reason_.empty())
      return failure("a temporary file cannot be written: " + reason_);
    if (is_too_long_ || left_ != 0 || crc_ != crc)
      return failure("it is damaged: its content has another size or CRC than its header");
    return file_ == nullptr ? Result<binary::Blob>(binary::Blob(std::move(text_)))
                            : binary::written_blob(file_->descriptor());
  }

private:
  std::uint64_t left_;
  std::vector<char> buffer_;
  std::shared_ptr<const binary::OpenFile> file_;
  std::string text_, reason_;
  uLong crc_ = 0;
  bool is_too_long_ = false;
};

Result<void> copy(const binary::Blob& stored, Content& content) {
  for (std::uint64_t done = 0; done < stored.size();) {
    const std::span<char> space = content.space();
    TRY_ASSIGN(const auto count, stored.read(done, space));
    if (count == 0 || !content.advance(count))
      break;
    done += count;
  }
  return {};
}

} // namespace

Result<PackedData> packed_data(const binary::Blob& zip, const DirectoryEntry& entry) {
  constexpr std::uint64_t header = 30;
  constexpr unsigned stored = 0, deflated = 8;
  const std::string bytes = zip.part(entry.offset, header).beginning(header);
  if (bytes.size() != header)
    return failure("its member " + escaped(entry.name) + " is cut short");
  if (entry.method != stored && entry.method != deflated)
    return failure("its member " + escaped(entry.name) + " is compressed by method " +
                       std::to_string(entry.method) + ", which not every installer knows",
                   "pack it again: python -m wheel unpack, then python -m wheel pack");
  const std::uint64_t begin = entry.offset + header + two_bytes(bytes, 26) + two_bytes(bytes, 28);
  PackedData data{zip.part(begin, entry.packed), entry.size, entry.crc, entry.method == deflated};
  if (begin > zip.size() || data.bytes.size() != entry.packed)
    return failure("its member " + escaped(entry.name) + " is cut short");
  return data;
}

Result<binary::Blob> decompressed(const PackedData& data, const std::string& scratch) {
  Content content(data.size);
  if (data.size > most_in_memory)
    TRY(content.open(scratch));
  binary::Inflater inflater;
  TRY(data.is_deflated ? inflater.deflate(data.bytes, content) : copy(data.bytes, content));
  return content.finished(data.crc);
}

} // namespace hostpin

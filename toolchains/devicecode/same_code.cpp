// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/devicecode/same_code.hpp"

#include "toolchains/devicecode/image.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

namespace hostpin::devicecode {

using namespace binary;

namespace {

constexpr std::uint64_t most_code = std::uint64_t{1} << 30U;
constexpr auto code_unreadable = "its device code cannot be read";

/// Whether only zeros are left, less than fill up eight bytes and end a text.
bool is_filling(const Bytes& code, std::uint64_t from) {
  const std::uint64_t left = code.size() - from;
  const auto view = left <= FatbinHead::alignment ? code.view(from, left) : std::nullopt;
  return view && view->find_first_not_of('\0') == std::string_view::npos;
}

/// Where two pieces of code differ.
Reading<std::optional<std::uint64_t>> code_difference(const Bytes& a, const Bytes& b) {
  const std::uint64_t common = std::min(a.size(), b.size());
  auto found = first_difference(a, 0, b, 0, common);
  if (!found || *found || (is_filling(a, common) && is_filling(b, common)))
    return found;
  return common;
}

/// Decompresses into memory.
class Memory final : public Target {
public:
  std::span<char> space() override {
    if (size_ == bytes_.size())
      bytes_.resize(std::max<std::size_t>(bytes_.size() * 2, std::size_t{64} << 10U));
    return std::span(bytes_).subspan(size_);
  }
  bool advance(std::size_t count) override {
    size_ += count;
    return size_ <= most_code;
  }
  std::string_view bytes() const { return std::string_view(bytes_).substr(0, size_); }

private:
  std::string bytes_;
  std::size_t size_ = 0;
};

/// Compares what is decompressed with code that is not compressed.
class Against final : public Target {
public:
  explicit Against(const Bytes& expected) : expected_(expected), buffer_(std::size_t{64} << 10U) {}

  std::span<char> space() override { return buffer_; }
  bool advance(std::size_t count) override {
    const InputFile piece(std::string_view(buffer_.data(), count));
    const std::uint64_t common = std::min<std::uint64_t>(count, expected_.size() - done_);
    const auto found = first_difference(expected_, done_, Bytes(piece), 0, common);
    readable_ = found.has_value();
    const std::string_view more = std::string_view(buffer_.data(), count).substr(common);
    extra_ += more.size();
    if (found && *found)
      differs_ = done_ + **found;
    else if (more.find_first_not_of('\0') != std::string_view::npos || extra_ > FatbinHead::alignment)
      differs_ = expected_.size();
    done_ += common;
    return readable_ && !differs_;
  }

  Reading<std::optional<std::uint64_t>> difference() const {
    if (!readable_)
      return damaged(code_unreadable);
    if (!differs_ && !is_filling(expected_, done_))
      return done_;
    return differs_;
  }

private:
  const Bytes& expected_;
  std::vector<char> buffer_;
  std::uint64_t done_ = 0, extra_ = 0;
  std::optional<std::uint64_t> differs_;
  bool readable_ = true;
};

Reading<bool> decompress(Inflater& inflater, const Readable& file, const EmbeddedCode& entry,
                         Target& target) {
  const Blob packed = file.blob.part(file.bytes.begin() + entry.at + entry.header, entry.size);
  const auto read =
      entry.packing == DevicePacking::lz4 ? inflater.lz4(packed, target) : inflater.zstd(packed, target);
  if (!read)
    return damaged("its device code cannot be decompressed: " + read.error().message, entry.at);
  return true;
}

Reading<Bytes> payload(const Readable& file, const EmbeddedCode& entry) {
  const auto part = file.bytes.part(entry.at + entry.header, entry.size);
  return part ? Reading<Bytes>(*part) : damaged(code_unreadable, entry.at);
}

/// One that is compressed with one that is not.
Reading<std::optional<std::uint64_t>> unpacked_difference(Inflater& inflater, const Readable& file,
                                                          const EmbeddedCode& entry, const Bytes& plain) {
  Against against(plain);
  TRY(decompress(inflater, file, entry, against));
  return against.difference();
}

bool is_stored_alike(const Bytes& a, const Bytes& b) {
  if (a.size() != b.size())
    return false;
  const auto found = first_difference(a, 0, b, 0, a.size());
  return found && !*found;
}

/// The header but for how and where the code is stored; empty if it cannot be read.
std::string meaning(const Readable& file, const EmbeddedCode& entry) {
  constexpr std::size_t sizes_at = 0x08, sizes_end = 0x14, flags_at = 0x28, unpacked_at = 0x38;
  constexpr std::size_t most = std::size_t{64} << 10U;
  std::string header(file.bytes.up_to(entry.at, std::min<std::size_t>(entry.header, most)));
  if (header.size() < DeviceCodeHead::bytes)
    return header;
  std::fill(header.begin() + sizes_at, header.begin() + sizes_end, '\0');
  std::fill_n(header.begin() + unpacked_at, 8, '\0');
  header[flags_at + 1] = static_cast<char>(header[flags_at + 1] & 0x5f); // both marks of compression
  return header;
}

} // namespace

Reading<std::optional<std::uint64_t>> first_difference(const Bytes& before, std::uint64_t at,
                                                       const Bytes& after, std::uint64_t to,
                                                       std::uint64_t size) {
  for (std::uint64_t done = 0; done < size;) {
    const std::uint64_t step = std::min<std::uint64_t>(size - done, Bytes::view_limit);
    const auto a = before.view(at + done, step), b = after.view(to + done, step);
    if (!a || !b)
      return damaged("it cannot be read", at + done);
    if (*a != *b)
      return done +
             static_cast<std::uint64_t>(std::mismatch(a->begin(), a->end(), b->begin()).first - a->begin());
    done += step;
  }
  return std::nullopt;
}

Reading<std::optional<std::string>> CodeComparison::difference(const Readable& before,
                                                               const EmbeddedCode& in_before,
                                                               const Readable& after,
                                                               const EmbeddedCode& in_after) {
  if (meaning(before, in_before) != meaning(after, in_after))
    return std::optional<std::string>("the header of its entry");
  const auto a = payload(before, in_before), b = payload(after, in_after);
  if (!a || !b)
    return tl::unexpected(a ? b.error() : a.error());
  Reading<std::optional<std::uint64_t>> found = std::nullopt;
  const bool a_packed = in_before.packing != DevicePacking::none,
             b_packed = in_after.packing != DevicePacking::none;
  if (!a_packed && !b_packed)
    found = code_difference(*a, *b);
  else if (in_before.packing == in_after.packing && is_stored_alike(*a, *b))
    return std::nullopt;
  else if (!a_packed)
    found = unpacked_difference(inflater_, after, in_after, *a);
  else if (!b_packed)
    found = unpacked_difference(inflater_, before, in_before, *b);
  else {
    Memory memory;
    TRY(decompress(inflater_, before, in_before, memory));
    if (memory.bytes().size() > most_code)
      return damaged("it has more device code in one piece than any real file", in_before.at);
    const InputFile code(memory.bytes());
    found = unpacked_difference(inflater_, after, in_after, Bytes(code));
  }
  if (!found)
    return tl::unexpected(found.error());
  return *found ? std::optional("its code, from byte " + hexadecimal(**found) + " on") : std::nullopt;
}

} // namespace hostpin::devicecode

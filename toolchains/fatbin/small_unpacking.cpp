// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/fatbin/small_unpacking.hpp"

#include "toolchains/binary/decompress.hpp"

#include <span>

namespace hostpin {

namespace {

/// Collects the decompressed payload until that is enough or too much.
class Text final : public Target {
public:
  Text(std::size_t limit, std::size_t enough) : limit_(limit), enough_(enough) {}

  std::span<char> space() override {
    bytes_.resize(size_ + 4096);
    return std::span(bytes_).subspan(size_);
  }
  bool advance(std::size_t count) override {
    size_ += count;
    return size_ <= limit_ && size_ < enough_;
  }

  std::optional<std::string> taken(const Result<void>& read) {
    if (!read || size_ > limit_)
      return std::nullopt;
    bytes_.resize(size_);
    return std::move(bytes_);
  }

private:
  std::size_t limit_, enough_;
  std::size_t size_ = 0;
  std::string bytes_;
};

} // namespace

std::optional<std::string> unpacked_lz4(std::string_view packed, std::size_t limit, std::size_t enough) {
  Text text(limit, enough);
  return text.taken(Inflater().lz4(Blob(std::string(packed)), text, enough));
}

std::optional<std::string> unpacked_small(binary::DevicePacking packing, std::string_view packed,
                                          std::size_t limit) {
  constexpr std::size_t all = std::string_view::npos;
  switch (packing) {
  case binary::DevicePacking::lz4:
    return unpacked_lz4(packed, limit, all);
  case binary::DevicePacking::zstd: {
    Text text(limit, all);
    return text.taken(Inflater().zstd(Blob(std::string(packed)), text));
  }
  case binary::DevicePacking::none:
    break;
  }
  return packed.size() <= limit ? std::optional(std::string(packed)) : std::nullopt;
}

} // namespace hostpin

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/pieces.hpp"

#include "toolchains/base/writing.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>

namespace hostpin::binary {

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 20U;

/// Collects small pieces, so that a file of thousands of them takes few system calls.
class Writer {
public:
  Writer(const Blob& source, int descriptor)
      : source_(source), descriptor_(descriptor), buffer_(new char[buffer_size]) {}

  Result<void> add(const Piece& piece) {
    for (std::uint64_t done = 0; done < piece.size;) {
      if (used_ == buffer_size)
        TRY(flush());
      const auto size =
          static_cast<std::size_t>(std::min<std::uint64_t>(piece.size - done, buffer_size - used_));
      TRY(fill(piece, done, {buffer_.get() + used_, size}));
      used_ += size;
      done += size;
    }
    return {};
  }

  Result<void> flush() {
    if (!write_all(descriptor_, {buffer_.get(), used_}))
      return failure(system_reason());
    used_ = 0;
    return {};
  }

private:
  Result<void> fill(const Piece& piece, std::uint64_t done, std::span<char> into) {
    if (!piece.from) {
      if (piece.bytes.empty())
        std::fill(into.begin(), into.end(), '\0');
      else
        piece.bytes.copy(into.data(), into.size(), static_cast<std::size_t>(done));
      return {};
    }
    TRY_ASSIGN(const auto read, source_.read(*piece.from + done, into));
    return read == into.size() ? Result<void>() : failure("it became shorter while it was read");
  }

  const Blob& source_;
  int descriptor_;
  std::unique_ptr<char[]> buffer_;
  std::size_t used_ = 0;
};

} // namespace

std::uint64_t size_of(const std::vector<Piece>& pieces) {
  std::uint64_t sum = 0;
  for (const Piece& piece : pieces)
    sum += piece.size;
  return sum;
}

Result<void> write_pieces(const Blob& source, const std::vector<Piece>& pieces, int descriptor) {
  Writer writer(source, descriptor);
  for (const Piece& piece : pieces)
    TRY(writer.add(piece));
  TRY(writer.flush());
  if (source.has_changed())
    return failure("it was written to while it was read");
  return {};
}

} // namespace hostpin::binary

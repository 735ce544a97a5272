// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/needles/needles.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::leak {

/// An occurrence of a needle, or of a path that normalises to it.
struct Hit {
  enum class How {
    exact,      ///< as the needle is spelt
    normalised, ///< a path such as `/opt/a/../gcc-11` that is the needle or below it
    hash,       ///< the hash of the needle's store path, without the path itself
  };
  enum class Encoding {
    bytes,
    utf16,
    escaped, ///< a backslash before each slash, as some writers of JSON do: `\/opt\/gcc-11`
  };

  std::uint32_t needle = 0; ///< index into NeedleSet::paths()
  std::uint64_t offset =
      0; ///< of the first byte (of an escaped path: of its slash), from the beginning of the stream
  std::uint64_t length = 0; ///< bytes: of the needle, of the whole path as written, or of the hash
  How how = How::exact;
  Encoding encoding = Encoding::bytes;
  /// Text directly precedes it: a relative path (`share/opt/gcc-11`), or two strings that a compiler placed
  /// next to each other without a NUL.
  bool attached = false;

  bool operator==(const Hit&) const = default;
};

/// The kernel copies files fastest into whole pages.
template <typename Value>
struct PageAligned {
  using value_type = Value;
  static constexpr std::size_t alignment = 4096;

  PageAligned() = default;
  template <typename Other>
  PageAligned(const PageAligned<Other>& /*other*/) {}
  Value* allocate(std::size_t count) {
    return static_cast<Value*>(::operator new (count * sizeof(Value), std::align_val_t{alignment}));
  }
  void deallocate(Value* values, std::size_t /*count*/) {
    ::operator delete (values, std::align_val_t{alignment});
  }
  bool operator==(const PageAligned&) const = default;
};

/// Searches for every needle in a stream of bytes, in pieces of any size. The hits do not depend on how the
/// stream is divided; their order is that of their slashes.
///
/// A needle counts if it is a whole path or begins one: `/opt/gcc-11` neither in `/opt/gcc-11.old` nor in
/// `/srv/root/opt/gcc-11`, but in `-L/opt/gcc-11/lib`. Hashes count anywhere. Paths that need normalising are
/// read up to the first white space or quote.
class NeedleScan {
public:
  using Report = std::function<void(const Hit&)>;

  /// Keeps a reference to `needles`. `piece`: bytes that can be written into `space()` at once.
  NeedleScan(const NeedleSet& needles, Report report, std::size_t piece = std::size_t{1} << 18U);

  /// Buffer for the next bytes; never empty.
  std::span<char> space();
  /// The first `count` bytes of `space()` are the stream's next ones.
  void advance(std::size_t count);
  /// Ends the stream. Another may follow, with offsets from zero.
  void finish();

  /// The bytes around a hit, for its report: the part of the stream in the buffer, with more than PATH_MAX
  /// bytes to either side as far as the stream has them, and the offset where it begins.
  std::string_view buffered() const { return {buffer_.data(), filled_}; }
  std::uint64_t buffered_from() const { return base_; }

private:
  /// Where a slash is looked up: in the buffer, or in a copy of it without the backslashes of an escaped
  /// path.
  struct Text {
    std::string_view bytes;
    std::size_t slash = 0;
    Hit::Encoding encoding = Hit::Encoding::bytes;
    std::size_t origin = 0; ///< of the slash in the buffer

    std::size_t stride() const { return encoding == Hit::Encoding::utf16 ? 2 : 1; }
  };

  void scan(std::size_t end);
  void scan_slashes(std::size_t begin, std::size_t end);
  void scan_hashes(std::size_t begin, std::size_t end);
  void look_up_hash(std::size_t at);
  bool is_spelt_out(const NeedleSet::Hash& hash, std::size_t at) const;
  bool is_escaped(std::size_t slash) const { return slash > 0 && buffer_[slash - 1] == '\\'; }
  std::optional<std::size_t> escaped_beginning(std::string_view path, std::size_t offset,
                                               std::size_t at) const;
  std::string unescaped_before(std::size_t slash) const;
  void check_slash(std::size_t slash);
  void check_escaped(std::size_t slash);
  void look_up(const Text& text, const NeedleSet::Windows& windows, std::size_t length);
  void look_up_among(const Text& text, std::size_t begin, const NeedleSet::Windows& windows,
                     std::uint32_t first, std::uint32_t last);
  void report(const Text& text, std::uint32_t needle, std::size_t begin);
  /// A path that normalises to a needle or below it, and where it begins.
  struct Detour {
    std::uint32_t needle = 0;
    std::size_t root = 0;
  };
  void check_detour(std::size_t slash);
  std::optional<Detour> detour_in(std::string_view bytes, std::size_t begin, std::size_t size) const;

  const NeedleSet& needles_;
  Report report_;
  std::size_t piece_;
  std::vector<char, PageAligned<char>> buffer_;
  Slashes::Positions positions_; ///< of slashes in the current block
  std::size_t filled_ = 0;       ///< bytes of the stream in the buffer
  std::size_t scanned_ = 0;      ///< of which these were scanned
  std::size_t detour_end_ = 0;   ///< end of the last path that was normalised, in the buffer
  std::uint64_t base_ = 0;       ///< offset of the buffer's first byte in the stream
};

} // namespace hostpin::leak

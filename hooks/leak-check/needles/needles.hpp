// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/needles/slashes.hpp"
#include "toolchains/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hostpin::leak {

// The few bytes by which a needle is found, shared by NeedleSet and NeedleScan.

inline constexpr std::size_t wide_window = 8;
inline constexpr std::size_t narrow_window = 4;
inline constexpr std::size_t hash_length = 32; ///< of a Nix or Guix store hash

inline std::uint64_t load_window(const char* bytes, std::size_t length) {
  std::uint64_t window = 0;
  std::memcpy(&window, bytes, length);
  return window;
}

/// Hashes a window to 64 bits, of which the high ones are the best mixed (Fibonacci hashing).
inline std::uint64_t mixed(std::uint64_t window) {
  return (window ^ (window >> 29U)) * 0x9E3779B97F4A7C15U;
}

/// A set of windows that rejects nearly all others: two bits for each, in one word, so that a lookup costs
/// one load. 32 KB: it has to fit into the first-level cache together with the bytes that are scanned.
class WindowFilter {
public:
  void add(std::uint64_t window) {
    words_.resize(word_count);
    words_[word_of(window)] |= bits_of(window);
  }
  /// Only to be called after `add`.
  bool may_hold(std::uint64_t window) const {
    const std::uint64_t bits = bits_of(window);
    return (words_[word_of(window)] & bits) == bits;
  }

private:
  static constexpr unsigned word_bits = 12;
  static constexpr std::size_t word_count = std::size_t{1} << word_bits;

  static std::size_t word_of(std::uint64_t window) {
    return static_cast<std::size_t>(mixed(window) >> (64U - word_bits));
  }
  static std::uint64_t bits_of(std::uint64_t window) {
    const std::uint64_t mix = mixed(window) >> (64U - word_bits - 12U);
    return std::uint64_t{1} << (mix & 63U) | std::uint64_t{1} << ((mix >> 6U) & 63U);
  }

  std::vector<std::uint64_t> words_;
};

/// Nix's base 32, which Guix uses too: digits and lower case letters without e, o, t and u.
inline constexpr bool is_hash_character(char c) {
  constexpr std::string_view left_out = "eotu";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z' && left_out.find(c) == std::string_view::npos);
}

/// An absolute path with `.`, `..` and repeated slashes resolved by their text alone, and without a final
/// slash.
/// `..` above the root stays at the root, as in the kernel.
std::string lexically_normal(std::string_view path);

/// The hash in a Nix or Guix store path, which identifies the path wherever it occurs: the first 32
/// characters of a component below `/store/`. Empty if there is none.
std::string_view store_hash(std::string_view path);

/// Absolute paths to search for in bytes, and the hashes of those that are store paths.
///
/// A path is searched for by one of its slashes: the eight bytes from there on are hashed, and the slash is
/// chosen so that few needles share them. The cost of a scan thus hardly depends on the number of needles.
class NeedleSet {
public:
  /// Paths are normalised, and duplicates dropped. An error names a path that is not absolute, or too short
  /// (under `shortest` bytes) to mean anything in a binary.
  static Result<NeedleSet> make(std::vector<std::string> paths);

  NeedleSet() = default;
  NeedleSet(NeedleSet&&) = default;
  NeedleSet& operator=(NeedleSet&&) = default;

  static constexpr std::size_t shortest = 4;
  static constexpr std::size_t longest = 4096; ///< PATH_MAX of Linux

  /// Normalised; a hit has the index into these.
  const std::vector<std::string>& paths() const { return paths_; }

  /// The longest needle that is this path or a directory above it.
  std::optional<std::uint32_t> covering(std::string_view normal_path) const;

private:
  friend class NeedleScan;

  struct Anchor {
    std::uint64_t window = 0; ///< the bytes from the slash on, as loaded from memory
    std::uint32_t needle = 0;
    std::uint32_t offset = 0; ///< of the slash in the needle
  };
  struct Hash {
    std::uint64_t window = 0; ///< its first eight characters
    std::uint32_t needle = 0;
    std::string text;
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  /// Needles that have the same window at the same offset.
  struct Alike {
    std::uint64_t window = 0;
    std::uint32_t offset = 0;
    std::uint32_t first = 0; ///< in `Windows::members`; the end is the next one's
  };
  struct Member {
    std::uint32_t needle = 0;
    std::uint32_t beginning = none; ///< the member that is the longest proper prefix of this one
  };
  /// Windows of one length: a filter that rejects most bytes, then a hash table, then the needles that share
  /// window and offset, sorted for a binary search.
  struct Windows {
    WindowFilter filter;
    std::vector<std::uint32_t> first; ///< of each bucket in `alike`, and one for the end
    std::vector<Alike> alike;         ///< sorted by bucket; one more at the end
    std::vector<Member> members;      ///< each group sorted by text
    unsigned shift = 0;               ///< 64 minus the bits of a bucket number
  };

  void choose_anchors();
  Windows arrange(std::vector<Anchor> anchors) const;
  void link_beginnings(Windows& windows) const;
  void want_slashes(const std::vector<Anchor>& anchors);

  std::vector<std::string> paths_;
  std::size_t longest_text_ = 0;                                ///< of `paths_`
  std::unordered_map<std::string_view, std::uint32_t> by_text_; ///< indices; views of `paths_`
  Windows wide_;                                                ///< windows of eight bytes
  Windows narrow_;                                              ///< of four, for short needles
  std::vector<Hash> hashes_;                                    ///< sorted by window and text
  Slashes slashes_;                                             ///< those that may begin a window
};

} // namespace hostpin::leak

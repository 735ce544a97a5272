// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/needles/slashes.hpp"
#include "hooks/leak-check/needles/window.hpp"
#include "toolchains/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hostpin {

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

} // namespace hostpin

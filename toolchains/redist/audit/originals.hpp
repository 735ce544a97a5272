// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/binary/bytes.hpp"
#include "toolchains/redist/tree/members.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace hostpin::redist {

/// Bytes of a RECORD that are read at most.
inline constexpr std::size_t longest_record = std::size_t{256} << 20U;

/// A file as NVIDIA published it.
struct Original {
  std::string name; ///< path in its archive, wheel or toolkit
  std::string file; ///< where it is on this machine; may be empty or absent
  std::uint64_t size = 0;
  std::size_t owner = 0; ///< index in `Originals::owners`
  std::string hash{};    ///< as RECORD has it; empty: not computed yet
};

/// What an original is from, and what proves that: `libcublas 12.4.5.8 linux-x86_64`, `archive ... of LOCK`.
struct OriginalOwner {
  std::string name, proof;
};

/// The files that others are compared with, found by SHA-256, by name, or by path.
class Originals {
public:
  /// An archive of a lock, unpacked in a store.
  void add_archive(const std::string& name, const std::string& proof, const std::string& directory,
                   const std::vector<Member>& members);
  /// NVIDIA's distributions that are installed in a site-packages directory, by the RECORD of each. An error
  /// if there is none.
  Result<void> add_site(const std::string& directory);
  /// The regular files of a toolkit. An error if it cannot be read, or has none.
  Result<void> add_toolkit(const std::string& directory);
  /// Hashes originals that are not hashed, if their size is one of these, with several threads. Files that
  /// cannot be read are left out.
  void hash(const std::set<std::uint64_t>& sizes);

  bool is_empty() const { return originals_.empty(); }
  /// Its content, if that is still what was published; else nothing.
  static std::optional<binary::Blob> content(const Original& original);
  const OriginalOwner& owner(const Original& original) const { return owners_[original.owner]; }
  const Original* with_hash(const std::string& sha256) const;
  /// Those whose names are that of a library but for versions after `.so`, or equal; at most 16.
  std::vector<const Original*> with_name(std::string_view name) const;
  /// Those with the same last two names of their paths; at most 16.
  std::vector<const Original*> with_path(std::string_view path) const;
  /// The SHA-256 of an open file that is an original, and has not changed since it was hashed; else empty.
  std::string hash_of(const struct stat& status) const;

private:
  using Stamp = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::int64_t, std::int64_t>;
  using Index = std::unordered_map<std::string, std::vector<std::size_t>>;
  static Stamp stamp(const struct stat& status);
  void add(Original original);
  std::vector<const Original*> found(const Index& index, const std::string& key) const;
  std::size_t add_owner(std::string name, std::string proof);

  std::vector<Original> originals_;
  std::vector<OriginalOwner> owners_;
  std::unordered_map<std::string, std::size_t> by_hash_;
  Index by_name_, by_path_;
  std::map<Stamp, std::string> stamps_;
};

/// SHA-256 of a file's content, 64 digits. The error is a reason.
Result<std::string> content_sha256(const binary::Blob& bytes);

} // namespace hostpin::redist

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/needles/scan.hpp"
#include "hooks/leak-check/scan/containers.hpp"
#include "hooks/leak-check/scan/elf.hpp"
#include "hooks/leak-check/scan/scanned_file.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/binary/decompress.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace hostpin::leak {

/// The member and section of a byte in a file.
struct HitLocation {
  std::vector<std::string> member;
  std::string section;
  std::uint64_t begin = 0; ///< of the member, from which offsets count
};

/// Maps bytes to locations. Thread-safe.
class HitLocations {
public:
  HitLocations() = default;
  HitLocations(const HitLocations&) = delete;
  HitLocations& operator=(const HitLocations&) = delete;
  virtual ~HitLocations() = default;

  virtual std::uint32_t at(std::uint64_t offset) = 0;
  virtual HitLocation location(std::uint32_t number) const = 0;
};

/// The same location everywhere.
class OneLocation final : public HitLocations {
public:
  OneLocation(std::vector<std::string> member, std::string section)
      : location_{std::move(member), std::move(section), 0} {}

  std::uint32_t at(std::uint64_t /*offset*/) override { return 0; }
  HitLocation location(std::uint32_t /*number*/) const override { return location_; }

private:
  HitLocation location_;
};

/// Maps bytes to sections; where sections overlap, to the one that begins last.
class SectionMap {
public:
  explicit SectionMap(const std::vector<ElfSection>& sections = {});

  /// Its name; empty between sections, as in the headers.
  const std::string& at(std::uint64_t offset) const { return names_[index_at(offset)]; }
  /// 0 between sections.
  std::uint32_t index_at(std::uint64_t offset) const;
  const std::string& name(std::uint32_t index) const { return names_[index]; }

private:
  struct Range {
    std::uint64_t begin = 0, end = 0;
    std::uint32_t name = 0;
  };
  std::vector<Range> ranges_;
  std::vector<std::string> names_ = {std::string()};
};

/// Sections of one file; mapped on first use, because most files have no hits.
class ElfLocations final : public HitLocations {
public:
  /// Keeps a reference to the sections until the first use.
  ElfLocations(std::vector<std::string> member, const std::vector<ElfSection>& sections)
      : member_(std::move(member)), sections_(sections) {}

  std::uint32_t at(std::uint64_t offset) override {
    std::call_once(once_, [&] { map_ = SectionMap(sections_); });
    return map_.index_at(offset);
  }
  HitLocation location(std::uint32_t number) const override { return {member_, map_.name(number), 0}; }

private:
  std::vector<std::string> member_;
  const std::vector<ElfSection>& sections_;
  std::once_flag once_;
  SectionMap map_;
};

/// Members of an archive, and the sections of ELF members, which are read on demand.
class ArLocations final : public HitLocations {
public:
  ArLocations(binary::Blob archive, std::vector<std::string> member, ArIndex members)
      : archive_(std::move(archive)), member_(std::move(member)), members_(std::move(members)) {}

  std::uint32_t at(std::uint64_t offset) override;
  HitLocation location(std::uint32_t number) const override;

private:
  /// The member of the last lookup, and its sections.
  struct Last {
    std::size_t index = 0;
    ArMember member;
    SectionMap sections;
  };
  std::uint32_t number_of(std::size_t member, std::string section);

  binary::Blob archive_;
  std::vector<std::string> member_;
  ArIndex members_;
  mutable std::mutex mutex_;
  std::map<std::pair<std::size_t, std::string>, std::uint32_t> numbers_;
  std::vector<std::pair<std::size_t, std::string>> locations_; ///< member and section
  std::optional<Last> last_;
};

/// The hits in a part of a file, grouped by location and needle, so that a hostile file takes little memory.
class HitCollector {
public:
  /// `most_kinds`: number of groups; hits of further ones are dropped.
  explicit HitCollector(std::size_t most_kinds = 50'000) : most_kinds_(most_kinds) {}

  /// `bytes`: those around the hit, beginning at `from` in the same stream. `shift` is added to its
  /// offset.
  void add(const Hit& hit, std::uint64_t shift, std::uint32_t location, std::string_view bytes,
           std::uint64_t from);

  /// Appends those of the next part of the same file.
  void append(HitCollector&& next);

  /// Moves them out, sorted, with `path` as their location.
  std::vector<FoundNeedle> take(const HitLocations& locations, const std::string& path);

  /// Whether hits were dropped.
  bool is_full() const { return full_; }

private:
  /// HitLocation, needle, and kind of hit.
  using Key = std::tuple<std::uint32_t, std::uint32_t, Hit::How, Hit::Encoding, bool>;
  std::size_t most_kinds_;
  std::map<Key, FoundNeedle> hits_; ///< without `where`; offsets are those of the file
  bool full_ = false;
};

/// Searches files and streams for needles, one after the other; not thread-safe.
class ContentScan final : public binary::Target {
public:
  /// Keeps a reference to `needles`.
  explicit ContentScan(const NeedleSet& needles);

  /// The hits that begin in that range of the blob. Together, ranges that cover the blob give the same hits,
  /// however it is divided, except that a path that needs normalising may be missed after more than PATH_MAX
  /// bytes without a separator.
  Result<void> range(const binary::Blob& blob, std::uint64_t begin, std::uint64_t end,
                     HitLocations& locations, HitCollector& hits, LinkedIn& linked_in);

  /// Begins a stream that is written into `space()`, until `finish`.
  void start(HitLocations& locations, HitCollector& hits);
  std::span<char> space() override { return scan_.space(); }
  bool advance(std::size_t count) override {
    scan_.advance(count);
    return true;
  }
  void finish() { scan_.finish(); }

private:
  void report(const Hit& hit);

  NeedleScan scan_;
  HitLocations* locations_ = nullptr;
  HitCollector* hits_ = nullptr;
  std::uint64_t shift_ = 0;               ///< of the stream's beginning in the blob
  std::uint64_t begin_ = 0, end_ = ~0ULL; ///< hits outside are not reported
};

} // namespace hostpin::leak

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/archive/ar.hpp"
#include "hooks/leak-check/elf/sections.hpp"
#include "toolchains/binary/blob.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace hostpin {

/// The member and section of a byte in a file.
struct Place {
  std::vector<std::string> member;
  std::string section;
  std::uint64_t begin = 0; ///< of the member, from which offsets count
};

/// Maps bytes to places. Thread-safe.
class Places {
public:
  Places() = default;
  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;
  virtual ~Places() = default;

  virtual std::uint32_t at(std::uint64_t offset) = 0;
  virtual Place place(std::uint32_t number) const = 0;
};

/// The same place everywhere.
class OnePlace final : public Places {
public:
  OnePlace(std::vector<std::string> member, std::string section)
      : place_{std::move(member), std::move(section), 0} {}

  std::uint32_t at(std::uint64_t /*offset*/) override { return 0; }
  Place place(std::uint32_t /*number*/) const override { return place_; }

private:
  Place place_;
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
class ElfPlaces final : public Places {
public:
  /// Keeps a reference to the sections until the first use.
  ElfPlaces(std::vector<std::string> member, const std::vector<ElfSection>& sections)
      : member_(std::move(member)), sections_(sections) {}

  std::uint32_t at(std::uint64_t offset) override {
    std::call_once(once_, [&] { map_ = SectionMap(sections_); });
    return map_.index_at(offset);
  }
  Place place(std::uint32_t number) const override { return {member_, map_.name(number), 0}; }

private:
  std::vector<std::string> member_;
  const std::vector<ElfSection>& sections_;
  std::once_flag once_;
  SectionMap map_;
};

/// Members of an archive, and the sections of ELF members, which are read on demand.
class ArPlaces final : public Places {
public:
  ArPlaces(Blob archive, std::vector<std::string> member, ArIndex members)
      : archive_(std::move(archive)), member_(std::move(member)), members_(std::move(members)) {}

  std::uint32_t at(std::uint64_t offset) override;
  Place place(std::uint32_t number) const override;

private:
  /// The member of the last lookup, and its sections.
  struct Last {
    std::size_t index = 0;
    ArMember member;
    SectionMap sections;
  };
  std::uint32_t number_of(std::size_t member, std::string section);

  Blob archive_;
  std::vector<std::string> member_;
  ArIndex members_;
  mutable std::mutex mutex_;
  std::map<std::pair<std::size_t, std::string>, std::uint32_t> numbers_;
  std::vector<std::pair<std::size_t, std::string>> places_; ///< member and section
  std::optional<Last> last_;
};

} // namespace hostpin

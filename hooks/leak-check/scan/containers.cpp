// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/containers.hpp"

#include "toolchains/binary/kind.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

namespace hostpin::leak {

namespace {

binary::ArchiveReader reader_of(const binary::InputFile& file) {
  const binary::Bytes bytes(file);
  return binary::ArchiveReader(bytes, binary::archive_kind(bytes.up_to(0, 8)));
}

ArMember member_of(binary::ArchiveMember&& found) {
  return {std::move(found.name), found.header, found.begin, found.content ? found.content->size() : 0,
          found.is_table};
}

Error error_of(const binary::InputFile& file, const binary::Damage& damage) {
  if (auto trouble = file.trouble())
    return *std::move(trouble);
  const std::string at = std::to_string(damage.at);
  return {damage.cut ? "it is cut short: a member at byte " + at + " ends after its end"
                     : "it is damaged: no member begins at byte " + at,
          {}};
}

} // namespace

Result<void> read_ar(const binary::Blob& archive, const std::function<bool(const ArMember&)>& visit) {
  const binary::InputFile file(archive);
  binary::ArchiveReader reader = reader_of(file);
  for (;;) {
    auto next = reader.next_or_table();
    if (!next)
      return tl::unexpected(error_of(file, next.error()));
    if (!*next || !visit(member_of(**std::move(next))))
      return {};
  }
}

ArIndex::ArIndex(const binary::Blob& archive)
    : file_(std::make_unique<const binary::InputFile>(archive)), reader_(reader_of(*file_)) {}

std::optional<ArMember> ArIndex::member(std::size_t index) const {
  auto found = reader_.at(headers_[index]);
  return found && *found ? std::optional(member_of(**std::move(found))) : std::nullopt;
}

std::optional<std::size_t> ArIndex::at(std::uint64_t offset) const {
  const auto after = std::upper_bound(headers_.begin(), headers_.end(), offset);
  if (after == headers_.begin())
    return std::nullopt;
  const auto index = static_cast<std::size_t>(std::prev(after) - headers_.begin());
  const auto before = member(index);
  const bool within = before && offset >= before->offset && offset - before->offset < before->size;
  return within ? std::optional(index) : std::nullopt;
}

namespace {

bool is_elf(const binary::Blob& section, std::uint64_t offset) {
  return section.part(offset, 4).beginning(4) == "\x7f"
                                                 "ELF";
}

FatbinEntry entry_of(const binary::Blob& section, const binary::EmbeddedCode& code) {
  FatbinEntry entry{code};
  entry.is_scrambled = code.packing == binary::DevicePacking::none &&
                       code.code == binary::DeviceCode::cubin && code.payload > 0 &&
                       !is_elf(section, entry.offset());
  return entry;
}

} // namespace

std::string FatbinEntry::name() const {
  const char* const what = head.code == binary::DeviceCode::ptx     ? "PTX"
                           : head.code == binary::DeviceCode::cubin ? "cubin"
                           : head.code == binary::DeviceCode::ltoir ? "LTO-IR"
                                                                    : "entry";
  return "sm_" + std::to_string(head.architecture) + ' ' + what;
}

bool holds_fatbins(std::string_view section) {
  return binary::role({}, section) == binary::SectionRole::device;
}

Result<void> read_fatbins(const binary::Blob& section, const std::function<bool(const FatbinEntry&)>& visit) {
  const binary::InputFile file(section);
  const auto each = [&](const std::vector<binary::EmbeddedCode>& fatbin) -> binary::Reading<bool> {
    return std::all_of(fatbin.begin(), fatbin.end(),
                       [&](const auto& code) { return visit(entry_of(section, code)); });
  };
  const auto read = binary::each_fatbin(binary::Bytes(file), each, true);
  return read ? Result<void>()
              : failure("its device code is cut short or damaged at byte " + std::to_string(read.error().at));
}

} // namespace hostpin::leak

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/packed/fatbin.hpp"

#include "toolchains/binary/kind.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace hostpin {

namespace {

bool is_elf(const Blob& section, std::uint64_t offset) {
  return section.part(offset, 4).beginning(4) == "\x7f"
                                                 "ELF";
}

FatbinEntry::Packing packing_of(binary::DevicePacking packing) {
  using Packing = FatbinEntry::Packing;
  if (packing == binary::DevicePacking::none)
    return Packing::none;
  return packing == binary::DevicePacking::lz4 ? Packing::lz4 : Packing::zstd;
}

FatbinEntry entry_of(const Blob& section, const binary::EmbeddedCode& code) {
  FatbinEntry entry{code, code.fatbin, code.at + code.header, packing_of(code.packing)};
  if (code.packing == binary::DevicePacking::none && code.code == binary::DeviceCode::cubin &&
      code.payload > 0 && !is_elf(section, entry.offset))
    entry.packing = FatbinEntry::Packing::unknown;
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

Result<void> read_fatbins(const Blob& section, const std::function<bool(const FatbinEntry&)>& visit) {
  const binary::InputFile file(section);
  const auto each = [&](const std::vector<binary::EmbeddedCode>& fatbin) -> binary::Reading<bool> {
    return std::all_of(fatbin.begin(), fatbin.end(),
                       [&](const auto& code) { return visit(entry_of(section, code)); });
  };
  const auto read = binary::each_fatbin(binary::Bytes(file), each, true);
  return read ? Result<void>()
              : failure("its device code is cut short or damaged at byte " + std::to_string(read.error().at));
}

} // namespace hostpin

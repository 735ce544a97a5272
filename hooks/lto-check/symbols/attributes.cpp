// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/symbols/attributes.hpp"

#include "hooks/lto-check/symbols/expected.hpp"

#include <algorithm>
#include <llvm/Bitcode/LLVMBitCodes.h>
#include <llvm/Bitstream/BitstreamReader.h>

namespace hostpin::lto {

namespace {

using llvm::BitstreamCursor;
using llvm::BitstreamEntry;
using Words = llvm::SmallVector<std::uint64_t, 64>;

bool worked(llvm::Error error) {
  const bool fine = !error;
  llvm::consumeError(std::move(error));
  return fine;
}

/// The newest attribute of one group: its number, what it belongs to, then attributes by the kind of their
/// value, as LLVM's BitcodeWriter has written them since 3.3.
std::uint64_t newest_of(const Words& record) {
  std::uint64_t newest = 0;
  for (std::size_t i = 2; i + 1 < record.size();) {
    const std::uint64_t form = record[i++];
    if (form == 3 || form == 4) { // texts, each ends in a zero
      for (std::uint64_t texts = form - 2; texts > 0 && i < record.size(); --texts)
        i = static_cast<std::size_t>(
                std::find(record.begin() + static_cast<std::ptrdiff_t>(i), record.end(), 0U) -
                record.begin()) +
            1;
      continue;
    }
    newest = std::max(newest, record[i++]);
    if (form > 6) // ranges of numbers have any number of words; no known attribute follows one
      break;
    i += form == 1 || form == 6 ? 1 : 0;
  }
  return newest;
}

/// Reads a block of groups to its end.
std::optional<std::uint64_t> newest_in_groups(BitstreamCursor& cursor) {
  std::uint64_t newest = 0;
  Words record;
  while (true) {
    const auto entry = value_of(cursor.advanceSkippingSubblocks());
    if (!entry || entry->Kind == BitstreamEntry::Error)
      return std::nullopt;
    if (entry->Kind == BitstreamEntry::EndBlock)
      return newest;
    record.clear();
    const auto code = value_of(cursor.readRecord(entry->ID, record));
    if (!code)
      return std::nullopt;
    if (*code == llvm::bitc::PARAMATTR_GRP_CODE_ENTRY)
      newest = std::max(newest, newest_of(record));
  }
}

std::optional<std::uint64_t> newest_in_module(BitstreamCursor& cursor) {
  std::uint64_t newest = 0;
  llvm::BitstreamBlockInfo info;
  cursor.setBlockInfo(&info);
  Words record;
  while (true) {
    const auto entry = value_of(cursor.advance());
    if (!entry || entry->Kind == BitstreamEntry::Error)
      return std::nullopt;
    if (entry->Kind == BitstreamEntry::EndBlock)
      return newest;
    if (entry->Kind == BitstreamEntry::Record) {
      record.clear();
      if (!value_of(cursor.readRecord(entry->ID, record)))
        return std::nullopt;
    } else if (entry->ID == llvm::bitc::PARAMATTR_GROUP_BLOCK_ID) {
      if (!worked(cursor.EnterSubBlock(entry->ID)))
        return std::nullopt;
      const auto found = newest_in_groups(cursor);
      if (!found)
        return std::nullopt;
      newest = std::max(newest, *found);
    } else if (entry->ID == llvm::bitc::BLOCKINFO_BLOCK_ID) {
      auto blocks = value_of(cursor.ReadBlockInfoBlock());
      if (!blocks || !*blocks)
        return std::nullopt;
      info = std::move(**blocks);
    } else if (entry->ID == llvm::bitc::FUNCTION_BLOCK_ID) {
      return newest; // groups come before all code
    } else if (!worked(cursor.SkipBlock())) {
      return std::nullopt;
    }
  }
}

} // namespace

std::optional<std::uint64_t> newest_attribute(std::string_view bitcode) {
  constexpr std::string_view magic = "BC\xC0\xDE";
  if (!bitcode.starts_with(magic))
    return std::nullopt;
  // The cursor needs a multiple of four bytes.
  bitcode = bitcode.substr(0, bitcode.size() / 4 * 4);
  BitstreamCursor cursor(llvm::StringRef(bitcode.data(), bitcode.size()));
  if (!worked(cursor.JumpToBit(magic.size() * 8)))
    return std::nullopt;
  while (!cursor.AtEndOfStream()) {
    const auto entry = value_of(cursor.advance());
    if (!entry || entry->Kind != BitstreamEntry::SubBlock)
      return std::nullopt;
    if (entry->ID == llvm::bitc::MODULE_BLOCK_ID)
      return worked(cursor.EnterSubBlock(entry->ID)) ? newest_in_module(cursor) : std::nullopt;
    if (!worked(cursor.SkipBlock()))
      return std::nullopt;
  }
  return std::nullopt;
}

} // namespace hostpin::lto

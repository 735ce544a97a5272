// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/bitstream/modules.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace hostpin::lto {

using namespace binary;

namespace {

// llvm/Bitcode/LLVMBitCodes.h and llvm/Bitstream/BitCodeEnums.h
constexpr std::string_view magic("BC\xC0\xDE", 4), wrapper_magic("\xDE\xC0\x17\x0B", 4);
constexpr std::uint64_t magic_number = 0xdec04342;
constexpr std::uint64_t wrapped_offset_at = 8, wrapped_size_at = 12;
constexpr std::uint64_t enter_block = 1, module_block = 8, identification_block = 13, names_block = 23;
constexpr std::uint64_t block_head =
    8; ///< abbreviation, block, width of its abbreviations; then its length in words
constexpr std::uint64_t largest_identification = 4096;
constexpr std::size_t most_blocks = std::size_t{1} << 20U;
/// In the host half of each .cu file: its label, and what registers it. Names are stored consecutively.
constexpr std::string_view device_label = "fatbinData", registration = "__cudaRegister";
/// The name of Clang's module flag for full LTO; ThinLTO has no such flag (seen with 13 to 19).
constexpr std::string_view full_lto_flag = "ThinLTO";

struct Block {
  std::uint64_t id = 0;
  std::uint64_t size = 0; ///< including its header
};

std::optional<Block> block_at(const Bytes& stream, std::uint64_t at) {
  const auto head = stream.little(at, 4);
  const auto words = stream.little(at + 4, 4);
  // The outermost abbreviations have two bits; the id is a number in groups of eight bits, of which one is
  // enough.
  if (!head || !words || (*head & 3U) != enter_block || (*head >> 2U & 0x80U) != 0)
    return std::nullopt;
  return Block{*head >> 2U & 0xffU, block_head + *words * 4};
}

/// The content of the wrapper, or everything.
std::optional<Bytes> unwrapped(const Bytes& bitcode) {
  if (bitcode.up_to(0, 4) != wrapper_magic)
    return bitcode;
  const auto offset = bitcode.little(wrapped_offset_at, 4);
  const auto size = bitcode.little(wrapped_size_at, 4);
  return offset && size ? bitcode.part(*offset, *size) : std::nullopt;
}

/// Visits the outermost blocks, until the visitor returns false.
Reading<bool> each_block(const Bytes& stream,
                         const std::function<Reading<bool>(const Block& block, std::uint64_t at)>& visit) {
  std::size_t blocks = 0;
  // LLVM ignores the last word: an archiver may have added padding.
  for (std::uint64_t at = magic.size(); at + block_head <= stream.size();) {
    if (++blocks > most_blocks)
      return damaged("its bitcode has more blocks than any real one");
    // Consecutive streams, as `ld -r` leaves them in a section.
    if (stream.little(at, 4) == magic_number) {
      at += magic.size();
      continue;
    }
    const auto block = block_at(stream, at);
    if (!block)
      return damaged("its bitcode contains something other than blocks");
    if (block->size > stream.size() - at)
      return damaged("a block of its bitcode reaches past its end");
    if (auto go_on = visit(*block, at); !go_on || !*go_on)
      return go_on;
    at += block->size;
  }
  return true;
}

/// The part that can be read as blocks.
Reading<Bytes> stream_of(const Bytes& bitcode) {
  const auto stream = unwrapped(bitcode);
  if (!stream)
    return damaged("the wrapper of its bitcode points past its end");
  if (stream->up_to(0, 4) != magic)
    return damaged("its bitcode does not begin with the magic number of bitcode");
  if (stream->size() % 4 != 0)
    return damaged("the size of its bitcode is not a multiple of four bytes");
  return *stream;
}

} // namespace

bool is_bitcode(std::string_view head) {
  return head.starts_with(magic) || head.starts_with(wrapper_magic);
}

Reading<bool> each_module(const Bytes& bitcode,
                          const std::function<Reading<bool>(std::string_view identification)>& visit) {
  TRY_ASSIGN(const auto stream, stream_of(bitcode));
  std::string identification;
  std::size_t modules = 0;
  auto read = each_block(stream, [&](const Block& block, std::uint64_t at) -> Reading<bool> {
    if (block.id == identification_block) {
      const auto bytes = block.size <= largest_identification ? stream.view(at, block.size) : std::nullopt;
      if (!bytes)
        return damaged("the identification of its bitcode cannot be read");
      identification = std::string(magic).append(*bytes);
    }
    if (block.id != module_block)
      return true;
    ++modules;
    auto go_on = visit(identification);
    identification.clear();
    return go_on;
  });
  if (read && modules == 0)
    return damaged("its bitcode ends before any module");
  return read;
}

bool is_full_host_half(const Bytes& bitcode) {
  const auto stream = stream_of(bitcode);
  if (!stream)
    return false;
  bool labelled = false;
  const auto read = each_block(*stream, [&](const Block& block, std::uint64_t at) -> Reading<bool> {
    if (block.id == names_block)
      if (const auto names = stream->part(at, block.size))
        labelled = names->holds(device_label).value_or(false) && names->holds(registration).value_or(false);
    return !labelled;
  });
  return read && labelled && stream->holds(full_lto_flag).value_or(false);
}

} // namespace hostpin::lto

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/elf/facts.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace hostpin {

namespace {

/// What a library cannot be without: a literal, found by four of its bytes that few others have in a row.
struct Trait {
  std::string_view text;
  std::size_t key; ///< where the four bytes begin
  bool ElfFacts::*fact;
};

constexpr std::array traits = {
    // libsupc++'s handler, which std::terminate is linked with whatever a program does
    Trait{"terminate called after throwing an instance of '", 7, &ElfFacts::has_libstdcxx},
    // the runtime's shared memory, as in libcudart_static.a of every release
    Trait{"/cudart.shm.", 1, &ElfFacts::has_cudart},
    Trait{"libcuda.so", 6, &ElfFacts::names_driver},
};
constexpr std::size_t longest = 48;
constexpr std::size_t window = std::size_t{64} << 10U; // stays in the second-level cache for all three

/// Whether the first four bytes of `key` stand anywhere in the block: byte by byte and without a branch, of
/// which compilers make vectors.
bool may_hold(const char* bytes, std::size_t count, std::string_view key) {
  const char first = key[0], second = key[1], third = key[2], fourth = key[3];
  unsigned char same = 0;
  for (std::size_t i = 0; i < count; ++i)
    same |= static_cast<unsigned char>((bytes[i] == first) & (bytes[i + 1] == second) &
                                       (bytes[i + 2] == third) & (bytes[i + 3] == fourth));
  return same != 0;
}

bool holds(std::string_view bytes, const Trait& trait) {
  constexpr std::size_t block = 1024, key_size = 4;
  const std::string_view key = trait.text.substr(trait.key, key_size);
  for (std::size_t at = 0; at + key_size <= bytes.size(); at += block) {
    const std::size_t count = std::min(block, bytes.size() - key_size + 1 - at);
    if (may_hold(bytes.data() + at, count, key)) {
      const std::size_t from = at - std::min(at, longest);
      if (bytes.substr(from, count + 2 * longest).find(trait.text) != std::string_view::npos)
        return true;
    }
  }
  return false;
}

bool is_constants(const ElfSection& section) {
  return section.is_loaded() && !section.is_compressed() && section.name.starts_with(".rodata");
}

} // namespace

Result<void> find_linked_in(const Blob& file, ElfFacts& facts) {
  std::vector<char> buffer(window);
  for (const ElfSection& section : facts.sections) {
    if (!is_constants(section))
      continue;
    const Blob constants = file.part(section.offset, section.size);
    for (std::uint64_t at = 0; at < constants.size(); at += window - longest) {
      const auto count = constants.read(at, buffer);
      if (!count)
        return tl::unexpected(count.error());
      for (const Trait& trait : traits)
        if (!(facts.*trait.fact))
          facts.*trait.fact = holds({buffer.data(), *count}, trait);
    }
  }
  return {};
}

} // namespace hostpin

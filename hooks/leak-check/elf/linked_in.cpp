// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/elf/linked_in.hpp"

#include <algorithm>
#include <cstddef>

namespace hostpin {

namespace {

/// A literal that a library always contains, found by two of its bytes that rarely occur at that distance.
struct Trait {
  std::string_view text;
  std::size_t first, second; ///< their offsets in it
  bool ElfFacts::*fact;
};

constexpr std::array traits = {
    // libsupc++'s handler, which every use of std::terminate links
    Trait{"terminate called after throwing an instance of '", 26, 46, &ElfFacts::has_libstdcxx},
    // the runtime's shared memory, as in libcudart_static.a of every release
    Trait{"/cudart.shm.", 7, 10, &ElfFacts::has_cudart},
    Trait{"libcuda.so", 2, 7, &ElfFacts::names_driver},
};
static_assert(std::all_of(traits.begin(), traits.end(),
                          [](const Trait& trait) { return trait.text.size() < LinkedIn::overlap; }));

/// Whether two bytes occur at that distance anywhere: byte by byte and without a branch, so that compilers
/// vectorize it.
[[gnu::always_inline]] inline bool has_pair(const char* bytes, std::size_t count, char first, char second,
                                            std::size_t distance) {
  const char* const further = bytes + distance;
  unsigned char same = 0;
  for (std::size_t i = 0; i < count; ++i)
    same |= static_cast<unsigned char>((bytes[i] == first) & (further[i] == second));
  return same != 0;
}

#if defined(__x86_64__)
/// The same with vectors of twice the length.
__attribute__((target("avx2"))) bool has_pair_avx2(const char* bytes, std::size_t count, char first,
                                                   char second, std::size_t distance) {
  return has_pair(bytes, count, first, second, distance);
}
#endif

bool may_hold(const char* bytes, std::size_t count, char first, char second, std::size_t distance) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0)
    return has_pair_avx2(bytes, count, first, second, distance);
#endif
  return has_pair(bytes, count, first, second, distance);
}

/// Whether the literal begins in the first `count` bytes.
bool begins_in(std::string_view bytes, std::size_t count, const Trait& trait) {
  const std::size_t most = bytes.size() - std::min(bytes.size(), trait.text.size() - 1);
  const std::size_t tried = std::min(count, most);
  return may_hold(bytes.data() + trait.first, tried, trait.text[trait.first], trait.text[trait.second],
                  trait.second - trait.first) &&
         bytes.substr(0, tried + trait.text.size() - 1).find(trait.text) != std::string_view::npos;
}

} // namespace

LinkedIn::LinkedIn(const std::vector<ElfSection>& sections) {
  static_assert(std::tuple_size_v<decltype(seen_)> == traits.size());
  for (const ElfSection& section : sections)
    if (section.is_loaded() && !section.is_compressed() && section.name.starts_with(".rodata"))
      constants_.push_back({section.offset, section.offset + std::min(section.size, ~section.offset)});
}

void LinkedIn::see(std::uint64_t offset, std::string_view bytes) {
  for (const Range& range : constants_) {
    const std::uint64_t begin = std::max(range.begin, offset);
    const std::uint64_t end = std::min(range.end, offset + bytes.size());
    if (begin >= end)
      continue;
    const std::string_view piece =
        bytes.substr(static_cast<std::size_t>(begin - offset), static_cast<std::size_t>(end - begin));
    constexpr std::size_t block = 4096; // fits into the first-level cache for all traits
    for (std::size_t at = 0; at < piece.size(); at += block)
      for (std::size_t i = 0; i < traits.size(); ++i)
        seen_[i] = seen_[i] || begins_in(piece.substr(at), block, traits[i]);
  }
}

void LinkedIn::merge(const LinkedIn& other) {
  for (std::size_t i = 0; i < traits.size(); ++i)
    seen_[i] = seen_[i] || other.seen_[i];
}

void LinkedIn::tell(ElfFacts& facts) const {
  for (std::size_t i = 0; i < traits.size(); ++i)
    facts.*traits[i].fact = seen_[i];
}

} // namespace hostpin

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/needles/slashes.hpp"

#include <bit>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace hostpin::leak {

namespace {

using Positions = Slashes::Positions;

std::size_t find_portable(const char* bytes, std::size_t count, Positions& positions) {
  std::size_t found = 0;
  const char* const end = bytes + count;
  for (const char* at = bytes; at < end; ++at) {
    at = static_cast<const char*>(std::memchr(at, '/', static_cast<std::size_t>(end - at)));
    if (at == nullptr)
      break;
    positions[found++] = static_cast<std::uint16_t>(at - bytes);
  }
  return found;
}

#if defined(__x86_64__)

/// Appends the positions of the set bits. Two are written whether they exist or not: in binary data one of
/// four such words has a bit, which no processor can predict.
inline std::size_t append(std::uint64_t bits, std::size_t at, Positions& positions, std::size_t found) {
  constexpr std::uint64_t last = std::uint64_t{1} << 63U; // without it, compilers add a branch for zero
  const auto count = static_cast<std::size_t>(std::popcount(bits));
  const auto next = [&] {
    const auto position =
        static_cast<std::uint16_t>(at + static_cast<std::size_t>(std::countr_zero(bits | last)));
    bits &= bits - 1;
    return position;
  };
  positions[found] = next();
  positions[found + 1] = next();
  for (std::size_t i = 2; i < count; ++i)
    positions[found + i] = next();
  return found + count;
}

__attribute__((target("avx2,bmi,popcnt"))) std::size_t find_avx2(const char* bytes, std::size_t count,
                                                                 Positions& positions) {
  const __m256i slash = _mm256_set1_epi8('/');
  std::size_t found = 0;
  for (std::size_t at = 0; at < count; at += 64) {
    const auto* const from = reinterpret_cast<const __m256i*>(bytes + at);
    const int low = _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(from), slash));
    const int high = _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(from + 1), slash));
    const std::uint64_t bits =
        static_cast<std::uint32_t>(low) | std::uint64_t{static_cast<std::uint32_t>(high)} << 32U;
    found = append(bits, at, positions, found);
  }
  return found;
}

__attribute__((target("avx512bw,bmi,popcnt"))) std::size_t find_avx512(const char* bytes, std::size_t count,
                                                                       Positions& positions) {
  const __m512i slash = _mm512_set1_epi8('/');
  std::size_t found = 0;
  for (std::size_t at = 0; at < count; at += 64)
    found = append(_mm512_cmpeq_epi8_mask(_mm512_loadu_si512(bytes + at), slash), at, positions, found);
  return found;
}

#endif

} // namespace

bool Slashes::has(Way way) {
#if defined(__x86_64__)
  if (way == Way::avx2)
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0;
  if (way == Way::avx512)
    return has(Way::avx2) && __builtin_cpu_supports("avx512bw") != 0;
#endif
  return way == Way::portable;
}

Slashes::Way Slashes::best() {
  return has(Way::avx512) ? Way::avx512 : has(Way::avx2) ? Way::avx2 : Way::portable;
}

std::size_t Slashes::find(const char* bytes, std::size_t count, Positions& positions) const {
  std::size_t found = 0;
  switch (way_) {
#if defined(__x86_64__)
  case Way::avx512:
    found = find_avx512(bytes, count, positions);
    break;
  case Way::avx2:
    found = find_avx2(bytes, count, positions);
    break;
#endif
  default:
    found = find_portable(bytes, count, positions);
  }
  while (found > 0 && positions[found - 1] >= count) // bytes past the end
    --found;
  std::size_t found_wanted = 0;
  for (std::size_t i = 0; i < found; ++i) { // without a branch, as above
    const std::uint16_t position = positions[i];
    positions[found_wanted] = position;
    found_wanted += wants(bytes + position + 1) ? 1U : 0U;
  }
  return found_wanted;
}

} // namespace hostpin::leak

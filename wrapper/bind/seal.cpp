// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/seal.hpp"

#include "toolchains/base/checksum.hpp"
#include "wrapper/plan/digest.hpp"

#include <cstddef>
#include <utility>

namespace hostpin {

namespace {

// File times must not be in the future, and every file system can represent 2000 to 2016.
constexpr std::uint64_t year_2000 = 946'684'800;
constexpr std::uint64_t sixteen_years = 504'921'600;
constexpr std::uint64_t second = 1'000'000'000;
// Where all times are the same (Nix, reproducible archives), only the size distinguishes bindings.
constexpr std::size_t longest_padding = 65536;

} // namespace

Sealed sealed(std::string executable, std::string_view plan) {
  const auto read = read_plan(plan);
  const std::string digest = read ? decision_digest(*read) : std::string(plan);
  // Another release of this program may run the same compilers in another way.
  const std::uint64_t number = checksum(executable, checksum(digest));
  const auto digits = hexadecimal(number);
  Sealed result{std::move(executable), 0};
  result.content.append("\nhostpin: bound ").append(digest).append(1, ' ');
  result.content.append(digits.data(), digits.size()).append(1, '\n');
  result.content.append(number % longest_padding, '\0');
  const std::uint64_t mixed = checksum({}, number);
  result.modified = static_cast<std::int64_t>((year_2000 + mixed % sixteen_years) * second + number % second);
  return result;
}

} // namespace hostpin

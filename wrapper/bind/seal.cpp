// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/seal.hpp"

#include "toolchains/base/checksum.hpp"
#include "wrapper/plan/digest.hpp"

#include <cstddef>
#include <utility>

namespace hostpin {

namespace {

// Times of files are not to lie in the future, and 2000 to 2016 is what every file system can say.
constexpr std::uint64_t year_2000 = 946'684'800;
constexpr std::uint64_t sixteen_years = 504'921'600;
constexpr std::uint64_t second = 1'000'000'000;
// Where times are all the same (Nix, archives made to be reproducible), the size is left to tell by.
constexpr std::size_t longest_padding = 65536;

} // namespace

Sealed sealed(std::string executable, std::string_view plan) {
  const auto read = read_plan(plan);
  const std::string digest = read ? decision_digest(*read) : std::string(plan);
  // Another release of this program may call the same compilers in another way.
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

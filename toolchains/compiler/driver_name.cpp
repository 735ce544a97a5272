// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/compiler/driver_name.hpp"

#include <array>
#include <tuple>

namespace hostpin {

namespace {

struct Stem {
  std::string_view name;
  int rank;
};

constexpr int rank_with_version = 0;
constexpr int rank_with_target = 3;

// `CC` is the C++ driver of a Cray and a C compiler elsewhere, so it is used only if the user names it.
constexpr std::array<Stem, 9> stems{{{"g++", 1},
                                     {"clang++", 1},
                                     {"c++", 2},
                                     {"icpx", 4},
                                     {"icpc", 4},
                                     {"nvc++", 4},
                                     {"mpicxx", 5},
                                     {"mpic++", 5},
                                     {"mpiCC", 5}}};

/// A triple has a dash inside, unlike `afl-` or `ccache-`; Amazon Linux names its second compiler
/// `gcc10-g++`.
bool is_target(std::string_view prefix) {
  if (prefix.starts_with("gcc"))
    return parse_version(prefix.substr(3)).has_value();
  return prefix.find('-') != std::string_view::npos && prefix.front() != '-';
}

} // namespace

std::optional<DriverName> driver_name(std::string_view name) {
  DriverName result;
  if (const std::size_t dash = name.rfind('-'); dash != std::string_view::npos) {
    if (const auto version = parse_version(name.substr(dash + 1))) {
      result.version = *version;
      name = name.substr(0, dash);
    }
  }
  for (const Stem& stem : stems) {
    if (!name.ends_with(stem.name))
      continue;
    const std::string_view prefix = name.substr(0, name.size() - stem.name.size());
    const bool prefixed =
        prefix.size() > 1 && prefix.back() == '-' && is_target(prefix.substr(0, prefix.size() - 1));
    if (!prefix.empty() && !prefixed)
      continue;
    result.target = prefixed ? prefix.substr(0, prefix.size() - 1) : prefix;
    result.stem = static_cast<int>(&stem - stems.data());
    result.rank = prefixed ? rank_with_target
                           : (result.version != Version{} && stem.rank == 1 ? rank_with_version : stem.rank);
    return result;
  }
  return std::nullopt;
}

bool comes_before(const DriverName& a, const DriverName& b) {
  return std::tie(a.rank, a.stem, b.version, a.target) < std::tie(b.rank, b.stem, a.version, b.target);
}

} // namespace hostpin

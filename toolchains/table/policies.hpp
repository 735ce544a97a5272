// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/base/version.hpp"

#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// The symbol versions that a file needs of the C and C++ libraries, the newest of each kind; 0 for none.
struct SystemNeeds {
  Version glibc;   ///< GLIBC_ of libc.so.6 and its parts
  Version glibcxx; ///< GLIBCXX_ of libstdc++.so.6
  Version cxxabi;  ///< CXXABI_ of the same
  Version gcc;     ///< GCC_ of libgcc_s.so.1

  bool operator==(const SystemNeeds&) const = default;

  /// Adds a version such as `GLIBCXX_3.4.30`; false for one of no such kind, which no policy lists.
  bool add(std::string_view version);
  /// The newest of both.
  void add(const SystemNeeds& other);
};

/// The architectures that the table has, as tags spell them.
inline constexpr std::array<std::string_view, 2> policy_architectures = {"x86_64", "aarch64"};

/// A manylinux policy on one architecture: what the systems have on which a wheel of that tag has to load.
struct ManylinuxPolicy {
  std::string name;                             ///< `manylinux_2_28`
  std::string legacy;                           ///< `manylinux2014`; empty if it has no such name
  std::string architecture;                     ///< `x86_64`
  SystemNeeds newest;                           ///< that a wheel may need
  std::set<std::string, std::less<>> libraries; ///< sonames of the system's libraries that it may need
  std::string source;

  /// Whether its systems have all of them.
  bool covers(const SystemNeeds& needs) const;
  /// The newest version of each kind, and those without a number that its systems have: `GLIBC_2.28`,
  /// `CXXABI_TM_1`.
  std::vector<std::string> versions() const;
};

/// Reads the rows of `directory`/policies.toml that have the architecture: rows ascend in each column, and
/// libraries are those of a row and all before it. Errors carry `file:line:column`; an architecture that the
/// table lacks has no rows.
Result<std::vector<ManylinuxPolicy>> load_policies(const Files& files, const std::string& directory,
                                                   std::string_view architecture);

/// The architecture of a platform tag: `aarch64` of `manylinux2014_aarch64`, `any` of `any`.
std::string architecture_of_tag(std::string_view tag);

/// The policy of exactly that name, older or newer, with or without the architecture. The error lists the
/// names.
Result<ManylinuxPolicy> policy_named(const std::vector<ManylinuxPolicy>& policies, std::string_view name);

/// The policy of a platform tag such as `manylinux_2_28_x86_64` or `manylinux2014_aarch64`. One that is not
/// in the table, such as `manylinux_2_25`, has that glibc (PEP 600), and all else of the row before it.
/// Nothing for other tags.
std::optional<ManylinuxPolicy> policy_of_tag(const std::vector<ManylinuxPolicy>& policies,
                                             std::string_view tag);

/// The first policy that covers the needs; null if none does.
const ManylinuxPolicy* lowest_policy(const std::vector<ManylinuxPolicy>& policies, const SystemNeeds& needs);

} // namespace hostpin

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::redist {

/// Files of NVIDIA's that a license agreement lists as redistributable, or does not.
struct ListedParts {
  std::vector<std::string> names; ///< patterns of fnmatch(3) for file names and sonames
  std::string agreement;          ///< with its version
  bool listed = true;
};

/// Libraries of NVIDIA's, by patterns of their sonames and of the versions that they define.
struct LibraryFamily {
  std::vector<std::string> names;
  std::string license; ///< of open source; empty: NVIDIA's
};

/// Code of NVIDIA's that is linked into other files: one of the texts is in them, also after strip.
struct LinkedPart {
  std::string part;                      ///< as the agreement names it: `libcudart_static.a`
  std::vector<std::string> texts;        ///< in what the host uses
  std::vector<std::string> device_texts; ///< in device code that is not compressed
};

/// The facts of `data/redist-audit.toml`.
struct AuditFacts {
  std::vector<ListedParts> parts;
  std::vector<LibraryFamily> families;
  std::vector<LinkedPart> linked;
  std::vector<std::string> open_licenses; ///< sentences of open licenses, in lower case
  std::vector<std::string> proprietary;   ///< those of NVIDIA's notices, likewise
  std::vector<std::string> program_texts; ///< one of which NVIDIA's programs contain
  std::vector<std::string> archives;      ///< patterns of names of archives, which are not opened
};

Result<AuditFacts> load_audit_facts(const Files& files, const std::string& data);

/// The first row with a pattern that matches the name; null: the license agreements that are known do not
/// say anything about it.
const ListedParts* listing_of(std::string_view name, const AuditFacts& facts);
/// The family of a soname or a version of symbols; null for others.
const LibraryFamily* family_of(std::string_view name, const AuditFacts& facts);
bool matches_any(std::string_view name, const std::vector<std::string>& patterns);

} // namespace hostpin::redist

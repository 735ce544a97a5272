// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/blob.hpp"
#include "toolchains/redist/audit/facts.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin::redist {

/// What the bytes of a file show of its origin, without any other file.
struct Nature {
  enum class Kind {
    other,       ///< nothing of NVIDIA's
    open_source, ///< NVIDIA's copyright with an open license
    nvidia,      ///< NVIDIA's marks
    linked,      ///< other code with NVIDIA's linked in
  };

  Kind kind = Kind::other;
  bool is_elf = false;
  bool is_damaged = false;         ///< an ELF file that the loader could not read
  std::string part;                ///< NVIDIA's name of it: the soname, or the file's name
  std::vector<std::string> linked; ///< parts that are linked in
  std::string why;                 ///< which mark; the license; or why the file is damaged
};

/// Never fails: a damaged file is described by what can be read of it. `name`: the file's, without
/// directories.
Nature nature_of(const binary::Blob& file, std::string_view name, const AuditFacts& facts);

/// The kind that the beginning of a text shows: by SPDX-License-Identifier, else by sentences of licenses.
Nature nature_of_text(std::string_view beginning, std::string_view name, const AuditFacts& facts);

} // namespace hostpin::redist

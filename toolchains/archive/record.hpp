// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// A row of RECORD.
struct RecordRow {
  std::string path;                  ///< below site-packages, with slashes
  std::string hash;                  ///< `sha256=` and the digest in base64url without padding; may be empty
  std::optional<std::uint64_t> size; ///< bytes; nothing if the row has none
};

/// Reads RECORD, which is CSV: fields may be quoted. The error names the line. At most 4 million rows.
Result<std::vector<RecordRow>> read_record(std::string_view text);

/// The rows as RECORD has them, with line ends of Unix.
std::string record_text(const std::vector<RecordRow>& rows);

/// Whether a member of a wheel with the directory `info` is RECORD, or a signature of it, which RECORD cannot
/// have a hash of.
bool is_record(std::string_view member, std::string_view info);

/// A SHA-256 digest, given in lower-case hexadecimal, as RECORD writes it:
/// `sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU`.
std::string record_hash(std::string_view digest);

} // namespace hostpin

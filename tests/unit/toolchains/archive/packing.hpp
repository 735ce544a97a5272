// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hostpin::test {

/// Names and contents; a name that ends in `@` is a symlink to its content.
using Packed = std::vector<std::pair<std::string, std::string>>;

/// `format` is `zip`, `stored zip`, `ustar` or `raw` (one member, without its name), `filter` is `none`,
/// `gzip`, `xz`, `zstd` or `bzip2`.
std::string packed(const std::string& format, const std::string& filter, const Packed& members);

/// `kind`: `xz` or `lzma`; `dictionary`: bytes that a decoder needs.
std::string xz_of(const std::string& bytes, const std::string& kind, std::uint32_t dictionary,
                  std::uint32_t literal_bits = 3);

std::string gzipped(const std::string& bytes);

/// An archive of ar, in GNU's format.
std::string ar_archive(const Packed& members);

struct TestSection {
  std::string name, bytes;
  std::uint64_t flags;
};

/// An ELF object of these sections and the section names.
std::string object_of(const std::vector<TestSection>& sections);

/// An ELF object of one section, in addition to the section names.
std::string object_with(const std::string& section, const std::string& bytes, std::uint64_t flags);

} // namespace hostpin::test

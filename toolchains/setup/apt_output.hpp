// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/setup/packages.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::setup {

/// Fields by lower-case name, as in deb822(5); continued lines are joined with newlines.
using Stanza = std::map<std::string, std::string, std::less<>>;

/// Stanzas of `apt-cache show`, `apt-get indextargets` and `.sources` files. Comments and lines that are no
/// field are skipped.
std::vector<Stanza> read_stanzas(std::string_view text);

/// The value, or empty.
const std::string& field(const Stanza& stanza, std::string_view name);

/// A line of `apt-get --print-uris`: 'ADDRESS' FILE BYTES HASH.
struct PrintedFile {
  std::string address, file;
  std::uint64_t bytes = 0;
  std::string name, version, architecture; ///< from the name of the file
};

/// Lines that are none of that form are skipped. The file's name is never a path.
std::vector<PrintedFile> read_printed_files(std::string_view text);

/// Where the packages of a suite come from.
struct AptSource {
  std::string address; ///< of the archive, with user and password if it has them
  std::string suite;   ///< as the machine's sources name it
  std::string origin;  ///< Debian or Ubuntu
  std::string entry;   ///< `FILE:NUMBER` of the source
};

/// The distribution's own source of one of these code names, in the output of `apt-get indextargets`. Third
/// parties use the same code names, but not component main of origin Debian or Ubuntu. If none has such a
/// name, as in a development release, the first suite that is none of updates counts.
std::optional<AptSource> own_source(std::string_view indextargets,
                                    const std::vector<std::string>& code_names);

/// The key file that an entry names: the number counts lines of a `.list` file, stanzas of a `.sources` file.
/// Empty if none is named, or the key itself is written there.
std::string named_key(std::string_view text, bool is_stanzas, std::size_t number);

/// What apt's messages mean: the network, the signature, the disk, or no such suite. `key` is the file that
/// was used.
Error apt_error(std::string_view messages, const std::string& suite, const std::string& key);

} // namespace hostpin::setup

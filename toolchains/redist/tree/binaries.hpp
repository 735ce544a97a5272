// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/elf.hpp"
#include "toolchains/gpus/capability.hpp"
#include "toolchains/redist/tree/content_facts.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::redist {

/// A program, a library or an archive of objects in a tree. Of Windows' only the kind and machine are known.
struct Binary {
  enum class Kind {
    program,
    library, ///< shared
    objects, ///< an archive of objects: a static library
  };

  std::string path;   ///< below the tree
  std::string output; ///< see `output_of`
  std::uint64_t size = 0;
  Kind kind = Kind::program;
  std::string machine; ///< as `Platform::machine`, or `machine-N`; empty: of none, as an empty archive
  std::string soname;  ///< may be empty
  std::vector<std::string> needed; ///< sonames of the libraries that the loader loads for it, in its order
  std::size_t versions = 0;        ///< version definitions
  std::string glibc;               ///< the newest version needed, `2.17`; empty if none
  std::string glibcxx;             ///< likewise, `3.4.21`
  std::string interpreter;         ///< the loader that a program names
  std::vector<binary::Refusal> refusals;     ///< what the loader refuses it for
  std::optional<std::string> rpath, runpath; ///< as found
  std::vector<std::string> opened;           ///< names that it may open at run time; sorted
  std::set<gpus::Capability> machine_code;   ///< that it has for GPUs
  std::set<gpus::Capability> ptx;            ///< likewise
  bool whole = true; ///< else some of it could not be read, and device code may be missing here
};

/// A file that claims to be of a format, and is damaged.
struct DamagedFile {
  std::string path;
  std::string what; ///< the end of a sentence about the file
};

/// Reads `directory`/`path`. Nothing if it is none of these kinds of files, or is damaged, which is appended
/// to `damaged`.
std::optional<Binary> read_binary(const std::string& directory, const std::string& path,
                                  const ContentFacts& facts, std::vector<DamagedFile>& damaged);

/// Names of known families (`ContentFacts::opened`) among the strings of a file, without those in
/// `except`: what it may open at run time. Sorted.
std::vector<std::string> names_opened(std::string_view bytes, const ContentFacts& facts,
                                      const std::vector<std::string>& except);

/// The name of the machine of an ELF file by its first 20 bytes; empty if it is none.
std::string elf_machine(std::string_view head);

} // namespace hostpin::redist

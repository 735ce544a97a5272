// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/bitstream/bitstream.hpp"
#include "hooks/lto-check/link/files.hpp"
#include "hooks/lto-check/symbols/memory_bound.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/binary/bytes.hpp"

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace hostpin::lto {

/// The content of the files of a link. A file is opened and read once, whatever the number of queries.
class Scans {
public:
  /// `in_link`: files that a link names may be of any kind; to GNU ld an empty one is an empty script.
  /// Otherwise they have to be inputs. A file with more members than fit within the bound is unreadable.
  /// `files` and `bound` must outlive this.
  Scans(const Files& files, bool in_link, MemoryBound& bound)
      : files_(files), in_link_(in_link), bound_(bound) {}

  /// Reads the files that a command names by path in advance: many files by several threads.
  void read_ahead(std::span<const cmdline::LinkerInput> inputs);

  /// The result for one path.
  struct Scan {
    Seen seen = Seen::nothing;
    /// Inputs with intermediate code or a defect; if there is none, the file itself. Empty if nothing exists
    /// at the path.
    std::vector<LtoInput> inputs;
  };
  /// Valid as long as this lives.
  const Scan& of(const std::string& path);

private:
  Scan scan(const std::string& path, binary::ReadBuffer& buffer) const;
  std::vector<LtoInput> inputs_in(const std::string& path, const binary::InputFile& file,
                                  bool may_be_empty) const;

  const Files& files_;
  bool in_link_;
  MemoryBound& bound_;
  binary::ReadBuffer buffer_;
  std::unordered_map<std::string, Scan> known_;
};

} // namespace hostpin::lto

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/bitstream/bitstream.hpp"
#include "hooks/lto-check/link/files.hpp"
#include "toolchains/base/files.hpp"

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace hostpin {

/// What is in the files of a link. A file is opened and read once, whoever asks for it and however often.
class Scans {
public:
  /// `empty_is_fine`: to GNU ld an empty file is a script without a word. `files` must outlive this.
  Scans(const Files& files, bool empty_is_fine) : files_(files), empty_is_fine_(empty_is_fine) {}

  /// Reads what a command names by path ahead of all questions: many files by several threads.
  void read_ahead(std::span<const NamedInput> inputs);

  Seen look(const std::string& path) { return of(path).seen; }

  /// Inputs with something for a compiler, or something wrong; of a file without any, itself. Empty when
  /// there is nothing at the path. Valid as long as this lives.
  const std::vector<LtoInput>& inputs(const std::string& path) { return of(path).inputs; }

private:
  struct Scan {
    Seen seen = Seen::nothing;
    std::vector<LtoInput> inputs;
  };
  Scan scan(const std::string& path) const;
  const Scan& of(const std::string& path);

  const Files& files_;
  bool empty_is_fine_;
  std::unordered_map<std::string, Scan> known_;
};

} // namespace hostpin

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace hostpin {

/// A name for one file, in a directory of its own that is gone with the value.
class ScratchFile {
public:
  ScratchFile(const std::string& directory, const std::string& name);
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile();

  /// Whether the directory could be made.
  bool made() const { return !directory_.empty(); }
  std::string path() const { return directory_ + '/' + name_; }
  bool write(const std::string& content) const;

private:
  std::string directory_, name_;
};

} // namespace hostpin

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/linker/scratch.hpp"

#include <cstdlib>
#include <fstream>
#include <unistd.h>
#include <utility>

namespace hostpin {

ScratchFile::ScratchFile(const std::string& directory, const std::string& name) : name_(name) {
  std::string pattern = directory + "/hostpin-lto.XXXXXX";
  if (::mkdtemp(pattern.data()) != nullptr)
    directory_ = std::move(pattern);
}

ScratchFile::~ScratchFile() {
  if (directory_.empty())
    return;
  ::unlink(path().c_str());
  ::rmdir(directory_.c_str());
}

bool ScratchFile::write(const std::string& content) const {
  std::ofstream file(path(), std::ios::binary);
  file << content;
  return file.flush().good();
}

} // namespace hostpin

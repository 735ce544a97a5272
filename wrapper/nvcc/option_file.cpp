// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/nvcc/option_file.hpp"

#include "toolchains/cmdline/tokens.hpp"

#include <utility>

namespace hostpin::nvcc {

std::unique_ptr<OptionFile> open_option_file(std::string path, const cmdline::ArgumentFiles& files) {
  auto file = std::make_unique<OptionFile>();
  if (const auto content = files.read(path, cmdline::ArgumentFiles::Pipes::read)) {
    file->sound = cmdline::split_option_file(content->text, file->text, file->words);
    file->gone = content->gone;
  }
  file->path = std::move(path);
  return file;
}

} // namespace hostpin::nvcc

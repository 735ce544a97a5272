// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/options/options.hpp"
#include "toolchains/redist/command/commands.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace hostpin::redist {

int print_help(const Context& context, const std::string& help) {
  std::fputs(options::wrapped_help(help, context.terminal.width()).c_str(), stdout);
  return exit_clean;
}

Result<void> check_output(const std::string& file) {
  if (file.empty() || file == "-")
    return {};
  const std::string directory = directory_of(file);
  if (is_directory(DiskFiles(), file))
    return failure("cannot write " + escaped(file) + ": it is a directory", "name a file in it");
  if (::access((directory + "/.").c_str(), W_OK | X_OK) != 0)
    return failure("cannot write " + escaped(file) + ": " + escaped(directory) + ": " + std::strerror(errno),
                   "create the directory, or name another file with -o");
  return {};
}

Result<void> write_output(const std::string& file, const std::string& text) {
  if (!file.empty() && file != "-")
    return replace_file(file, text, false);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return {};
}

} // namespace hostpin::redist

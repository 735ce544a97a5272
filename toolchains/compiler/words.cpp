// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/compiler/words.hpp"

#include "toolchains/cmdline/tokens.hpp"

#include <cstddef>

namespace hostpin {

Result<std::vector<std::string>> driver_words(const Files& files, const std::string& text) {
  constexpr std::string_view blanks = " \t";
  for (std::size_t end = text.size(); end != std::string::npos && end > 0;
       end = text.find_last_of(blanks, end - 1)) {
    const std::string path = text.substr(0, end);
    const auto status = path.find('/') == std::string::npos ? std::nullopt : files.status(path);
    if (!status || status->kind != FileStatus::Kind::regular)
      continue;
    return cmdline::command_words(std::string_view(text).substr(end))
        .map([&](std::vector<std::string>&& rest) {
          rest.insert(rest.begin(), path);
          return std::move(rest);
        });
  }
  return cmdline::command_words(text);
}

} // namespace hostpin

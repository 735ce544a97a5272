// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/libc/clash.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <utility>

namespace hostpin {

const char* to_string(Clash::Kind kind) {
  constexpr std::array<const char*, 3> words = {"exceptions", "types", "linkage"};
  return words[static_cast<std::size_t>(kind)];
}

std::string names(const std::vector<Clash>& clashes) {
  std::string text;
  for (std::size_t i = 0; i < clashes.size(); ++i)
    text += (i == 0 ? "" : i + 1 == clashes.size() ? " and " : ", ") + clashes[i].name;
  return text;
}

std::string places(const std::vector<Clash>& clashes) {
  std::vector<std::pair<std::string, std::set<unsigned>>> files;
  for (const auto side : {&Clash::libc, &Clash::toolkit})
    for (const Clash& clash : clashes) {
      const Clash::Declaration& declaration = clash.*side;
      auto file = std::find_if(files.begin(), files.end(),
                               [&](const auto& each) { return each.first == declaration.file; });
      if (file == files.end())
        file = files.insert(files.end(), {declaration.file, {}});
      file->second.insert(declaration.line);
    }
  std::string text;
  for (const auto& [file, lines] : files) {
    if (!text.empty())
      text += "; ";
    text += file;
    for (const unsigned line : lines) {
      text += line == *lines.begin() ? ':' : ',';
      text += std::to_string(line);
    }
  }
  return text;
}

} // namespace hostpin

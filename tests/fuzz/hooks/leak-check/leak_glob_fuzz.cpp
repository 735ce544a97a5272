// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first line is a glob, the rest a path; held against the definition, spelt out as a table of all
// prefixes.
#include "hooks/leak-check/finding/exceptions.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

using namespace hostpin;

namespace {

bool by_definition(std::string_view glob, std::string_view text) {
  std::vector<char> fits(text.size() + 1, 0); // whether the glob so far stands for the first i characters
  fits[0] = 1;
  for (std::size_t g = 0; g < glob.size(); ++g) {
    const bool star = glob[g] == '*';
    const bool deep = star && g + 1 < glob.size() && glob[g + 1] == '*';
    g += deep ? 1 : 0;
    std::vector<char> next(text.size() + 1, 0);
    for (std::size_t i = 0; i <= text.size(); ++i) {
      const bool stays = star && fits[i] != 0;
      const bool grows = star && i > 0 && next[i - 1] != 0 && (deep || text[i - 1] != '/');
      const bool one = !star && i > 0 && fits[i - 1] != 0 &&
                       (glob[g] == text[i - 1] || (glob[g] == '?' && text[i - 1] != '/'));
      next[i] = static_cast<char>(stays || grows || one);
    }
    fits = std::move(next);
  }
  return fits[text.size()] != 0;
}

} // namespace

std::vector<std::string> seeds() {
  return {"lib/*.so\nlib/a.so", "**/b*/c\na/bb/x/b1/c", "*a*b?\nxxaxxb/", "***/\na/b/"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), std::min<std::size_t>(size, 300));
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::string_view glob = input.substr(0, end);
  const std::string_view text = input.substr(std::min(end + 1, input.size()));
  if (leak::fits(glob, text) != by_definition(glob, text))
    std::abort();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/facts/flags.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace hostpin {

namespace {

enum class Shape { alone, next_word, prefix };

struct Row {
  std::string_view spelling;
  Shape shape;
};

// Ascending, so that a spelling is found once; a prefix stands before what it covers.
constexpr auto rows = std::to_array<Row>({{"-", Shape::alone},
                                          {"-###", Shape::alone},
                                          {"--save-temps", Shape::prefix},
                                          {"-E", Shape::alone},
                                          {"-M", Shape::alone},
                                          {"-MD", Shape::alone},
                                          {"-MF", Shape::next_word},
                                          {"-MG", Shape::alone},
                                          {"-MJ", Shape::next_word},
                                          {"-MM", Shape::alone},
                                          {"-MMD", Shape::alone},
                                          {"-MP", Shape::alone},
                                          {"-MQ", Shape::next_word},
                                          {"-MT", Shape::next_word},
                                          {"-S", Shape::alone},
                                          {"-Wp,-M", Shape::prefix},
                                          {"-c", Shape::alone},
                                          {"-dD", Shape::alone},
                                          {"-dI", Shape::alone},
                                          {"-dM", Shape::alone},
                                          {"-dN", Shape::alone},
                                          {"-dU", Shape::alone},
                                          {"-dumpbase", Shape::next_word},
                                          {"-dumpdir", Shape::next_word},
                                          {"-fdump-", Shape::prefix},
                                          {"-fsyntax-only", Shape::alone},
                                          {"-o", Shape::next_word},
                                          {"-save-temps", Shape::prefix}});
static_assert(std::is_sorted(rows.begin(), rows.end(),
                             [](const Row& a, const Row& b) { return a.spelling < b.spelling; }));

/// How many words the flag takes, 0 when it is to be kept. `-ofile` and `-MFfile` join their value.
std::size_t dropped_words(std::string_view flag) {
  for (const Row& row : rows) {
    if (flag == row.spelling)
      return row.shape == Shape::next_word ? 2 : 1;
    const bool joined =
        row.shape == Shape::prefix || (row.shape == Shape::next_word && row.spelling[1] != 'd');
    if (joined && flag.starts_with(row.spelling))
      return 1;
  }
  return 0;
}

} // namespace

std::vector<std::string> asking_flags(std::span<const std::string> flags) {
  // The word behind these is a value, whatever it looks like.
  constexpr auto takes_value = std::to_array<std::string_view>(
      {"-Xassembler", "-Xclang", "-Xlinker", "-Xpreprocessor", "-include", "-isystem"});
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const std::size_t dropped = dropped_words(flags[i]);
    if (dropped > 0) {
      i += dropped - 1;
      continue;
    }
    kept.push_back(flags[i]);
    if (std::find(takes_value.begin(), takes_value.end(), flags[i]) != takes_value.end() &&
        i + 1 < flags.size())
      kept.push_back(flags[++i]);
  }
  return kept;
}

} // namespace hostpin

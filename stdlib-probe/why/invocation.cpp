// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/invocation.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/compiler/driver_name.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>

namespace hostpin {

namespace {

enum class Shape { alone, next_word, prefix, joined_or_next };
enum class Fate { dropped, kept, refused };

struct Row {
  std::string_view spelling;
  Shape shape;
  Fate fate;
};

using enum Shape;
using enum Fate;

// Ascending. Of several that fit, the longest spelling counts. What is not here is a flag of one word, kept.
constexpr auto rows = std::to_array<Row>({
    {"--coverage", alone, kept},
    {"--param", next_word, kept},
    {"--save-temps", prefix, dropped},
    {"--serialize-diagnostics", next_word, dropped},
    {"--sysroot", next_word, kept},
    {"-A", joined_or_next, kept},
    {"-B", joined_or_next, kept},
    {"-D", joined_or_next, kept},
    {"-E", alone, dropped},
    {"-F", joined_or_next, kept},
    {"-I", joined_or_next, kept},
    {"-L", joined_or_next, kept}, // where a library lies decides which libstdc++ a link takes
    {"-M", alone, dropped},
    {"-MD", alone, dropped},
    {"-MF", joined_or_next, dropped},
    {"-MG", alone, dropped},
    {"-MJ", joined_or_next, dropped},
    {"-MM", alone, dropped},
    {"-MMD", alone, dropped},
    {"-MP", alone, dropped},
    {"-MQ", joined_or_next, dropped},
    {"-MT", joined_or_next, dropped},
    {"-S", alone, dropped},
    {"-T", joined_or_next, dropped},
    {"-U", joined_or_next, kept},
    {"-Wa,", prefix, kept},
    {"-Wl,", prefix, dropped},
    {"-Wp,-M", prefix, dropped},
    {"-Xassembler", next_word, kept},
    {"-Xclang", next_word, kept},
    {"-Xlinker", next_word, dropped},
    {"-Xpreprocessor", next_word, kept},
    {"-arch", next_word, kept},
    {"-aux-info", next_word, dropped},
    {"-c", alone, dropped},
    {"-cxx-isystem", joined_or_next, kept},
    {"-dumpbase", next_word, dropped},
    {"-dumpbase-ext", next_word, dropped},
    {"-dumpdir", next_word, dropped},
    {"-emit-llvm", alone, dropped},
    {"-fanalyzer", alone, dropped},
    {"-fcallgraph-info", prefix, dropped},
    {"-fdebug-prefix-map=", prefix, dropped},
    {"-fdeps-", prefix, dropped},
    {"-fdiagnostics-add-output=", prefix, dropped},
    {"-fdiagnostics-format=", prefix, dropped},
    {"-fdump-", prefix, dropped},
    {"-ffat-lto-objects", alone, dropped},
    {"-ffile-prefix-map=", prefix, dropped},
    {"-fgnat-", prefix, kept},
    {"-flto", prefix, dropped},
    {"-fmodule-mapper=", prefix, refused},
    {"-fmodule-only", alone, refused},
    {"-fmodules", alone, refused},
    {"-fmodules-ts", alone, refused},
    {"-foptimization-record-file=", prefix, dropped},
    {"-fsave-optimization-record", prefix, dropped},
    {"-fstack-usage", alone, dropped},
    {"-fsyntax-only", alone, dropped},
    {"-fthinlto-index=", prefix, dropped},
    {"-ftime-trace", prefix, dropped},
    {"-fuse-linker-plugin", alone, dropped},
    {"-fwhole-program-vtables", alone, dropped},
    {"-gsplit-dwarf", prefix, dropped},
    {"-gz", prefix, dropped},
    {"-idirafter", joined_or_next, kept},
    {"-iframework", joined_or_next, kept},
    {"-imacros", joined_or_next, kept},
    {"-imultilib", joined_or_next, kept},
    {"-include", joined_or_next, kept},
    {"-include-pch", next_word, kept},
    {"-iprefix", joined_or_next, kept},
    {"-iquote", joined_or_next, kept},
    {"-isysroot", joined_or_next, kept},
    {"-isystem", joined_or_next, kept},
    {"-ivfsoverlay", joined_or_next, kept},
    {"-iwithprefix", joined_or_next, kept},
    {"-iwithprefixbefore", joined_or_next, kept},
    {"-iwithsysroot", joined_or_next, kept},
    {"-l", joined_or_next, dropped},
    {"-mllvm", next_word, kept},
    {"-o", joined_or_next, dropped},
    {"-save-temps", prefix, dropped},
    {"-stdlib++-isystem", joined_or_next, kept},
    {"-target", next_word, kept},
    {"-u", next_word, dropped},
    {"-wrapper", next_word, dropped},
    {"-x", joined_or_next, kept},
    {"-z", joined_or_next, dropped},
});
static_assert(std::is_sorted(rows.begin(), rows.end(),
                             [](const Row& a, const Row& b) { return a.spelling < b.spelling; }));

bool fits(const Row& row, std::string_view word) {
  switch (row.shape) {
  case Shape::alone:
  case Shape::next_word:
    return word == row.spelling;
  case Shape::prefix:
  case Shape::joined_or_next:
    return word.starts_with(row.spelling);
  }
  return false;
}

const Row* row_of(std::string_view word) {
  const Row* best = nullptr;
  for (const Row& row : rows)
    if (fits(row, word) && (best == nullptr || best->spelling.size() < row.spelling.size()))
      best = &row;
  return best;
}

bool takes_next(const Row& row, std::string_view word) {
  return row.shape == Shape::next_word || (row.shape == Shape::joined_or_next && word == row.spelling);
}

constexpr auto launchers =
    std::to_array<std::string_view>({"buildcache", "ccache", "chrt", "distcc", "env", "gomacc", "icecc",
                                     "ionice", "nice", "nohup", "sccache", "taskset", "time"});

/// What a launcher's own words look like: options, settings of variables, numbers.
bool belongs_to_launcher(std::string_view word) {
  const std::size_t equals = word.find('=');
  return word.starts_with('-') || (equals != std::string_view::npos && equals < word.find('/')) ||
         std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::size_t driver_position(std::span<const std::string> words) {
  std::size_t at = 0;
  while (at < words.size() &&
         std::find(launchers.begin(), launchers.end(), base_name(words[at])) != launchers.end()) {
    ++at;
    while (at < words.size() && belongs_to_launcher(words[at]))
      ++at;
  }
  return at;
}

} // namespace

Result<Invocation> invocation(std::span<const std::string> words) {
  const std::size_t first = driver_position(words);
  if (first >= words.size() || words[first].empty() || words[first].front() == '-')
    return failure("the compile command names no compiler",
                   "write it as a build does: `-- g++ -std=c++20 -O2`");
  Invocation result;
  result.driver = words[first];
  if (base_name(result.driver).starts_with("nvcc"))
    return failure("the compile command is one of nvcc, which compiles by another compiler",
                   "give the command of its host compiler, with -x c++ and without what only nvcc knows; "
                   "`nvcc --dryrun` "
                   "shows it. To see what a .cu object needs: hostpin leak-check, or nm -u");
  for (std::size_t i = first + 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.empty() || word.front() != '-' || word == "-") {
      result.sources.push_back(word);
      continue;
    }
    const Row* const row = row_of(word);
    const bool two = row != nullptr && takes_next(*row, word) && i + 1 < words.size();
    if (row != nullptr && row->fate == refused)
      return failure("the compile command has " + word + ", and compiling a module writes its interface",
                     "C++ modules cannot be followed yet: check the object itself with nm -u");
    if (row == nullptr || row->fate == kept) {
      result.flags.push_back(word);
      if (two)
        result.flags.push_back(words[i + 1]);
    }
    i += two ? 1 : 0;
  }
  return result;
}

bool is_c(const Invocation& invocation, const std::string& source) {
  std::string language;
  for (std::size_t i = 0; i < invocation.flags.size(); ++i)
    if (const std::string& flag = invocation.flags[i]; flag.starts_with("-x"))
      language = flag.size() > 2                   ? flag.substr(2)
                 : i + 1 < invocation.flags.size() ? invocation.flags[i + 1]
                                                   : "";
  if (!language.empty() && language != "none")
    return language == "c";
  return source.ends_with(".c") && !driver_name(base_name(invocation.driver));
}

std::vector<std::string> object_command(const Invocation& invocation, Family family,
                                        const std::string& source, const std::string& object) {
  // A compiler may be a link to ccache, which needs no copy of this object.
  std::vector<std::string> words{"env", "CCACHE_DISABLE=1", invocation.driver};
  words.insert(words.end(), invocation.flags.begin(), invocation.flags.end());
  // -g never changes the code; Clang's -g1 leaves out which function of a name was inlined. -w: warnings were
  // seen in the build.
  for (const char* const flag : {family == Family::clang ? "-g2" : "-g1", "-w", "-c"})
    words.emplace_back(flag);
  words.push_back(source);
  words.emplace_back("-o");
  words.push_back(object);
  return words;
}

} // namespace hostpin

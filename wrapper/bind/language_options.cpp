// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/language_options.hpp"

#include "toolchains/cmdline/driver_options.hpp"

#include <array>
#include <string_view>

namespace hostpin::bind {

namespace {

enum class Match { whole, prefix };
enum class Part {
  language,  ///< how the stdenv's own sources are compiled
  toolchain, ///< which compiler, headers, libraries and target
};

struct Row {
  std::string_view text;
  Match match;
  Part part;
};

// The longest text that matches applies; how many values an option takes is in cmdline::driver_options().
// nvcc sees none of the options in $CXX: it chooses the standard itself, passes it to cudafe++, and the two
// must agree. So a row belongs to the toolchain only if objects compiled without it would be incompatible
// with those of the stdenv.
constexpr auto rows = std::to_array<Row>({
    {"--ansi", Match::whole, Part::language},
    {"--define-macro", Match::prefix, Part::language},
    {"--include", Match::prefix, Part::language},
    {"--language", Match::prefix, Part::language},
    {"--param", Match::prefix, Part::language},
    {"--std", Match::prefix, Part::language},
    {"--undefine-macro", Match::prefix, Part::language},
    {"-D", Match::prefix, Part::language},
    {"-D_GLIBCXX_USE_CXX11_ABI=", Match::prefix, Part::toolchain},
    {"-I", Match::prefix, Part::language},
    {"-M", Match::prefix, Part::language},
    {"-O", Match::prefix, Part::language},
    {"-U", Match::prefix, Part::language},
    {"-W", Match::prefix, Part::language},
    {"-Wa,", Match::prefix, Part::toolchain},
    {"-Wl,", Match::prefix, Part::toolchain},
    {"-Xclang", Match::whole, Part::language},
    {"-Xpreprocessor", Match::whole, Part::language},
    {"-ansi", Match::whole, Part::language},
    {"-f", Match::prefix, Part::language},
    {"-fPIC", Match::whole, Part::toolchain},
    {"-fPIE", Match::whole, Part::toolchain},
    {"-fabi-version=", Match::prefix, Part::toolchain},
    {"-fclang-abi-compat=", Match::prefix, Part::toolchain},
    {"-fno-PIC", Match::whole, Part::toolchain},
    {"-fno-PIE", Match::whole, Part::toolchain},
    {"-fno-pic", Match::whole, Part::toolchain},
    {"-fno-pie", Match::whole, Part::toolchain},
    {"-fpic", Match::whole, Part::toolchain},
    {"-fpie", Match::whole, Part::toolchain},
    {"-fuse-ld=", Match::prefix, Part::toolchain},
    {"-g", Match::prefix, Part::language},
    {"-gcc-", Match::prefix, Part::toolchain}, // Clang's -gcc-toolchain, Intel's -gcc-name
    {"-gxx-", Match::prefix, Part::toolchain},
    {"-imacros", Match::prefix, Part::language},
    {"-include", Match::prefix, Part::language},
    {"-iquote", Match::prefix, Part::language},
    {"-m", Match::prefix, Part::language},
    {"-m16", Match::whole, Part::toolchain},
    {"-m32", Match::whole, Part::toolchain},
    {"-m64", Match::whole, Part::toolchain},
    {"-mabi=", Match::prefix, Part::toolchain},
    {"-mandroid", Match::whole, Part::toolchain},
    {"-mbig-endian", Match::whole, Part::toolchain},
    {"-mbionic", Match::whole, Part::toolchain},
    {"-mcmodel=", Match::prefix, Part::toolchain},
    {"-mfloat-abi=", Match::prefix, Part::toolchain},
    {"-mglibc", Match::whole, Part::toolchain},
    {"-mlittle-endian", Match::whole, Part::toolchain},
    {"-mlong-double-", Match::prefix, Part::toolchain},
    {"-mmusl", Match::whole, Part::toolchain},
    {"-muclibc", Match::whole, Part::toolchain},
    {"-mx32", Match::whole, Part::toolchain},
    {"-pedantic", Match::prefix, Part::language},
    {"-pg", Match::whole, Part::language},
    {"-std=", Match::prefix, Part::language},
    {"-stdlib", Match::prefix, Part::toolchain},
    {"-w", Match::whole, Part::language},
    {"-x", Match::prefix, Part::language},
});

Part part_of(std::string_view word) {
  const Row* best = nullptr;
  for (const Row& row : rows)
    if ((row.match == Match::prefix ? word.starts_with(row.text) : word == row.text) &&
        (best == nullptr || row.text.size() > best->text.size()))
      best = &row;
  return best == nullptr ? Part::toolchain : best->part;
}

} // namespace

std::vector<std::string> without_language_options(const std::vector<std::string>& command) {
  std::vector<std::string> toolchain_options;
  for (auto word = command.begin(); word != command.end();) {
    const cmdline::DriverOption* const option = cmdline::find_driver_option(*word);
    const bool two = option != nullptr && cmdline::takes_next(*option, *word) && command.end() - word > 1;
    const auto next = word + (two ? 2 : 1);
    if (part_of(*word) == Part::toolchain)
      toolchain_options.insert(toolchain_options.end(), word, next);
    word = next;
  }
  return toolchain_options;
}

} // namespace hostpin::bind

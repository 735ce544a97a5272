// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/slices/options.hpp"

#include <algorithm>
#include <iterator>

namespace hostpin::slices {

namespace {

/// Options with which nvcc is not a sequence of commands that write the outputs, sorted.
struct Row {
  std::string_view spelling;
  bool reported; ///< false: there is nothing to gain
};
constexpr Row rows[] = {
    {"--dryrun", false},                // prints the commands
    {"--fdevice-time-trace", true},     // one file of times for all commands
    {"--generate-dependencies", false}, // compiles nothing
    {"--generate-nonsystem-dependencies", false},
    {"--keep", true}, // leaves its temporary files, under other names
    {"--preprocess", false},
    {"--run", true},        // the exit code is that of the program built
    {"--save-temps", true}, // another name of --keep
    {"--time", true},       // a file of times
    {"--verbose", true},    // prints the commands, and runs them
};
static_assert(std::is_sorted(std::begin(rows), std::end(rows),
                             [](const Row& a, const Row& b) { return a.spelling < b.spelling; }));

void take(std::string_view option, std::string_view value, Options& options) {
  const auto* const row = std::find_if(std::begin(rows), std::end(rows),
                                       [&](const Row& each) { return each.spelling == option; });
  if (row != std::end(rows) && !options.plain)
    options.plain = Plain{row->reported ? "with " + std::string(option) +
                                              ", nvcc itself runs the commands, and no slices are used"
                                        : std::string()};
  options.system_headers &= option != "--generate-nonsystem-dependencies-with-compile";
  options.phony_targets |= option == "--generate-dependency-targets";
  if (option == "--dependency-target-name")
    options.dependency_target = value;
}

} // namespace

Options options_of(const cmdline::NvccCommand& command) {
  Options options;
  if (command.informational)
    options.plain = Plain{};
  const std::vector<cmdline::NvccWord>& words = command.words;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (words[at].text.find('\n') != std::string_view::npos && !options.plain)
      options.plain =
          Plain{"an argument contains a line end, so nvcc itself runs the commands, and no slices are used"};
    const cmdline::NvccArgument argument = cmdline::nvcc_argument(words[at].text);
    if (argument.option == nullptr)
      continue;
    const bool apart =
        !argument.has_value && at + 1 < words.size() && cmdline::takes_next(argument, words[at + 1].text);
    const std::string_view value = apart ? words[at + 1].text : argument.value;
    take(argument.option->spelling, value, options);
    at += apart ? 1 : 0;
  }
  return options;
}

} // namespace hostpin::slices

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/options.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace hostpin {

const char* const why_usage =
    R"(usage: hostpin stdlib-probe why [OPTIONS] SOURCE... -- COMPILER FLAGS
       hostpin stdlib-probe why [OPTIONS] -p DIRECTORY|FILE [SOURCE...]

Which lines of a source need which versioned symbol of libstdc++, inlined and instantiated code included. The
compile command is run with its output in a private directory, so that the answer is about the very object.

  --max VERSION      only what is newer, such as GLIBCXX_3.4.30 or CXXABI_1.3.13; once for each of the two
  --against LIBRARY  only what this libstdc++.so.6 does not define
  -p PATH            take the commands from a compile_commands.json, or the directory that holds it
  --chain            show how each line leads to its symbol
  --predict          do not compile: what an object may need at most, from the source alone
  --library LIBRARY  the libstdc++.so.6 that tells the versions, where it is not the compiler's own
  --json             for programs

Without --max and --against everything newer than GLIBCXX_3.4 and CXXABI_1.3 is listed.

exit code: 0 nothing is above the limit (or none was given), 1 something is, 2 something could not be checked
)";

namespace {

struct Flag {
  std::string_view name;
  bool WhyOptions::*wanted;
};
constexpr auto flags = std::to_array<Flag>({{"--chain", &WhyOptions::chain},
                                            {"--help", &WhyOptions::help},
                                            {"-h", &WhyOptions::help},
                                            {"--json", &WhyOptions::json},
                                            {"--predict", &WhyOptions::predict}});
struct Value {
  std::string_view name;
  std::string WhyOptions::*value;
};
constexpr auto values = std::to_array<Value>({{"--against", &WhyOptions::against},
                                              {"--library", &WhyOptions::library},
                                              {"-p", &WhyOptions::database}});

constexpr const char* see_help = "hostpin stdlib-probe why --help";

Result<WhyOptions> checked(WhyOptions options) {
  if (options.help)
    return options;
  if (!options.max.empty() && !options.against.empty())
    return failure("--max and --against are two limits", "give one of them");
  if (options.database.empty() == options.command.empty())
    return failure(options.command.empty() ? "there is no compile command"
                                           : "there are both -p and a compile command",
                   "write `-- g++ -O2 ...` behind the sources, or -p with a compile_commands.json");
  return options;
}

} // namespace

Result<WhyOptions> why_options(std::span<const char* const> arguments) {
  WhyOptions options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    if (word == "--") {
      options.command.assign(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, arguments.end());
      break;
    }
    const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string_view::npos;
    const std::string_view name = word.substr(0, equals);
    if (const auto* const flag =
            std::find_if(flags.begin(), flags.end(), [&](const Flag& row) { return row.name == word; });
        flag != flags.end()) {
      options.*flag->wanted = true;
      continue;
    }
    const auto* const row =
        std::find_if(values.begin(), values.end(), [&](const Value& value) { return value.name == name; });
    if (row == values.end() && name != "--max") {
      if (word.size() > 1 && word.front() == '-')
        return failure("why knows no option '" + std::string(word) + "'", see_help);
      options.sources.emplace_back(word);
      continue;
    }
    std::string value(equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1));
    if (equals == std::string_view::npos && i + 1 < arguments.size() &&
        std::string_view(arguments[i + 1]) != "--")
      value = arguments[++i];
    if (value.empty())
      return failure(std::string(name) + " needs a value", see_help);
    if (row == values.end())
      options.max.push_back(std::move(value));
    else
      options.*row->value = std::move(value);
  }
  return checked(std::move(options));
}

} // namespace hostpin

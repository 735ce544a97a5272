// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/command/options.hpp"

#include "toolchains/base/files.hpp"
#include "toolchains/compiler/words.hpp"

#include <optional>
#include <string_view>

namespace hostpin {

const char* const check_usage =
    "usage: hostpin lto-check [--json] [--linker \"DRIVER ARGS\"] [--nvlink PATH] INPUT...\n"
    "       hostpin lto-check [--json] -- LINK COMMAND\n\n"
    "Whether the link-time code in objects and archives fits the linker that would read it. Runs no link.\n"
    "INPUT is an object, an archive, bitcode, a linker script or @file. LINK COMMAND is that of a compiler "
    "driver, a linker\n"
    "or nvcc (-dlink, -dlto too); only what that link needs of archives counts.\n\n"
    "  --linker W     how the link begins, such as \"g++-13 -flto\" or \"ld.lld\"; default: $CXX, else c++\n"
    "  --nvlink PATH  the device linker; default: nvlink on PATH, for inputs with device code\n"
    "  --warn         say what does not match as a warning, and exit 0\n"
    "  --json         the same for programs; see hooks/lto-check/command/README.md\n\n"
    "Exit code: 0 all fits, 1 something does not, 2 something could not be checked.\n";

namespace {

tl::unexpected<Error> misuse(std::string message) {
  return failure(std::move(message), "hostpin lto-check --help says what it takes");
}

/// The value of an option: behind `=`, or the next word, which is then taken.
std::optional<std::string> value_of(std::string_view word, std::string_view name,
                                    std::span<const char* const> arguments, std::size_t& at) {
  if (word == name)
    return at + 1 < arguments.size() ? std::optional<std::string>(arguments[++at]) : std::nullopt;
  return std::string(word.substr(name.size() + 1));
}

bool is(std::string_view word, std::string_view name) {
  return word.starts_with(name) && (word.size() == name.size() || word[name.size()] == '=');
}

Result<void> take(CheckOptions& options, std::span<const char* const> arguments, std::size_t& at) {
  const std::string_view word = arguments[at];
  if (word == "--json") {
    options.json = true;
  } else if (word == "--warn") {
    options.warn = true;
  } else if (word == "--help" || word == "-h") {
    options.help = true;
  } else if (is(word, "--nvlink")) {
    options.nvlink = value_of(word, "--nvlink", arguments, at).value_or("");
    if (options.nvlink.empty())
      return misuse("--nvlink needs the path of an nvlink");
  } else if (is(word, "--linker")) {
    auto words = driver_words(DiskFiles(), value_of(word, "--linker", arguments, at).value_or(""));
    if (!words)
      return tl::unexpected(words.error());
    if (words->empty())
      return misuse("--linker needs a driver or linker and its arguments, as one word");
    options.linker = *std::move(words);
  } else if (word.size() > 1 && word.starts_with('-')) {
    return misuse("lto-check has no option " + std::string(word));
  } else {
    options.inputs.emplace_back(word);
  }
  return {};
}

} // namespace

Result<CheckOptions> check_options(std::span<const char* const> arguments) {
  CheckOptions options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (std::string_view(arguments[i]) == "--") {
      options.command.assign(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, arguments.end());
      if (options.command.empty())
        return misuse("there is no command behind --");
      break;
    }
    if (auto taken = take(options, arguments, i); !taken)
      return tl::unexpected(taken.error());
  }
  if (options.help)
    return options;
  if (!options.command.empty() &&
      (!options.inputs.empty() || !options.linker.empty() || !options.nvlink.empty()))
    return misuse("a link command says by itself what is linked by what: give no inputs or linker before --");
  if (options.command.empty() && options.inputs.empty())
    return misuse("lto-check needs inputs, or -- and a link command");
  return options;
}

} // namespace hostpin

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/compiler/real_driver.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/compiler/driver_name.hpp"
#include "toolchains/compiler/plain_script.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <span>
#include <string_view>

namespace hostpin {

namespace {

struct Word {
  std::string_view text;
  bool is_prefix = false; ///< a value follows in the same word
  bool has_value = false; ///< a value follows in the next word
  bool is_path = false;   ///< which is one, and so must not depend on the current directory
};

// Arguments that mean the same wherever and whenever the driver is called. Not among them, and so refused:
// response, specs and configuration files, -fplugin and -imacros, whose files do not show in the output;
// -march=native; prefix maps, which may change the name of the file.
constexpr auto constant_words = std::to_array<Word>({
    {"-fPIE"},
    {"-fpie"},
    {"-fPIC"},
    {"-fpic"},
    {"-pie"},
    {"-no-pie"},
    {"-m64"},
    {"-m32"},
    {"-pthread"},
    {"-w"},
    {"-std=", true},
    {"-O", true},
    {"-L", true},
    {"-Wl,", true},
    {"-D", true},
    {"-U", true},
    {"--sysroot=", true, false, true},
    {"--gcc-toolchain=", true, false, true},
    {"--gcc-install-dir=", true, false, true},
    {"--target=", true},
    {"-stdlib=", true},
    {"-isysroot", false, true, true},
    {"-isystem", false, true, true},
    {"-target", false, true},
});

/// The first argument that is none of them; empty when all are.
std::string_view other_word(std::span<const std::string> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    const auto* const row = std::find_if(constant_words.begin(), constant_words.end(), [&](const Word& word) {
      return word.is_prefix ? argument.starts_with(word.text) && argument != word.text
                            : argument == word.text;
    });
    if (row == constant_words.end())
      return argument;
    std::string_view value = argument.substr(row->text.size());
    if (row->has_value)
      value = ++i < arguments.size() ? std::string_view(arguments[i]) : std::string_view();
    if (row->is_path && !value.starts_with('/'))
      return argument;
  }
  return {};
}

constexpr std::size_t longest_script = 4096;

/// The first bytes of a file, which may be a program of any size; empty when it cannot be read.
std::string head(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"), &std::fclose);
  std::string text(file ? longest_script : 0, '\0');
  if (file)
    text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  return text;
}

bool is_driver(std::string_view name) {
  return name.starts_with("clang") || driver_name(name).has_value();
}

} // namespace

Result<std::vector<std::vector<std::string>>> programs_behind(const std::vector<std::string>& command,
                                                              const Files& files) {
  constexpr std::string_view elf = "\177ELF";
  constexpr std::size_t longest_row = 4;
  std::vector<std::vector<std::string>> row = {command};
  for (;;) {
    const std::string& program = row.back().front();
    const auto real = files.real_path(program);
    if (!real)
      return failure(program + " does not exist");
    const std::string start = head(*real);
    if (start.starts_with(elf))
      return row;
    auto behind = start.size() < longest_script ? launched_by(start) : std::nullopt;
    if (!behind)
      return failure(program + " is a script that may answer differently each time");
    if (row.size() == longest_row)
      return failure(command.front() + " is a long row of scripts");
    row.push_back(*std::move(behind));
  }
}

Result<RealDriver> real_driver(const std::vector<std::string>& command, const Files& files) {
  const auto row = programs_behind(command, files);
  if (!row)
    return tl::unexpected(row.error());
  RealDriver driver;
  for (const std::vector<std::string>& words : *row) {
    if (const std::string_view other = other_word(std::span(words).subspan(1)); !other.empty())
      return failure("its argument " + std::string(other) + " may change the answer");
    driver.files.push_back(words.front());
  }
  driver.program = driver.files.back();
  const std::string real = files.real_path(driver.program).value_or(driver.program);
  if (!is_driver(base_name(real)))
    return failure(driver.program + " is " + real + ", which chooses a compiler when it runs");
  return driver;
}

} // namespace hostpin

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/compiler/real_driver.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/cmdline/driver_options.hpp"
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

/// The first argument that may mean something else in another place or at another time; empty when there is
/// none. Refused as well: response, specs and configuration files, -fplugin and -imacros, whose files do not
/// show in the output; -march=native; prefix maps, which may change the name of the file.
std::string_view changing_argument(std::span<const std::string> arguments) {
  for (std::size_t i = 0; i < arguments.size();) {
    const cmdline::DriverArgument read = cmdline::driver_argument(arguments, i);
    const cmdline::DriverOption* const option = read.option;
    const bool complete =
        option != nullptr && (option->value == cmdline::DriverValue::none || !read.value.empty());
    if (!complete || !option->is(cmdline::driver_use::constant) ||
        (option->is(cmdline::driver_use::path) && !read.value.starts_with('/')))
      return arguments[i];
    i += read.size;
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
    if (const std::string_view other = changing_argument(std::span(words).subspan(1)); !other.empty())
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

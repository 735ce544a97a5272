// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/compiler/driver_output.hpp"

#include "toolchains/base/path_text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

namespace hostpin {

namespace {

constexpr std::string_view probe_marker = "hostpin_probe ";

/// A suffix such as the L of 201703L is dropped.
std::optional<long> number(std::string_view word) {
  if (word.ends_with('L'))
    word.remove_suffix(1);
  long value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  constexpr long largest = 99'999'999;
  if (error != std::errc() || end != word.data() + word.size() || value < 0 || value > largest)
    return std::nullopt;
  return value;
}

constexpr std::string_view installed = "InstalledDir: ";
constexpr std::string_view user_directory = "User configuration file directory: ";

} // namespace

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string_view> words_of(std::string_view text, std::size_t most) {
  constexpr std::string_view blanks = " \t\r\n";
  std::vector<std::string_view> words;
  while (words.size() < most) {
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos)
      return words;
    const std::size_t end = std::min(text.find_first_of(blanks, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
  return words;
}

// Words are read across lines, because GCC inserts a newline and a line marker before the expansion of
// a macro that a system header defined.
Marked marked_numbers(std::string_view all) {
  std::string text;
  for (const std::string_view line : lines_of(all))
    if (!line.starts_with('#'))
      text.append(line).append(1, '\n');
  std::string_view output = text;
  Marked marked;
  for (std::size_t at = output.find(probe_marker); at != std::string_view::npos;
       at = output.find(probe_marker)) {
    output.remove_prefix(at + probe_marker.size());
    const std::vector<std::string_view> words = words_of(output.substr(0, output.find(probe_marker)), 5);
    std::vector<long> numbers;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const auto value = number(words[i]);
      if (!value)
        break;
      numbers.push_back(*value);
    }
    if (!numbers.empty())
      marked.emplace(words.front(), std::move(numbers));
  }
  return marked;
}

std::string complaint(const Lines& lines) {
  std::string_view chosen;
  for (const std::string_view line : lines) {
    if (std::none_of(line.begin(), line.end(), [](unsigned char c) { return std::isalnum(c) != 0; }))
      continue; // empty, or a rule such as mpicxx prints
    chosen = line;
    // -v prints configure arguments and command lines, which contain --disable-werror and -ferror-limit.
    if (line.starts_with("Configured with:") || line.starts_with(' '))
      continue;
    if (line.find("error") != std::string_view::npos || line.find("fatal") != std::string_view::npos)
      break;
  }
  constexpr std::size_t longest = 160;
  std::string text;
  for (const char c : chosen.substr(0, longest))
    text += c >= ' ' && c <= '~' ? c : '?';
  return text;
}

std::vector<std::string> lines_after(const Lines& lines, std::string_view marker) {
  std::vector<std::string> texts;
  for (const std::string_view line : lines)
    if (line.starts_with(marker))
      texts.emplace_back(line.substr(marker.size()));
  return texts;
}

bool is_driver_itself(const Lines& lines, const RealDriver& driver, Family family, const Files& files) {
  const auto prints = [&](std::string_view marker, const std::string& text) {
    const std::vector<std::string> texts = lines_after(lines, marker);
    return std::find(texts.begin(), texts.end(), text) != texts.end();
  };
  if (family == Family::gcc)
    return prints("COLLECT_GCC=", driver.program);
  const std::string real = files.real_path(driver.program).value_or(driver.program);
  return prints(installed, directory_of(driver.program)) || prints(installed, directory_of(real));
}

std::vector<std::string> specs_names(const Compiler& compiler) {
  const std::string& install = compiler.gcc_install; // .../gcc/MACHINE/VERSION
  const std::string machine(base_name(directory_of(install)));
  return {machine + '/' + std::string(base_name(install)) + "/specs", "specs"};
}

std::vector<std::string> specs_files(const Lines& lines, const Compiler& compiler) {
  std::vector<std::string> paths = lines_after(lines, "Reading specs from ");
  const std::string& install = compiler.gcc_install;
  const std::string machine = directory_of(install);
  for (const std::string& directory : {install, machine, directory_of(machine)})
    paths.push_back(directory + "/specs");
  for (const std::string& name : specs_names(compiler))
    paths.push_back(install + "/../../../../" + std::string(base_name(machine)) + "/lib/" + name);
  return paths;
}

std::vector<std::string> configuration_files(const Lines& lines, const RealDriver& driver) {
  std::vector<std::string> paths = lines_after(lines, "Configuration file: ");
  std::vector<std::string> directories = lines_after(lines, installed);
  for (const std::string_view more :
       {std::string_view("System configuration file directory: "), user_directory})
    for (const std::string& directory : lines_after(lines, more))
      directories.push_back(directory);
  directories.push_back(directory_of(driver.program));
  std::vector<std::string> names = {"clang++", "clang", std::string(base_name(driver.program))};
  for (const std::string& target : lines_after(lines, "Target: "))
    for (const std::string& more : {target, target + "-clang++", target + "-clang"})
      names.push_back(more);
  for (const std::string& directory : directories)
    for (const std::string& name : names)
      paths.push_back(directory + '/' + name + ".cfg");
  return paths;
}

std::string user_configuration(const Lines& lines) {
  const std::vector<std::string> directories = lines_after(lines, user_directory);
  return directories.empty() ? std::string() : directories.front();
}

} // namespace hostpin

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/metadata/requirement.hpp"

#include "hooks/wheel/metadata/file_name.hpp"
#include "toolchains/base/path_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>

namespace hostpin::wheel {

namespace {

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

std::string_view take_name(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() && is_name_character(text[size]))
    ++size;
  const std::string_view name = text.substr(0, size);
  text = without_blanks(text.substr(size));
  return name;
}

std::optional<Specifier> specifier_of(std::string_view text) {
  constexpr std::array<std::string_view, 8> comparisons = {"===", "==", "~=", "!=", "<=", ">=", "<", ">"};
  for (const std::string_view comparison : comparisons)
    if (text.starts_with(comparison)) {
      const std::string_view version = without_blanks(text.substr(comparison.size()));
      if (version.empty())
        return std::nullopt;
      return Specifier{std::string(comparison), std::string(version)};
    }
  return std::nullopt;
}

struct Release {
  int major = 0;
  bool is_whole = true; ///< all parts after the major are 0, so that nothing of this major is below it
};

/// Nothing for a version that does not begin with a number.
std::optional<Release> release_of(std::string_view version) {
  if (version.starts_with('v') || version.starts_with('V'))
    version.remove_prefix(1);
  if (const std::size_t epoch = version.find('!'); epoch != std::string_view::npos)
    version.remove_prefix(epoch + 1);
  Release release;
  const auto read = std::from_chars(version.data(), version.data() + version.size(), release.major);
  if (read.ec != std::errc())
    return std::nullopt;
  const std::string_view rest = version.substr(static_cast<std::size_t>(read.ptr - version.data()));
  release.is_whole = rest.find_first_of("123456789") == std::string_view::npos;
  return release;
}

bool admits(const Specifier& specifier, int major) {
  const auto release = release_of(specifier.version);
  if (!release || specifier.comparison == "!=")
    return true;
  if (specifier.comparison == "==" || specifier.comparison == "===" || specifier.comparison == "~=")
    return major == release->major;
  if (specifier.comparison == "<")
    return major < release->major || (major == release->major && !release->is_whole);
  return specifier.comparison == "<=" ? major <= release->major : major >= release->major;
}

} // namespace

std::string Requirement::extra() const {
  const std::size_t at = marker.find("extra");
  if (at == std::string::npos)
    return {};
  const std::size_t open = marker.find_first_of("'\"", at);
  const std::size_t close = open == std::string::npos ? open : marker.find(marker[open], open + 1);
  return close == std::string::npos ? std::string()
                                    : normalised(std::string_view(marker).substr(open + 1, close - open - 1));
}

bool Requirement::is_for_linux() const {
  for (const std::string_view other : {"win32", "Windows", "darwin", "Darwin"})
    if (const std::size_t at = marker.find(other); at != std::string::npos) {
      // `sys_platform != "win32"` holds on Linux.
      const std::size_t comparison = marker.rfind('=', at);
      return comparison != std::string::npos && comparison > 0 && marker[comparison - 1] == '!';
    }
  return true;
}

bool Requirement::admits_major(int major) const {
  return std::all_of(specifiers.begin(), specifiers.end(),
                     [&](const Specifier& one) { return admits(one, major); });
}

bool Requirement::has_ceiling() const {
  return is_url || std::any_of(specifiers.begin(), specifiers.end(), [](const Specifier& one) {
           return one.comparison != "!=" && one.comparison != ">" && one.comparison != ">=";
         });
}

std::optional<Requirement> read_requirement(std::string_view text) {
  text = without_blanks(text);
  Requirement requirement;
  if (const std::size_t semicolon = text.find(';'); semicolon != std::string_view::npos) {
    requirement.marker = without_blanks(text.substr(semicolon + 1));
    text = without_blanks(text.substr(0, semicolon));
  }
  const std::string_view name = take_name(text);
  if (name.empty())
    return std::nullopt;
  requirement.name = normalised(name);
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos)
      return std::nullopt;
    for (const std::string& extra : filled_parts(text.substr(1, end - 1), ", \t"))
      requirement.extras.push_back(normalised(extra));
    text = without_blanks(text.substr(end + 1));
  }
  if (text.starts_with('@')) {
    requirement.is_url = true;
    return requirement;
  }
  if (text.starts_with('(') && text.ends_with(')'))
    text = text.substr(1, text.size() - 2);
  for (const std::string& part : filled_parts(text, ",")) {
    const std::string_view written = without_blanks(part);
    if (written.empty())
      continue;
    auto specifier = specifier_of(written);
    if (!specifier)
      return std::nullopt;
    requirement.specifiers.push_back(*std::move(specifier));
  }
  return requirement;
}

} // namespace hostpin::wheel

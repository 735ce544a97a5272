// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/metadata/requirement.hpp"

#include "hooks/wheel/metadata/file_name.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"

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

std::string_view take_name(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() && is_name_character(text[size]))
    ++size;
  const std::string_view name = text.substr(0, size);
  text = trimmed(text.substr(size));
  return name;
}

std::optional<Specifier> specifier_of(std::string_view text) {
  constexpr std::array<std::string_view, 8> comparisons = {"===", "==", "~=", "!=", "<=", ">=", "<", ">"};
  for (const std::string_view comparison : comparisons)
    if (text.starts_with(comparison)) {
      const std::string_view version = trimmed(text.substr(comparison.size()));
      if (version.empty())
        return std::nullopt;
      return Specifier{std::string(comparison), std::string(version)};
    }
  return std::nullopt;
}

struct Release {
  int major = 0;
  bool is_whole = true;        ///< all parts after the major are 0, so that nothing of this major is below it
  Version version;             ///< its first three parts
  std::size_t parts = 1;       ///< how many of them are written
  bool has_wildcard = false;   ///< `13.*`
  bool has_more_parts = false; ///< after the third
};

/// Nothing for a version that does not begin with a number.
std::optional<Release> release_of(std::string_view version) {
  if (version.starts_with('v') || version.starts_with('V'))
    version.remove_prefix(1);
  if (const std::size_t epoch = version.find('!'); epoch != std::string_view::npos)
    version.remove_prefix(epoch + 1);
  Release release;
  std::array<int, 3> parts{};
  auto read = std::from_chars(version.data(), version.data() + version.size(), parts[0]);
  if (read.ec != std::errc())
    return std::nullopt;
  const char* const end = version.data() + version.size();
  const std::string_view rest(read.ptr, static_cast<std::size_t>(end - read.ptr));
  release.is_whole = rest.find_first_of("123456789") == std::string_view::npos;
  release.has_wildcard = rest.ends_with(".*");
  for (; release.parts < parts.size() && read.ptr != end && *read.ptr == '.'; ++release.parts) {
    read = std::from_chars(read.ptr + 1, end, parts.at(release.parts));
    if (read.ec != std::errc())
      break;
  }
  release.has_more_parts = release.parts == parts.size() && read.ptr != end && *read.ptr == '.';
  release.major = parts[0];
  release.version = {parts[0], parts[1], parts[2]};
  return release;
}

/// Whether a version has the first parts of a release, which are at most three.
bool has_prefix(const Version& version, const Release& release, std::size_t parts) {
  const Version& other = release.version;
  return version.major == other.major && (parts < 2 || version.minor == other.minor) &&
         (parts < 3 || version.patch == other.patch);
}

bool fits(const Specifier& specifier, const Version& version) {
  const auto release = release_of(specifier.version);
  if (!release)
    return true;
  const bool is_equal =
      release->has_wildcard ? has_prefix(version, *release, release->parts) : version == release->version;
  if (specifier.comparison == "!=")
    return !is_equal;
  if (specifier.comparison == "==" || specifier.comparison == "===")
    return is_equal;
  if (specifier.comparison == "~=")
    return version >= release->version &&
           has_prefix(version, *release, std::max<std::size_t>(release->parts, 2) - 1);
  if (specifier.comparison == "<")
    return version < release->version;
  if (specifier.comparison == "<=")
    return version <= release->version;
  return specifier.comparison == ">" ? version > release->version : version >= release->version;
}

/// Whether a release at or after `first` fits. Parts of a version after the third are not known here.
bool admits_some_from(const Specifier& specifier, const Version& first) {
  const auto release = release_of(specifier.version);
  if (!release || specifier.comparison == "!=" || specifier.comparison.starts_with('>'))
    return true;
  if (release->version > first)
    return true;
  if (specifier.comparison == "<")
    return release->version == first && release->has_more_parts;
  const bool is_compatible = specifier.comparison == "~=";
  if (is_compatible || release->has_wildcard) // any of these first parts, later releases included
    return has_prefix(first, *release, std::max<std::size_t>(release->parts - (is_compatible ? 1 : 0), 1));
  return release->version == first;
}

bool admits_some(const Specifier& specifier, int major) {
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
                     [&](const Specifier& one) { return admits_some(one, major); });
}

bool Requirement::has_ceiling() const {
  return is_url || std::any_of(specifiers.begin(), specifiers.end(), [](const Specifier& one) {
           return one.comparison != "!=" && one.comparison != ">" && one.comparison != ">=";
         });
}

bool Requirement::admits(const Version& version) const {
  return std::all_of(specifiers.begin(), specifiers.end(),
                     [&](const Specifier& one) { return fits(one, version); });
}

bool Requirement::is_pinned() const {
  return is_url || std::any_of(specifiers.begin(), specifiers.end(), [](const Specifier& one) {
           return one.comparison.starts_with("==") && !one.version.ends_with(".*");
         });
}

bool Requirement::admits_from(const Version& version) const {
  return std::all_of(specifiers.begin(), specifiers.end(),
                     [&](const Specifier& one) { return admits_some_from(one, version); });
}

bool Requirement::admits_before(const Version& version) const {
  return !is_url && version > Version() &&
         std::none_of(specifiers.begin(), specifiers.end(), [&](const Specifier& one) {
           const auto release = release_of(one.version);
           return release && release->version >= version && one.comparison != "!=" &&
                  !one.comparison.starts_with('<');
         });
}

std::optional<Requirement> read_requirement(std::string_view text) {
  text = trimmed(text);
  Requirement requirement;
  if (const std::size_t semicolon = text.find(';'); semicolon != std::string_view::npos) {
    requirement.marker = trimmed(text.substr(semicolon + 1));
    text = trimmed(text.substr(0, semicolon));
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
    text = trimmed(text.substr(end + 1));
  }
  if (text.starts_with('@')) {
    requirement.is_url = true;
    return requirement;
  }
  if (text.starts_with('(') && text.ends_with(')'))
    text = text.substr(1, text.size() - 2);
  for (const std::string& part : filled_parts(text, ",")) {
    const std::string_view written = trimmed(part);
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

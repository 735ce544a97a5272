// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/setup/apt_output.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>

#include <fmt/format.h>

namespace hostpin::setup {

namespace {

constexpr std::string_view blanks = " \t\r";

int hex_digit(char digit) {
  return std::isdigit(static_cast<unsigned char>(digit)) != 0    ? digit - '0'
         : std::isxdigit(static_cast<unsigned char>(digit)) != 0 ? std::tolower(digit) - 'a' + 10
                                                                 : -1;
}

/// apt writes the colon of an epoch as %3a in names of files.
std::string decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0) {
      result += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      result += text[i];
    }
  return result;
}

/// NAME_VERSION_ARCHITECTURE.deb.
bool read_file_name(PrintedFile& printed) {
  constexpr std::string_view suffix = ".deb";
  std::string_view name = printed.file;
  if (!name.ends_with(suffix) || name.find('/') != std::string_view::npos)
    return false;
  name.remove_suffix(suffix.size());
  const std::size_t first = name.find('_'), last = name.rfind('_');
  if (first == std::string_view::npos || first == last || first == 0)
    return false;
  printed.name = name.substr(0, first);
  printed.version = decoded(name.substr(first + 1, last - first - 1));
  printed.architecture = name.substr(last + 1);
  return true;
}

std::optional<PrintedFile> read_printed_file(std::string_view line) {
  if (!line.starts_with('\''))
    return std::nullopt;
  const std::size_t end = line.find('\'', 1);
  if (end == std::string_view::npos)
    return std::nullopt;
  PrintedFile printed;
  printed.address = line.substr(1, end - 1);
  const std::vector<std::string> words = filled_parts(line.substr(end + 1), " ");
  if (words.size() < 2)
    return std::nullopt;
  printed.file = words[0];
  const auto [stop, error] =
      std::from_chars(words[1].data(), words[1].data() + words[1].size(), printed.bytes);
  if (error != std::errc() || *stop != '\0' || !read_file_name(printed))
    return std::nullopt;
  return printed;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Lines of apt that begin with E: or W:, without addresses' users.
std::string complaints(std::string_view messages) {
  constexpr std::size_t most_lines = 5;
  std::string text;
  std::size_t lines = 0;
  for (const std::string& line : filled_parts(messages, "\n"))
    if ((line.starts_with("E: ") || line.starts_with("W: ")) && lines++ < most_lines) {
      text += "\n  ";
      for (const std::string& word : filled_parts(std::string_view(line).substr(3), " "))
        text += (text.ends_with("\n  ") ? "" : " ") + without_user(word);
    }
  return text;
}

} // namespace

std::vector<Stanza> read_stanzas(std::string_view text) {
  std::vector<Stanza> all;
  Stanza stanza;
  std::string last;
  const auto finish = [&] {
    if (!stanza.empty())
      all.push_back(std::move(stanza));
    stanza = {};
    last.clear();
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t colon = line.find(':');
    if (trimmed(line).empty())
      finish();
    else if (line.front() == ' ' || line.front() == '\t') {
      if (!last.empty())
        stanza[last].append("\n").append(trimmed(line));
    } else if (line.front() != '#' && colon != std::string_view::npos) {
      last = lower_case(line.substr(0, colon));
      stanza[last] = trimmed(line.substr(colon + 1));
    }
  }
  finish();
  return all;
}

const std::string& field(const Stanza& stanza, std::string_view name) {
  static const std::string none;
  const auto found = stanza.find(name);
  return found == stanza.end() ? none : found->second;
}

std::vector<PrintedFile> read_printed_files(std::string_view text) {
  std::vector<PrintedFile> all;
  for (const std::string& line : filled_parts(text, "\n"))
    if (auto printed = read_printed_file(line))
      all.push_back(*std::move(printed));
  return all;
}

std::optional<AptSource> own_source(std::string_view indextargets,
                                    const std::vector<std::string>& code_names) {
  std::optional<AptSource> other;
  for (const Stanza& stanza : read_stanzas(indextargets)) {
    const std::string &origin = field(stanza, "origin"), &release = field(stanza, "release");
    if ((origin != "Debian" && origin != "Ubuntu") || field(stanza, "component") != "main" ||
        field(stanza, "created-by") != "Packages" || field(stanza, "repo-uri").empty())
      continue;
    AptSource source{field(stanza, "repo-uri"), release, origin, field(stanza, "sourcesentry")};
    const auto is_own = [&](const std::string& name) {
      return name == release || name == field(stanza, "codename");
    };
    if (std::ranges::any_of(code_names, is_own)) {
      // `stable` is another suite next year.
      if (!field(stanza, "codename").empty())
        source.suite = field(stanza, "codename");
      return source;
    }
    if (!other && !contains(release, "-"))
      other = std::move(source);
  }
  return other;
}

std::string named_key(std::string_view text, bool is_stanzas, std::size_t number) {
  std::string named;
  if (is_stanzas) {
    const std::vector<Stanza> stanzas = read_stanzas(text);
    if (number == 0 || number > stanzas.size())
      return {};
    named = field(stanzas[number - 1], "signed-by");
  } else {
    const std::vector<std::string> lines = split(text, "\n");
    if (number == 0 || number > lines.size())
      return {};
    constexpr std::string_view option = "signed-by=";
    const std::string& line = lines[number - 1];
    if (const std::size_t at = line.find(option); at != std::string::npos)
      named = line.substr(at + option.size(), line.find_first_of(" ]", at) - at - option.size());
  }
  // Several files are separated by commas; any of them may have signed.
  const std::vector<std::string> files = filled_parts(named, ", ");
  return !files.empty() && files.front().starts_with('/') && !contains(named, "\n") ? files.front()
                                                                                    : std::string();
}

Error apt_error(std::string_view messages, const std::string& suite, const std::string& key) {
  const std::string said = complaints(messages);
  const auto says = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view each) { return contains(messages, each); });
  };
  constexpr const char* keyring =
      "install the distribution's current keyring, or name its key file with --keyring";
  if (says({"No space left", "not enough free space", "don't have enough free space"}))
    return {fmt::format("the disk is full: apt cannot write what it fetches for {}:{}", suite, said),
            "make room, or name a directory on another file system"};
  if (says({"407  ", "407 Proxy", "401  ", "401 Unauthorized"}))
    return {fmt::format("the mirror of {}, or a proxy before it, wants another name and password:{}", suite,
                        said),
            "set them for a proxy in http_proxy, as http://NAME:PASSWORD@HOST:PORT, and for a mirror in "
            "/etc/apt/auth.conf.d"};
  if (says({"EXPKEYSIG"}))
    return {fmt::format("the key of {} that signed the index of {} has expired:{}", key, suite, said),
            keyring};
  if (says({"NO_PUBKEY", "BADSIG", "REVKEYSIG", "invalid signature", "Sub-process /usr/bin/sqv",
            "couldn't be verified", "Missing key"}))
    return {fmt::format("the index of {} is not signed by a key of {}:{}", suite, key, said), keyring};
  if (says({"Clearsigned file isn't valid"}))
    return {fmt::format("what came from the mirror of {} is no signed index:{}", suite, said),
            "a network that asks for a login first answers so: log in, and try again"};
  if (says({"Hash Sum mismatch", "unexpected size"}))
    return {fmt::format("a file of {} is not what its signed index says:{}", suite, said),
            "the mirror or a proxy before it is out of date or damaged: try again later or use another one"};
  if (says({"Could not resolve", "Temporary failure resolving", "Could not connect", "Unable to connect",
            "Connection timed out", "Cannot initiate the connection", "Connection failed",
            "Connection refused", "Something wicked happened"}))
    return {fmt::format("apt cannot reach the mirror of {}:{}", suite, said),
            "check the network and http_proxy, or bring the files: on a machine with a network, hostpin "
            "setup DIR --dry-run --json lists them, and --from DIR takes them"};
  if (says({".deb 404", ".deb  404"}))
    return {fmt::format("the mirror of {} lacks a file that its index names:{}", suite, said),
            "the mirror is out of date or being updated: try again later or use another one"};
  if (says({"does not have a Release file", "no longer has a Release file", "404  Not Found"}))
    return {fmt::format("the mirror of this machine has no suite {}:{}", suite, said),
            "name one that it has with --suite"};
  // Also what follows a failed download, so that its cause comes first.
  if (says({"not signed"}))
    return {fmt::format("the index of {} is not signed by a key of {}:{}", suite, key, said), keyring};
  return {fmt::format("apt failed for {}:{}", suite, said.empty() ? '\n' + std::string(messages) : said), {}};
}

} // namespace hostpin::setup

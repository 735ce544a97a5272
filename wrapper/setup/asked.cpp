// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/setup/asked.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/redist/lock.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace hostpin::setup {

namespace {

constexpr int oldest_release = 10, newest_release = 99;
constexpr int largest_major = 99;
constexpr std::string_view redist_word = "redist";

std::string absolute(const std::string& name, const std::string& current) {
  const auto path = (std::filesystem::path(current) / name).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).string();
}

Result<int> major_of(const std::string& text, const char* option) {
  const auto version = parse_version(text);
  const bool is_major = version && text.find('.') == std::string::npos && version->major > 0;
  if (!is_major || version->major > largest_major)
    return failure(std::string(option) + " " + escaped(text) + " is no major version of a compiler",
                   std::string("for example ") + option + " 13");
  return version->major;
}

Result<void> take_compiler(const AskedTexts& texts, Asked& asked) {
  if (texts.gcc && texts.clang)
    return failure("--gcc and --clang name two host compilers", "leave one of them out");
  if (!texts.gcc && !texts.clang)
    return {};
  const auto major = major_of(texts.gcc ? *texts.gcc : *texts.clang, texts.gcc ? "--gcc" : "--clang");
  if (!major)
    return tl::unexpected(major.error());
  asked.family = texts.gcc ? Family::gcc : Family::clang;
  asked.major = *major;
  return {};
}

Result<void> take_cuda(const AskedTexts& texts, Asked& asked) {
  if (!texts.cuda)
    return {};
  asked.cuda = parse_version(*texts.cuda);
  if (!asked.cuda || texts.cuda->find('.') == std::string::npos || asked.cuda->major < oldest_release ||
      asked.cuda->major > newest_release)
    return failure("--cuda " + escaped(*texts.cuda) + " is no CUDA release", "for example --cuda 12.4");
  return {};
}

void take_source(const AskedTexts& texts, const std::string& current, Asked& asked) {
  if (!texts.from)
    return;
  const std::string& from = *texts.from;
  if (from == "distribution") {
    asked.source = Source::distribution;
  } else if (from == redist_word) {
    asked.source = Source::redist;
  } else if (from == "wheels") {
    asked.source = Source::wheels;
  } else if (from.starts_with("redist:")) {
    asked.source = Source::redist;
    const std::string named = from.substr(redist_word.size() + 1);
    asked.path = redist::is_url(named) ? named : absolute(named, current);
  } else {
    asked.source = Source::carried;
    asked.path = absolute(from, current);
  }
}

/// Names of suites become parts of addresses and configuration.
bool is_suite(std::string_view name) {
  return !name.empty() && name.front() != '-' && name.front() != '.' && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
  });
}

/// Nobody escapes these: the shell lines of nvcc, run paths and the linker's options contain the path.
Result<void> check_directory(const std::string& directory) {
  if (survives_the_shell(directory) && directory.find_first_of(":,;") == std::string::npos)
    return {};
  return failure("a toolchain cannot be in " + escaped(directory) +
                     ": run paths and the shell lines of nvcc would contain that path",
                 "name a directory without : , ; \" $ ` \\ and line ends in its path");
}

} // namespace

bool makes_lock(const Asked& asked) {
  return asked.source == Source::redist && (asked.path.empty() || redist::is_url(asked.path));
}

Result<Asked> read_asked(const AskedTexts& texts, const std::string& current) {
  if (texts.directory.empty())
    return failure("setup needs the directory to set up", "for example: hostpin setup cuda-toolchain");
  Asked asked;
  asked.directory = absolute(texts.directory, current);
  for (const Result<void>& checked :
       {check_directory(asked.directory), take_compiler(texts, asked), take_cuda(texts, asked)})
    if (!checked)
      return tl::unexpected(checked.error());
  take_source(texts, current, asked);
  if (auto checked = redist::check_no_user(asked.path); makes_lock(asked) && !checked)
    return tl::unexpected(checked.error());
  if (texts.from && texts.from->empty())
    return failure("--from names no source", "--from distribution, redist, wheels or a directory");
  for (const std::string& suite : texts.suites)
    if (!is_suite(suite))
      return failure("--suite " + escaped(suite) + " is no name of a suite", "for example --suite trixie");
  asked.suites = texts.suites;
  asked.libraries = texts.libraries;
  if (!asked.libraries.empty() && !makes_lock(asked) && asked.source != Source::distribution &&
      asked.source != Source::wheels)
    return failure("--libraries adds to a toolkit that is fetched, and that no lock lists",
                   "use it with --from redist, wheels or distribution; a lock has what `hostpin redist lock "
                   "--packages` names");
  return asked;
}

std::vector<std::string> asked_words(const Asked& asked) {
  std::vector<std::string> words;
  const auto add = [&](const char* option, std::string value) {
    words.emplace_back(option);
    words.push_back(std::move(value));
  };
  if (asked.cuda)
    add("--cuda", to_string(*asked.cuda));
  if (asked.family)
    add(*asked.family == Family::clang ? "--clang" : "--gcc", std::to_string(asked.major));
  if (asked.source == Source::distribution)
    add("--from", "distribution");
  else if (asked.source == Source::redist)
    add("--from",
        asked.path.empty() ? std::string(redist_word) : std::string(redist_word) + ':' + asked.path);
  else if (asked.source == Source::wheels)
    add("--from", "wheels");
  else if (asked.source == Source::carried)
    add("--from", asked.path);
  for (const std::string& suite : asked.suites)
    add("--suite", suite);
  for (const std::string& library : asked.libraries)
    add("--libraries", library);
  return words;
}

bool is_wanted(const Version& toolkit, const Asked& asked) {
  return !asked.cuda || (toolkit.major == asked.cuda->major && toolkit.minor == asked.cuda->minor &&
                         (asked.cuda->patch == 0 || asked.cuda->patch == toolkit.patch));
}

} // namespace hostpin::setup
